// What *outside the frame* says.
import { marked, NEWCOMER, OUTSIDE_RULES, TESTS, total } from "./outside_math.js";
import { list } from "./side_by_side_words.js";
import { fixed, percent, short } from "./words.js";

export const NAMES = Object.keys(OUTSIDE_RULES);
const shareText = (w) => (w > 1 ? `${Math.round(100 * w)}%` : percent(w));
const ratio = (weights, [i, j]) => (weights[j] ? weights[i] / weights[j] : NaN);
const large = (text) => text[0].toUpperCase() + text.slice(1);
const timesText = (x) => (x >= 99.5 ? String(Math.round(x)) : fixed(x, 2));

// For each test: what its button says, what it asks, what a rule that passes does, and what is read of a rule.
const pairRatio = (w, [i, j]) => ["ratio ", timesText(ratio(w, [i, j]))];
const shareOf = (w, i, tokens) => [`${tokens[i]} `, shareText(w[i])];
export const TOLD = {
  shift: {
    press: "3 points up for all", asks: () => "Do the weights stay?",
    told: () => "The weights stay", read: (w, [i], tokens) => shareOf(w, i, tokens),
  },
  fall: {
    press: "4 points down for all", asks: () => "Do they still sum to 1?",
    told: () => "The weights sum to 1", read: (w) => ["sum ", short(Number(total(w).toFixed(2)))],
  },
  times: {
    press: "all scores × 10", asks: ([i, j]) => `Does “${i}” leave “${j}” far behind?`,
    told: ([i, j]) => `“${large(i)}” leaves “${j}” far behind`, read: pairRatio,
  },
  rise: {
    press: "the last rises a little", asks: ([, , k]) => `Does “${k}” get more?`,
    told: ([, , k]) => `“${large(k)}” gets more`, read: (w, [, , k], tokens) => shareOf(w, k, tokens),
  },
  join: {
    press: "one word joins", asks: ([i, j]) => `Does “${i}” to “${j}” stay?`,
    told: ([i, j]) => `The ratio of “${i}” to “${j}” stays`, read: pairRatio,
  },
};
export const AT_REST = "Five rules, five tests. Which rule passes?";

// What is read of a rule under a test: its name, before (nothing, if there is no test) and now.
export function readingOf(test, tokens, scores, was, now) {
  const read = (w) => TOLD[test === "none" ? "shift" : test].read(w, marked(scores), tokens);
  return [read(was)[0], test === "none" ? null : read(was)[1], read(now)[1]];
}

const markedWords = (tokens, scores) => marked(scores).map((i) => tokens[i]);
export const question = (test, tokens, scores) => TOLD[test].asks(markedWords(tokens, scores));

// `passed` has for each test that was made whether each rule passes.
export function outsideSentence({ tokens, scores, test }, passed) {
  const all = Object.keys(TESTS).every((name) => passed[name]);
  const best = NAMES.filter((_, r) => Object.values(passed).every((row) => row[r]));
  const whole = !all ? "" : best.length ? `\nPassed all five: ${list(best)}.` : "\nNo rule has passed all five.";
  if (test === "none") return `Each strip has the weights of the same words under one rule.${whole}`;
  const [kept, broken] = [true, false].map((is) => NAMES.filter((_, r) => passed[test][r] === is));
  const where = !broken.length ? "under all five rules" : !kept.length ? "under none of them"
    : kept.length <= broken.length ? `only under ${list(kept)}` : `under all but ${list(broken)}`;
  const more = test === "join" ? ` (“${NEWCOMER[0]}” has ${NEWCOMER[1]} point.)` : "";
  return `${TOLD[test].told(markedWords(tokens, scores))} ${where}.${more}${whole}`;
}
