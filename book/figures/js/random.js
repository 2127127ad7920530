// Seeded random numbers, the same in every browser.

// The k-th number of a seed's stream, from 0 up to but not 1: Mulberry32, small, and even enough to draw with.
export function randomAt(seed, k) {
  const a = (seed + Math.imul(k + 1, 0x6d2b79f5)) | 0;
  let t = Math.imul(a ^ (a >>> 15), 1 | a);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

// Seeds that are neighbours begin far from each other.
export const spreadSeed = (seed) => Math.imul(seed + 1, 0x9e3779b1);
