// Random queries and keys, term by term: the twin of book/figures/walks.py.
import { randomAt, spreadSeed } from "./random.js";

export const WIDEST = 64; // numbers in a query and in a key
const HALF_STEP = 2 ** -33; // half a step of the random numbers, which keeps them away from 0

// For each word its score with 0, 1, 2 and more of its terms added up.
export function walksOf(query, words) {
  const own = spreadSeed(query);
  const component = (k) =>
    Math.sqrt(-2 * Math.log(randomAt(own, 2 * k) + HALF_STEP)) * Math.cos(2 * Math.PI * randomAt(own, 2 * k + 1));
  return Array.from({ length: words }, (_, word) => {
    const sums = [0];
    for (let i = 0; i < WIDEST; i++) sums.push(sums[i] + component(i) * component((1 + word) * WIDEST + i));
    return sums;
  });
}

// What a score of width j is multiplied by, when the division has come so far: 0 is not at all, 1 is by √j.
export const dividedBy = (far, j) => (j > 1 ? 1 - far + far / Math.sqrt(j) : 1);

// A walk between two of its places.
export function placeAt(walk, d) {
  const at = Math.min(Math.floor(d), walk.length - 2);
  return walk[at] + (d - at) * (walk[at + 1] - walk[at]);
}
