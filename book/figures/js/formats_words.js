// What *number formats* says, and its table of numbers.
import { html } from "./controls.js";
import { FORMATS } from "./formats_math.js";
import { percent, short } from "./words.js";

export const WAYS = { plain: "as they are", shifted: "the largest subtracted" };

// A weight of exactly 0 is not one that is only too small to show.
export const formatWeight = (w) => (Number.isNaN(w) ? "NaN" : w === 0 ? "0" : percent(w));

export const numberText = (x) => (Number.isNaN(x) ? "NaN" : short(x));

// How a format fares, against the exact weights.
export function fate({ total, weights }, exact) {
  if (weights.some(Number.isNaN)) return "NaN";
  if (total === Infinity) return "all 0";
  return weights.every((w, i) => Math.abs(w - exact[i]) < 0.01) ? "right" : "wrong";
}

const FATES = {
  right: "Right",
  wrong: "Wrong, unnoticed",
  "all 0": "All weights 0",
  NaN: "NaN",
};

export function formatsSentence({ best, way, results, exact }) {
  const fates = results.map((result) => fate(result, exact));
  const groups = Object.keys(FATES).map((one) => [
    one, FORMATS.filter((_, i) => fates[i] === one).map((f) => f.name),
  ]);
  const said = groups
    .filter(([, names]) => names.length)
    .map(([one, names]) => `${FATES[one]}: ${names.join(", ")}.`);
  const verdict = fates.every((one) => one === "right") ? "All four are right." : said.join(" ");
  const zeros = FORMATS.map((f, i) => [f.name, results[i].weights.filter((w) => w === 0).length]).filter(
    ([, count]) => count,
  );
  const none = zeros.map(([name, count]) => `${count} in ${name}`).join(", ");
  const exactly = none ? `Exact zeros: ${none}.` : fates.includes("NaN") ? "" : "No exact zeros.";
  const opening = `Best score ${short(best)}, ${way === "plain" ? "nothing" : "the largest"} subtracted.`;
  return `${opening} ${verdict}\n${exactly}`.trim();
}

export function formatsTable(tokens) {
  const title = (text) => html("th", { scope: "col" }, text);
  const line = (name) => {
    const cells = FORMATS.map(() => html("td", { class: "ws-number" }));
    return { root: html("tr", {}, html("th", { scope: "row" }, name), ...cells), cells };
  };
  const rows = [...tokens, "sum of e"].map(line);
  return {
    root: html("table", { class: "ws-table" },
      html(
        "caption", {},
        "Weights, and the sum that they were divided by, as each format has them; \
“right” is to a percentage point",
      ),
      html("thead", {}, html("tr", {}, title("token"), ...FORMATS.map((f) => title(f.name)))),
      html("tbody", {}, ...rows.map((row) => row.root))),
    show(results) {
      rows.forEach((row, i) => row.cells.forEach((cell, j) => {
        const { weights, total } = results[j];
        cell.textContent = numberText(i < weights.length ? weights[i] : total);
      }));
    },
  };
}
