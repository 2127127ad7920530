// What *the width* says.
import { fixed, percent } from "./words.js";

export const SCALES = { undivided: "as they are", divided: "divided by √d" };

const whole = (x) => (x % 1 ? fixed(x, 1) : String(x));
const points = (x) => `${whole(x)} ${x === 1 ? "point" : "points"}`;

export function widthSentence({ tokens, d, scale, weights }) {
  const most = weights.indexOf(Math.max(...weights));
  const gets = `“${tokens[most]}” gets ${percent(weights[most])}`;
  const root = Math.sqrt(d);
  return scale === "undivided"
    ? `With ${d} random ${d === 1 ? "term" : "terms"} a score is typically ${points(root)} from 0: ${gets}.`
    : `Divided by √${d} = ${whole(root)}, a score is typically 1 point from 0: ${gets}.`;
}

// What a reader is asked to do next: to widen the head, then to divide.
export const nextStep = ({ d, scale }) => (scale === "divided" ? null : d < 48 ? "widen" : "divide");
