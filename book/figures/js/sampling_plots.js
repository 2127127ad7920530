// The two plots of *sampling*, on one scale: weights that stand, with what is cut, and what was drawn, which
// hangs.
import { html, svg, uid } from "./controls.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";

// Heights in CSS pixels: of a plot, and of the room in it for numbers.
const PLOT = { height: 104, label: 18 };
const LONG = PLOT.height - PLOT.label - 1; // of a bar at the end of the axis
const SCALES = [0.15, 0.25, 0.4, 0.6, 1]; // what the axis of weights ends at

export const scaleFor = (weights) => SCALES.find((top) => Math.max(...weights) <= 0.92 * top) ?? 1;

// `columns` columns, the last for all that have none of their own, if there are such.
export function samplingPlots(columns) {
  const [at, wide, middle] = [columnsOf(columns, 0.6), columnsOf(columns, 0.84), middleOf(columns)];
  const each = (made) => Array.from({ length: columns }, (_, c) => made(c));
  const bars = (kind) => each((c) => svg("rect", { class: kind, ...at(c) }));
  const labels = () => each((c) => svg("text", { class: "ws-label ws-accent", x: middle(c) }));
  const rule = (kind, y = 0) => svg("line", { class: kind, x1: 0, x2: "100%", y1: y, y2: y });
  const hatch = uid();
  const lines = { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const defs = svg("defs", {}, svg("pattern", lines, svg("path", { d: "M0 0V6", class: "ws-hatch" })));
  const plot = (kind, ...inside) =>
    svg("svg", { class: `ws-svg ${kind}`, height: PLOT.height, role: "img" }, ...inside);

  const weight = { kept: bars("ws-weight"), cut: bars("ws-cut"), labels: labels(), least: rule("ws-bar") };
  weight.cut.forEach((rect) => rect.setAttribute("style", `fill:url(#${hatch})`));
  const edge = svg("line", { class: "ws-edge", y1: 2, y2: PLOT.height });
  const drawn = { bars: bars("ws-weight"), labels: labels() };
  drawn.bands = each((c) => svg("rect", { class: "ws-band", ...wide(c) }));
  drawn.marks = each((c) => svg("rect", { class: "ws-remains", ...wide(c), height: 2 }));
  const names = each(() => html("li"));
  const words = html("ol", { class: "ws-tokens", "aria-hidden": "true", style: `--ws-n:${columns}` }, ...names);
  // Beside the columns, where no number of theirs stands.
  const end = (y) => svg("text", { class: "ws-label ws-end", x: "100%", dx: 5, y: y + 4 });
  const ends = [end(PLOT.label), end(LONG)];
  const empty = svg("text", { class: "ws-label ws-empty", x: "50%", y: 40 }, "nothing drawn yet");

  const roots = {
    words,
    weights: plot(
      "ws-weights", defs, rule("ws-all", PLOT.label), ends[0], ...weight.kept, ...weight.cut, weight.least, edge,
      ...weight.labels, rule("ws-zero", PLOT.height - 0.5)),
    drawn: plot(
      "ws-drawn", rule("ws-all", LONG), ends[1], ...drawn.bands, ...drawn.bars, ...drawn.marks, ...drawn.labels,
      empty, rule("ws-zero", 0.5)),
  };
  const level = (line, y) => ["y1", "y2"].forEach((side) => line.setAttribute(side, y));
  const show = (part, seen) => part.classList.toggle("ws-gone", !seen);

  return {
    roots,
    // What does not glide. `kept` is how many columns stand before the edge of the cut, or null for no edge here.
    label({ names: texts, before, shares, draws, kept, bar, top, said }) {
      names.forEach((word, c) => {
        word.textContent = texts[c];
        word.title = texts[c];
        word.classList.toggle("ws-out", kept !== null && c >= kept);
      });
      show(empty, !draws);
      weight.labels.forEach((label, c) => (label.textContent = before[c]));
      drawn.labels.forEach((label, c) => (label.textContent = shares[c]));
      weight.labels.forEach((label, c) => label.classList.toggle("ws-out", kept !== null && c >= kept));
      show(edge, kept !== null);
      if (kept !== null) for (const x of ["x1", "x2"]) edge.setAttribute(x, `${(100 * kept) / columns}%`);
      show(weight.least, bar);
      for (const text of ends) text.textContent = `${100 * top}%`;
      for (const [key, text] of Object.entries(said)) roots[key].setAttribute("aria-label", text);
    },
    draw({ top, kept, cut, after, share, error, least }) {
      const long = (w) => Math.min(1, Math.max(0, w / top)) * LONG;
      const [up, down] = [(w) => PLOT.height - 1 - long(w), (w) => 1 + long(w)];
      level(weight.least, up(least));
      for (let c = 0; c < columns; c++) {
        setBar(weight.kept[c], up(0), up(kept[c]));
        setBar(weight.cut[c], up(kept[c]), up(kept[c] + cut[c]));
        weight.labels[c].setAttribute("y", up(kept[c] + cut[c]) - 6);
        setBar(drawn.bars[c], down(0), down(share[c]));
        setBar(drawn.bands[c], down(after[c] - 2 * error[c]), down(after[c] + 2 * error[c]));
        drawn.marks[c].setAttribute("y", down(after[c]) - 1);
        drawn.labels[c].setAttribute("y", Math.max(down(share[c]), down(after[c] + 2 * error[c])) + 14);
        show(drawn.marks[c], after[c] > 0);
      }
    },
  };
}
