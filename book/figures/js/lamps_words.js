// What *lamps* says: the last move, and what it has put out.
import { RULES, judged, moveOf, ratioUnder, weightsUnder } from "./lamps_math.js";
import { list, percent, short } from "./words.js";

const NTH = ["first", "second", "third", "fourth"];
const large = (text) => text[0].toUpperCase() + text.slice(1);
const quoted = (tokens, places) => list(places.map((k) => `“${tokens[k]}”`));
const points = (x) => {
  const size = short(Math.abs(x));
  return `${size} ${size === "1" ? "point" : "points"} ${x > 0 ? "more" : "less"}`;
};

function happened({ tokens, was, now }) {
  const { moved, all, one, swapped } = moveOf(was, now);
  if (all !== null) return `everybody got ${points(all)}`;
  if (swapped) return `${quoted(tokens, swapped)} swapped their scores`;
  if (one !== null) return `${quoted(tokens, [one])} ${now[one] > was[one] ? "rose" : "fell"}`;
  return `${quoted(tokens, moved)} moved`;
}

function ratioBecame(rule, { tokens, was, now, pair }) {
  const [before, after] = [was, now].map((scores) => ratioUnder(rule, scores, pair));
  const [first, second] = pair.map((k) => `“${tokens[k]}”`);
  if (Number.isNaN(after)) return `neither ${first} nor ${second} has anything left`;
  if (after === Infinity) return `${second} has nothing left`;
  if (after === 0) return `${first} has nothing left`;
  const over = `${first} over ${second}`;
  if (!Number.isFinite(before)) return `${over} is ${short(after)} now`;
  if (short(before) === short(after)) return "weights moved";
  return `${over} went from ${short(before)} to ${short(after)}`;
}

// Why a rule has lost the lamp of a wish, counted from 0.
function why(rule, wish, state) {
  const weights = weightsUnder(rule, state.now);
  if (wish === 3) return `its weight stayed ${percent(weights[moveOf(state.was, state.now).one])}`;
  if (wish === 2 && weights.every((w) => w === 0)) return "no word has any weight left";
  return wish === 1 ? "their weights did not" : ratioBecame(rule, state);
}

// How many words have nothing at all: before the four wishes stands that every word gets some weight.
export function withoutWeight(weights) {
  const count = weights.filter((w) => w === 0).length;
  if (count === 0) return "all get some";
  if (count === weights.length) return "all get 0";
  return count === 1 ? "1 word gets 0" : `${count} words get 0`;
}

// What puts out the lamp of each wish.
const CAUSES = [
  "another word changed a ratio", "two words swapped scores, but not weights",
  "points for everybody moved its weights", "a word rose or fell, but its weight did not",
];

// The lamps that are out, rule by rule: “Squares has lost its third lamp”; of one alone also why.
function lost(out) {
  const of = (rule) => NTH.filter((_, k) => out.includes(`${rule}-${k + 1}`));
  const rules = RULES.filter((rule) => of(rule).length);
  const told = rules.map((rule, k) => {
    const lamps = `its ${list(of(rule))}`;
    return k ? `${rule} ${lamps}` : `${rule} has lost ${lamps} lamp${of(rule).length > 1 ? "s" : ""}`;
  });
  const cause = out.length === 1 ? ` already: ${CAUSES[out[0].at(-1) - 1]}` : "";
  return `${large(list(told))}${cause}.`;
}

// “Softmax has all four”, once each other rule has lost something.
function winner(out) {
  const whole = RULES.filter((rule) => !out.some((lamp) => lamp.startsWith(`${rule}-`)));
  return whole.length === 1 ? ` ${large(whole[0])} has all four.` : "";
}

// What a move that failed nowhere shows.
function failedNowhere(state, held) {
  const { tokens, pair } = state;
  const asked = (k) => held.every((wishes) => wishes[k] === true);
  const opening = large(happened(state));
  if (asked(0)) return `${opening}. Under all three ${pair.map((k) => `“${tokens[k]}”`).join(" over ")} stays.`;
  if (asked(1)) return `${opening}. Under all three they swapped their weights.`;
  if (asked(3)) return `${opening}, and so did its weight, under all three.`;
  return `${opening}.`;
}

// `was` are the scores at the beginning of the act, `now` those that are seen; `out` are all lamps that are
// out. While a word is `held`, its fourth wish is not asked.
export function lampsSentence(state) {
  const { was, now, out, pair, held } = state;
  if (!moveOf(was, now).moved.length) {
    return out.length ? lost(out) + winner(out) : "All lamps are on. Move the scores, and see which go out.";
  }
  const all = RULES.map((rule) => judged(rule, was, now, pair).map((x, k) => (held && k === 3 ? null : x)));
  const reasons = new Map(); // those that hold for several rules are told once
  RULES.forEach((rule, r) => all[r].forEach((x, k) => {
    if (x !== false) return;
    const key = `${happened(state)}, and ${why(rule, k, state)}|${k}`;
    reasons.set(key, [...(reasons.get(key) ?? []), rule]);
  }));
  if (!reasons.size) return failedNowhere(state, all);
  const told = [...reasons].map(([key, rules]) => {
    const [reason, k] = key.split("|");
    const gone = rules.length > 1 ? `their ${NTH[k]} lamps are out` : `its ${NTH[k]} lamp is out`;
    return `${large(list(rules))}: ${reason}: ${gone}.`;
  });
  return told.join(" ") + winner(out);
}
