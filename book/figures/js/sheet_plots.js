// What *the sheet* draws: areas that are memory, all on one scale, which never changes.
import { html, svg } from "./controls.js";

// The drawing is as wide as the figure, and all in it grows with that: in units of which there are `wide` across.
// The style sheet keeps its proportion.
const STAGE = { wide: 656, high: 311, left: 36, top: 1, full: 305 };
const HAIR = 2; // the lists are at least as wide, so that they can be seen
const LISTS = 14; // where they stand
const BLOCKS = 10; // along each side of a table that is not stored
const CELL = 16_384; // words along each side of the squares into which tables are divided
const GIGA = 1e9;
const ITEM_BYTES = 4;

export const [FEWEST_WORDS, MOST_WORDS] = [1024, 131_072];
const UNIT = STAGE.full / MOST_WORDS; // one word

const across = (x) => `${((100 * x) / STAGE.wide).toFixed(4)}%`;
const down = (y) => `${((100 * y) / STAGE.high).toFixed(4)}%`;
const shape = (kind) => svg("rect", { class: kind });
const lay = (rect, x, y, width, height) => {
  for (const [name, value] of Object.entries({ x, y, width, height })) rect.setAttribute(name, value.toFixed(3));
};

// Two tables of as many words fill a memory.
const wordsIn = (gigabytes) => Math.sqrt((gigabytes * GIGA) / (2 * ITEM_BYTES));

// The memories of `marks` from the corner where the tables begin, in the proportion of two tables: a ground that
// the tables cover, and over them its sides. The style sheet sets the names, in hundredths of the figure's width.
function outlines(marks) {
  const { left, top } = STAGE;
  return marks.map(([name, gigabytes]) => {
    const side = UNIT * wordsIn(gigabytes);
    const [x, y] = [left + 2 * side, top + side];
    const ground = shape("ws-ground");
    lay(ground, left, top, 2 * side, side);
    const box = shape("ws-memory");
    lay(box, left, top, 2 * side, side);
    const part = (at) => `${((100 * at) / STAGE.wide).toFixed(3)}cqi`;
    const style = `--ws-x:${part(x)};--ws-y:${part(y)}`;
    const full = html("b");
    const kind = x < STAGE.wide / 2 ? "ws-memory-name ws-slight" : "ws-memory-name";
    const label = html("span", { class: kind, style }, `${name} ${gigabytes} GB`, full);
    return { gigabytes, ground, box, full, label };
  });
}

// Lines through tables of so many words, which divide them into squares of one size.
function squares(n) {
  const { left, top } = STAGE;
  const side = UNIT * n;
  const count = Math.max(0, Math.ceil(n / CELL - 0.01) - 1); // none at the edge, though n may be off by rounding
  const steps = Array.from({ length: count }, (_, k) => (k + 1) * UNIT * CELL);
  const flat = steps.map((y) => `M${left} ${(top + y).toFixed(3)}h${(2 * side).toFixed(3)}`);
  const upright = [left, left + side].flatMap((from) =>
    steps.map((x) => `M${(from + x).toFixed(3)} ${top}v${side.toFixed(3)}`));
  return [...flat, ...upright].join("");
}

// The blocks go along each row, and from row to row, once; what they have come to stays tinted.
function sweeping(rows, columns, visited) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let running = [];
  return {
    stop: () => running.splice(0).forEach((one) => one.cancel()),
    start(seconds) {
      if (calm.matches) return;
      const duration = 1000 * seconds;
      const to = (axis) => [0, 100 * (BLOCKS - 1)].map((x) => ({ transform: `translate${axis}(${x}%)` }));
      const each = { duration: duration / BLOCKS, iterations: BLOCKS };
      running = [
        ...rows.map((row) => row.animate(to("X"), each)),
        ...columns.map((one) => one.animate(to("Y"), { duration, easing: `steps(${BLOCKS}, jump-none)` })),
        visited.animate([{ transform: "scaleY(0)" }, {}], { duration, easing: `steps(${BLOCKS}, end)` }),
      ];
    },
  };
}

