// Races between scores with noise, and how often each wins: the twin of book/figures/races.py.
import { randomAt, spreadSeed } from "./random.js";

export const NOISES = ["Gumbel", "normal", "uniform", "none"];
const EULER = 0.5772156649015329; // the mean of Gumbel noise of size 1
const SPREAD = Math.PI / Math.sqrt(6); // its standard deviation: all noises have it, and mean 0
const HALF = 2 ** -33; // half a step of the random numbers, which keeps them away from 0

// One draw of noise of size 1 from the numbers 2k and 2k + 1 of a stream.
const DRAW = {
  Gumbel: (at, k) => -Math.log(-Math.log(at(2 * k) + HALF)) - EULER,
  normal: (at, k) => SPREAD * Math.sqrt(-2 * Math.log(at(2 * k) + HALF)) * Math.cos(2 * Math.PI * at(2 * k + 1)),
  uniform: (at, k) => SPREAD * Math.sqrt(12) * (at(2 * k) + HALF - 0.5),
  none: () => 0,
};

// How densely noise of size 1 lies at x.
export function noiseDensity(kind, x) {
  if (kind === "Gumbel") return Math.exp(-(x + EULER) - Math.exp(-(x + EULER)));
  if (kind === "normal") return Math.exp(-((x / SPREAD) ** 2) / 2) / (SPREAD * Math.sqrt(2 * Math.PI));
  const half = SPREAD * Math.sqrt(3);
  return kind === "uniform" && Math.abs(x) < half ? 1 / (2 * half) : 0;
}

// The noise of size 1 of so many races between n tokens, race by race. The last list is kept, and grows.
export function noiseKeeper() {
  let [key, kept] = ["", new Float64Array(0)];
  return (kind, seed, n, races) => {
    const wanted = `${kind} ${seed} ${n}`;
    if (wanted !== key) [key, kept] = [wanted, new Float64Array(0)];
    if (kept.length < n * races) {
      const own = spreadSeed(seed);
      const at = (k) => randomAt(own, k);
      const grown = new Float64Array(n * races);
      grown.set(kept);
      for (let k = kept.length; k < grown.length; k++) grown[k] = DRAW[kind](at, k);
      kept = grown;
    }
    return kept;
  };
}

// How often each score is the best after its noise, which is 1/β of that of size 1, and where the last race ended.
// Between scores that stay equal chance decides: the first of them by the last digits of the race's own draw.
export function raceAll({ scores, beta, noise, races, seed }, draws) {
  const n = scores.length;
  const all = draws(noise, seed, n, races);
  const wins = scores.map(() => 0);
  const own = spreadSeed(seed);
  let winner = -1;
  for (let r = 0; r < races; r++) {
    let [best, ties] = [-Infinity, 0];
    for (let i = 0; i < n; i++) {
      const total = scores[i] + all[r * n + i] / beta;
      if (total > best) [best, winner, ties] = [total, i, 1];
      else if (total === best && randomAt(own, 2 * (r * n + i)) * ++ties < 1) winner = i;
    }
    wins[winner] += 1;
  }
  const last = scores.map((s, i) => (races ? s + all[(races - 1) * n + i] / beta : s));
  return { wins, last, winner };
}

// What a share of wins is expected to be off: the standard error of the share of a token with this chance.
export const standardError = (chance, races) => Math.sqrt((chance * (1 - chance)) / races);
