// Powers of a distribution on 0, 1, 2, …: how a sum of m independent draws is distributed.

const DIRECT = 600; // up to this length by plain convolution: sums of positive terms only
const FAR = 36; // beyond, a window is computed: the chance outside it is at most 2e^−36

function convolve(a, b) {
  const out = new Float64Array(a.length + b.length - 1);
  for (let j = 0; j < b.length; j++) {
    if (b[j] !== 0) for (let i = 0; i < a.length; i++) out[i + j] += a[i] * b[j];
  }
  return out;
}

function squared(one, m) {
  if (m === 0) return Float64Array.of(1);
  const half = squared(one, Math.floor(m / 2));
  const square = convolve(half, half);
  return m % 2 ? convolve(square, one) : square;
}

const circles = new Map();
function circle(n) {
  if (!circles.has(n)) {
    const around = (f) => Float64Array.from({ length: n }, (_, k) => f((2 * Math.PI * k) / n));
    circles.set(n, { cos: around(Math.cos), sin: around(Math.sin) });
  }
  return circles.get(n);
}

// The discrete Fourier transform, in place; the length is a power of two.
function transform(re, im) {
  const n = re.length;
  const { cos, sin } = circle(n);
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let half = 1; half < n; half *= 2) {
    const stride = n / (2 * half);
    for (let k = 0; k < half; k++) {
      const c = cos[k * stride];
      const s = -sin[k * stride];
      for (let i = k; i < n; i += 2 * half) {
        const j = i + half;
        const x = re[j] * c - im[j] * s;
        const y = re[j] * s + im[j] * c;
        re[j] = re[i] - x;
        im[j] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

// The chances of the sums first, first + 1, …: of all sums, or of a window around the mean, outside which by
// Bernstein's inequality there is almost nothing.
export function powerOf(one, m) {
  const span = one.length - 1;
  const whole = m * span + 1;
  if (whole <= DIRECT) return { first: 0, chances: squared(one, m) };
  const mean = one.reduce((sum, p, k) => sum + p * k, 0);
  const variance = one.reduce((sum, p, k) => sum + p * (k - mean) ** 2, 0);
  const jump = (FAR * span) / 3;
  const wide = 2 * (jump + Math.sqrt(jump ** 2 + 2 * FAR * m * variance)) + 1;
  const n = 2 ** Math.ceil(Math.log2(Math.min(wide, whole)));
  const first = Math.max(0, Math.min(Math.round(m * mean - n / 2), whole - n));
  const { cos, sin } = circle(n);
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  const taken = [...one.keys()].filter((k) => one[k] !== 0);
  const least = Math.exp((-2 * FAR) / m); // most values are smaller than this: their mth power is taken as 0
  for (let j = 0; j <= n / 2; j++) {
    let a = 0;
    let b = 0;
    for (let i = 0; i < taken.length; i++) {
      const around = (j * taken[i]) & (n - 1);
      a += one[taken[i]] * cos[around];
      b += one[taken[i]] * sin[around];
    }
    if (a * a + b * b < least) continue;
    const size = Math.hypot(a, b) ** m / n;
    const angle = m * Math.atan2(b, a) - (2 * Math.PI * ((j * first) % n)) / n;
    re[j] = size * Math.cos(angle);
    im[j] = size * Math.sin(angle);
    if (j > 0 && j < n / 2) {
      re[n - j] = re[j];
      im[n - j] = -im[j];
    }
  }
  transform(re, im);
  for (let k = 0; k < n; k++) if (re[k] < 0) re[k] = 0; // rounding can leave a chance of 0 a little below
  return { first, chances: re.subarray(0, whole) };
}
