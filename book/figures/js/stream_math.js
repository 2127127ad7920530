// The running largest score, sum and output of *streaming*, and their merge.

export const lastStep = (n, cut) => (cut ? Math.max(cut, n - cut) + 1 : n);

const NOTHING = { top: -Infinity, sum: 0, output: 0 };

// Two parts together; a single key is a part with its score, the sum 1 and its value.
export function merge(one, other) {
  const top = Math.max(one.top, other.top);
  if (top === -Infinity) return { ...NOTHING, factors: [1, 1] };
  const factors = [one, other].map((part) => Math.exp(part.top - top));
  const [a, b] = [one.sum * factors[0], other.sum * factors[1]];
  return { top, sum: a + b, output: (a * one.output + b * other.output) / (a + b), factors };
}

// What each part has read by this step, its last key and what that changed; the merge, once there is one; and the
// term that each key counts with by now, null for those not read.
export function streamed({ scores, values, step, cut, direction }) {
  const n = scores.length;
  const at = Math.min(step, lastStep(n, cut));
  const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
  const halves = cut ? [range(0, cut), range(cut, n)] : [range(0, n)];
  const parts = halves.map((keys) => {
    const way = direction === "right" ? [...keys].reverse() : keys;
    const read = way.slice(0, at);
    let [state, before] = [NOTHING, NOTHING];
    for (const i of read) [before, state] = [state, merge(state, { top: scores[i], sum: 1, output: values[i] })];
    const newest = at >= 1 && at <= way.length ? way[at - 1] : null;
    return { ...state, before, read, newest, whole: read.length === way.length };
  });
  const merged = cut && at === lastStep(n, cut) ? merge(...parts) : null;
  const terms = scores.map((s, i) => {
    const part = parts.find(({ read }) => read.includes(i));
    return part ? Math.exp(s - (merged ?? part).top) : null;
  });
  return { at, parts, merged, terms };
}
