// What *the mask* says, and its table of weights.
import { html } from "./controls.js";
import { fixed, percent } from "./words.js";

export const PATTERNS = { causal: "causal", window: "window", all: "all keys" };
export const FORBIDDING = { zeros: "u = 0", infinity: "s = −∞", fill: "s = −1e9" };

export const share = (w) => (Number.isNaN(w) ? "NaN" : percent(w));

// A row's weights sum to 1, are all 0, or are no numbers.
export const sumOf = (weights) => (weights.some(Number.isNaN) ? "NaN" : weights.some((w) => w > 0) ? "1" : "0");

const several = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

function aligned({ pattern, tokens, queries, offset }) {
  const off = offset - (tokens.length - queries);
  if (pattern === "all" || off === 0) return "";
  const what = pattern === "window" ? "windows end" : "the mask ends";
  return `; ${what} ${several(Math.abs(off), "key")} ${off < 0 ? "early" : "late"}`;
}

const RESULTS = {
  zeros: () => "weights of 0, which add nothing.",
  infinity: () => "−∞ less −∞, which is NaN, “not a number”.",
  fill: (n) => `equal scores, and ${percent(1 / n)} for each key, though all are forbidden.`,
};

export function maskSentence(state, rows) {
  const { tokens, queries, way } = state;
  const n = tokens.length;
  const open = rows.flat().filter(Boolean).length;
  const empty = rows.flatMap((row, i) => (row.some(Boolean) ? [] : [tokens[n - queries + i]]));
  const shift = aligned(state);
  const first = `${open} of ${queries * n}${shift ? "" : " cells"} take part${shift}.`;
  const fine = "Every row has at least one key that it may see: forbidden keys get 0, whichever way.";
  if (empty.length === 0) return `${first}\n${fine}`;
  const who = empty.length === 1 ? `“${empty[0]}” has` : `${empty.length} rows have`;
  return `${first}\n${who} no key left: ${RESULTS[way](n)}`;
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
