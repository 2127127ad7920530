// The three plots of *sampling*, under each other: logits, weights with what is cut, and what was drawn.
import { html, svg, uid } from "./controls.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";

// Heights in CSS pixels.
const LOGITS = { height: 52, top: 18, bottom: 3 };
const WEIGHTS = { height: 78, top: 18 };
const DRAWN = { height: 92, top: 18 };
const SCALES = [0.15, 0.25, 0.4, 0.6, 1]; // what the axis of weights ends at

export const scaleFor = (weights) => SCALES.find((top) => Math.max(...weights) <= 0.92 * top) ?? 1;

// `columns` columns, the last for all that have none of their own, if there are such.
export function samplingPlots(columns) {
  const [at, wide, middle] = [columnsOf(columns, 0.6), columnsOf(columns, 0.84), middleOf(columns)];
  const each = (made) => Array.from({ length: columns }, (_, c) => made(c));
  const bars = (kind) => each((c) => svg("rect", { class: kind, ...at(c) }));
  const labels = (kind) => each((c) => svg("text", { class: `ws-label ${kind}`, x: middle(c) }));
  const rule = (kind, y = 0) => svg("line", { class: kind, x1: 0, x2: "100%", y1: y, y2: y });
  const hatch = uid();
  const lines = { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const defs = svg("defs", {}, svg("pattern", lines, svg("path", { d: "M0 0V6", class: "ws-hatch" })));
  const plot = (height, kind, ...inside) =>
    svg("svg", { class: `ws-svg ${kind}`, height, role: "img" }, ...inside);

  const score = { bars: bars("ws-score"), labels: labels(""), zero: rule("ws-zero"), least: rule("ws-bar") };
  const weight = {
    kept: bars("ws-weight"), cut: bars("ws-cut"), labels: labels("ws-accent"), least: rule("ws-bar"),
  };
  weight.cut.forEach((rect) => rect.setAttribute("style", `fill:url(#${hatch})`));
  const edge = svg("line", { class: "ws-edge", y1: 2, y2: WEIGHTS.height });
  const drawn = { bars: bars("ws-weight"), labels: labels("ws-accent") };
  drawn.bands = each((c) => svg("rect", { class: "ws-band", ...wide(c) }));
  drawn.marks = each((c) => svg("rect", { class: "ws-remains", ...wide(c), height: 2 }));
  const words = [0, 1].map(() => each(() => html("li")));
  const list = (kind, all) =>
    html("ol", { class: `ws-tokens ${kind}`, "aria-hidden": "true", style: `--ws-n:${columns}` }, ...all);
  const end = (y) => svg("text", { class: "ws-label ws-end", x: "100%", y });
  const ends = [end(WEIGHTS.top - 5), end(DRAWN.top - 5)];
  const empty = svg("text", { class: "ws-label ws-empty", x: "50%", y: DRAWN.top + 16 }, "press +100");

  const roots = {
    logits: plot(LOGITS.height, "ws-logits", score.zero, ...score.bars, score.least, ...score.labels),
    words: list("", words[0]),
    below: list("ws-below", words[1]), // for where the draws stand beside the weights
    weights: plot(
      WEIGHTS.height, "ws-weights", defs, rule("ws-all", WEIGHTS.top), ends[0], ...weight.kept, ...weight.cut,
      weight.least,
      edge, ...weight.labels, rule("ws-zero", WEIGHTS.height - 0.5)),
    drawn: plot(
      DRAWN.height, "ws-drawn", rule("ws-all", DRAWN.top), ends[1], ...drawn.bands, ...drawn.bars, ...drawn.marks,
      ...drawn.labels, empty,
      rule("ws-zero", DRAWN.height - 0.5)),
  };
  const level = (line, y) => ["y1", "y2"].forEach((side) => line.setAttribute(side, y));
  const show = (part, seen) => part.classList.toggle("ws-gone", !seen);

  return {
    roots,
    // What does not glide. `kept` is how many columns stand before the edge of the cut, or null for no edge here.
    label({ names, logits, before, counts, draws, kept, bar, top, said }) {
      for (const row of words) {
        names.forEach((name, c) => (row[c].textContent = name));
        names.forEach((name, c) => (row[c].title = name));
        row.forEach((word, c) => word.classList.toggle("ws-out", kept !== null && c >= kept));
      }
      show(empty, !draws);
      score.labels.forEach((label, c) => (label.textContent = logits[c]));
      weight.labels.forEach((label, c) => (label.textContent = before[c]));
      drawn.labels.forEach((label, c) => (label.textContent = draws && counts[c] ? String(counts[c]) : ""));
      weight.labels.forEach((label, c) => label.classList.toggle("ws-out", kept !== null && c >= kept));
      show(edge, kept !== null);
      if (kept !== null) for (const x of ["x1", "x2"]) edge.setAttribute(x, `${(100 * kept) / columns}%`);
      for (const line of [score.least, weight.least]) show(line, bar);
      for (const text of ends) text.textContent = `${100 * top}%`;
      for (const [key, text] of Object.entries(said)) roots[key].setAttribute("aria-label", text);
    },
    draw({ low, high, top, scores, kept, cut, after, share, error, barScore, barWeight }) {
      const room = LOGITS.height - LOGITS.top - LOGITS.bottom;
      const y = (s) => LOGITS.top + ((high - Math.min(high, Math.max(low, s))) / (high - low)) * room;
      const up = ({ height, top: from }, w) =>
        from + (1 - Math.min(1, Math.max(0, w / top))) * (height - from - 1);
      level(score.zero, y(0));
      level(score.least, y(barScore));
      level(weight.least, up(WEIGHTS, barWeight));
      for (let c = 0; c < columns; c++) {
        const alone = c < scores.length;
        setBar(score.bars[c], y(0), alone ? y(scores[c]) : y(0));
        score.labels[c].setAttribute("y", alone ? Math.min(y(0), y(scores[c])) - 5 : y(0) - 5);
        setBar(weight.kept[c], up(WEIGHTS, 0), up(WEIGHTS, kept[c]));
        setBar(weight.cut[c], up(WEIGHTS, kept[c]), up(WEIGHTS, kept[c] + cut[c]));
        weight.labels[c].setAttribute("y", up(WEIGHTS, kept[c] + cut[c]) - 6);
        setBar(drawn.bars[c], up(DRAWN, 0), up(DRAWN, share[c]));
        setBar(drawn.bands[c], up(DRAWN, after[c] - 2 * error[c]), up(DRAWN, after[c] + 2 * error[c]));
        drawn.marks[c].setAttribute("y", up(DRAWN, after[c]) - 1);
        drawn.labels[c].setAttribute("y", Math.min(up(DRAWN, share[c]), up(DRAWN, after[c] + 2 * error[c])) - 6);
        show(drawn.marks[c], after[c] > 0);
      }
    },
  };
}
