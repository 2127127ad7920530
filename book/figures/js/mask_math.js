// Who may see whom, and the weights of one query: the twin of lib's masks, and what other ways of forbidding give.
import { softmax } from "./math.js";

export const FILLED = -1e9;

// Whether query i sees key j. A pattern that is neither "causal" nor "window" lets it see all keys.
export function sees(i, j, { pattern, window, real, offset }) {
  if (j >= real) return false;
  return pattern === "all" || (j <= offset + i && (pattern === "causal" || j > offset + i - window));
}

// The rows of the mask, one for each query; the queries are the last of the tokens.
export function maskRows(state) {
  const n = state.tokens.length;
  const first = n - state.queries;
  return Array.from({ length: state.queries }, (_, i) =>
    state.tokens.map((_, j) => sees(i, j, state) !== state.flips[(first + i) * n + j]));
}

// Softmax as it is written in a few lines: −∞ less −∞ is NaN.
function plain(scores) {
  const best = Math.max(...scores);
  const grown = scores.map((s) => Math.exp(s - best));
  const total = grown.reduce((sum, x) => sum + x, 0);
  return grown.map((x) => x / total);
}

export function forbid(scores, open, way) {
  if (way === "zeros") return softmax(scores, 1, { where: open });
  return plain(scores.map((s, j) => (open[j] ? s : way === "fill" ? FILLED : -Infinity)));
}

// What each key's value gets in training from a loss that adds up all outputs, but those of queries that may see
// nothing: it takes these 0 times. Of NaN that is NaN.
export function gradients(weights, open) {
  const taken = open.map((row) => Number(row.some(Boolean)));
  return open[0].map((_, j) => weights.reduce((sum, row, i) => sum + taken[i] * row[j], 0));
}
