// The words of a sentence as they show their weights: arcs from one of them to each, and the shade behind a word.
import { svg } from "./controls.js";

// In CSS pixels: the room above all arcs, how thick the arc of all the weight is, how high the lowest
// is. The loop from the word to itself is twice so wide, in thousandths of the line; and how far down
// the shade of all the weight is.
const ARC = { top: 16, thick: 30, flat: 18, loop: 13, shade: 0.5 };

export const shade = (word, weight) =>
  word.style.setProperty("--ws-shade", `${(100 * ARC.shade * weight).toFixed(2)}%`);

function arcPath(from, to, height, self) {
  const [x0, x1] = [1000 * from, 1000 * to];
  if (x0 === x1) return self ? loop(x0, height, 44) : `M${x0} ${height}`;
  const rise = ARC.flat + (height - ARC.top - ARC.flat) * Math.sqrt(Math.min(1, Math.abs(to - from) / 0.68));
  return bow(x0, x1, height, rise);
}

// From a word to itself, with the handles so high.
function loop(x, height, up) {
  const [half, wide, top] = [ARC.loop / 2, 2 * ARC.loop, height - up];
  return `M${x - half} ${height}C${x - wide} ${top} ${x + wide} ${top} ${x + half} ${height}`;
}

// A curve that stands on the bottom at both ends and rises that far.
function bow(x0, x1, height, rise) {
  const y = height - (4 / 3) * rise; // where the handles are
  return `M${x0} ${height}C${x0} ${y} ${x1} ${y} ${x1} ${height}`;
}

// With `past` there are arcs behind these, of weights that were; `recall` draws them.
function arcsOf(curves, { height, thick, past = false, kind = "" }) {
  const [paths, behind] = ["ws-arc", "ws-past"].map((name) => curves.map((d) => svg("path", { d, class: name })));
  const size = { height, viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none" };
  const layers = [...(past ? [behind] : []), paths].map((all) => svg("g", {}, ...all));
  const set = (all) => (weights) =>
    weights.forEach((w, i) => all[i].setAttribute("stroke-width", (thick * w).toFixed(4)));
  return {
    plot: svg("svg", { class: `ws-svg ws-arcs${kind}`, ...size }, ...layers),
    draw: set(paths),
    recall: set(behind),
  };
}

// `at` says where the middle of each word is, in parts of the line, and `from` which of them looks; `height` and
// `thick`, how thick the arc of all the weight is, are in CSS pixels. An arc is as thick as its weight. With
// `self: false` that from the word to itself has no length.
export const arcsFrom = (from, at, height, { thick = ARC.thick, past, self = true } = {}) =>
  arcsOf(at.map((to) => arcPath(at[from], to, height, self)), { height, thick, past });

// From the side of a word to another in its line: low at first, to stay under the arcs that come from above.
function aside(x0, x1, height, rise) {
  const [low, high] = [height - rise, height - 2.1 * rise];
  return `M${x0} ${height}C${x0 + 0.16 * (x1 - x0)} ${low} ${x1} ${high} ${x1} ${height}`;
}

// The same where a sentence stands in two lines, the first `first` words in the first of them: the arcs are
// between the lines. Arcs to words beside the one that looks begin at its sides, `side` from its middle. They are
// drawn for a word of the second line; for one of the first, the style sheet turns them upside down.
export function arcsBetween(from, at, first, height, { thick = ARC.thick, past, self = true, side = 0 } = {}) {
  const x0 = 1000 * at[from];
  const above = (i) => i < first;
  const curve = (to, i) => {
    const x1 = 1000 * to;
    if (i === from) return self ? loop(x1, height, height / 2) : `M${x1} ${height}`;
    const rise = height * (0.12 + 0.26 * Math.min(1, Math.abs(to - at[from]) / 0.6));
    if (above(i) === above(from)) return aside(x0 + 1000 * side * Math.sign(x1 - x0), x1, height, rise);
    return `M${x0} ${height}C${x0} ${0.4 * height} ${x1} ${0.6 * height} ${x1} 0`;
  };
  const kind = ` ws-between${above(from) ? " ws-turned-over" : ""}`;
  return arcsOf(at.map(curve), { height, thick, past, kind });
}
