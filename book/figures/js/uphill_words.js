// What *uphill* says.
import { fixed, grouped, short } from "./words.js";

export const PACES = { run: 5, fast: 1000 }; // steps a second

const several = (n, one) => `${grouped(n)} ${one}${n === 1 ? "" : "s"}`;

// How far behind the right word is, with so many decimals once it has moved.
export function behind(x, steps, needed, digits) {
  if (steps >= needed) return `there after ${several(needed, "step")}`;
  return `${steps ? fixed(-x, digits) : short(-x)} points behind`;
}

export function uphillSentence({ lead, steps, needed }) {
  const [weight, logarithm] = [needed.weight, needed.logarithm];
  if (steps >= weight) return `${several(weight, "step")} up the weight, ${logarithm} up its logarithm.`;
  const far = `${short(lead)} ${lead === 1 ? "point" : "points"}`;
  if (!steps) return `The right word is ${far} behind. A step goes as far as the ground is steep.`;
  const left = (weight - steps) / PACES.run;
  const time = left < 100 ? several(Math.ceil(left), "second") : several(Math.round(left / 60), "minute");
  return `At ${PACES.run} steps a second the upper ball needs ${time} more.`;
}

// What a reader is asked to press next.
export function nextPress({ steps, needed, pace }) {
  if (steps >= needed.weight) return null;
  if (!pace) return steps < 2 ? "step" : "run";
  return pace === PACES.run && steps >= needed.logarithm ? "fast" : null;
}
