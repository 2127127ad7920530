// A crowd: more words than there are columns. The best of them stands once, and each other for many.
import { admissible, softmax } from "./math.js";
import { grouped, percent } from "./words.js";

export const MOST_WORDS = 100_000;

// How many words there are: `crowd`, if that is more than there are columns, and there is no prior.
export const manyOf = ({ tokens, crowd, prior }) => (prior ? tokens.length : Math.max(crowd ?? 0, tokens.length));

function copiesOf(state, open) {
  const there = open.filter(Boolean).length;
  const more = manyOf(state) - state.tokens.length;
  const best = state.scores.reduce((b, s, i) => (open[i] && (b < 0 || s > state.scores[b]) ? i : b), -1);
  return state.scores.map((_, i) => (i === best || there < 2 ? 1 : 1 + more / (there - 1)));
}

// The weight of each word, or of one of those that are like it.
export function weightsAmong(state, beta = state.beta) {
  const { scores, prior, where } = state;
  if (manyOf(state) === state.tokens.length) return softmax(scores, beta, { prior, where });
  const copies = copiesOf(state, admissible(scores, { where }));
  return softmax(scores, beta, { prior: copies, where }).map((w, i) => w / copies[i]);
}

// What the others have, all together, where there are more than those that are seen.
export function othersText(state, weights) {
  const n = manyOf(state);
  if (n === state.tokens.length) return "";
  if (new Set(weights).size === 1) return "";
  const rest = Math.max(0, 1 - Math.max(...weights));
  return ` The ${grouped(n - 1)} others share ${percent(rest)} of it.`;
}
