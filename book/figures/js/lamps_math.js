// What *lamps* measures: three rules that make weights of scores, and which of four wishes a move has shown to
// fail.
import { entmax, softmax, squareNorm } from "./math.js";

// The axis of scores, which never changes; the class says the same.
export const ROOM = [-1.5, 3];

const MAPS = {
  squares: squareNorm,
  softmax: (scores) => softmax(scores),
  sparsemax: (scores) => entmax(scores, 1, 2).map((w) => (w < 1e-12 ? 0 : w)), // rounding may leave dust
};
export const RULES = Object.keys(MAPS);
export const weightsUnder = (rule, scores) => MAPS[rule](scores);
export const WISHES = ["others do not change a ratio", "only scores count", "no zero point", "better gets more"];

// A lamp is called by its rule and its wish, “squares-3”. These are all, in the order that `out` has.
export const LAMPS = RULES.flatMap((rule) => WISHES.map((_, k) => `${rule}-${k + 1}`));

// How many times word i has the weight of word j: ∞ where j alone has none, NaN where neither has any.
export function ratioUnder(rule, scores, [i, j]) {
  const weights = weightsUnder(rule, scores);
  return weights[i] / weights[j];
}

// Scores are written to a millionth: what differs by less has not been moved. A ratio or a weight has moved if
// it has by a millionth of itself, which no rounding does (of the sums here it is below 10⁻¹⁴), and a weight
// has risen if it has by more than DUST. The smallest move there is raises softmax's smallest weight by
// hundreds of that.
const LEAST = 5e-7;
const MOVED = 1e-6;
const DUST = 1e-13;
const alike = (a, b) => a === b || Math.abs(a - b) < MOVED * Math.min(Math.abs(a), Math.abs(b)); // false for NaN
const still = (a, b) => Math.abs(a - b) <= LEAST;

// What became of the scores from one row to the next. `moved` are the words whose scores did change. `all` is
// what everybody got, `one` the only word that moved, `swapped` are two that have each other's score; each may
// be missing.
export function moveOf(from, to) {
  const moved = to.map((_, k) => k).filter((k) => !still(from[k], to[k]));
  const by = to[0] - from[0];
  const common = moved.length > 0 && to.every((s, k) => still(s - from[k], by));
  const [i, j] = moved;
  const traded = moved.length === 2 && still(to[i], from[j]) && still(to[j], from[i]);
  return {
    moved,
    all: common ? by : null,
    one: moved.length === 1 ? i : null,
    swapped: traded ? moved : null,
  };
}

// What a move from one row of scores to another shows of a rule, for each of the four wishes: true if it was
// asked and held, false if it failed, null if the move does not ask it. What has no answer, such as the ratio
// of two weights that are 0, is not asked if it had none before either, and else has failed: it never counts as
// held.
//   1  the pair kept its scores, others did not      the ratio of the pair is as before
//   2  two words have swapped their scores           they have swapped their weights, the others have kept theirs
//   3  everybody has got the same                    no weight has moved
//   4  one word has moved alone                      its weight has risen if it rose, fallen if it fell
export function judged(rule, from, to, pair) {
  const { moved, all, one, swapped } = moveOf(from, to);
  const [before, after] = [from, to].map((scores) => weightsUnder(rule, scores));
  const none = [before, after].every((weights) => weights.every((w) => w === 0));
  const [was, now] = [from, to].map((scores) => ratioUnder(rule, scores, pair));
  const others = moved.length > 0 && !pair.some((k) => moved.includes(k));
  const traded = (k) => (swapped.includes(k) ? swapped[k === swapped[0] ? 1 : 0] : k);
  const grown = one === null ? NaN : (after[one] - before[one]) * Math.sign(to[one] - from[one]);
  return [
    others && !(Number.isNaN(was) && Number.isNaN(now)) ? alike(was, now) : null,
    swapped && !none ? after.every((w, k) => alike(w, before[traded(k)])) : null,
    all !== null && !none ? after.every((w, k) => alike(w, before[k])) : null,
    one === null ? null : grown > DUST,
  ];
}

// The lamps that a move puts out.
export const failedBy = (from, to, pair) =>
  RULES.flatMap((rule) => judged(rule, from, to, pair).map((held, k) => held === false && `${rule}-${k + 1}`))
    .filter(Boolean);

export const inOrder = (lamps) => LAMPS.filter((lamp) => lamps.includes(lamp));

// One act may have many moves: a knob that is pulled again, the whole row in ten steps. It is measured against
// the scores at its beginning, `was`, as long as the move from `here` goes on in the same way and direction;
// else it begins here.
export function beginning(was, here, to) {
  const [act, step] = [moveOf(was, to), moveOf(here, to)];
  const [k] = step.moved;
  const same = (act.one === k && step.one === k) || (act.all !== null && step.all !== null);
  return same && Math.sign(to[k] - was[k]) === Math.sign(to[k] - here[k]) ? was : here;
}
