// What *outside the frame* says.
import { marked, NEWCOMER, OUTSIDE_RULES, TESTS, total } from "./outside_math.js";
import { fixed, list, percent, short } from "./words.js";

export const NAMES = Object.keys(OUTSIDE_RULES);
export const shareText = (w) => (w > 1 ? `${Math.round(100 * w)}%` : percent(w));
const ratio = (weights, [i, j]) => (weights[j] ? weights[i] / weights[j] : NaN);
const large = (text) => text[0].toUpperCase() + text.slice(1);
const timesText = (x) => (Number.isNaN(x) ? "0/0" : x >= 99.5 ? String(Math.round(x)) : fixed(x, 2));

// For each test: what its button says, what it asks, what a rule that passes does, and what is read of a rule.
const pairRatio = (w, pair) => timesText(ratio(w, pair));
const both = ([i, j]) => `${i} : ${j}`;
export const TOLD = {
  shift: {
    press: "3 points up", asks: () => "Weights stay?",
    told: () => "The weights stay", what: ([i]) => i, read: (w, [i]) => shareText(w[i]),
  },
  fall: {
    press: "4 points down", asks: () => "Sum still 1?",
    told: () => "The weights sum to 1", what: () => "sum", read: (w) => short(Number(total(w).toFixed(2))),
  },
  times: {
    press: "scores × 10", asks: ([i]) => `“${large(i)}” far ahead?`,
    told: ([i, j]) => `“${large(i)}” leaves “${j}” far behind`, what: both, read: pairRatio,
  },
  rise: {
    press: "lowest rises", asks: ([, , k]) => `“${large(k)}” gains?`,
    told: ([, , k]) => `“${large(k)}” gets more`, what: ([, , k]) => k, read: (w, [, , k]) => shareText(w[k]),
  },
  join: {
    press: "one word joins", asks: () => "Ratios stay?",
    told: ([i, j]) => `The ratio of “${i}” to “${j}” stays`, what: both, read: pairRatio,
  },
};
const AT_REST = "Which rule passes all five tests?";

const markedWords = (tokens, scores) => marked(scores).map((i) => tokens[i]);
export const question = (test, tokens, scores) => TOLD[test].asks(markedWords(tokens, scores));
// What is read of a rule, and its value for each of these rows of weights.
export const readOf = (test, tokens, scores, rows) =>
  [TOLD[test].what(markedWords(tokens, scores)), ...rows.map((w) => TOLD[test].read(w, marked(scores)))];

// `passed` has for each test that was made whether each rule passes.
export function outsideSentence({ tokens, scores, test }, passed) {
  const all = Object.keys(TESTS).every((name) => passed[name]);
  const best = NAMES.filter((_, r) => Object.values(passed).every((row) => row[r]));
  const whole = !all ? "" : best.length ? `Passed all five: ${list(best)}.` : "No rule has passed all five.";
  if (test === "none") return whole || AT_REST;
  const [kept, broken] = [true, false].map((is) => NAMES.filter((_, r) => passed[test][r] === is));
  const where = !broken.length ? "under all five rules" : !kept.length ? "under none of them"
    : kept.length <= broken.length ? `only under ${list(kept)}` : `under all but ${list(broken)}`;
  const more = test === "join" ? ` (“${NEWCOMER[0]}” has ${NEWCOMER[1]} point.)` : "";
  return `${TOLD[test].told(markedWords(tokens, scores))} ${where}.${more}${whole && `\n${whole}`}`;
}
