// What five ways to attention cost one head: the twin of book/figures/cost_counts.py.
const WINDOW = 256; // tokens: how far a query looks back
const ITEM = 4; // bytes of a number

export const WAYS = ["scores stored", "fused", "later hidden", `window of ${WINDOW}`, "linear"];
export const TOKENS = Array.from({ length: 15 }, (_, k) => 2 ** (k + 6));
export const WIDTHS = [16, 32, 64, 128, 256];

// For each way [products, bytes moved, bytes held]; `asks` says whether all n tokens do, or one new token.
export function costs({ n, d, asks }) {
  const all = asks === "all";
  const queries = all ? n : 1;
  const reach = Math.min(n, WINDOW);
  const every = queries * n;
  const causal = all ? (n * (n + 1)) / 2 : n;
  const near = all ? n * reach - (reach * (reach - 1)) / 2 : reach;
  const asked = 2 * queries * d;
  const cache = 2 * n * d;
  const seen = all ? cache : 2 * reach * d;
  const running = 2 * queries;
  const state = d * (d + 1);
  const joined = d * d + state;
  const numbers = [
    [2 * d * every, asked + cache + 4 * every, asked + cache + 2 * every],
    [2 * d * every, asked + cache, asked + cache + running],
    [2 * d * causal, asked + cache, asked + cache + running],
    [2 * d * near, asked + seen, asked + seen + running],
    all
      ? [n * joined, asked + cache, asked + cache + state]
      : [joined, asked + 2 * d + 2 * state, asked + 2 * d + state],
  ];
  return numbers.map(([products, moved, held]) => [products, ITEM * moved, ITEM * held]);
}

// Which of these grow with the square of n: the products and the bytes of whoever meets everybody, or stores it.
export const growsSquared = (asks) =>
  WAYS.map((_, way) => [0, 1, 2].map((kind) => asks === "all" && (kind ? way === 0 : way < 3)));
