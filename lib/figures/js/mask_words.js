// What *the mask* says, and its table of weights.
import { html } from "./controls.js";
import { percent } from "./words.js";

export const PATTERNS = { causal: "causal", window: "window", all: "all keys" };
export const WAYS = { zeros: "null with zeros", infinity: "−∞ filled in", fill: "−1e9 filled in" };

export const share = (w) => (Number.isNaN(w) ? "NaN" : percent(w));

// A row's weights sum to 1, are all 0, or are no numbers.
export const sumOf = (weights) => (weights.some(Number.isNaN) ? "NaN" : weights.some((w) => w > 0) ? "1" : "0");

const several = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;

function aligned({ pattern, tokens, queries, offset }) {
  const off = offset - (tokens.length - queries);
  if (pattern === "all" || off === 0) return "";
  const what = pattern === "window" ? "windows end" : "rows end";
  return off < 0 ? `; ${what} ${several(-off, "key")} before the query’s own` : `; ${what} ${several(off, "key")} after the query’s own`;
}

const RESULTS = {
  zeros: () => "zeros, which add nothing.",
  infinity: () => "−∞ less −∞, which is NaN.",
  fill: (n) => `equal scores, so every key gets ${percent(1 / n)}, forbidden or not.`,
};

export function maskSentence(state, rows) {
  const { tokens, queries, way } = state;
  const n = tokens.length;
  const open = rows.flat().filter(Boolean).length;
  const empty = rows.flatMap((row, i) => (row.some(Boolean) ? [] : [tokens[n - queries + i]]));
  const first = `${open} of ${queries * n} cells take part${aligned(state)}.`;
  if (empty.length === 0) return `${first}\nEvery row has a key left: forbidden keys get 0, whichever way.`;
  const who = empty.length === 1 ? `“${empty[0]}” has no key left: its row is` : `${empty.length} rows have no key left: each is`;
  return `${first}\n${who} ${RESULTS[way](n)}`;
}

// One row for each query, one column for each key, and the sum.
export function weightTable(tokens) {
  const title = (text, scope) => html("th", { scope }, text);
  const cells = tokens.map(() => tokens.map(() => html("td", { class: "ws-number" })));
  const sums = tokens.map(() => html("td", {}));
  const lines = tokens.map((token, i) => html("tr", {}, title(token, "row"), ...cells[i], sums[i]));
  const heads = html("tr", {}, title("query", "col"), ...tokens.map((token) => title(token, "col")), title("sum", "col"));
  return {
    root: html("div", { class: "ws-wide", role: "region", tabindex: 0, "aria-label": "table of weights" },
      html("table", { class: "ws-table" },
        html("caption", {}, "weight of each key (columns) for each query (rows)"),
        html("thead", {}, heads), html("tbody", {}, ...lines))),
    show(weights) {
      const first = tokens.length - weights.length;
      lines.forEach((line, i) => (line.hidden = i < first));
      weights.forEach((row, i) => {
        row.forEach((w, j) => (cells[first + i][j].textContent = share(w)));
        sums[first + i].textContent = sumOf(row);
      });
    },
  };
}
