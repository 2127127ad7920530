// The mask: who may see whom, how it is forbidden, and the weights of every query.
import { choice } from "./choices.js";
import { field, glide, html, settle, speaker, tick, tools } from "./controls.js";
import { maskGrid } from "./mask_grid.js";
import { forbid, gradients, maskRows } from "./mask_math.js";
import { maskSentence, PATTERNS, FORBIDDING, weightTable } from "./mask_words.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "pattern", "window", "real", "queries", "offset", "flips", "way"];
const LOWEST = -2; // position of the first query
const FLOOD = 1600; // milliseconds
const between = (low, high) => (x) => Number.isInteger(x) && x >= low && x <= high;

// What a link may set here.
render.fits = ({ window, real, queries, offset, flips }) => {
  const n = flips && flips.length ** 0.5; // "all" in a link is no list
  const inside = between(1, n)(window) && between(0, n)(real) && between(1, n)(queries);
  return flips && inside && between(LOWEST, n - 1)(offset);
};

const whole = (state) => {
  const n = state.tokens.length;
  return state.flips.length === n * n && state.scores.length === n && render.fits(state);
};

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole, once: ["tokens"], render: () => render({ model, el, page }),
  });
  let state = read();
  const n = state.tokens.length;

  // Another pattern is drawn afresh: what was pressed by hand goes.
  const redraw = (values) => change({ flips: state.flips.map(() => false), ...values });
  const flip = (i, j) => change({ flips: state.flips.map((turned, at) => turned !== (at === i * n + j)) });

  // --- the parts -------------------------------------------------------------------------------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({ page, reset });
  const way = choice("how it is forbidden", FORBIDDING, (value) => change({ way: value }));
  const pattern = choice("which keys a query may see", PATTERNS, (value) => redraw({ pattern: value }));
  const padding = tick("padding", (on) => redraw({ real: on ? Math.ceil(n / 2) + 1 : n }));
  const grid = maskGrid(state.tokens, flip);
  const range = html("input", { type: "range", class: "ws-range", min: LOWEST, max: n - 1, step: 1 });
  range.addEventListener("input", () => redraw({ offset: Number(range.value) }));
  const place = (o) =>
    html("span", { style: `left:${(100 * (o - LOWEST)) / (n - 1 - LOWEST)}%` }, String(o).replace("-", "−"));
  const ticks = Array.from({ length: n - LOWEST }, (_, at) => place(at + LOWEST));
  const [offset, corner] = [span("ws-axis"), span("ws-aside")];
  const typed = (label, low, commit) => {
    const number = { type: "number", min: low, max: n, step: 1 };
    const made = field(label, number, between(low, n), commit, kit.note);
    return { ...made, root: html("label", { class: "ws-typed" }, span("", label), made.input) };
  };
  const fields = {
    queries: typed("queries", 1, (x) => redraw({ queries: x, offset: n - x })),
    window: typed("window", 1, (x) => redraw({ window: x, pattern: "window" })),
    real: typed("real tokens", 0, (x) => redraw({ real: x })),
  };
  const table = weightTable(state.tokens);
  const position = html("div", { class: "ws-slider" },
    html("div", { class: "ws-head" }, offset, corner),
    html("label", { class: "ws-track" }, span("ws-unseen", "position of the first query"), range),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...ticks));
  // What a page has not yet spoken of stands behind “More”.
  const below = { position, gradient: grid.gradients };
  const isBelow = (name) => model.get("below") === name;
  const shown = Object.keys(below).filter(isBelow).map((name) => below[name]);
  const others = span("ws-call", "try the others");
  others.setAttribute("aria-hidden", "true");
  el.style.setProperty("--ws-n", n);
  el.replaceChildren(
    grid.root,
    ...shown,
    html("div", { class: "ws-rules" }, span("ws-note", "hidden words:"), way.root, others),
    ...voice.parts,
    ...kit.parts,
  );
  const numbers = kit.options(...Object.values(fields).map((one) => one.root));
  const kinds = html("div", { class: "ws-rules" },
    span("ws-note", "who sees whom:"), pattern.root, padding.root);
  const hidden = Object.values(below).filter((part) => !shown.includes(part));
  kit.panel.replaceChildren(kinds, ...hidden, numbers, kit.status, table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((all) => grid.draw(all.slice(0, n * n), all.slice(n * n)));
  const flood = glide(([time]) => grid.flood(time), FLOOD);
  let [count, asked] = [0, null]; // of rows that are NaN, and the way

  // The only word that a row may still see, of the last such row, until a reader has changed something.
  function nextOf(open) {
    const start = model.get("start");
    const first = n - state.queries;
    const one = open.findLastIndex((row) => row.filter(Boolean).length === 1);
    const moved = TRAITS.slice(2).some((key) => String(start[key]) !== String(state[key]));
    if (moved || one < 1 || open.some((row) => !row.some(Boolean))) return null;
    return [first + one, open[one].indexOf(true)];
  }

  function update(jump) {
    state = read();
    const first = n - state.queries;
    const open = maskRows(state);
    const weights = open.map((row, i) => forbid(state.scores[first + i], row, state.way));
    pattern.show(state.pattern);
    way.show(state.way);
    padding.box.checked = state.real < n;
    range.value = state.offset;
    range.disabled = state.pattern === "all";
    range.setAttribute("aria-valuetext", `position ${state.offset}`);
    offset.textContent = `first query at position ${String(state.offset).replace("-", "−")}`;
    corner.textContent = state.offset === first ? "its own position" : `its own position: ${first}`;
    for (const [key, one] of Object.entries(fields)) one.show(String(state[key]));
    const gains = gradients(weights, open);
    grid.show({ open, weights, gains, way: state.way, next: nextOf(open) });
    const empty = open.some((row) => !row.some(Boolean));
    others.classList.toggle("ws-gone", !(empty && state.way === model.get("start").way && !isBelow("position")));
    table.show(weights);
    voice.say(maskSentence(state, open));
    const drawn = [...Array(first * n).fill(0), ...weights.flat().map((w) => (w > 0 ? Math.sqrt(w) : 0))];
    motion.to([...drawn, ...gains.map((gain) => (gain > 0 ? gain / open.length : 0))], jump);
    const spoilt = weights.filter((row) => row.some(Number.isNaN)).length;
    if (spoilt > count || state.way !== asked) flood.to([0], true);
    [count, asked] = [spoilt, state.way];
    flood.to([1], jump);
  }

  const parts = [motion, flood, voice];
  const leave = ends(settle(el, model, { kind: "ws-mask", traits: TRAITS, parts, follow }));
  update(true);
  return leave;
}
