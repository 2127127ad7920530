// What *a mixture* says: who leads, and how much of the output its value is.
import { softmax } from "./math.js";
import { percent, sentence } from "./words.js";

export function mixtureSentence(state) {
  const weights = softmax(state.scores, state.beta);
  const most = Math.max(...weights);
  const text = sentence(state, true).replace(/^At β = 1, /, ""); // which is behind More
  if (most === 1) return `${text} Its value is the output.`;
  if (weights.every((w) => w === most)) return `${text} The output is the mean value.`;
  if (weights.filter((w) => w === most).length > 1) return text;
  return `${text} So ${percent(most)} of the output is its value.`;
}
