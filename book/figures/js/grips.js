// The knobs on top of bars of scores: pulled with a pointer or a finger, or moved with keys as sliders.
import { html } from "./controls.js";

const STEP = 0.1;
const BY = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: 1, PageDown: -1 };

// The lowest and the highest score that there is room for: −1 to 3, or half a point or less beyond all bars.
const half = (x, round) => (Math.abs(x) < 1e9 ? round(2 * x) / 2 : x);
export const roomFor = (scores) => [
  Math.min(-1, half(Math.min(...scores) - 0.3, Math.floor)),
  Math.max(3, half(Math.max(...scores) + 0.3, Math.ceil)),
];
// The same for twice these scores as well.
export const roomForTwice = (scores) =>
  roomFor([...scores, ...scores.map((s) => 2 * s).filter(Number.isFinite)]);

// An axis that never changes, so that what is one point looks like one: it has room for what a figure begins
// with, or, where it has other words by now, for what these have.
export function lastingRoom(model, roomOf = roomFor) {
  const [now, begun] = [model.get("scores"), model.get("start").scores];
  return roomOf(begun?.length === now.length ? begun : now);
}

// A finger that begins on a grip scrolls the page, unless it is this one's turn: `first`'s, until another is
// tapped or has the keyboard. A mouse pulls each at once. The style sheet says so, with `touch-action`.
export function takeTurns(grips, first) {
  const choose = (one) => grips.forEach((grip) => grip.classList.toggle("ws-in-turn", grip === one));
  for (const grip of grips) for (const how of ["click", "focus"]) grip.addEventListener(how, () => choose(grip));
  choose(grips[first]);
}

// Whether this pointer pulls: a finger that may as well scroll the page does not.
const pulls = ({ pointerType, target, currentTarget }) =>
  !["touch", "pen"].includes(pointerType) ||
  [target, currentTarget].some((part) => getComputedStyle(part).touchAction === "none");

// `value()` is the number it stands at, and `bounds()` the least and the greatest; `unit()` is how many pixels 1
// takes; `set(value, jump)` moves it; `hold(true or false)` is called when a pointer takes or leaves it.
export function grip({ name, left, width, value, bounds, unit, set, hold }) {
  const knob = html("span", { class: "ws-knob" });
  const style = `left:${left}%;width:${width}%`;
  const slider = { role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-label": name };
  const root = html("div", { class: "ws-grip", style, ...slider }, knob);
  const tidy = (x) => Math.round(x * 1e6) / 1e6; // so that 0.1 + 0.2 is 0.3
  // A number that was set beyond the bounds may stay there.
  const reach = () => [Math.min(bounds()[0], value()), Math.max(bounds()[1], value())];

  root.addEventListener("keydown", (event) => {
    const [low, high] = reach();
    const to = { Home: low, End: high }[event.key] ?? value() + BY[event.key];
    if (Number.isNaN(to) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    set(tidy(Math.min(high, Math.max(low, to))), false);
  });

  let from = null;
  // At the end of its room it stays, whatever the pointer does, and shows it.
  const show = (at) => ["ws-at-low", "ws-at-high"].forEach((end, k) => root.classList.toggle(end, at === k));
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !pulls(event)) return;
    root.setPointerCapture(event.pointerId);
    from = { y: event.clientY, value: value() };
    hold(true);
  });
  root.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [low, high] = bounds();
    const start = Math.min(high, Math.max(low, from.value)); // it may have been set beyond
    const pulled = tidy(Math.round((start + (from.y - event.clientY) / unit()) / STEP) * STEP);
    show(pulled < low ? 0 : pulled > high ? 1 : null);
    set(Math.min(high, Math.max(low, pulled)), true);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    root.addEventListener(end, () => {
      if (!from) return;
      from = null;
      show(null);
      hold(false);
    });
  }
  return {
    root,
    knob,
    show(text) {
      const [low, high] = reach();
      root.setAttribute("aria-valuemin", low);
      root.setAttribute("aria-valuemax", high);
      root.setAttribute("aria-valuenow", value());
      root.setAttribute("aria-valuetext", text);
    },
  };
}
