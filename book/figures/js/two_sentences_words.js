// What *two sentences* says.
import { ratiosOf } from "./two_sentences_math.js";
import { fixed, short } from "./words.js";

// The measure that is paid for, and the map that is best under it.
export const measureOf = (alpha) => (alpha === 1 ? "KL" : alpha === 2 ? "squares" : `α = ${fixed(alpha, 2)}`);
export const mapOf = (alpha) => (alpha === 1 ? "softmax" : alpha === 2 ? "sparsemax" : "entmax");

// A ratio over its sentence: short, since a sentence may be narrow.
export const ratioText = (ratio) => (Number.isNaN(ratio) ? "" : ratio === Infinity ? "all" : `${short(ratio)}×`);

export const tieText = (nats) => (nats < 1e-9 ? "0 nats" : nats < 5e-4 ? "<0.001 nats" : `${fixed(nats, 3)} nats`);

// The ratio in one of the sentences, `where`.
function told(ratio, where, behind) {
  if (Number.isNaN(ratio)) return `no weight ${where}`;
  return ratio === Infinity ? `none for “${behind}” ${where}` : `${short(ratio)} times ${where}`;
}

export function twoSentence({ words: [ahead, behind], lead, alpha }, tables) {
  const [[kl], [first, second]] = tables.map(ratiosOf);
  const ofKl = `Paying for KL: “${ahead}” has ${short(kl)} times the weight of “${behind}” in both sentences.`;
  if (alpha === 1) return ofKl;
  const other = lead === 0 ? told(first, "in both", behind)
    : `${told(first, "in the first", behind)}, ${told(second, "in the second", behind)}`;
  return `${ofKl}\nPaying for ${measureOf(alpha)}: ${other}.`;
}
