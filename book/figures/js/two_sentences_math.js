// Weights of two words in two sentences, and how far they tie one to the other.
import { entmax, klDivergence } from "./math.js";

// The scores: first word and second word of the first sentence, then those of the second.
export const scoresOf = ({ lead, gap }) => [gap + lead, lead, gap, 0];

// The weights under the measure α, in the same order.
export const tableOf = (state, alpha) => entmax(scoresOf(state), state.beta, alpha);

// What each sentence has in all, and what each word has.
export const sentencesOf = ([a, b, c, d]) => [a + b, c + d];
export const wordsOf = ([a, b, c, d]) => [a + c, b + d];

// How many times the weight of the second word the first has, in each sentence: NaN where neither has any.
export const ratiosOf = ([a, b, c, d]) => [a / b, c / d];

// Mutual information of word and sentence, in nats.
export function tieOf(table) {
  const [first, second] = sentencesOf(table);
  const [one, other] = wordsOf(table);
  return Math.max(0, klDivergence(table, [first * one, first * other, second * one, second * other]));
}
