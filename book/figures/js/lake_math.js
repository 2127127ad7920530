// The lake: where the water stands, and what the weights are at any level, in points of score.
import { entmax } from "./math.js";

export const [LOWEST, HIGHEST, DEEPEST] = [-1, 2.5, -1.2]; // of scores, and how low a hand can take the water
export const GROUND = -1.5; // on which the posts stand: lower than any of them is short

// The level at which the weights sum to 1. As α falls to 1 it goes down without end.
export function levelOf(scores, beta, alpha) {
  const power = alpha - 1;
  if (power === 0) return -Infinity;
  const best = Math.max(...entmax(scores, beta, alpha));
  return Math.max(...scores) - best ** power / (power * beta);
}

// The weights at any level, whatever they sum to: what stands out of the water, times (α − 1)β, to the power of
// 1/(α − 1).
export function weightsAt(scores, beta, alpha, level) {
  const power = alpha - 1;
  return scores.map((s) => (power * beta * Math.max(s - level, 0)) ** (1 / power));
}

// What a state of the figure comes to. Under softmax there is no level to hold.
export function lakeOf({ scores, beta, alpha, level, water }) {
  const right = levelOf(scores, beta, alpha);
  const found = water === "found" || alpha === 1;
  const weights = found ? entmax(scores, beta, alpha) : weightsAt(scores, beta, alpha, level);
  const sum = found ? 1 : weights.reduce((all, w) => all + w, 0);
  return { right, found, level: found ? right : level, weights, sum };
}
