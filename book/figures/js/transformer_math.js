// The small transformer of book.models: forward, in plain loops over flat arrays. Backward
// is in transformer_training.js.
//
// A shape is { symbols, room, width, heads, layers }, each a number. Tokens are those of one or more sequences of
// the same length, one after another. In shape comments n counts all tokens, t those of one sequence, d is the
// width, and each of the h heads has e = d/h of it.
import { weigh } from "./transformer_maps.js";

// The parameters by their names in book.models, as parts of one flat array. The logarithms of β come last.
export function named({ symbols, room, width, heads, layers }, flat) {
  let from = 0;
  const take = (count) => flat.subarray(from, (from += count));
  const square = () => take(width * width);
  const layer = () => ({ query: square(), key: square(), value: square(), out: square() });
  return {
    embed: take(symbols * width),
    position: take(room * width),
    layers: Array.from({ length: layers }, layer),
    unembed: take(symbols * width),
    logBeta: take(layers * heads),
  };
}

export function sizeOf({ symbols, room, width, heads, layers }) {
  return (2 * symbols + room + 4 * layers * width) * width + layers * heads;
}

// Adds a bᵀ to `out`: (rows, inner) (cols, inner)ᵀ -> (rows, cols). Two rows by four columns at a time,
// as a number once read serves several sums, and none of these waits for another; at an edge the last
// row or column is read again.
export function product(a, b, rows, cols, inner, out) {
  for (let i = 0; i < rows; i += 2) {
    const down = i + 1 < rows ? inner : 0;
    for (let j = 0; j < cols; j += 4) {
      const last = cols - 1 - j;
      const two = Math.min(1, last) * inner;
      const three = Math.min(2, last) * inner;
      const four = Math.min(3, last) * inner;
      let p = 0, q = 0, r = 0, s = 0, t = 0, u = 0, v = 0, w = 0;
      for (let k = 0, x = i * inner, y = j * inner; k < inner; k++, x++, y++) {
        const above = a[x];
        const below = a[x + down];
        p += above * b[y];
        q += above * b[y + two];
        r += above * b[y + three];
        s += above * b[y + four];
        t += below * b[y];
        u += below * b[y + two];
        v += below * b[y + three];
        w += below * b[y + four];
      }
      const to = i * cols + j;
      out[to] += p;
      if (last > 0) out[to + 1] += q;
      if (last > 1) out[to + 2] += r;
      if (last > 2) out[to + 3] += s;
      if (down === 0) continue;
      out[to + cols] += t;
      if (last > 0) out[to + cols + 1] += u;
      if (last > 1) out[to + cols + 2] += v;
      if (last > 2) out[to + cols + 3] += w;
    }
  }
  return out;
}

// Each row over the root of its mean square, and one over that root.
export function rmsNorm(x, n, d) {
  const [y, inverse] = [new Float64Array(n * d), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let c = i * d; c < (i + 1) * d; c++) sum += x[c] * x[c];
    inverse[i] = 1 / Math.sqrt(sum / d + 1e-6);
    for (let c = i * d; c < (i + 1) * d; c++) y[c] = x[c] * inverse[i];
  }
  return { y, inverse };
}

// What β is multiplied by for the query of the token at i, which sees i + 1 tokens; the first is taken to see two,
// so that its β is not 0, which times infinity is not a number.
export function grownBy(logN, i) {
  return logN ? Math.log(Math.max(2, i + 1)) : 1;
}

// One head on one sequence: fills in its `scores` before β and its `weights`, and adds to `mixed`. `first` is
// where its tokens begin, `column` where its part of the width does, `square` where its (t, t) scores do.
export function attend(
  { q, k, v, scores, weights, mixed }, { first, column, square, t, d, e }, { map, beta, logN, off },
) {
  for (let i = 0; i < t; i++) {
    const mine = (first + i) * d + column;
    const row = square + i * t;
    for (let j = 0; j <= i; j++) {
      const theirs = (first + j) * d + column;
      let sum = 0;
      for (let c = 0; c < e; c++) sum += q[mine + c] * k[theirs + c];
      scores[row + j] = sum;
    }
    weigh(map, scores, beta * grownBy(logN, i), row, i + 1, weights);
    for (let j = 0; j <= i; j++) {
      const w = off ? 0 : weights[row + j];
      const theirs = (first + j) * d + column;
      if (w !== 0) for (let c = 0; c < e; c++) mixed[mine + c] += w * v[theirs + c];
    }
  }
}

// Calls `visit(place, head)` for each head of a layer, on each of `count` sequences.
export function eachHead({ width: d, heads }, layer, t, count, visit) {
  const e = d / heads;
  for (let b = 0; b < count; b++) {
    for (let h = 0; h < heads; h++) {
      visit({ first: b * t, column: h * e, square: (b * heads + h) * t * t, t, d, e }, layer * heads + h);
    }
  }
}

// What the model makes of tokens. `maps` is the name of a map, or a list with one for each head, layer by layer; a
// head that is `off` adds nothing. β is the model's own times `times`, one number for each head, and with `logN`
// times the logarithm of the number of tokens that a query sees.
//
// Returned is all that backward needs: the layers, each with the (…, h, t, t) scores and weights of its heads and
// what these mixed, (n, d), and the logits (n, symbols).
export function forward(shape, parameters, tokens, options = {}) {
  const { length: t = tokens.length, maps = "softmax", off = [], times = [], logN = false } = options;
  const { width: d, heads, symbols } = shape;
  const n = tokens.length;
  const linear = (x, w) => product(x, w, n, d, d, new Float64Array(n * d));
  const head = (h) => ({
    map: typeof maps === "string" ? maps : maps[h],
    beta: Math.exp(parameters.logBeta[h]) * (times[h] ?? 1),
    off: Boolean(off[h]),
    logN,
  });
  let x = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    const word = tokens[i] * d;
    const place = (i % t) * d;
    for (let c = 0; c < d; c++) x[i * d + c] = parameters.embed[word + c] + parameters.position[place + c];
  }
  const layers = parameters.layers.map((own, l) => {
    const norm = rmsNorm(x, n, d);
    const [q, k, v] = [own.query, own.key, own.value].map((w) => linear(norm.y, w));
    const [scores, weights] = [0, 0].map(() => new Float64Array(heads * n * t));
    const layer = { norm, q, k, v, scores, weights, mixed: new Float64Array(n * d) };
    eachHead(shape, l, t, n / t, (place, h) => attend(layer, place, head(h)));
    x = product(layer.mixed, own.out, n, d, d, x.slice());
    return layer;
  });
  const norm = rmsNorm(x, n, d);
  const logits = product(norm.y, parameters.unembed, n, symbols, d, new Float64Array(n * symbols));
  return { tokens, t, head, layers, norm, logits };
}

// The chances of the next symbol (n, symbols), and how surprising each target is, in
// nats; one below 0 does not count.
export function predictions(logits, symbols, targets) {
  const chances = new Float64Array(logits.length);
  const surprise = new Float64Array(targets.length);
  for (let i = 0; i < targets.length; i++) {
    weigh("softmax", logits, 1, i * symbols, symbols, chances);
    if (targets[i] >= 0) surprise[i] = -Math.log(chances[i * symbols + targets[i]]);
  }
  return { chances, surprise };
}
