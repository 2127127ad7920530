// What *a mixture* says: who leads, and how much of the output that is.
import { softmax } from "./math.js";
import { percent, sentence } from "./words.js";

export function mixtureSentence(state) {
  const weights = softmax(state.scores, state.beta);
  const most = Math.max(...weights);
  const said = sentence(state, true);
  if (weights.length > 1 && weights.filter((w) => w === most).length > 1) return `${said} The output is an average of their values.`;
  return `${said} ${most === 1 ? "Its value is the output." : `Its value makes up ${percent(most)} of the output.`}`;
}
