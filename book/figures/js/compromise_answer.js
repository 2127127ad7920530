// The best choice of weights at a price or within a budget, in numbers and in words, for each divergence.
import { betaForBudget, bregman, dot, entmax, nullWeights } from "./math.js";
import { fixed, percent, short } from "./words.js";

// The track of the budget goes from 0 to `top`, or further where a larger budget would still bind.
export const KINDS = {
  kl: { alpha: 1, name: "KL: softmax", symbol: "KL(π‖u)", unit: "nats", one: "a nat", top: 2 },
  tsallis: { alpha: 1.5, name: "Tsallis, α = 1.5: entmax", symbol: "D(π, u)", unit: "", one: "a unit", top: 1 },
  euclidean: {
    alpha: 2, name: "Euclidean, ½‖π − u‖²: sparsemax", symbol: "½‖π − u‖²", unit: "", one: "a unit", top: 0.5,
  },
};

export function solve({ scores, prior, beta: chosen, epsilon, mode, divergence }) {
  const { alpha } = KINDS[divergence];
  const u = nullWeights(scores, { prior });
  const beta = mode === "budget" ? betaForBudget(scores, alpha, epsilon, { prior }) : chosen;
  let pi = entmax(scores, beta, alpha, { prior: u });
  // With KL no finite β gives a weight of exactly 0 or 1; where rounding does, the nearest float inside is taken.
  const inner = (w) => Math.min(Math.max(w, Number.MIN_VALUE), 1 - Number.EPSILON);
  if (alpha === 1 && beta < Infinity) pi = pi.map(inner);
  const spent = bregman(pi, u, alpha);
  const gain = dot(pi, scores);
  const limit = bregman(entmax(scores, Infinity, alpha, { prior: u }), u, alpha);
  return { alpha, u, beta, pi, spent, gain, limit, left: beta === 0 ? gain : gain - spent / beta };
}

// The best weights from β = 0, the null, to β = ∞, the best corner. Where a weight becomes 0 the path has a bend;
// that β is found by bisection.
export function route(scores, alpha, u) {
  const at = (beta) => ({ beta, pi: entmax(scores, beta, alpha, { prior: u }) });
  const zeros = ({ pi }) => pi.filter((w) => w === 0).length;
  const width = Math.max(...scores) - Math.min(...scores);
  const way = [at(0)];
  for (let i = 0; i <= 66 && width > 0; i++) {
    let [before, after] = [way.at(-1), at(10 ** (i / 12 - 2.5) / width)];
    const next = after;
    for (let k = 0; k < 40 && zeros(before) !== zeros(after); k++) {
      const middle = at((before.beta + after.beta) / 2);
      if (zeros(middle) === zeros(before)) before = middle;
      else after = middle;
    }
    if (after !== next) way.push(after);
    way.push(next);
  }
  return [...way, at(Infinity)];
}

const points = (x) => `${short(x)} ${short(x) === "1" ? "point" : "points"}`;

export function compromise(state) {
  const { tokens, scores, epsilon, mode, divergence } = state;
  const { unit, one } = KINDS[divergence];
  const { beta, pi, spent } = solve(state);
  const away = `${fixed(spent, 2)}${unit && ` ${unit}`} from the null`;
  if (scores.every((s) => s === scores[0])) return "The scores are equal, so the best choice is the null itself.";
  const shares = tokens.map((token, i) => `“${token}” ${percent(pi[i])}`).join(", ");
  const first = pi.filter((w) => w > 0).length;
  const best = first === 1 ? `“${tokens[pi.indexOf(1)]}”` : `the ${first} best tokens`;
  if (mode === "budget") {
    const budget = `A budget of ${short(epsilon)}${unit && ` ${unit}`}`;
    if (beta === 0) return `${budget} allows nothing but the null.`;
    if (beta < Infinity) {
      const more = `A little more is worth ${points(1 / beta)} ${one}: the price 1/β.`;
      return `${budget} is spent in full: ${shares}.\n${more}`;
    }
    const takes = `which takes ${fixed(spent, 2)}`;
    return `${budget} is enough for all the weight on ${best}, ${takes}.\nMore would buy nothing: β = ∞.`;
  }
  if (beta === 0) return "At β = 0 no score is worth any divergence: the weights stay at the null.";
  if (beta === Infinity) {
    return `At β = ∞ divergence is free: all the weight is on ${best}, ${away}.`;
  }
  const buys = `At ${points(1 / beta)} ${one} the best is ${away}`;
  const reach = [
    "A corner at a finite β: two have exactly 0.",
    `An edge at a finite β: “${tokens[pi.indexOf(0)]}” has exactly 0.`,
    "No weight is exactly 0 yet.",
  ][first - 1];
  const never = "Each weight is above 0, as at every finite β.";
  return `${buys}: ${shares}.\n${divergence === "kl" ? never : reach}`;
}
