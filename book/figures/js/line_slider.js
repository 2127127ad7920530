// A slider over the numbers from the first of `ticks` to the last, on an even track.
import { html } from "./controls.js";

// `shown(x)` stands over the track with a `note`, `spoken(x)` is what a screen reader says; `ends` are words under
// its ends, and `choose(x)` is called with the number that it is moved to.
export function lineSlider({ kind, name, note, ticks, step, ends, shown, spoken, choose }) {
  const [low, high] = [ticks[0], ticks.at(-1)];
  const value = html("span", { class: "ws-value" });
  const range = html("input", { type: "range", class: "ws-range", min: low, max: high, step });
  range.addEventListener("input", () => choose(Number(range.value)));
  const mark = (x) =>
    html("span", { style: `left:${(100 * (x - low)) / (high - low)}%` }, String(x).replace("-", "−"));
  const track = html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, name), range);
  const root = html("div", { class: `ws-slider ${kind}` },
    html("div", { class: "ws-head" }, value, html("span", { class: "ws-note" }, note)), track,
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...ticks.map(mark)));
  if (ends.length) {
    root.append(
      html("div", { class: "ws-ends", "aria-hidden": "true" }, ...ends.map((text) => html("span", {}, text))),
    );
  }
  return {
    root,
    track,
    show(x) {
      range.value = x;
      range.setAttribute("aria-valuetext", spoken(x));
      value.textContent = shown(x);
    },
  };
}
