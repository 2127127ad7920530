// What *a mixture* says: who leads, and the factor of its value in the output.
import { softmax } from "./math.js";
import { fixed, sentence } from "./words.js";

function inOutput(weights) {
  const most = Math.max(...weights);
  if (most === 1) return " Its value is the output.";
  if (weights.every((w) => w === most)) return " The output is the mean value.";
  if (weights.filter((w) => w === most).length > 1) return "";
  return ` Its value enters the output with the factor ${most > 0.995 ? "nearly 1" : fixed(most, 2)}.`;
}

export const mixtureSentence = (state) => sentence(state, true) + inOutput(softmax(state.scores, state.beta));
