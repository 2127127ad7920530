// The scores of all heads of an encoder, from a byte each, and what the heads do: the twin of encoder_heads.py.
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

export const spreadOf = (weights) => mean(weights.map(effectiveCount));

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
