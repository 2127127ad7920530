// Softmax once and twice: what the figure *twice* computes and says.
import { softmax } from "./math.js";
import { percent } from "./words.js";

export const ROOM = [0, 10]; // what the axis of scores holds
export const REVEALED = 0.9; // a first weight from which on the ceiling of the second is drawn
export const SURE = 0.99; // and one from which on nothing more is to be seen by pulling

export const once = ({ scores, right, score }) => softmax(scores.map((s, i) => (i === right ? score : s)), 1);
export const twice = (state) => softmax(once(state), 1);

// A second softmax sees weights, of which the largest leads by one point at most.
export const ceilingOf = (n) => Math.E / (Math.E + n - 1);

export function twiceSentence(state) {
  const name = `“${state.tokens[state.right]}”`;
  const [first, second] = [once(state), twice(state)].map((weights) =>
    percent(weights[state.right]).replace(">", "more than "));
  if (state.again === "left out") return `Softmax is taken once, and ${name} gets ${first}.`;
  const most = once(state)[state.right] >= REVEALED ? ", and never more" : "";
  return `The first softmax gives ${name} ${first}, the second ${second}${most}.`;
}
