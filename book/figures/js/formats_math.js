// Softmax in four number formats: every step rounded as torch rounds it on a processor.

// `digits` are binary; `lowest` is the power of two that is the smallest positive number.
export const FORMATS = [
  { name: "float16", digits: 11, lowest: -24, largest: 65504 },
  { name: "bfloat16", digits: 8, lowest: -133, largest: (2 - 2 ** -7) * 2 ** 127 },
  { name: "float32", digits: 24, lowest: -149, largest: (2 - 2 ** -23) * 2 ** 127 },
  { name: "float64", digits: 53, lowest: -1074, largest: Number.MAX_VALUE },
];

// The nearest number of a format, the even one of two that are equally near. Those with
// 16 bits are made from float32.
export function rounded(x, { digits, lowest, largest }) {
  if (digits === 53 || x === 0 || !Number.isFinite(x)) return x;
  const size = Math.abs(Math.fround(x));
  if (digits === 24 || size === 0 || size === Infinity) return Math.sign(x) * size;
  let power = Math.floor(Math.log2(size));
  if (2 ** power > size) power -= 1; // log2 is rounded, too
  if (2 ** (power + 1) <= size) power += 1;
  const unit = 2 ** Math.max(power - digits + 1, lowest);
  const whole = Math.floor(size / unit);
  const rest = size / unit - whole;
  const even = (whole + (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? 1 : 0)) * unit;
  return Math.sign(x) * (even > largest ? Infinity : even);
}

// From where to where e to the power of x is neither 0 nor ∞.
export const ends = ({ lowest, largest }) => [(lowest - 1) * Math.LN2, Math.log(largest)];

// Scores, exponents, exponentials, their sum and the weights, each as the format has it.
export function stepByStep(scores, format, shifted) {
  const round = (x) => rounded(x, format);
  const wide = format.digits === 53 ? (x) => x : Math.fround; // 16-bit steps are computed in float32
  const held = scores.map(round);
  const top = Math.max(...held);
  const powers = shifted ? held.map((s) => round(s - top)) : held;
  const grown = powers.map((x) => round(wide(Math.exp(x))));
  const total = round(grown.reduce((sum, e) => wide(sum + e), 0));
  return { held, powers, grown, total, weights: grown.map((e) => round(e / total)) };
}
