// Dispersion: the weight of the best of n tokens, all of whose rivals score the same, in closed form.
export const [FEWEST, MOST, WIDEST] = [8, 1e6, 12]; // tokens, and points of lead
export const DISPERSED = ["softmax", "entmax", "sparsemax"];

export const betaAmong = (n, rule) => (rule === "grows" ? Math.log(n) / Math.log(FEWEST) : 1);
export const leadAmong = (n, trend, lead) => (trend === "shrinks" ? (lead * FEWEST) / n : lead);

// Under each map, where the best leads its n − 1 rivals by `ahead` points times β.
export function topWeights(n, ahead) {
  const rivals = n - 1;
  const half = ahead / 2; // entmax with α = 1.5 has half the scores, less a threshold, squared
  return [
    1 / (1 + rivals * Math.exp(-ahead)),
    half >= 1 ? 1 : ((rivals * half + Math.sqrt(n - rivals * half ** 2)) / n) ** 2,
    ahead >= 1 ? 1 : (1 + rivals * ahead) / n,
  ];
}

export const topAmong = (n, { rule, trend, lead }) =>
  topWeights(n, betaAmong(n, rule) * leadAmong(n, trend, lead));

// Among how many tokens softmax leaves the best one half, if β is 1 and the lead
// stays: its rivals are then e^lead.
export const halfAt = (lead) => 1 + Math.exp(lead);
