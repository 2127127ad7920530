// What *outside the frame* says.
import { fixed, percent, short } from "./words.js";

export const NAMES = ["softmax", "ReLU over its sum", "sigmoid", "softmax-plus-one"];

// A total of weights, which may be above 1; at a finite β one that is above 0 is never called 0.
export const totalText = (w) => {
  if (w > 1.0005) return `${fixed(100 * w, 0)}%`;
  return w > 0 && w < 0.001 ? "<0.1%" : percent(Math.min(w, 1));
};

export const sumVaries = (map) => map > 1;

// The sum of a map's weights. That of the first two is 1 or 0 but for rounding; at a finite β no other
// is 0, and the last is below 1.
export function sumText(sum, map, finite) {
  if (!sumVaries(map)) return sum === 0 ? "0" : "1";
  if (sum > 0.9995 && (sum < 1 || (finite && map === 3))) return ">0.999";
  return sum < 0.001 && (sum > 0 || finite) ? "<0.001" : short(sum);
}

// What softmax-plus-one keeps back: at a finite β neither nothing nor all.
export const restText = (sum, finite) =>
  percent(finite ? Math.min(Math.max(1 - sum, 1e-9), 1 - 1e-9) : Math.max(0, 1 - sum));

const points = (x) => `${x > 0 ? "+" : ""}${short(x)} ${Math.abs(x) === 1 ? "point" : "points"}`;
export const shiftText = (x) => (x === 0 ? "no shift" : points(x));

const and = (texts) => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}` : texts[0]);

// `which` are the maps that are drawn, by their numbers. Where the sums of all of them are 1
// or 0, only weights are said.
export function outsideSentence({ tokens, scores, beta, shift, copies, weights, sums, which, sliders }) {
  const sign = beta < 0 ? -1 : 1;
  const best = scores.indexOf(sign * Math.max(...scores.map((s) => sign * s)));
  const parts = sliders.includes("beta") || beta !== 1 ? [`at β = ${short(beta)}`] : [];
  if (shift !== 0) parts.push(`with ${points(shift)} for every token`);
  if (copies > 1) parts.push(`${copies} times the row`);
  const finite = Math.abs(beta) < Infinity;
  const share = (k) =>
    totalText(finite && k !== 1 ? Math.max(weights[k][best], Number.MIN_VALUE) : weights[k][best]);
  const [first, ...rest] = parts.length ? parts.join(", ") : "without a shift";
  const opening = first.toUpperCase() + rest.join("");
  if (!which.some(sumVaries)) {
    return `${opening}, “${tokens[best]}” has ${and(which.map((k) => `${share(k)} under ${NAMES[k]}`))}.`;
  }
  const totals = which.map((k) => `${sumText(sums[k], k, finite)} under ${NAMES[k]}`);
  return `${opening}: the weights sum to ${totals.join(", ")}.\n“${tokens[best]}” has ${and(which.map(share))}.`;
}
