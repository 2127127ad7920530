// What *sampling* says, and its table of numbers.
import { html } from "./controls.js";
import { fixed, grouped, percent, scoreText, short } from "./words.js";

// Spaces and line ends as signs that can be seen.
export const shown = (token) => ({ " ": "␣", "\n": "↵" })[token] ?? token;

// Percent without the sign, where it would crowd; nothing below a tenth.
export const bare = (w) => (w < 0.001 ? "" : fixed(100 * w, w < 0.0995 ? 1 : 0));

export const setting = ({ cut, top_k, top_p, min_p }) =>
  ({
    nothing: "no cut", "top-k": `k = ${top_k}`, "top-p": `share ${short(top_p)}`,
    "min-p": `${short(min_p)} of the best`,
  })[cut];

const toTenths = (x) => `${fixed(100 * x, 1)}%`;

// The share that a cut keeps, never rounded to all or nothing.
const shareKept = (w) => (w > 0.9995 || w < 0.001 ? percent(w) : toTenths(w));

export function samplingSentence(state, { order, kept, share, after, counts }, tokens) {
  const { temperature, cut, earlier, draws } = state;
  const n = tokens.length;
  const best = shown(tokens[order[0]]);
  const at = `At T = ${short(temperature)}`;
  const looks = earlier === "cut" && temperature !== 1;
  const what =
    kept === n ? `all ${n}` : `${kept} of ${n}, with ${shareKept(share)} of the weight${looks ? " there" : ""}`;
  const opening = cut === "nothing" ? `${at} nothing is cut: all ${n} may be drawn.`
    : `${at}, ${cut} (${setting(state)})${looks ? " at T = 1" : ""} keeps ${what}.`;
  if (!draws) return `${opening}\nNothing has been drawn.`;
  const error = Math.sqrt((after[0] * (1 - after[0])) / draws);
  return `${opening}\n“${best}” is ${grouped(counts[0])} of ${grouped(draws)} ${draws === 1 ? "draw" : "draws"}, \
${toTenths(counts[0] / draws)}; its weight is ${toTenths(after[0])}, standard error ${toTenths(error)}.`;
}

export function samplingTable(rows) {
  const body = Array.from({ length: rows }, () => {
    const head = html("th", { scope: "row" });
    const cells = Array.from({ length: 4 }, () => html("td"));
    return { root: html("tr", {}, head, ...cells), head, cells };
  });
  const heads = ["next", "logit", "weight", "after the cut", "drawn"].map((text) =>
    html("th", { scope: "col" }, text),
  );
  return {
    root: html("table", { class: "ws-table" }, html("thead", {}, html("tr", {}, ...heads)),
      html("tbody", {}, ...body.map((row) => row.root))),
    // One list for each column of the plots: the name, the logit in words, two weights, a count.
    show(all) {
      body.forEach(({ head, cells }, c) => {
        const { name, logit, before, after, count } = all[c];
        head.textContent = name;
        const texts = [logit, percent(before), percent(after), grouped(count)];
        texts.forEach((text, j) => (cells[j].textContent = text));
      });
    },
  };
}

export const logitText = (scores) =>
  scores.length === 1 ? scoreText(scores[0]) : `≤ ${scoreText(Math.max(...scores))}`;
