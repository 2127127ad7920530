// Numbers as text, and the sentence under a row of scores and weights.
import { admissible, effectiveCount, klDivergence, nullWeights, softmax } from "./math.js";

const signed = (text) => text.replace("-", "−");

export function fixed(x, digits) {
  const text = x.toFixed(digits);
  return signed(Number(text) === 0 ? text.replace("-", "") : text); // never −0.00
}

// A count, in groups of three from five digits on: 4096, and 131 072 with a narrow space.
export const grouped = (n) => (n < 10_000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f"));

// Three significant digits without trailing zeros: 1, 0.25, 1.26.
export function short(x) {
  if (Math.abs(x) === Infinity) return x < 0 ? "−∞" : "∞";
  const rounded = Number(x.toPrecision(3));
  const size = Math.abs(rounded);
  const plain = size === 0 || (size >= 1e-4 && size < 1e6);
  return signed(plain ? String(rounded) : rounded.toExponential().replace("e+", "e"));
}

// Like `short`, but the digits stay in place while a slider moves: 1.00, 1.26.
export function steady(x) {
  const size = Math.abs(x);
  return size >= 1e-4 && size < 999.5 ? signed(x.toPrecision(3)) : short(x);
}

// Two decimals; a number of five digits or more as `short` has it.
export const amount = (x) => (Math.abs(x) >= 1e4 ? short(x) : fixed(x, 2));

export function scoreText(x) {
  const size = Math.abs(x);
  if (size >= 1e4 || (size > 0 && size < 0.005)) return short(x);
  return fixed(x, 2).replace(/0$/, "");
}

export function percent(w) {
  if (w === 0 || w === 1) return w ? "100%" : "0%";
  if (Number.isNaN(w)) return "–";
  const p = 100 * w;
  if (p < 0.1) return "<0.1%";
  if (p > 99.9) return ">99.9%";
  return p.toFixed(p < 9.95 || p >= 99.5 ? 1 : 0) + "%";
}

// A weight, which at a finite β is never called 0 as long as it is above it.
export const weightText = (w, there) => (there && w < 0.001 ? "<0.1%" : there && w === 1 ? "100%" : percent(w));

export const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

// The state of a row in words: one statement, often a second on a line of its own. What is `plain` has the first
// alone, and no word of the null. `given` are its weights, where each word stands for several.
const quote = (token) => `“${token}”`;

export function sentence({ tokens, scores, beta, prior, where }, plain = false, given = null) {
  const open = admissible(scores, { prior, where });
  const parts = scores.map((_, i) => i).filter((i) => open[i]);
  if (parts.length === 0) return "No token takes part, so every weight is 0.";
  if (parts.length === 1) {
    return `Only ${quote(tokens[parts[0]])} takes part, so it has all the weight at every β.`;
  }
  const u = nullWeights(scores, { prior, where });
  const uniform = parts.every((i) => u[i] === u[parts[0]]);
  const each = () => percent((given ?? u)[parts[0]]);
  const thePrior = `the weights are ${plain ? "equal" : "the null"}` + (uniform ? `, ${each()} each.` : ".");
  if (parts.every((i) => scores[i] === scores[parts[0]])) {
    return `The scores are equal, so at every β ${thePrior}`;
  }
  if (beta === 0) return `At β = 0 the scores do not count: ${thePrior}`;

  const weights = given ?? softmax(scores, beta, { prior, where });
  const distance = `${fixed(klDivergence(weights, u), 2)} nats from the null.`;
  const ending = (text) => (plain ? "" : `\n${text}`);
  if (Math.abs(beta) === Infinity) {
    const side = beta > 0 ? "highest" : "lowest";
    const first = parts.filter((i) => weights[i] > 0);
    const even = first.every((i) => weights[i] === weights[first[0]]);
    const how = even ? "equally" : "in proportion to the null";
    const whom =
      first.length === 1
        ? `, ${quote(tokens[first[0]])}`
        : `, shared ${how} by the ${first.length} tokens that tie for it`;
    return `At β = ${short(beta)} all the weight is on the ${side} score${whom}.${ending(`That is ${distance}`)}`;
  }
  const most = Math.max(...weights);
  const lead = parts.filter((i) => weights[i] === most);
  const who =
    lead.length === 1
      ? `${quote(tokens[lead[0]])} gets ${percent(most)}${beta < 0 ? "" : " of the weight"}`
      : `${lead.length} tokens share the lead with ${percent(most)} each`;
  const opening = beta < 0 ? `At β = ${short(beta)} low scores win: ` : `At β = ${short(beta)}, `;
  const count = fixed(effectiveCount(weights), 1);
  const spread = count === "1.0" ? "a single weight" : `${count} equal weights`;
  return `${opening}${who}.${ending(`The spread is that of ${spread}, ${distance}`)}`;
}
