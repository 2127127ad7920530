// What *a mixture* says: who leads, and how much of the output that is.
import { softmax } from "./math.js";
import { percent, sentence } from "./words.js";

function ofOutput(weights) {
  const most = Math.max(...weights);
  if (most === 1) return " Its value is the output.";
  if (weights.every((w) => w === most)) return " The output is the mean value.";
  return weights.filter((w) => w === most).length > 1 ? "" : ` Its value makes up ${percent(most)} of the output.`;
}

export const mixtureSentence = (state) => sentence(state, true) + ofOutput(softmax(state.scores, state.beta));
