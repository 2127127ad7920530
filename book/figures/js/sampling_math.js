// What remains of a row after a cut, and what is drawn from it.
import { softmax } from "./math.js";
import { randomAt, spreadSeed } from "./random.js";

export const CUTS = ["nothing", "top-k", "top-p", "min-p"];
export const sum = (all) => all.reduce((total, x) => total + x, 0);

// The indices from the highest score to the lowest; of equal ones the earlier comes first.
export const ranked = (scores) => scores.map((_, i) => i).sort((i, j) => scores[j] - scores[i] || i - j);

// How many, from the front of the ranking, a cut keeps. `weights` are in that order.
export function keptOf(weights, { cut, top_k, top_p, min_p }) {
  if (cut === "top-k") return Math.min(top_k, weights.length);
  if (cut === "min-p") return weights.filter((w) => w >= min_p * weights[0]).length;
  if (cut === "nothing" || top_p >= 1) return weights.length;
  let [kept, ahead] = [0, 0];
  while (kept < weights.length && ahead < top_p) ahead += weights[kept++];
  return kept;
}

// All of it: the ranking, weights that the cut looks at, those that remain, and how often each was drawn. Every
// list but `order` is in the order of the ranking.
export function sample(scores, state) {
  const order = ranked(scores);
  const sorted = order.map((i) => scores[i]);
  const before = softmax(sorted, state.earlier === "cut" ? 1 : 1 / state.temperature);
  const kept = keptOf(before, state);
  const after = softmax(sorted, 1 / state.temperature, { where: sorted.map((_, c) => c < kept) });
  const ends = []; // where each one's part of the line from 0 to 1 ends
  after.forEach((w, c) => ends.push(w + (c ? ends[c - 1] : 0)));
  const counts = sorted.map(() => 0);
  const own = spreadSeed(state.seed);
  for (let m = 0; m < state.draws; m++) {
    const x = randomAt(own, m);
    let [low, high] = [0, kept - 1]; // the first part that ends beyond x, by halving
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] > x) high = middle;
      else low = middle + 1;
    }
    counts[low] += 1;
  }
  return { order, sorted, before, kept, after, counts, share: Math.min(1, sum(before.slice(0, kept))) };
}
