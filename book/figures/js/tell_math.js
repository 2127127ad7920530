// The best test between weights and their null, its errors exact: the twin of book/figures/tell.py.
import { powerOf } from "./fourier.js";
import { dot, klDivergence, logPartition, softmax } from "./math.js";

const UNIT = 0.1; // the scores are multiples of it
const LEVEL = 0.05;
const TINY = 60; // a term that is smaller than the largest by e^−60 is left out of a sum
export const HOLDS = ["misses", "false alarms", "neither"];

export function onLattice(scores) {
  const low = Math.min(...scores);
  const steps = scores.map((s) => (s - low) / UNIT);
  return steps.every((k) => Math.abs(k - Math.round(k)) < 1e-6 && k <= 100.5) && steps.some((k) => k > 0.5);
}

// How the sum of m scores is distributed: `at(k)` is the sum that has chances[k], `first` its steps for k = 0.
function scoreSum(scores, weights, m) {
  const low = Math.min(...scores);
  const steps = scores.map((s) => Math.round((s - low) / UNIT));
  const one = new Float64Array(Math.max(...steps) + 1);
  steps.forEach((k, i) => (one[k] += weights[i]));
  const { first, chances } = powerOf(one, m);
  return { first, chances, at: (k) => m * low + UNIT * (first + k) };
}

// The inverse temperature of the weights under which errors are computed: sums near the bar are common there.
export function tilt(scores, beta, hold) {
  if (hold !== "neither") return hold === "misses" ? beta : 0;
  let [near, far] = [0, beta];
  const goal = beta * logPartition(scores, beta);
  let middle = beta;
  for (let i = 0; i < 100; i++) {
    middle = (near + far) / 2;
    if (beta * dot(softmax(scores, middle), scores) < goal) near = middle;
    else far = middle;
  }
  return middle;
}

// The exponent that the least error comes to as m grows: a divergence of Stein's, or Chernoff's.
export function limit(scores, beta, hold) {
  const u = softmax(scores, 0);
  const between = softmax(scores, tilt(scores, beta, hold));
  return hold === "false alarms" ? klDivergence(u, softmax(scores, beta)) : klDivergence(between, u);
}

// Where the best test changes its mind, for β > 0: at place k, where it still says u with chance `u`.
function turn({ chances, at }, hold, even) {
  const n = chances.length;
  if (hold === "neither") {
    let k = 0;
    while (at(k) <= even || chances[k] === 0) k++;
    return { k, u: 0 };
  }
  const up = hold === "misses";
  let spent = 0;
  let k = up ? 0 : n - 1;
  for (; spent + chances[k] <= LEVEL; k += up ? 1 : -1) spent += chances[k];
  return { k, u: up ? LEVEL - spent : chances[k] - (LEVEL - spent) };
}

// log Σ chance·e^ratio from place k on, where the first has chance p and the ratio falls from place to place.
function logTail(chances, k, p, step, ratio) {
  const most = ratio(k);
  let sum = p;
  for (let j = k + step; j >= 0 && j < chances.length; j += step) {
    const fall = ratio(j) - most;
    if (fall < -TINY) break;
    sum += chances[j] * Math.exp(fall);
  }
  return most + Math.log(sum);
}

// The best tests of softmax(βs) against the null, for β > 0, as book/figures/tell.py has them. `memo` keeps
// what does not depend on β: how sums are distributed under the null.
export function tester(scores, beta, memo = new Map()) {
  const rate = logPartition(scores, beta);
  const seen = HOLDS.map((hold) => {
    const at = tilt(scores, beta, hold);
    return [hold, { at, weights: softmax(scores, at), shift: at * logPartition(scores, at) }];
  });
  const views = Object.fromEntries(seen);
  return function bestTest(m, hold) {
    const { at: slope, weights, shift } = views[hold];
    const sums = (slope === 0 && memo.get(m)) || scoreSum(scores, weights, m);
    if (slope === 0 && memo.size < 100) memo.set(m, sums);
    const { chances, at } = sums;
    const { k, u } = turn(sums, hold, m * rate);
    // Logs of the chance of a sum under u, and under π, over that under the weights drawn from.
    const null_ = (j) => m * shift - slope * at(j);
    const pi = (j) => null_(j) + beta * (at(j) - m * rate);
    const held = Math.log(LEVEL);
    const logFalseAlarm = hold === "false alarms" ? held : logTail(chances, k, chances[k] - u, 1, null_);
    const logMiss =
      hold === "misses" ? held : logTail(chances, u > 0 ? k : k - 1, u > 0 ? u : chances[k - 1], -1, pi);
    const most = Math.max(logFalseAlarm, logMiss);
    const both = most + Math.log(Math.exp(logFalseAlarm - most) + Math.exp(logMiss - most));
    const log = { misses: logFalseAlarm, "false alarms": logMiss, neither: both }[hold];
    return { sums, bar: at(k), toss: 1 - u / chances[k], logFalseAlarm, logMiss, exponent: -log / m };
  };
}
