// The best choice of weights at a price or within a budget, for each divergence, and what other weights are worth.
import { betaForBudget, bregman, dot, entmax, normalised, nullWeights } from "./math.js";

// The track of the budget goes from 0 to `top`, or further where a larger budget would still bind.
export const KINDS = {
  kl: { alpha: 1, name: "KL: softmax", symbol: "KL(π‖u)", unit: "nats", one: "nat", map: "softmax", top: 2 },
  tsallis: {
    alpha: 1.5, name: "Tsallis, α = 1.5: entmax", symbol: "D(π, u)", unit: "", one: "unit", map: "entmax",
    top: 1,
  },
  euclidean: {
    alpha: 2, name: "Euclidean, ½‖π − u‖²: sparsemax", symbol: "½‖π − u‖²", unit: "", one: "unit",
    map: "sparsemax", top: 0.5,
  },
};

// Where only the point moves, as it does on each frame of a drag, the last answer still holds.
let known = {};
export function solve({ scores, prior, beta, epsilon, mode, divergence }) {
  const asked = [scores, prior, beta, epsilon, mode, divergence].map(String).join();
  if (known.asked !== asked) known = { asked, ...solved({ scores, prior, beta, epsilon, mode, divergence }) };
  return known;
}

function solved({ scores, prior, beta: chosen, epsilon, mode, divergence }) {
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

// What the weights p earn, what their divergence from the null is and costs, and what is kept.
export function standing(p, { scores, prior, divergence }, beta) {
  const { alpha } = KINDS[divergence];
  const spent = bregman(p, nullWeights(scores, { prior }), alpha);
  const earned = dot(p, scores);
  const paid = spent === 0 ? 0 : spent / beta;
  return { p, earned, spent, paid, kept: earned - paid };
}

// What is climbed, as a function of weights: what is kept, or what is earned where a budget is given. For β < 1 it
// is β times what is kept, which is finite at β = 0 too.
export function worthOf({ scores, mode, divergence }, beta, u) {
  const { alpha } = KINDS[divergence];
  if (mode === "budget" || beta === Infinity) return (p) => dot(p, scores);
  const [gain, cost] = beta < 1 ? [beta, 1] : [1, 1 / beta];
  return (p) => gain * dot(p, scores) - cost * bregman(p, u, alpha);
}

const SLACK = 1e-9; // so that weights that spend just the budget are within it
const fits = ({ mode, epsilon }, spent) => mode === "price" || spent <= epsilon * (1 + SLACK) + 1e-14;

// The weights where the reader's point is: the null, if nothing else is said.
export const pointOf = ({ point, scores, prior }) => (point ? normalised(point) : nullWeights(scores, { prior }));

// The better of the pin, the best that was visited before, and the point: null if it is the point. Weights beyond
// the budget are worth nothing.
export function betterPin(state, beta) {
  if (!state.pin) return null;
  const worth = worthOf(state, beta, nullWeights(state.scores, state));
  const [old, now] = [normalised(state.pin), pointOf(state)].map((p) =>
    fits(state, standing(p, state, beta).spent) ? worth(p) : -Infinity);
  return old > now ? state.pin : null;
}
// Whether what a reader has found keeps nearly as much as the top, but for this part of the scores' range.
const NEARLY = 0.03;
export const nearTop = ({ scores }, kept, { left }) =>
  left - kept < NEARLY * (Math.max(...scores) - Math.min(...scores));
export const within = (state, { spent }) => fits(state, spent);
