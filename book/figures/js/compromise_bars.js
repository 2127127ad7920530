// Earned, paid and kept as bars of one axis, and under them the best that was found and the top.
import { html, svg, uid } from "./controls.js";

const TALL_ROW = 30; // CSS pixels: earned, paid, kept; the two below are lower
const LOW_ROW = 22;
const [THICK, THIN] = [18, 11];
const ROWS = ["earned", "paid", "kept", "best", "top"];
const HEIGHT = 3 * TALL_ROW + 2 * LOW_ROW;
const NAMES = {
  price: ["earned", "− paid", "= kept", "your best", "the top"],
  budget: ["earned", "spent", "budget", "your best", "the top"],
};
const middle = (i) => (i < 3 ? (i + 0.5) * TALL_ROW : 3 * TALL_ROW + (i - 2.5) * LOW_ROW);
const EMPTY = "–";
const FINE_FITS = 0.2; // of the axis: room for the name of the fine

// The axis depends on the scores alone, so that it stands still while anything else moves: from a quarter of its
// length below 0 (or below the lowest score) up to the highest. A share of it below 0 is beyond its end.
export function axisOf(scores) {
  const [low, high] = [Math.min(0, ...scores), Math.max(0, ...scores)];
  const span = high - low || 1;
  return (x) => (x - low + span / 4) / (1.25 * span);
}

export function ledger() {
  const rect = (i) => {
    const height = i < 3 ? THICK : THIN;
    return svg("rect", { y: middle(i) - height / 2, height, class: `ws-bar ws-of-${ROWS[i]}` });
  };
  const bars = ROWS.map((_, i) => rect(i));
  const line = (kind) => svg("line", { class: kind });
  const zero = svg("line", { class: "ws-zero", y1: middle(0) - THICK / 2, y2: HEIGHT });
  const drops = [0, 1].map((i) => {
    const made = line("ws-drop");
    made.setAttribute("y1", middle(i) + THICK / 2);
    made.setAttribute("y2", middle(i + 1) + THICK / 2);
    return made;
  });
  // The fine: what the top keeps more.
  const hatch = uid();
  const lines = { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const pattern = svg("defs", {}, svg("pattern", lines, svg("path", { d: "M0 0V6", class: "ws-hatch" })));
  const fine = svg("rect", {
    class: "ws-fine", y: middle(2) - THICK / 2, height: THICK, style: `fill:url(#${hatch})`,
  });
  const fineName = svg("text", { class: "ws-fine-name", y: middle(2) + 4.5 }, "fine");
  const fineDrop = line("ws-drop");
  fineDrop.setAttribute("y1", middle(2) - THICK / 2);
  fineDrop.setAttribute("y2", middle(4) + THIN / 2);
  const arrows = ROWS.map((_, i) => svg("path", { class: "ws-beyond", d: `M0 ${middle(i)}l7 -6v12z` }));
  const plot = svg("svg", { class: "ws-svg", height: HEIGHT, "aria-hidden": "true" },
    pattern, fine, zero, ...bars, ...drops, fineDrop, ...arrows, fineName);
  const names = ROWS.map((kind) => html("span", { class: `ws-name ws-of-${kind}` }));
  const values = ROWS.map((kind) => html("b", { class: `ws-value ws-of-${kind}` }));
  const root = html("div", { class: "ws-ledger" }, html("div", {}, ...names), plot, html("div", {}, ...values));
  const percent = (share) => `${100 * share}%`;

  // From one share of the axis to another; beyond its left end the bar ends in an arrow.
  function bar(i, ...ends) {
    const [start, end] = ends.map((x) => Math.min(1, Math.max(0, x))).sort((a, b) => a - b);
    bars[i].setAttribute("x", percent(start));
    bars[i].setAttribute("width", percent(end - start));
    arrows[i].setAttribute("visibility", Math.min(...ends) < 0 ? "visible" : "hidden");
    return start;
  }
  return {
    root,
    // `best` and `top` are what they keep (or earn), or null; `room` is the largest divergence there is.
    draw({ scores, mode, now, epsilon, best, top, room }) {
      const [at, budget] = [axisOf(scores), mode === "budget"];
      const nought = at(0);
      const nats = (x) => nought + (1 - nought) * Math.min(1, x / room);
      for (const end of ["x1", "x2"]) zero.setAttribute(end, percent(nought));
      bar(0, nought, at(now.earned));
      const left = budget ? bar(1, nought, nats(now.spent)) : bar(1, at(now.kept), at(now.earned));
      bar(2, nought, budget ? nats(epsilon) : at(now.kept));
      [best, top].forEach((x, k) => bar(3 + k, nought, x === null ? nought : at(x)));
      const [low, high] = [Math.max(0, at(now.kept)), top === null || budget ? 0 : at(top)];
      const [lost, wide] = [high - low > 0.004, high - low > FINE_FITS];
      fine.setAttribute("x", percent(low));
      fine.setAttribute("width", percent(Math.max(0, high - low)));
      for (const end of ["x1", "x2"]) fineDrop.setAttribute(end, percent(high));
      fineName.setAttribute("x", percent(wide ? (low + high) / 2 : high));
      fineName.setAttribute("dx", wide ? 0 : 20);
      for (const part of [fine, fineDrop]) part.setAttribute("visibility", lost ? "visible" : "hidden");
      fineName.setAttribute("visibility", lost && (wide || high < 1 - FINE_FITS) ? "visible" : "hidden");
      drops.forEach((drop, i) => {
        for (const end of ["x1", "x2"]) drop.setAttribute(end, percent(i ? left : at(now.earned)));
        drop.setAttribute("visibility", budget ? "hidden" : "visible");
      });
    },
    show(mode, texts) {
      names.forEach((name, i) => (name.textContent = NAMES[mode][i]));
      values.forEach((value, i) => (value.textContent = texts[i] ?? EMPTY));
    },
  };
}
