// What models changed about softmax, one repair at a time: its weights, and what it keeps and can do, tried out.
import { softmax } from "./math.js";

export const REPAIRS = ["none", "sink", "gate", "cap", "norm", "length"];
const REST = 2; // QK-norm: each key is (its score, REST), and the query (1, 0)
const TIMES = 3;
const LONGER = 3; // so many more words for each word

const sum = (list) => list.reduce((all, x) => all + x, 0);
// What all have together; a sum that differs from 1 by rounding alone is 1.
export const total = (weights) => (Math.abs(sum(weights) - 1) < 1e-12 ? 1 : sum(weights));
export const passed = (gate) => 1 / (1 + Math.exp(-gate));

// What each situation makes of the scores. What it brings comes last and may stand for several words.
export const NEWCOMER = "was";
export const SITUATIONS = {
  shift: (scores) => ({ row: scores.map((s) => s + 2) }),
  join: (scores) => ({ row: [...scores, 1], more: 1 }),
  long: (scores) => ({ row: [...scores, 0.2], more: LONGER * scores.length }),
  times: (scores) => ({ row: scores, times: TIMES }),
};
export function inSituation({ scores, situation }) {
  const { row, more = 0, times = 1 } = SITUATIONS[situation]?.(scores) ?? { row: scores };
  return { row, times, more, counts: row.map((_, i) => (i < scores.length ? 1 : more)) };
}

// The scores that softmax gets, where there are so many words and the query is so many times as long.
export function usedScores(repair, knobs, { row, words = row.length, times = 1 }) {
  const { cap, gain, typical } = knobs;
  const use = {
    cap: (s) => cap * Math.tanh((times * s) / cap),
    norm: (s) => (gain * s) / Math.hypot(s, REST), // the length of the query does not count
    length: (s) => (times * s * Math.log(words)) / Math.log(typical),
  };
  return row.map(use[repair] ?? ((s) => times * s));
}

// What each score gets that stands for so many words (one each, if no counts are given), as it is handed over.
export function repaired(repair, knobs, { row, counts = row.map(() => 1), times }) {
  const used = usedScores(repair, knobs, { row, words: sum(counts), times });
  const all = used.map((s, i) => s + Math.log(counts[i]));
  if (repair === "sink") return softmax([...all, knobs.sink]).slice(0, -1);
  return softmax(all).map((w) => w * (repair === "gate" ? passed(knobs.gate) : 1));
}

export const WISHES = ["others do not change a ratio", "only scores count", "no zero point", "better gets more"];
export const GAINS = ["can say nothing", "scores are bounded", "a lead lasts in long texts"];

export const alike = (a, b) => Math.abs(a - b) <= 1e-9 * Math.abs(b);

// For each wish whether this repair keeps it, for each gain whether it has it.
export function lampsOf(repair, knobs) {
  const tried = [2, 1.1, -0.6];
  const give = (row, how) => repaired(repair, knobs, { row, ...how });
  const add = (k, by) => tried.map((s, i) => (i === k ? s + by : s));
  const ratio = (weights) => weights[0] / weights[1];
  const was = give(tried);
  const others = [add(2, 1), tried.slice(0, 2), [...tried, 1]]; // it rises, it leaves, one joins
  const traded = give([tried[1], tried[0], tried[2]]);
  const [large, larger] = [1e3, 1e6].map((times) =>
    Math.max(...usedScores(repair, knobs, { row: tried, times }).map(Math.abs)));
  return [
    others.every((row) => alike(ratio(give(row)), ratio(was))),
    [1, 0, 2].every((k, i) => alike(traded[i], was[k])),
    give(tried.map((s) => s + 2)).every((w, i) => alike(w, was[i])),
    tried.every((_, k) => give(add(k, 0.5))[k] > was[k]),
    total(give(tried.map((s) => s - 10))) < 0.999,
    larger < 2 * large,
    give([4, 0], { counts: [1, 999_999] })[0] > 0.5,
  ];
}
