// *Make it flat* in words.
import { PLACES, ROW, alike, factorsOf, judge, range } from "./make_it_flat_math.js";
import { fixed, grouped, percent, short } from "./words.js";

export const TASK = "Bend the curve until the pen writes a flat line.";
export const LET_GO = "Flat. Let go.";
export const EQUAL = "Flat. Every point multiplies by the same number.";
export const FOUND = "Flat. On log paper the rule is one straight line.";

export const NOTES = [
  `A knob takes all knobs to its right along, so it changes one factor and leaves the others. When you let go, \
the curve is brought back to its height: only ratios count.`,
  `The line counts as flat if its highest point is less than 5% above its lowest, all the way from 1 to 5, and \
“cat” is clearly ahead.`,
];

// Factors, in as many digits as it takes: those that are alike are written alike, and no others.
export function factorTexts(factors) {
  const all = factors.map((x) => factors.find((one) => alike(one, x)));
  const text = (x, digits) => `×${short(Number(x.toPrecision(digits + (Math.abs(x - 1) < 0.15))))}`;
  const texts = [2, 3, 4].map((digits) => all.map((x) => text(x, digits)));
  return texts.find((some) => new Set(some).size === new Set(all).size) ?? texts[2];
}

// How many times “cat” gets the weight of “milk”.
export const timesText = (ratio) => (ratio < 9.95 ? fixed(ratio, 1) : grouped(Number(ratio.toPrecision(2))));

// Two numbers with as many digits as it takes to tell them apart.
function twoTexts(a, b) {
  const digits = fixed(a, 1) === fixed(b, 1) ? 2 : 1;
  return [fixed(a, digits), fixed(b, digits)];
}

// What the line does, and why: where a point counts for less, and where for more.
function shapeSaid(line) {
  const [first, last] = [line[0], line.at(-1)];
  const [low, high] = [Math.min(...line), Math.max(...line)];
  const [lowest, highest] = [line.indexOf(low), line.indexOf(high)];
  const clear = Math.max(0.015, 0.12 * range(line)); // smaller turns are not worth a word
  const [a, b] = twoTexts(Math.exp(first), Math.exp(last));
  const [m, M] = twoTexts(Math.exp(low), Math.exp(high));
  const gone = line.slice(1).reduce((sum, x, i) => sum + Math.abs(x - line[i]), 0);
  const turns = gone - Math.abs(last - first) > 2 * clear;
  const [dips, peaks] = [Math.min(first, last) - low > clear, high - Math.max(first, last) > clear];
  const middle = (i) => i > 0.15 * PLACES.length && i < 0.85 * PLACES.length;
  const where = (i) => (middle(i) ? "in the middle" : "there");
  if (dips ? peaks : turns && !peaks) {
    return `The line goes up and down, between ${m} and ${M}: a point counts now less, now more.`;
  }
  if (peaks) return `The line rises to ${M}, then falls: ${where(highest)} a point counts for most.`;
  if (dips) return `The line falls to ${m}, then rises: ${where(lowest)} a point counts for least.`;
  const how = first > last ? "less" : "more";
  return `The line ${first > last ? "falls" : "rises"} from ${a} to ${b}: at the right a point counts for ${how}.`;
}

const hintOf = (shares) =>
  `${factorTexts(factorsOf(shares)).join(", ")}: make them equal.`;

export function bendingSaid(shares, line, hinting) {
  const verdict = judge(line);
  if (verdict === "even") return "The line is flat, but the score counts for nothing: all get nearly the same.";
  if (verdict === "fallen") return "The line is flat, but upside down: the worse score gets more.";
  if (verdict === "flat") return "The line is flat: every point multiplies the share by the same number.";
  return hinting ? `${shapeSaid(line)}\n${hintOf(shares)}` : shapeSaid(line);
}

export const slopeText = (beta) => fixed(beta, 2).replace(/\.?0+$/, "");

export function slopeSaid(beta, weights, ratio, most) {
  if (beta === 0) return "At β = 0 a point is worth nothing: all words get the same.";
  const each = `At β = ${slopeText(beta)} each point multiplies the share by ${timesText(Math.exp(beta))}`;
  const first = `${each}, and “cat” gets ${percent(weights[2])}.`;
  if (ratio > most) return `${first}\nThe pen would write ${timesText(ratio)}, far above its paper.`;
  return `${first}\nOne handle is left, the slope: how much a point is worth.`;
}

// What is written at the band of a flat line.
export const goalSaid = (found, ratio) => (found ? `${timesText(ratio)} × everywhere` : "flat");

export const stripSaid = (weights) =>
  `weights: ${ROW.map((word, i) => `${word} ${percent(weights[i])}`).join(", ")}`;
