// By how much β is multiplied: from 1/16 to 16 in half doublings, and beyond them infinity.
import { html } from "./controls.js";
import { short } from "./words.js";

const STEPS = 2; // places per doubling
const PLACES = 8 * STEPS + 2; // ∞: one place beyond 16 stands for no number, and the thumb snaps to either side
const NAMED = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, Infinity];

const placeOf = (times) => (times === Infinity ? PLACES : (Math.log2(times) + 4) * STEPS);
const timesAt = (place, old) => {
  if (place === PLACES - 1) return old === Infinity ? 16 : Infinity;
  return place === PLACES ? Infinity : Number((2 ** (place / STEPS - 4)).toPrecision(3));
};

// 1/4 and not 0.25.
const multiple = (times) => (times < 1 && Number.isInteger(1 / times) ? `1/${1 / times}` : short(times));

export function timesSlider({ own, choose }) {
  let shown = 1;
  const [value, note, aside] = ["ws-value", "ws-note", "ws-aside"].map((kind) => html("span", { class: kind }));
  const range = html("input", { type: "range", class: "ws-range", min: 0, max: PLACES, step: 1 });
  range.addEventListener("input", () => {
    choose(timesAt(Number(range.value), shown));
    range.value = placeOf(shown);
  });
  const tick = (times) => html("span", { style: `left:${(100 * placeOf(times)) / PLACES}%` }, multiple(times));
  const root = html("div", { class: "ws-slider ws-times" },
    html("div", { class: "ws-head" }, value, note, aside),
    html(
      "label", { class: "ws-track" },
      html("span", { class: "ws-unseen" }, "inverse temperature β, times the model’s own"), range,
    ),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...NAMED.map(tick)));
  return {
    root,
    // `whose` says which heads are moved.
    show(times, whose) {
      shown = times;
      range.value = placeOf(times);
      const plain = times === 1 ? "the model’s own" : `${multiple(times)} times the model’s own`;
      const words = times === Infinity ? "the highest score takes all" : plain;
      range.setAttribute("aria-valuetext", times === Infinity ? `infinity: ${words}` : words);
      value.textContent = `β = ${short(own * times)}`;
      note.textContent = words;
      aside.textContent = whose;
    },
  };
}
