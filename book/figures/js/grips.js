// The knobs on top of bars of scores: pulled with a pointer or a finger, or moved with keys as sliders.
import { html } from "./controls.js";

const STEP = 0.1;
const BY = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: 1, PageDown: -1 };

// The lowest and the highest score that there is room for: −1 to 3, or whole numbers a little beyond all bars.
export const roomFor = (scores) => [
  Math.min(-1, Math.floor(Math.min(...scores) - 0.3)),
  Math.max(3, Math.ceil(Math.max(...scores) + 0.3)),
];

// `value()` is the number it stands at, and `bounds()` the least and the greatest; `unit()` is how many pixels 1
// takes; `set(value, jump)` moves it; `hold(true or false)` is called when a pointer takes or leaves it.
export function grip({ name, left, width, value, bounds, unit, set, hold }) {
  const knob = html("span", { class: "ws-knob" });
  const style = `left:${left}%;width:${width}%`;
  const slider = { role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-label": name };
  const root = html("div", { class: "ws-grip", style, ...slider }, knob);
  const tidy = (x) => Math.round(x * 1e6) / 1e6; // so that 0.1 + 0.2 is 0.3

  root.addEventListener("keydown", (event) => {
    const [low, high] = bounds();
    const to = { Home: low, End: high }[event.key] ?? value() + BY[event.key];
    if (Number.isNaN(to) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    set(tidy(to), false);
  });

  let from = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    root.setPointerCapture(event.pointerId);
    from = { y: event.clientY, value: value() };
    hold(true);
  });
  root.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [low, high] = bounds();
    const pulled = Math.round((from.value + (from.y - event.clientY) / unit()) / STEP) * STEP;
    set(tidy(Math.min(high, Math.max(low, pulled))), true);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    root.addEventListener(end, () => {
      if (!from) return;
      from = null;
      hold(false);
    });
  }
  return {
    root,
    show(text) {
      const [low, high] = bounds();
      root.setAttribute("aria-valuemin", low);
      root.setAttribute("aria-valuemax", high);
      root.setAttribute("aria-valuenow", value());
      root.setAttribute("aria-valuetext", text);
    },
  };
}
