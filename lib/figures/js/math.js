// The twin of lib's maths for a page without a kernel: one row at a time, plain arrays, float64.
// Names and meanings are those of lib.simplex and lib.metrics; a test holds the two equal.

const SMALL = 1e-20; // |β·gap| below this: the second-order term is far under the last digit

export const admissible = (scores, { prior = null, where = null } = {}) =>
  scores.map((s, i) => (!where || where[i]) && (!prior || prior[i] > 0) && s !== -Infinity);

// The prior's mass on the admissible entries, as given or 1 each, 0 elsewhere.
function masses(scores, options) {
  const open = admissible(scores, options);
  const raw = scores.map((_, i) => (open[i] ? (options.prior ? options.prior[i] : 1) : 0));
  const largest = Math.max(0, ...raw);
  return largest === 0 ? raw : raw.map((u) => u / largest); // so that the sum of huge priors stays finite
}

function normalised(mass) {
  const total = mass.reduce((sum, m) => sum + m, 0);
  return total === 0 ? mass : mass.map((m) => m / total);
}

// The prior renormalised over the admissible entries; zeros for an empty row.
export const nullWeights = (scores, options = {}) => normalised(masses(scores, options));

// The score that β pulls towards, and β·(s − that score), never above zero.
function powers(scores, beta, open) {
  const sign = beta < 0 ? -1 : 1;
  let best = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    if (open[i] && !(sign * scores[i] <= best)) best = sign * scores[i];
  }
  // Shift before multiplying: at an offset of 1e6 the other order loses half the digits.
  // Equal infinities, and β = ∞ times a gap of zero, both count as no gap at all.
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
