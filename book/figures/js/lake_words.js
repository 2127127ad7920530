// What *the lake* says.
import { fixed, list, percent, weightText } from "./words.js";

export const ruleName = (alpha) =>
  alpha === 1 ? "softmax" : alpha === 2 ? "sparsemax" : `entmax, α = ${fixed(alpha, 2)}`;

// Of a sum that is not 1 no digit says it is.
export function sumText(sum) {
  const whole = Math.round(100 * sum);
  return `${whole === 100 && sum !== 1 ? (sum < 1 ? 99 : 101) : Math.min(whole, 999)}%`;
}

const many = (n) => (n === 1 ? "One word is" : `${n} words are`);

export function lakeSentence({ tokens, alpha }, { found, weights, sum }) {
  if (!found) {
    const out = weights.filter((w) => w > 0).length;
    const standing = out ? `What stands out makes ${sumText(sum)} of the weight.` : "Nothing stands out.";
    return `${standing} That is too ${sum < 1 ? "little: lower" : "much: raise"} the water.`;
  }
  const order = tokens.map((_, i) => i).filter((i) => weights[i] > 0).sort((i, j) => weights[j] - weights[i]);
  const gone = tokens.length - order.length;
  const of = (i) => `“${tokens[i]}” ${percent(weights[i])}`;
  const whom = order.length === 1 ? `“${tokens[order[0]]}” has all the weight`
    : order.length <= 3 ? list(order.map((i, k) => (k ? of(i) : of(i).replace("” ", "” has "))))
    : `“${tokens[order[0]]}” has ${percent(weights[order[0]])}, and ${order.length - 1} others have the rest`;
  if (alpha === 1) return `Under softmax the water has run off: ${whom}.\nEvery word has a little.`;
  const rest = gone ? `${many(gone)} under water: exactly nothing.` : "Every word stands out.";
  const rule = alpha === 2 ? "sparsemax" : "entmax";
  return `Under ${rule} ${whom}.\n${rest}`;
}

// While the water is too low, one word can have more than all the weight.
const lakeText = (w) => (w > 1.0005 ? sumText(w) : w > 0 ? weightText(w, true) : "0");
export const lakeTexts = (weights) => weights.map(lakeText);
