// What *the sheet* draws: areas that are memory, all on one scale, which never changes.
import { html, svg } from "./controls.js";

// The drawing is as wide as the figure, and all in it grows with that: in units of which there are `wide` across.
// The style sheet keeps its proportion.
const STAGE = { wide: 656, high: 286, left: 18, top: 8, full: 252 };
const HAIR = 1.5; // the lists are at least as wide, so that they can be seen
const BLOCKS = 10; // along each side of a sheet
const LENS = { times: 48, right: 640, bottom: 272, until: 1024 }; // shows a speck larger, up to so many words
const GIGA = 1e9;
const ITEM_BYTES = 4;

export const MOST_WORDS = 131_072;
const UNIT = STAGE.full / MOST_WORDS; // one word
const LOWEST = 64;

const across = (x) => `${((100 * x) / STAGE.wide).toFixed(4)}%`;
const down = (y) => `${((100 * y) / STAGE.high).toFixed(4)}%`;
const shape = (kind) => svg("rect", { class: kind });
const lay = (rect, x, y, width, height) => {
  for (const [name, value] of Object.entries({ x, y, width, height })) rect.setAttribute(name, value.toFixed(3));
};

// Two tables of as many words fill a memory.
const wordsIn = (gigabytes) => Math.sqrt((gigabytes * GIGA) / (2 * ITEM_BYTES));

// The memories of `marks` from the corner where the sheets begin, in the proportion of two sheets: their right and
// lower sides.
function outlines(marks) {
  const { left, top, wide, high } = STAGE;
  return marks.map(([name, gigabytes]) => {
    const side = UNIT * wordsIn(gigabytes);
    const [x, y] = [left + 2 * side, top + side];
    const box = svg("path", { class: "ws-memory", d: `M${left} ${y.toFixed(3)}H${x.toFixed(3)}V${top}` });
    const style = `right:${across(wide - x)};bottom:${down(high - y)}`;
    const full = html("b");
    const label = html("span", { class: "ws-memory-name", style }, `${name} ${gigabytes} GB`, full);
    return { gigabytes, box, full, label };
  });
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

// Where the sheets are but a speck in the corner: the same, many times as large.
function lens(d) {
  const { times, right, bottom, until } = LENS;
  const [lists, scores, weights] = ["ws-lists", "ws-sheet-scores", "ws-sheet-weights"].map(shape);
  const root = svg("g", { class: "ws-lens" }, lists, scores, weights);
  const top = bottom - times * UNIT * until;
  const style = `right:${across(STAGE.wide - right)};bottom:${down(STAGE.high - top + 3)}`;
  const label = html("span", { class: "ws-lens-name", style }, `the speck in the corner, ${times} × larger`);
  return {
    root, label,
    draw(n) {
      const side = times * UNIT * Math.min(n, until);
      const left = right - 2 * side;
      const wide = times * UNIT * 4 * d;
      const columns = [[lists, left - 4 - wide, wide], [scores, left, side], [weights, left + side, side]];
      for (const [rect, x, width] of columns) lay(rect, x, bottom - side, width, side);
      const seen = n > until ? "hidden" : "visible";
      root.setAttribute("visibility", seen);
      label.style.visibility = seen;
    },
  };
}

// The corner: pulled along, or moved with keys, of which each arrow leads to twice or half as many words.
function corner(value, move) {
  const badge = html("span", { class: "ws-call" }, "drag the corner");
  const knob = html("span", { class: "ws-bead" });
  const root = html("div", {
    class: "ws-pull-corner", role: "slider", tabindex: 0, "aria-label": "length of the text",
    "aria-valuemin": LOWEST, "aria-valuemax": MOST_WORDS,
  }, knob, badge);
  const inside = (n) => Math.min(MOST_WORDS, Math.max(LOWEST, n));
  const power = { up: (n) => 2 ** Math.floor(Math.log2(n) + 1), down: (n) => 2 ** Math.ceil(Math.log2(n) - 1) };
  const keys = {
    ArrowRight: power.up, ArrowUp: power.up, ArrowLeft: power.down, ArrowDown: power.down,
    Home: () => LOWEST, End: () => MOST_WORDS,
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
  return { root, badge };
}

export function sheetStage({ d, marks, value, move }) {
  const [lists, scores, weights] = ["ws-lists", "ws-sheet-scores", "ws-sheet-weights"].map(shape);
  const [trail, visited] = ["ws-trail", "ws-visited"].map(shape);
  const blocks = ["ws-sheet-scores", "ws-sheet-weights"].map((kind) => shape(`${kind} ws-block`));
  const rows = blocks.map((block) => svg("g", { class: "ws-sweep-row" }, block));
  const sweeps = rows.map((row) => svg("g", { class: "ws-sweep" }, row));
  const sweep = sweeping(rows, sweeps, visited);
  const edge = svg("path", {
    class: "ws-edge", d: `M${STAGE.left} ${STAGE.high - 26}V${STAGE.top}H${STAGE.left + 2 * STAGE.full}`,
  });
  const memories = outlines(marks);
  const larger = lens(d);
  const plot = svg("svg", { class: "ws-svg", viewBox: `0 0 ${STAGE.wide} ${STAGE.high}`, role: "img" },
    edge, visited, trail, lists, scores, weights, ...memories.map(({ box }) => box), ...sweeps, larger.root);
  const pull = corner(value, move);
  const key = (kind, text) => html("li", {}, html("span", { class: `ws-swatch ${kind}` }), text);
  const root = html("div", { class: "ws-stage" },
    plot, ...memories.map(({ label }) => label), larger.label, pull.root);
  return {
    parts: [root, html("ul", { class: "ws-legend", "aria-hidden": "true" },
      key("ws-sheet-scores", "scores, n × n"), key("ws-sheet-weights", "weights, n × n"),
      key("ws-lists", `lists, n × ${d}`))],
    show({ n, held, says, spoken, calls }) {
      plot.setAttribute("aria-label", says);
      pull.root.setAttribute("aria-valuenow", n);
      pull.root.setAttribute("aria-valuetext", spoken);
      pull.root.classList.toggle("ws-called", calls);
      for (const { gigabytes, box, full, label } of memories) {
        const over = held > gigabytes * GIGA;
        for (const part of [box, label]) part.classList.toggle("ws-over", over);
        full.textContent = over ? " full" : "";
      }
    },
    // A text half as long takes a quarter of the time, as with any program; how long a second is, is ours.
    sweep: (n) => sweep.start(Math.max(0.2, 4 * (n / MOST_WORDS) ** 2)),
    stop: sweep.stop,
    // How many words, and how much of the sheets is written down, from 0 to 1.
    draw(n, written) {
      const side = UNIT * n;
      const { left, top } = STAGE;
      const wide = Math.max(HAIR, UNIT * 4 * d);
      lay(lists, left - 4 - wide, top, wide, side);
      [scores, weights].forEach((sheet, k) => {
        lay(sheet, left + k * side, top, side, side);
        sheet.setAttribute("fill-opacity", written);
      });
      larger.draw(n);
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
