// What the layers of the pretrained encoder are made of: products with matrices whose weights stay in bytes, with
// a scale for each block of a row; normalisation; and the bend. Function declarations, as in encoder_tokens.js.

// A row of a matrix, added to what begins at `to`.
export function addRow({ whole, scales, cols, block }, row, x, to) {
  for (let c = 0, i = row * cols; c < cols; c++, i++) x[to + c] += whole[i] * scales[Math.floor(i / block)];
}

// y = x Wᵀ + b, for x of n rows: four rows at a time by four of W, so that each number read is used four times.
// What is in the loops has a line for each name: lists taken apart are five times as slow there.
export function linearIn(x, n, w, bias) {
  const y = new Float64Array(n * w.rows);
  for (let i = 0; i < n; i++) y.set(bias, i * w.rows);
  let i = 0;
  for (; i + 4 <= n; i += 4) fourRows(x, i, w, y);
  for (; i < n; i++) oneRow(x, i, w, y);
  return y;
}

function fourRows(x, i, { whole, scales, rows, cols, block }, y) {
  const blocks = cols / block;
  for (let r = 0; r < rows; r += 4) {
    for (let b = 0; b < blocks; b++) {
      let a00 = 0;
      let a01 = 0;
      let a02 = 0;
      let a03 = 0;
      let a10 = 0;
      let a11 = 0;
      let a12 = 0;
      let a13 = 0;
      let a20 = 0;
      let a21 = 0;
      let a22 = 0;
      let a23 = 0;
      let a30 = 0;
      let a31 = 0;
      let a32 = 0;
      let a33 = 0;
      let xi = i * cols + b * block;
      let wi = r * cols + b * block;
      for (const end = xi + block; xi < end; xi++, wi++) {
        const x0 = x[xi];
        const x1 = x[xi + cols];
        const x2 = x[xi + 2 * cols];
        const x3 = x[xi + 3 * cols];
        const w0 = whole[wi];
        const w1 = whole[wi + cols];
        const w2 = whole[wi + 2 * cols];
        const w3 = whole[wi + 3 * cols];
        a00 += x0 * w0;
        a01 += x0 * w1;
        a02 += x0 * w2;
        a03 += x0 * w3;
        a10 += x1 * w0;
        a11 += x1 * w1;
        a12 += x1 * w2;
        a13 += x1 * w3;
        a20 += x2 * w0;
        a21 += x2 * w1;
        a22 += x2 * w2;
        a23 += x2 * w3;
        a30 += x3 * w0;
        a31 += x3 * w1;
        a32 += x3 * w2;
        a33 += x3 * w3;
      }
      const s = r * blocks + b;
      const s0 = scales[s];
      const s1 = scales[s + blocks];
      const s2 = scales[s + 2 * blocks];
      const s3 = scales[s + 3 * blocks];
      const at = i * rows + r;
      const at1 = at + rows;
      const at2 = at1 + rows;
      const at3 = at2 + rows;
      y[at] += s0 * a00;
      y[at + 1] += s1 * a01;
      y[at + 2] += s2 * a02;
      y[at + 3] += s3 * a03;
      y[at1] += s0 * a10;
      y[at1 + 1] += s1 * a11;
      y[at1 + 2] += s2 * a12;
      y[at1 + 3] += s3 * a13;
      y[at2] += s0 * a20;
      y[at2 + 1] += s1 * a21;
      y[at2 + 2] += s2 * a22;
      y[at2 + 3] += s3 * a23;
      y[at3] += s0 * a30;
      y[at3 + 1] += s1 * a31;
      y[at3 + 2] += s2 * a32;
      y[at3 + 3] += s3 * a33;
    }
  }
}

function oneRow(x, i, { whole, scales, rows, cols, block }, y) {
  const blocks = cols / block;
  for (let r = 0; r < rows; r += 4) {
    for (let b = 0; b < blocks; b++) {
      let a0 = 0;
      let a1 = 0;
      let a2 = 0;
      let a3 = 0;
      let xi = i * cols + b * block;
      let wi = r * cols + b * block;
      for (const end = xi + block; xi < end; xi++, wi++) {
        const x0 = x[xi];
        a0 += x0 * whole[wi];
        a1 += x0 * whole[wi + cols];
        a2 += x0 * whole[wi + 2 * cols];
        a3 += x0 * whole[wi + 3 * cols];
      }
      const s = r * blocks + b;
      const at = i * rows + r;
      y[at] += scales[s] * a0;
      y[at + 1] += scales[s + blocks] * a1;
      y[at + 2] += scales[s + 2 * blocks] * a2;
      y[at + 3] += scales[s + 3 * blocks] * a3;
    }
  }
}

// Each row of x with mean 0 and variance 1, scaled and shifted; in place.
export function layerNorm(x, width, scale, shift) {
  for (let at = 0; at < x.length; at += width) {
    let [mean, square] = [0, 0];
    for (let c = at; c < at + width; c++) mean += x[c] / width;
    for (let c = at; c < at + width; c++) square += (x[c] - mean) ** 2 / width;
    const by = 1 / Math.sqrt(square + 1e-12);
    for (let c = 0; c < width; c++) x[at + c] = (x[at + c] - mean) * by * scale[c] + shift[c];
  }
  return x;
}

// x Φ(x), with Φ from a table of itself and its slope in steps of 1/64: to ten digits, and quicker than an
// exponential. The table is summed by Simpson's rule.
export function geluTable() {
  const density = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const [steps, room] = [64, 8];
  const [value, slope] = [new Float64Array(2 * room * steps + 1), new Float64Array(2 * room * steps + 1)];
  for (let k = 0; k < value.length; k++) {
    const x = k / steps - room;
    slope[k] = density(x) / steps;
    if (k) value[k] = value[k - 1] + (slope[k - 1] + (4 * density(x - 0.5 / steps)) / steps + slope[k]) / 6;
  }
  return (x) => {
    if (!(Math.abs(x) < room)) return x < 0 ? 0 : x;
    const place = (x + room) * steps;
    const k = Math.floor(place);
    const t = place - k;
    const gap = value[k + 1] - value[k];
    const third = slope[k] + slope[k + 1] - 2 * gap;
    return x * (value[k] + t * (slope[k] + t * (gap - slope[k] - third + t * third)));
  };
}

// All of this as text.
export function productsText() {
  return [addRow, linearIn, fourRows, oneRow, layerNorm, geluTable].join("\n");
}
