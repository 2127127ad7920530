// Rules outside of the frame beside softmax, and five tests to which they are put.
import { softmax } from "./math.js";

// β times a score, where 0 · ∞ is 0.
const times = (beta, s) => (beta === 0 || s === 0 ? 0 : beta * s);

// The positive parts of βs over their sum; zeros where there are none. Only the sign of β matters.
export function reluNorm(scores, beta) {
  const sign = Math.sign(beta);
  const parts = scores.map((s) => Math.max(sign * s, 0));
  const most = Math.max(...parts); // taken out, so that no sum overflows
  if (most === 0) return parts;
  const shares = parts.map((x) => x / most);
  const total = shares.reduce((sum, x) => sum + x, 0);
  return shares.map((x) => x / total);
}

export const sigmoidWeights = (scores, beta, bias) =>
  scores.map((s) => 1 / (1 + Math.exp(-times(beta, s) - bias)));

// The features of keys that are one number each, over their sum: linear attention at the query 1.
function linearWeights(scores) {
  const features = scores.map((s) => Math.exp(Math.min(s, 0)) + Math.max(s, 0));
  const all = features.reduce((sum, x) => sum + x, 0);
  return features.map((x) => x / all);
}

// The rules in the order in which they stand.
export const OUTSIDE_RULES = {
  softmax: (s) => softmax(s),
  "ReLU over its sum": (s) => reluNorm(s, 1),
  sigmoid: (s) => sigmoidWeights(s, 1, -Math.log(s.length)),
  "softmax-plus-one": (s) => softmax([...s, 0]).slice(0, -1),
  "linear attention": linearWeights,
};
export const weightsUnderAll = (scores) => Object.values(OUTSIDE_RULES).map((rule) => rule(scores));

export const NEWCOMER = ["was", 1]; // the word that joins, and its score
const FAR = 100; // how many times the second word's weight the first is to have, at ten times the scores

export const total = (weights) => weights.reduce((sum, w) => sum + w, 0);
const close = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

// The best word, the second, and the worst.
export function marked(scores) {
  const order = scores.map((_, i) => i).sort((i, j) => scores[j] - scores[i]);
  const worst = scores.indexOf(Math.min(...scores));
  return [order[0], order[1], worst];
}

// What each test makes of the scores, and whether a rule passes it: from its weights before and now, and the
// marked words.
export const TESTS = {
  shift: { make: (s) => s.map((x) => x + 3), passes: (was, now) => was.every((w, i) => close(w, now[i])) },
  fall: { make: (s) => s.map((x) => x - 4), passes: (_, now) => Math.abs(total(now) - 1) < 1e-9 },
  times: { make: (s) => s.map((x) => 10 * x), passes: (_, now, [i, j]) => now[i] >= FAR * now[j] },
  rise: {
    make: (s) => s.map((x, i) => (i === marked(s)[2] ? x + 0.4 : x)),
    passes: (was, now, [, , k]) => now[k] > was[k],
  },
  join: {
    make: (s) => [...s, NEWCOMER[1]],
    passes: (was, now, [i, j]) => close(now[i] * was[j], was[i] * now[j]),
  },
};

// The scores under a test.
export const underTest = (scores, test) => (test === "none" ? scores : TESTS[test].make(scores));

// For each rule whether it passes.
export function passing(scores, test) {
  const [was, now] = [weightsUnderAll(scores), weightsUnderAll(underTest(scores, test))];
  return was.map((w, r) => TESTS[test].passes(w, now[r], marked(scores)));
}
