// What is held in *make it flat*: the knobs that bend the curve, the row as a comb, and the slope.
import { html } from "./controls.js";
import { AT, FAR, ROW } from "./make_it_flat_math.js";
import { COMB_WIDTH, across, combAt } from "./make_it_flat_plots.js";

const STILL = 3; // pixels: a pointer that moves less has only touched

// Follows a pointer from `root`: `take()`, then `move(dx, dy)` in pixels from where it began, then
// `leave(moved, gone)`, where `gone` says that the browser has taken the finger away, to scroll the page. A finger
// has to begin on `grasp`, since elsewhere it scrolls. What moves `sideways` waits until the pointer does so.
function follow(root, grasp, { take, move, leave }, sideways = false) {
  let from = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || from || (event.pointerType === "touch" && !grasp.contains(event.target))) return;
    root.setPointerCapture(event.pointerId);
    from = { x: event.clientX, y: event.clientY, id: event.pointerId, moved: false };
    root.classList.add("ws-held");
    take();
  });
  root.addEventListener("pointermove", (event) => {
    if (!from || event.pointerId !== from.id) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.moved && (sideways ? Math.abs(dx) : Math.hypot(dx, dy)) < STILL) return;
    from.moved = true;
    move(dx, dy);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    root.addEventListener(end, (event) => {
      if (!from) return;
      const { moved } = from;
      from = null;
      root.classList.remove("ws-held");
      leave(moved, event.type === "pointercancel");
    });
  }
}

// Keys: `by` says what each does, as arguments of `act`.
function onKeys(root, by, act) {
  root.addEventListener("keydown", (event) => {
    if (!(event.key in by) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(by[event.key]);
  });
}

function slider(kind, name, orientation, ...inside) {
  const said = { role: "slider", tabindex: 0, "aria-orientation": orientation, "aria-label": name };
  const root = html("div", { class: kind, ...said }, ...inside);
  const show = (low, high, now, text) => {
    const values = { "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": now, "aria-valuetext": text };
    for (const [key, value] of Object.entries(values)) root.setAttribute(key, value);
  };
  return { root, show };
}

const [LITTLE, MUCH] = [1.05, 1.25];
const TIMES = {
  ArrowUp: LITTLE, ArrowRight: LITTLE, PageUp: MUCH,
  ArrowDown: 1 / LITTLE, ArrowLeft: 1 / LITTLE, PageDown: 1 / MUCH,
};

function nub(kind, name, actions) {
  const knob = html("span", { class: "ws-nub" });
  const grasp = html("span", { class: "ws-grasp" }, knob);
  const made = slider(`ws-nub-box ${kind}`, name, "vertical", grasp);
  follow(made.root, grasp, actions);
  const at = (x, y) => {
    made.root.style.left = `${100 * x}%`;
    made.root.style.top = `${100 * y}%`;
  };
  return { ...made, at, call: (on) => knob.classList.toggle("ws-meant", on) };
}

// The knob of the share at score k + 1.
export function bendKnob(k, { take, move, leave, step }) {
  const pulled = { take, move: (_, dy) => move(k, dy), leave };
  const made = nub("ws-bends", `share at score ${k + 1}`, pulled);
  onKeys(made.root, TIMES, (times) => step(k, times));
  return made;
}

const TENTHS_OF_ONE = { ArrowUp: 0.1, ArrowRight: 0.1, ArrowDown: -0.1, ArrowLeft: -0.1, PageUp: 1, PageDown: -1 };

export function slopeKnob({ take, move, leave, set, beta }) {
  const made = nub("ws-turns", "β, the slope: how much a point is worth", { take, move, leave });
  onKeys(made.root, { ...TENTHS_OF_ONE, Home: -Infinity, End: Infinity }, (by) => set(beta() + by));
  return made;
}

// The row of words as a comb, with a tooth for each.
export function combOf({ take, move, leave, set, place }) {
  const left = (score) => `left:${(100 * (score - 0.5)) / (5 - FAR)}%`;
  const teeth = AT.map((score) => html("span", { class: "ws-tooth", style: left(score) }));
  const words = ROW.map((word, i) => html("span", { class: `ws-on-comb ws-${word}`, style: left(AT[i]) }, word));
  const spine = html("span", { class: "ws-spine" }, "row");
  const made = slider(
    "ws-comb", "the row of words, slid along the scores", "horizontal", ...teeth, spine, ...words,
  );
  made.root.style.width = COMB_WIDTH;
  follow(made.root, made.root, { take, move, leave }, true);
  onKeys(made.root, { ...TENTHS_OF_ONE, Home: -Infinity, End: Infinity }, (by) => set(place() + by));
  return { ...made, at: (place_) => (made.root.style.left = combAt(place_)) };
}

// The scores under the axis, of which the first says what they are.
export const digits = () => [1, 2, 3, 4, 5].map((score) =>
  html(
    "span", { class: "ws-digit", style: `left:${100 * across(score)}%` },
    ...(score === 1 ? [html("span", { class: "ws-score-name" }, "score")] : []), String(score),
  ));
