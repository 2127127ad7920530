// What *heads* says, and its tables.
import { html } from "./controls.js";
import { dot, effectiveCount } from "./math.js";
import { fixed, percent } from "./words.js";

const ROLES = {
  previous: ["previous", "a previous-token head"], induction: ["induction", "an induction head"],
  other: ["other", "of no known role"],
};
const quoted = (letter) => `“${letter}”`;

// The heads, layer by layer, each with its role: the one of two whose measured score is at least one half.
export function headsOf({ heads, layers, previous, induction }) {
  return Array.from({ length: heads * layers }, (_, at) => {
    const [layer, head] = [Math.floor(at / heads), at % heads];
    const scores = { previous: previous[layer][head], induction: induction[layer][head] };
    const role = Object.keys(scores).find((name) => scores[name] >= 0.5) ?? "other";
    const [label, long] = ROLES[role];
    return {
      key: `${layer + 1}.${head + 1}`, name: `layer ${layer + 1}, head ${head + 1}`, label, long, scores,
    };
  });
}

// How far the weights of the query at `place` reach back, in tokens.
export const distanceOf = (row, place) => dot(row, row.map((_, j) => place - j));

const called = (text, at) => (at === 0 ? "the start" : quoted(text[at - 1]));
const back = (far) => (far === 0 ? "itself" : far === 1 ? "just before" : `${far} back`);

// What the symbol at this place looks at.
export function looksSentence({ text, place, row, head, off }) {
  const who = `${head.name[0].toUpperCase()}${head.name.slice(1)}, ${head.long}`;
  if (off) return `${who}, is switched off: it adds nothing.`;
  const top = row.reduce((best, w, j) => (w > row[best] ? j : best), 0);
  if (place === 0) return `${who}: the start sees nothing but itself.`;
  if (!(row[top] > 0)) return `${who}: from ${called(text, place)} it gives nothing to anything.`;
  return `${who}: from ${called(text, place)} it gives ${percent(row[top])} to ${called(text, top)}, \
${back(place - top)}.`;
}

const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;

// How many guesses were right since the text began to repeat; the first letter of that nobody can know.
export function hitsSentence({ text, guesses, repeat }) {
  if (!text) return "What repeats, the model goes on with.";
  if (!repeat) return "Nothing repeats yet, so it can only guess.";
  const after = [...text].map((letter, i) => guesses[i] === letter).slice(repeat.from + 1);
  return `Since the text repeats, ${after.filter(Boolean).length} of ${after.length} guesses are right.`;
}

const byWeight = (row) => row.map((_, j) => j).sort((a, b) => row[b] - row[a]);

// What gets the most of a row, for who cannot see the shades.
export const largest = (text, row, count) => {
  const one = (j) => `${called(text, j)} ${percent(row[j])}, ${back(row.length - 1 - j)}`;
  return `largest weights: ${byWeight(row).slice(0, count).map(one).join("; ")}`;
};

const table = (caption, names, rows) => {
  const heads = names.map((name) => html("th", { scope: "col" }, name));
  return html("table", { class: "ws-table" }, html("caption", {}, caption),
    html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root)));
};
function rowOf(count) {
  const [name, ...cells] = [html("th", { scope: "row" }), ...Array.from({ length: count }, () => html("td"))];
  return {
    root: html("tr", {}, name, ...cells),
    show: (texts) => [name, ...cells].forEach((cell, i) => (cell.textContent = texts[i])),
  };
}

// The largest weights of the query, and what each head does on this text, on average over its queries.
export function headsTables(heads, count) {
  const keys = Array.from({ length: count }, () => rowOf(2));
  const all = heads.map(() => rowOf(4));
  return {
    parts: [
      table("the largest weights", ["symbol", "how far back", "weight π"], keys),
      table(
        "each head on this text",
        ["head", "previous-token score", "induction score", "effective tokens", "distance"], all,
      ),
    ],
    show(text, place, row, rowsOf) {
      const order = byWeight(row);
      keys.forEach((one, i) => {
        one.root.hidden = i > place;
        if (i <= place) one.show([called(text, order[i]), String(place - order[i]), percent(row[order[i]])]);
      });
      heads.forEach(({ key, scores }, at) => {
        const rows = rowsOf(at);
        const numbers = [mean(rows.map(effectiveCount)), mean(rows.map(distanceOf))].map((x) => fixed(x, 1));
        all[at].show([key, fixed(scores.previous, 2), fixed(scores.induction, 2), ...numbers]);
      });
    },
  };
}
