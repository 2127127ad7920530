// The picture of the book: two roads that begin apart and become one. The figure of the essay draws it, and
// `tools/emblem.py` makes the favicon, the emblem and the card of it.

// Paths in a box this wide, between these heights; the roads have met after the part `meet` of the way.
export function roads({ left = 0, right, top, middle, bottom, meet = 0.7 }) {
  const there = left + meet * (right - left);
  const half = (left + there) / 2;
  const from = (y) => `M${left} ${y}C${half} ${y} ${half} ${middle} ${there} ${middle}`;
  return { roads: [from(top), from(bottom)], joined: `M${there} ${middle}H${right}` };
}
