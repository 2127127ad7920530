import { html } from "./controls.js";

// What to do next: a badge over the knob of a word, or `under` it, and a halo around the knob.
export function invitation(knobs) {
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" });
  return {
    root: badge,
    // `next` has the word's number; null is nothing.
    show(next) {
      badge.classList.toggle("ws-gone", !next);
      knobs.forEach((knob, i) => knob.classList.toggle("ws-meant", i === next?.i));
      if (!next) return;
      badge.textContent = next.text;
      badge.classList.toggle("ws-under", next.under);
      badge.style.left = `clamp(40px, ${(100 * (next.i + 0.5)) / knobs.length}%, 100% - 40px)`;
    },
    draw: (y, under) => (badge.style.top = `${y + (under ? 27 : -54)}px`),
  };
}
