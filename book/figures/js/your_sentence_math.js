// The scores of all heads of an encoder, from a byte each, and what the heads do: the twin of encoder_heads.py;
// and where the vector of a sentence stands among others.
import { cosineOf } from "./encoder_words.js";
import { effectiveCount, entmax } from "./math.js";

export const HEADS = 12; // of each layer
const MOSTLY = 0.5; // a head does what gets at least this much of its weight
const BROAD = 0.5; // or it looks about, if it spreads over at least this part of the tokens

// How far each score is below the highest of its row: [head, through all layers][query][key].
export function scoresOf({ tokens, scale, roots }) {
  const n = tokens.length;
  const bytes = atob(roots);
  const places = [...Array(n).keys()];
  const root = (head, i, j) => bytes.charCodeAt((head * n + i) * n + j);
  return scale.map((size, head) => places.map((i) => places.map((j) => -size * root(head, i, j) ** 2)));
}

export const weightsOf = (scores, beta, alpha = 1) => scores.map((row) => entmax(row, beta, alpha));

const mean = (all) => all.reduce((sum, x) => sum + x, 0) / all.length;

// What part of its weight a head gives to what, on average over the tokens that have such a neighbour.
export function sharesOf(weights) {
  const n = weights.length;
  return {
    previous: mean(weights.slice(1).map((row, i) => row[i])),
    next: mean(weights.slice(0, -1).map((row, i) => row[i + 1])),
    itself: mean(weights.map((row, i) => row[i])),
    start: mean(weights.map((row) => row[0])),
    end: mean(weights.map((row) => row[n - 1])),
  };
}

// Rows that give nothing are left out, and of the others what they give is taken as a whole.
export function spreadOf(weights) {
  const sums = weights.map((row) => row.reduce((sum, w) => sum + w, 0));
  const rows = weights.map((row, i) => row.map((w) => w / sums[i])).filter((_, i) => sums[i] > 0);
  return rows.length ? mean(rows.map(effectiveCount)) : 0;
}

// How far a head looks, in tokens.
export const distanceOf = (weights) =>
  mean(weights.map((row, i) => row.reduce((sum, w, j) => sum + w * Math.abs(i - j), 0)));

// What a head does: its `role`, the `share` that says so, and its `spread`.
export function workOf(weights) {
  const shares = Object.entries(sharesOf(weights));
  const [most, share] = shares.reduce((best, one) => (one[1] > best[1] ? one : best));
  const spread = spreadOf(weights);
  const role = share >= MOSTLY ? most : spread >= BROAD * weights.length ? "broad" : "mixed";
  return { role, most, share, spread };
}

// The rows of each head of a layer, from the numbers of all of them.
export function rowsOf(numbers, n) {
  const row = (at) => Array.from(numbers.subarray(at, at + n));
  const places = [...Array(n).keys()];
  return Array.from({ length: numbers.length / n ** 2 }, (_, head) => places.map((i) => row((head * n + i) * n)));
}

// Which of these vectors are nearest, the nearest first: [{place, cosine}].
export function nearestOf(vector, others, count) {
  const all = others.map((other, place) => ({ place, cosine: cosineOf(vector, other) }));
  return all.sort((a, b) => b.cosine - a.cosine).slice(0, count);
}
