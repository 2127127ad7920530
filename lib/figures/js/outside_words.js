// What *outside the frame* says.
import { fixed, percent, short } from "./words.js";

export const NAMES = ["softmax", "ReLU over its sum", "sigmoid", "softmax-plus-one"];

// A total of weights, which may be above 1; at a finite β one that is above 0 is never called 0.
export const totalText = (w) => (w > 1.0005 ? `${fixed(100 * w, 0)}%` : w > 0 && w < 0.001 ? "<0.1%" : percent(Math.min(w, 1)));

// The sum of a map's weights. That of the first two is 1 or 0 but for rounding; at a finite β no other is 0, and the
// last is below 1.
export function sumText(sum, map, finite) {
  if (map < 2) return sum === 0 ? "0" : "1";
  if (sum > 0.9995 && (sum < 1 || (finite && map === 3))) return ">0.999";
  return sum < 0.001 && (sum > 0 || finite) ? "<0.001" : short(sum);
}

// What softmax-plus-one keeps back: at a finite β neither nothing nor all.
export const restText = (sum, finite) => percent(finite ? Math.min(Math.max(1 - sum, 1e-9), 1 - 1e-9) : Math.max(0, 1 - sum));

const points = (x) => `${x > 0 ? "+" : ""}${short(x)} ${Math.abs(x) === 1 ? "point" : "points"}`;
export const shiftText = (x) => (x === 0 ? "no shift" : points(x));

export function outsideSentence({ tokens, scores, beta, shift, copies, weights, sums }) {
  const sign = beta < 0 ? -1 : 1;
  const best = scores.indexOf(sign * Math.max(...scores.map((s) => sign * s)));
  const parts = [`At β = ${short(beta)}`];
  if (shift !== 0) parts.push(`with ${points(shift)} for every token`);
  if (copies > 1) parts.push(`${copies} times the row`);
  const finite = Math.abs(beta) < Infinity;
  const [soft, relu, sigmoid, one] = sums.map((sum, k) => sumText(sum, k, finite));
  const shares = weights.map((all, k) => totalText(finite && k !== 1 ? Math.max(all[best], Number.MIN_VALUE) : all[best]));
  return `${parts.join(", ")}: the weights sum to ${soft} under softmax, ${relu} under ReLU over its sum, ${sigmoid} under \
sigmoid, ${one} under softmax-plus-one.\n“${tokens[best]}” has ${shares.slice(0, 3).join(", ")} and ${shares[3]}.`;
}
