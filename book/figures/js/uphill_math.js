// Steps of training up two hills: the twin of `courses` in book/figures/uphill.py.

export const HILLS = ["weight", "logarithm"];
export const MOST_STEPS = 12_000; // more than the largest lead takes

const weightAt = (x) => 1 / (1 + Math.exp(-x));

// The ground where the right word is x points ahead, which below 0 is behind, and a step there: twice the slope.
export const GROUND = { weight: weightAt, logarithm: (x) => -Math.log1p(Math.exp(-x)) };
export const STRIDE = {
  weight: (x) => 2 * weightAt(x) * weightAt(-x),
  logarithm: (x) => 2 * weightAt(-x),
};

// How far ahead the right word is before the first step and after each, until it is behind no more.
export function courseOf(hill, lead) {
  const places = [-lead];
  while (places.at(-1) < 0) places.push(places.at(-1) + STRIDE[hill](places.at(-1)));
  return places;
}

// Where it is after so many steps.
export const placeAfter = (course, steps) => course[Math.min(steps, course.length - 1)];
