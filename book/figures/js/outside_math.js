// The maps outside the frame, for a row in which each score stands `copies` times: the total
// weight of each score's copies.
import { softmax } from "./math.js";

// β times a score, where 0 · ∞ is 0.
const times = (beta, s) => (beta === 0 || s === 0 ? 0 : beta * s);

// The positive parts of βs over their sum; zeros where there are none. Only the sign of
// β matters, and copies do not.
export function reluNorm(scores, beta) {
  const sign = Math.sign(beta);
  const parts = scores.map((s) => Math.max(sign * s, 0));
  const most = Math.max(...parts); // taken out, so that no sum overflows
  if (most === 0) return parts;
  const shares = parts.map((x) => x / most);
  const total = shares.reduce((sum, x) => sum + x, 0);
  return shares.map((x) => x / total);
}

export const sigmoidWeights = (scores, beta, bias, copies = 1) =>
  scores.map((s) => copies / (1 + Math.exp(-times(beta, s) - bias)));

// Softmax with one token more, of score 0, whose weight is dropped.
export const softmaxPlusOne = (scores, beta, copies = 1) =>
  softmax([...scores, 0], beta, { prior: [...scores.map(() => copies), 1] }).slice(0, -1);

// All four, in the order in which they are drawn. `bias` says whether that of sigmoid
// follows the length of the row.
export const MAPS = ["softmax", "relu", "sigmoid", "plus-one"];
export function fourMaps(scores, beta, copies, bias) {
  const length = bias === "follows" ? scores.length * copies : scores.length;
  return [
    softmax(scores, beta),
    reluNorm(scores, beta),
    sigmoidWeights(scores, beta, -Math.log(length), copies),
    softmaxPlusOne(scores, beta, copies),
  ];
}

export const total = (weights) => weights.reduce((sum, w) => sum + w, 0);
