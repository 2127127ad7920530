// The maps inside the transformer of *heads*: a row of an array becomes weights in its place in another,
// with no list made for it. There are thousands of rows in each step of a training, and math.js would take
// several times as long; a test holds the two equal. β is at least 0; β = ∞ shares the weight among the
// highest. Names are those of lib.

// The weights of the n scores that begin at `at`.
export function weigh(map, scores, beta, at, n, w) {
  let best = -Infinity;
  for (let j = at; j < at + n; j++) if (scores[j] > best) best = scores[j];
  const half = map === "entmax" ? 0.5 : 1; // α − 1
  let total = 0;
  for (let j = at; j < at + n; j++) {
    const s = scores[j];
    if (map === "relu_norm") w[j] = beta > 0 && s > 0 ? s : 0;
    else if (map === "sigmoid_weights") w[j] = 1 / (1 + n * Math.exp(s === 0 ? 0 : -beta * s)); // a bias of −log n
    else {
      const x = s === best ? 0 : half * beta * (s - best);
      w[j] = map === "softmax" ? Math.exp(x) : x;
    }
    total += w[j];
  }
  if (map === "sigmoid_weights") return;
  if (map === "sparsemax" || map === "entmax") total = cut(map, at, n, w);
  if (total > 0) for (let j = at; j < at + n; j++) w[j] /= total;
}

// Puts (x − τ)₊, for entmax its square, in the place of each x, with the τ at which these sum to 1, and returns
// their sum. Newton's method starts left of τ; as the sum is convex, no step goes past it.
export function cut(map, at, n, x) {
  const squares = map === "entmax";
  let tau = -1; // the highest x is 0
  for (;;) {
    let over = -1;
    let slope = 0;
    for (let j = at; j < at + n; j++) {
      const d = x[j] - tau;
      if (d <= 0) continue;
      over += squares ? d * d : d;
      slope += squares ? 2 * d : 1;
    }
    const next = tau + over / slope;
    if (!(next > tau)) break;
    tau = next;
  }
  let total = 0;
  for (let j = at; j < at + n; j++) {
    const d = Math.max(0, x[j] - tau);
    total += x[j] = squares ? d * d : d;
  }
  return total;
}

// The gradient by βs of such a row, n numbers in `dz`, from its weights and the gradient by these.
export function weighBack(map, scores, beta, at, n, w, dw, dz) {
  let mean = 0;
  let share = 0;
  let total = 0;
  for (let j = 0; j < n; j++) {
    const p = w[at + j];
    // How fast the weight moves: for α-entmax its power 2 − α. A weight of zero stays.
    dz[j] = map === "softmax" ? p : map === "entmax" ? Math.sqrt(p) : Number(p > 0);
    if (map === "sigmoid_weights") dz[j] = p * (1 - p);
    const part = map === "relu_norm" ? p : dz[j];
    mean += part * dw[j];
    share += part;
    if (p > 0) total += beta * scores[at + j];
  }
  mean = map === "sigmoid_weights" || share === 0 ? 0 : mean / share;
  const scale = map === "relu_norm" && total > 0 ? 1 / total : 1;
  for (let j = 0; j < n; j++) dz[j] *= scale * (dw[j] - mean);
}
