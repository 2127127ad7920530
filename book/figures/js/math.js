// The twin of lib's maths for a page without a kernel: one row at a time, plain arrays, float64.
// Names and meanings are those of lib; a test holds the two equal.

const SMALL = 1e-20; // for |β·gap| below this the second-order term is far under the last digit

export const admissible = (scores, { prior = null, where = null } = {}) =>
  scores.map((s, i) => (!where || where[i]) && (!prior || prior[i] > 0) && s !== -Infinity);

// The prior on the admissible entries, or 1 each, over its largest value; 0 elsewhere.
function masses(scores, options) {
  const open = admissible(scores, options);
  const raw = scores.map((_, i) => (open[i] ? (options.prior ? options.prior[i] : 1) : 0));
  const largest = Math.max(0, ...raw);
  return largest === 0 ? raw : raw.map((u) => u / largest); // so that the sum of huge priors stays finite
}

export function normalised(mass) {
  const total = mass.reduce((sum, m) => sum + m, 0);
  return total === 0 ? mass : mass.map((m) => m / total);
}

// The prior renormalised over the admissible entries; zeros for an empty row.
export const nullWeights = (scores, options = {}) => normalised(masses(scores, options));

// The highest score, or for β < 0 the lowest, and β·(s − that score), which is never above 0.
function powers(scores, beta, open) {
  const sign = beta < 0 ? -1 : 1;
  let best = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    if (open[i] && !(sign * scores[i] <= best)) best = sign * scores[i];
  }
  // Shift before multiplying: at an offset of 1e6 the other order loses half the digits.
  // ∞ − ∞ and ∞·0 would be NaN: here they are 0, for scores that tie.
  const power = scores.map((s, i) => {
    if (!open[i]) return -Infinity;
    return sign * s === best ? 0 : Math.abs(beta) * (sign * s - best);
  });
  return { best: sign * best, power };
}

export function softmax(scores, beta = 1, options = {}) {
  const open = admissible(scores, options);
  const mass = masses(scores, options);
  if (beta === 0 || !open.some(Boolean)) return normalised(mass);
  if (scores.some((s, i) => open[i] && Number.isNaN(s))) return scores.map(() => NaN);
  const { power } = powers(scores, beta, open);
  return normalised(mass.map((m, i) => m * Math.exp(power[i])));
}

// The value of the objective at its optimum: (1/β) log Σ u e^{βs}, with its limits at 0 and ±∞.
export function logPartition(scores, beta = 1, options = {}) {
  const open = admissible(scores, options);
  if (!open.some(Boolean)) return beta < 0 ? Infinity : -Infinity;
  const u = nullWeights(scores, options);
  if (beta === 0) return dot(u, scores);
  const { best, power } = powers(scores, beta, open);
  if (Math.abs(beta) === Infinity || Math.abs(best) === Infinity) return best;
  const steepest = Math.max(...power.map((x, i) => (open[i] ? -x : 0)));
  if (steepest < SMALL) return dot(u, scores);
  // expm1 and log1p keep the small difference that exp and log would round away.
  const change = dot(u, power.map(Math.expm1));
  const log = change > -0.5 ? Math.log1p(change) : Math.log(dot(u, power.map(Math.exp)));
  return best + log / beta;
}

// Σ p·x where 0·(±∞) counts as 0.
export const dot = (p, x) => p.reduce((sum, pi, i) => (pi === 0 || x[i] === 0 ? sum : sum + pi * x[i]), 0);

// Each term p log(p/q) − p + q is at least 0, so nothing cancels near p = q; all zeros give 0.
export function klDivergence(p, q) {
  if (p.every((pi) => pi === 0)) return 0;
  const terms = p.map((pi, i) => {
    const d = pi - q[i];
    if (pi === 0) return -d;
    const near = Math.abs(d) < 0.5 * q[i];
    return pi * (near ? Math.log1p(d / q[i]) : Math.log(pi) - Math.log(q[i])) - d;
  });
  return Math.max(0, terms.reduce((sum, x) => sum + x, 0));
}

export const entropy = (p) => p.reduce((sum, pi) => (pi === 0 ? sum : sum - pi * Math.log(pi)), 0);

// How many equal weights would be spread as evenly as these; 0 for an empty row.
export const effectiveCount = (p) => (p.some((pi) => pi !== 0) ? Math.exp(entropy(p)) : 0);

// What softmax maximises (β > 0) or minimises (β < 0): expected score against distance from the prior.
export function objective(p, scores, beta, options = {}) {
  const u = nullWeights(scores, options);
  const kl = klDivergence(p, u);
  const worst = beta < 0 ? Infinity : -Infinity;
  if (kl === Infinity || u.every((ui) => ui === 0)) return worst;
  const gain = dot(p, scores);
  if (beta === 0) return p.every((pi, i) => Math.abs(pi - u[i]) <= 8 * Number.EPSILON * u[i]) ? gain : worst;
  return gain - kl / beta;
}

