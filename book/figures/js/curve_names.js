// Where the names of curves stand: left or right of the marker, each as near to its dot as it can be without a
// curve running through it. How wide the plot is, nobody knows when it is drawn: a name keeps clear of what it
// would cover in the narrowest plot, and the more so of what it would cover in a wide one.

// In CSS pixels: a name's height and the width of a letter, where it begins, seen from the marker, what the plot
// leaves free on either side, a narrow and two wide plots (in a narrow one a name has no number), and how far
// apart the heights are that are tried. To lie on a piece of a curve costs as much as `covered` pixels of distance
// from the dot, and `other` is for the other side than that of the name above.
export const NAMED = {
  height: 14, letter: 6.5, from: 46, beside: 12, widths: [304, 516, 676], step: 2, covered: 1000, other: 200,
};

// `names` are { y, letters, number } in falling order on the screen, `curves` lists of heights at `places`, which
// rise to `top`. Returns { side, y } for each name: −1 is left of the marker, which stands at `place`.
export function placeNames(names, { place, places, curves, top, low, high }) {
  const heights = [];
  for (let y = low; y <= high; y += NAMED.step) heights.push(y);
  const half = NAMED.height / 2;

  // How many pieces of curves a name on this side covers at each height.
  function covered(side, letters, number = 0) {
    const found = heights.map(() => 0);
    for (const width of NAMED.widths) {
      const reach = NAMED.from + NAMED.letter * (letters + (width > NAMED.widths[0] ? number : 0));
      const ends = [NAMED.from, reach].map((x) => place + (side * x * top) / width).sort((a, b) => a - b);
      for (let k = 0; k + 1 < places.length; k++) {
        if (places[k + 1] < ends[0] || places[k] > ends[1]) continue;
        for (const curve of curves) {
          const [first, last] = [Math.min(curve[k], curve[k + 1]) - half, Math.max(curve[k], curve[k + 1]) + half];
          const from = Math.max(0, Math.floor((first - low) / NAMED.step) + 1);
          for (let h = from; h < heights.length && heights[h] < last; h++) found[h] += 1;
        }
      }
    }
    return found;
  }

  // For each side and height, the least that the names so far cost, and how the one above stands.
  let above = null;
  const ways = names.map(({ y, letters, number }) => {
    const room = ((NAMED.from + NAMED.letter * letters - NAMED.beside) * top) / NAMED.widths[0];
    const now = [-1, 1].map((side) => {
      const fits = side < 0 ? place >= room : place <= top - room;
      const pieces = fits ? covered(side, letters, number) : [];
      return heights.map((at, h) => ({
        cost: fits ? Math.abs(at - y) + NAMED.covered * pieces[h] : Infinity, side, y: at, from: null,
      }));
    });
    if (above) {
      const least = [null, null]; // of those above that leave room
      heights.forEach((at, h) => {
        const over = h - NAMED.height / NAMED.step;
        if (over >= 0) {
          above.forEach((row, s) => {
            if (!least[s] || row[over].cost < least[s].cost) least[s] = row[over];
          });
        }
        now.forEach((row, s) => {
          const [same, other] = [least[s], least[1 - s]];
          const from = same && same.cost <= other.cost + NAMED.other ? same : other;
          row[h].from = from;
          row[h].cost += from ? from.cost + (from === same ? 0 : NAMED.other) : Infinity;
        });
      });
    }
    return (above = now);
  });
  const placed = [];
  let way = ways.length ? ways.at(-1).flat().reduce((best, each) => (each.cost < best.cost ? each : best)) : null;
  for (; way; way = way.from) placed.unshift({ side: way.side, y: way.y });
  return placed;
}
