// When softmax, entmax and sparsemax give a token no weight.

// For each token the size of β from which on its weight is 0, under a uniform null: ∞ for the best, and for all at
// α = 1. The best is the highest score, or with `sign` −1 the lowest.
export function reachesZero(scores, alpha, sign = 1) {
  const power = 1 / (alpha - 1);
  return scores.map((own) => {
    const leads = scores.map((s) => sign * (s - own)).filter((x) => x > 0);
    if (alpha === 1 || leads.length === 0) return Infinity;
    const most = Math.max(...leads); // taken out, so that no power overflows
    const total = leads.reduce((sum, x) => sum + (x / most) ** power, 0);
    return power / (most * total ** (1 / power));
  });
}

// Which tokens have weight. It is not read off the weights: those of softmax may be rounded to 0.
export function supportOf(scores, alpha, beta) {
  const sign = beta < 0 ? -1 : 1;
  if (Math.abs(beta) < Infinity) return reachesZero(scores, alpha, sign).map((from) => Math.abs(beta) < from);
  const best = Math.max(...scores.map((s) => sign * s));
  return scores.map((s) => sign * s === best);
}