// The squares of the positive scores over their sum, zeros where there is none. Over the largest first, so that no
// square overflows.
export function squareNorm(scores) {
  const most = Math.max(...scores);
  return normalised(scores.map((s) => (s > 0 ? (s / most) ** 2 : 0)));
}

// The family between softmax (α = 1) and sparsemax (α = 2), for 1 ≤ α ≤ 2: the weights (x − τ)₊^{1/(α−1)}
// with x = (α−1)βs + u^{α−1}. Newton's method starts left of τ; as the sum is convex, no step goes past τ.
export function entmax(scores, beta = 1, alpha = 1.5, options = {}) {
  const open = admissible(scores, options);
  const { best, power } = powers(scores, beta, open);
  const plain = alpha === 1 || beta === 0 || Math.abs(beta) === Infinity || !Number.isFinite(best);
  if (plain || scores.some((s, i) => open[i] && Number.isNaN(s))) return softmax(scores, beta, options);
  const r = alpha - 1;
  const u = nullWeights(scores, options);
  const x = power.map((b, i) => r * b + (options.prior ? u[i] ** r : 0));
  let tau = Math.max(...x.filter((_, i) => open[i])) - 1;
  for (;;) {
    let [over, slope] = [-1, 0];
    x.forEach((xi, i) => {
      if (!open[i] || xi <= tau) return;
      over += (xi - tau) ** (1 / r);
      slope += (xi - tau) ** (1 / r - 1);
    });
    const next = tau + (r * over) / slope;
    if (!(next > tau)) break;
    tau = next;
  }
  return normalised(x.map((xi, i) => (open[i] ? Math.max(0, xi - tau) ** (1 / r) : 0)));
}

// (1 + d)^α − 1 − αd, as a series where its own terms would cancel.
function excess(d, alpha) {
  if (Math.abs(d) > 0.5) return (1 + d) ** alpha - 1 - alpha * d;
  let sum = 0;
  let term = (alpha * (alpha - 1) * d * d) / 2;
  for (let k = 2; Math.abs(term) > 1e-17 * sum; k++) {
    sum += term;
    term *= ((alpha - k) / (k + 1)) * d;
  }
  return sum;
}

// What entmax keeps small: the Bregman divergence of the negative Tsallis α-entropy.
// KL at α = 1, half the squared distance at α = 2.
export function bregman(p, q, alpha) {
  if (alpha === 1) return klDivergence(p, q);
  const terms = p.map((pi, i) => (q[i] ? q[i] ** alpha * excess((pi - q[i]) / q[i], alpha) : pi ** alpha));
  return terms.reduce((sum, x) => sum + x, 0) / (alpha * (alpha - 1));
}

// The largest β ≥ 0 whose weights stay within the budget ε; ∞ where the budget does not bind. Finite scores only.
export function betaForBudget(scores, alpha, epsilon, options = {}) {
  const part = scores.filter((_, i) => admissible(scores, options)[i]);
  const best = Math.max(...part);
  const lead = best - Math.max(...part.filter((s) => s < best));
  if (!Number.isFinite(lead)) return Infinity; // all alike
  const u = nullWeights(scores, options);
  const spent = (beta) => bregman(entmax(scores, beta, alpha, options), u, alpha);
  let [low, high] = [0, Math.min(1500 / lead, 1e300)]; // at `high` all but the best have weight 0
  if (epsilon >= spent(Infinity) - 1e-14) return Infinity; // 1e-14: the cost at ∞ is rounded
  if (epsilon === 0) return 0;
  for (;;) {
    const middle = low / 2 + high / 2;
    if (middle <= low || middle >= high) return low;
    if (spent(middle) <= epsilon) low = middle;
    else high = middle;
  }
}

// How each weight answers to each score, β(π_i δ_ij − π_i π_j); 0 at β = ±∞, where the choice is hard.
export function softmaxJacobian(weights, beta = 1) {
  const factor = Math.abs(beta) === Infinity ? 0 : beta;
  return weights.map((p, i) => weights.map((q, j) => factor * p * ((i === j ? 1 : 0) - q)));
}

// The largest eigenvalue of diag(π) − ππᵀ, for weights of sum 1. It lies between the second weight
// and the first, where Σ π²/(π − a) = 1; of the first term 1 is taken off by hand, so that nothing
// cancels when that weight is near 1.
export function largestFactor(weights) {
  const [first, ...others] = [...weights].sort((a, b) => b - a);
  const left = others.reduceRight((sum, p) => sum + p, 0);
  if (!(left > 0) || first === others[0]) return left > 0 ? first : 0;
  let [low, high] = [others[0], Math.min(first, 2 * Math.max(first * left, others[0] * (1 - others[0])))];
  for (let k = 0; k < 60; k++) {
    const a = (low + high) / 2;
    const over = others.reduce((sum, p) => sum + (p * p) / (p - a), (a - first * left) / (first - a));
    if (over < 0) low = a;
    else high = a;
  }
  return (low + high) / 2;
}
