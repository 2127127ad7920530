// What *side by side* says.
import { percent, short } from "./words.js";

// A weight, which at a finite β is never called 0 as long as it is above it.
export const weightText = (w, there) => (there && w < 0.001 ? "<0.1%" : there && w === 1 ? "100%" : percent(w));

// How many tokens have weight.
export function haveWeight(there) {
  const [n, many] = [there.length, there.filter(Boolean).length];
  return many === n ? `all ${n} have weight` : `${many} of ${n} ${many === 1 ? "has" : "have"} weight`;
}

export const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export function sideSentence({ tokens, scores, beta, alpha, counts, firsts }) {
  const n = tokens.length;
  const even = scores.every((s) => s === scores[0]);
  if (n === 1) return "A single token has all the weight under all three maps.";
  if (even) return `The scores are equal, so all three maps give each token ${percent(1 / n)} at every β.`;
  if (beta === 0) return `At β = 0 scores do not count: all three maps give each token ${percent(1 / n)}.`;
  if (Math.abs(beta) === Infinity) {
    const sign = Math.sign(beta);
    const best = Math.max(...scores.map((s) => sign * s));
    const first = [...new Set(tokens.filter((_, i) => sign * scores[i] === best).map((word) => `“${word}”`))];
    return `At β = ${short(beta)} all three maps put all the weight on ${list(first)}.`;
  }
  const [soft, ent, sparse] = counts.map((many) => (many === n ? `all ${n}` : many));
  const ofEntmax = alpha === 1 ? "" : `at β = ${short(firsts[1])} under entmax (α = ${short(alpha)}), `;
  return `At β = ${short(beta)} softmax gives weight to ${soft} tokens, entmax to ${ent}, sparsemax to ${sparse}.
Zeros begin ${ofEntmax}at β = ${short(firsts[2])} under sparsemax.`;
}
