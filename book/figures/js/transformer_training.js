// How the small transformer learns: backward, and AdamW with clipping and warm-up, as torch has them.
//
// Here and in what this imports, each part is a function declaration that uses no name but those of the others: so
// all of it can be sent to a Worker as text.
import { cut, weigh, weighBack } from "./transformer_maps.js";
import {
  attend, eachHead, forward, grownBy, named, predictions, product, rmsNorm, sizeOf,
} from "./transformer_math.js";

function transposed(a, rows, cols) {
  const out = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) out[j * rows + i] = a[i * cols + j];
  return out;
}

// Of y = x Wᵀ, (n, into) -> (n, out): adds the gradient by W, dyᵀ x, and that by x, dy W.
function linearBack(x, w, dy, n, into, out, dw, dx) {
  product(transposed(dy, n, out), transposed(x, n, into), out, into, n, dw);
  product(dy, transposed(w, out, into), n, into, out, dx);
}

function rmsNormBack({ y, inverse }, dy, d, dx) {
  for (let i = 0; i < inverse.length; i++) {
    let along = 0;
    for (let c = i * d; c < (i + 1) * d; c++) along += dy[c] * y[c];
    for (let c = i * d; c < (i + 1) * d; c++) dx[c] += inverse[i] * (dy[c] - (y[c] * along) / d);
  }
}

// Of `attend`: adds to dq, dk and dv, and returns the gradient by β.
function attendBack({ q, k, v, scores, weights }, place, { map, beta, logN }, { dMixed, dq, dk, dv }) {
  const { first, column, square, t, d, e } = place;
  const [dw, dz] = [new Float64Array(t), new Float64Array(t)];
  let dBeta = 0;
  for (let i = 0; i < t; i++) {
    const mine = (first + i) * d + column;
    const row = square + i * t;
    const grown = grownBy(logN, i);
    for (let j = 0; j <= i; j++) {
      const w = weights[row + j];
      const theirs = (first + j) * d + column;
      let sum = 0;
      for (let c = 0; c < e; c++) {
        sum += dMixed[mine + c] * v[theirs + c];
        dv[theirs + c] += w * dMixed[mine + c];
      }
      dw[j] = sum;
    }
    weighBack(map, scores, beta * grown, row, i + 1, weights, dw, dz);
    for (let j = 0; j <= i; j++) {
      const ds = beta * grown * dz[j];
      const theirs = (first + j) * d + column;
      dBeta += grown * dz[j] * scores[row + j];
      if (ds === 0) continue;
      for (let c = 0; c < e; c++) {
        dq[mine + c] += ds * k[theirs + c];
        dk[theirs + c] += ds * q[mine + c];
      }
    }
  }
  return dBeta;
}

// The gradient by the logits of the mean surprise over the targets that count.
export function lossGradient(chances, symbols, targets) {
  const count = targets.reduce((sum, target) => sum + (target >= 0 ? 1 : 0), 0);
  const gradient = new Float64Array(chances.length);
  targets.forEach((target, i) => {
    if (target < 0) return;
    for (let j = i * symbols; j < (i + 1) * symbols; j++) gradient[j] = chances[j] / count;
    gradient[i * symbols + target] -= 1 / count;
  });
  return gradient;
}

// Adds to `gradients`, which are named as the parameters are, from what `forward` returned
// and the gradient by its logits.
export function backward(shape, parameters, { tokens, t, head, layers, norm }, dLogits, gradients) {
  const { width: d, symbols } = shape;
  const n = tokens.length;
  const zeros = () => new Float64Array(n * d);
  const [dx, dNorm] = [zeros(), zeros()];
  linearBack(norm.y, parameters.unembed, dLogits, n, d, symbols, gradients.unembed, dNorm);
  rmsNormBack(norm, dNorm, d, dx);
  for (let l = layers.length - 1; l >= 0; l--) {
    const [layer, own, grown] = [layers[l], parameters.layers[l], gradients.layers[l]];
    const [back, dIn] = [{ dMixed: zeros(), dq: zeros(), dk: zeros(), dv: zeros() }, zeros()];
    const input = (w, dy, dw) => linearBack(layer.norm.y, w, dy, n, d, d, dw, dIn);
    linearBack(layer.mixed, own.out, dx, n, d, d, grown.out, back.dMixed);
    eachHead(shape, l, t, n / t, (place, h) => {
      const how = head(h);
      if (!how.off) gradients.logBeta[h] += how.beta * attendBack(layer, place, how, back);
    });
    input(own.query, back.dq, grown.query);
    input(own.key, back.dk, grown.key);
    input(own.value, back.dv, grown.value);
    rmsNormBack(layer.norm, dIn, d, dx);
  }
  for (let i = 0; i < n; i++) {
    const word = tokens[i] * d;
    const place = (i % t) * d;
    for (let c = 0; c < d; c++) {
      gradients.embed[word + c] += dx[i * d + c];
      gradients.position[place + c] += dx[i * d + c];
    }
  }
}

// As torch's clip_grad_norm_: makes the gradient no longer than `most`, and returns how long it was.
export function clip(gradient, most) {
  const norm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
  const scale = most / (norm + 1e-6);
  if (scale < 1) for (let i = 0; i < gradient.length; i++) gradient[i] *= scale;
  return norm;
}

// The steps of torch's AdamW, on one flat array: `decay` shrinks the values
// themselves, not by way of the gradient.
export function adamW(values, { betas: [b1, b2] = [0.9, 0.999], eps = 1e-8, decay = 0.01 } = {}) {
  const [m, v] = [new Float64Array(values.length), new Float64Array(values.length)];
  let steps = 0;
  return (gradient, rate) => {
    steps += 1;
    const [size, root] = [rate / (1 - b1 ** steps), Math.sqrt(1 - b2 ** steps)];
    for (let i = 0; i < values.length; i++) {
      m[i] += (1 - b1) * (gradient[i] - m[i]);
      v[i] += (1 - b2) * (gradient[i] * gradient[i] - v[i]);
      values[i] = values[i] * (1 - rate * decay) - (size * m[i]) / (Math.sqrt(v[i]) / root + eps);
    }
  };
}

// The share of the learning rate in a step, counted from 1, where `over` steps warm up.
export function warmUp(step, over) {
  return Math.min(1, step / over);
}

// All of this as text, for a Worker.
export function transformerText() {
  const parts = [
    weigh, cut, weighBack, named, sizeOf, product, rmsNorm, grownBy, attend, eachHead, forward, predictions,
    transposed, linearBack, rmsNormBack, attendBack, lossGradient, backward, clip, adamW, warmUp,
  ];
  return parts.map(String).join("\n");
}