// The corner: pulled along, or moved with keys, of which each arrow leads to twice or half as many words.
function corner(value, move) {
  const knob = html("span", { class: "ws-bead" });
  const root = html("div", {
    class: "ws-pull-corner", role: "slider", tabindex: 0, "aria-label": "length of the text",
    "aria-valuemin": FEWEST_WORDS, "aria-valuemax": MOST_WORDS,
  }, knob);
  const inside = (n) => Math.min(MOST_WORDS, Math.max(FEWEST_WORDS, n));
  const power = { up: (n) => 2 ** Math.floor(Math.log2(n) + 1), down: (n) => 2 ** Math.ceil(Math.log2(n) - 1) };
  const keys = {
    ArrowRight: power.up, ArrowUp: power.up, ArrowLeft: power.down, ArrowDown: power.down,
    Home: () => FEWEST_WORDS, End: () => MOST_WORDS,
  };
  root.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(inside(keys[event.key](value())), false);
  });
  let from = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    root.setPointerCapture(event.pointerId);
    const scale = root.parentElement.getBoundingClientRect().width / STAGE.wide;
    from = { x: event.clientX, n: value(), scale };
  });
  root.addEventListener("pointermove", (event) => {
    if (!from) return;
    const wanted = from.n + (event.clientX - from.x) / from.scale / (2 * UNIT);
    const step = wanted < 8192 ? 256 : 1024;
    move(inside(step * Math.max(1, Math.round(wanted / step))), true);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    root.addEventListener(end, () => (from = null));
  }
  return { root };
}

export function sheetStage({ d, marks, value, move }) {
  const [lists, scores, weights] = ["ws-lists", "ws-sheet-scores", "ws-sheet-weights"].map(shape);
  const [trail, visited] = ["ws-trail", "ws-visited"].map(shape);
  const blocks = ["ws-sheet-scores", "ws-sheet-weights"].map((kind) => shape(`${kind} ws-block`));
  const rows = blocks.map((block) => svg("g", { class: "ws-sweep-row" }, block));
  const sweeps = rows.map((row) => svg("g", { class: "ws-sweep" }, row));
  const sweep = sweeping(rows, sweeps, visited);
  const memories = outlines(marks);
  const lines = svg("path", { class: "ws-squares" });
  const plot = svg("svg", { class: "ws-svg", viewBox: `0 0 ${STAGE.wide} ${STAGE.high}`, role: "img" },
    ...memories.map(({ ground }) => ground).reverse(), visited, trail, lists, scores, weights, lines,
    ...memories.map(({ box }) => box), ...sweeps);
  const pull = corner(value, move);
  const drag = html("span", { class: "ws-drag", "aria-hidden": "true" }, "or drag");
  pull.root.append(drag);
  const key = (kind, text) => html("li", {}, html("span", { class: `ws-swatch ${kind}` }), text);
  const root = html("div", { class: "ws-stage" },
    plot, ...memories.map(({ label }) => label), pull.root);
  return {
    parts: [root],
    legend: html("ul", { class: "ws-legend", "aria-hidden": "true" },
      key("ws-lists", "lists"), key("ws-sheet-scores", "scores"), key("ws-sheet-weights", "weights")),
    show({ n, held, says, spoken, begins }) {
      drag.classList.toggle("ws-gone", !begins);
      plot.setAttribute("aria-label", says);
      pull.root.setAttribute("aria-valuenow", n);
      pull.root.setAttribute("aria-valuetext", spoken);
      for (const { gigabytes, box, full, label } of memories) {
        const over = held > gigabytes * GIGA;
        for (const part of [box, label]) part.classList.toggle("ws-over", over);
        full.textContent = over ? " full" : "";
      }
    },
    // A text half as long takes a quarter of the time, as with any program; how long a second is, is ours.
    sweep: (n) => sweep.start(Math.max(0.2, 4 * (n / MOST_WORDS) ** 2)),
    stop: sweep.stop,
    // How many words, and how much of the tables is stored, from 0 to 1.
    draw(n, written) {
      const side = UNIT * n;
      const { left, top } = STAGE;
      const wide = Math.max(HAIR, UNIT * 4 * d);
      lay(lists, LISTS, top, wide, side);
      [scores, weights].forEach((sheet, k) => {
        lay(sheet, left + k * side, top, side, side);
        sheet.setAttribute("fill-opacity", written);
      });
      lines.setAttribute("d", squares(n));
      lines.setAttribute("opacity", written);
      for (const rect of [trail, visited]) lay(rect, left, top, 2 * side, side);
      blocks.forEach((block, k) => {
        lay(block, left + k * side, top, side / BLOCKS, side / BLOCKS);
        block.setAttribute("opacity", 1 - written);
      });
      pull.root.style.left = across(left + 2 * side);
      pull.root.style.top = down(top + side);
    },
  };
}
