// What *the mask* says, and its table of weights.
import { html } from "./controls.js";
import { fixed, percent } from "./words.js";

export const PATTERNS = { causal: "causal", window: "window", all: "all keys" };
export const FORBIDDING = { fill: "score −1e9", infinity: "score −∞", zeros: "left out" };
export const WRITTEN = { infinity: "−∞", fill: "−1e9", zeros: "" }; // in place of a score

export const share = (w) => (Number.isNaN(w) ? "NaN" : percent(w));

// A row's weights sum to 1, are all 0, or are no numbers.
export const sumOf = (weights) => (weights.some(Number.isNaN) ? "NaN" : weights.some((w) => w > 0) ? "1" : "0");

// What comes out of a row, in a word.
export function fateOf(weights, open) {
  if (weights.some(Number.isNaN)) return "NaN";
  if (weights.some((w, j) => w > 0 && !open[j])) return "leak";
  return open.some(Boolean) ? "fine" : "nothing";
}

const several = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

function aligned({ pattern, tokens, queries, offset }) {
  const off = offset - (tokens.length - queries);
  if (pattern === "all" || off === 0) return "";
  const what = pattern === "window" ? "windows end" : "the mask ends";
  return `; ${what} ${several(Math.abs(off), "key")} ${off < 0 ? "early" : "late"}`;
}

const RESULTS = {
  zeros: () => ["weights of 0.", "The output is nothing, and nothing else is spoilt."],
  infinity: () => [
    "−∞ less −∞ is NaN, “not a number”.", "0 times NaN is NaN: every gradient is spoilt.",
  ],
  fill: (n) => [
    `equal scores, ${percent(1 / n)} for each word.`, "The output is the average of what was hidden.",
  ],
};

export function maskSentence(state, rows) {
  const { tokens, queries, way } = state;
  const n = tokens.length;
  const open = rows.flat().filter(Boolean).length;
  const empty = rows.flatMap((row, i) => (row.some(Boolean) ? [] : [tokens[n - queries + i]]));
  const shift = aligned(state);
  if (empty.length === 0) {
    const count = shift && `\n${open} of ${queries * n} take part${shift}.`;
    return `Each row still has a word to see: hidden words get 0, whichever way.${count}`;
  }
  const who = empty.length === 1 ? `“${empty[0]}” may see nothing` : `${empty.length} rows may see nothing`;
  const [what, then] = RESULTS[way](n);
  return `${who}: ${what}\n${then}`;
}

// Two decimals have room on a phone; 0 and 1 without them are exact.
const inTable = (w) => (Number.isNaN(w) ? "NaN" : w === 0 || w === 1 ? String(w) : fixed(w, 2));

// One row for each query, one column for each key, and the sum.
export function weightTable(tokens) {
  const title = (text, scope) => html("th", { scope, title: text }, text);
  const cells = tokens.map(() => tokens.map(() => html("td", { class: "ws-number" })));
  const sums = tokens.map(() => html("td", {}));
  const lines = tokens.map((token, i) => html("tr", {}, title(token, "row"), ...cells[i], sums[i]));
  const heads = html(
    "tr", {}, title("query", "col"), ...tokens.map((token) => title(token, "col")), title("sum", "col"),
  );
  return {
    root: html("table", { class: "ws-table" },
      html(
        "caption", {}, "weight of each key (columns) for each query (rows); 0 and 1 without decimals are exact",
      ),
      html("thead", {}, heads), html("tbody", {}, ...lines)),
    show(weights) {
      const first = tokens.length - weights.length;
      lines.forEach((line, i) => (line.hidden = i < first));
      weights.forEach((row, i) => {
        row.forEach((w, j) => (cells[first + i][j].textContent = inTable(w)));
        sums[first + i].textContent = sumOf(row);
      });
    },
  };
}
