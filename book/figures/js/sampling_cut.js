// Which cut, and how much of it: radio buttons, and one slider that means something else for each.
import { choice } from "./choices.js";
import { html } from "./controls.js";
import { CUTS } from "./sampling_math.js";
import { short } from "./words.js";

const TRAIT = { "top-k": "top_k", "top-p": "top_p", "min-p": "min_p" };
const LETTER = { "top-p": "p", "min-p": "a" };
const NAME = {
  "top-k": "top-k: how many remain", "top-p": "top-p: least share of the weight that remains",
  "min-p": "min-p: part of the best weight that is needed",
};

export function cutControls(n, change) {
  const kinds = choice("what is cut", Object.fromEntries(CUTS.map((cut) => [cut, cut])), (cut) => change({ cut }));
  let cut = "nothing";
  const per = () => (cut === "top-k" ? 1 : 100); // places of the slider for 1
  const range = html("input", { type: "range", class: "ws-range", min: 1, step: 1 });
  const name = html("span", { class: "ws-unseen" });
  const ticks = html("div", { class: "ws-ticks", "aria-hidden": "true" });
  const amount = html("span", { class: "ws-value" });
  const slider = html("div", { class: "ws-amount" }, amount,
    html("div", { class: "ws-slider" }, html("label", { class: "ws-track" }, name, range), ticks));
  range.addEventListener("input", () => change({ [TRAIT[cut]]: Number(range.value) / per() }, true));

  function tick(x, low, high) {
    return html("span", { style: `left:${(100 * (x - low)) / (high - low)}%` }, short(x));
  }
  return {
    kinds: html("div", { class: "ws-kinds" }, html("span", { class: "ws-note" }, "cut"), kinds.root),
    slider,
    show(state) {
      const high = state.cut === "top-k" ? n : 1;
      const low = state.cut === "top-k" ? 1 : 0.01;
      if (state.cut !== cut || !ticks.children.length) {
        cut = state.cut;
        const marks =
          cut === "top-k" ? [1, ...[25, 50, 75].filter((x) => x < 0.9 * n), n] : [0.01, 0.25, 0.5, 0.75, 1];
        ticks.replaceChildren(...marks.map((x) => tick(x, low, high)));
        range.max = high * per();
        name.textContent = NAME[cut] ?? "no cut";
      }
      kinds.show(cut);
      range.disabled = cut === "nothing";
      slider.classList.toggle("ws-off", range.disabled);
      const value = state[TRAIT[cut]] ?? high;
      amount.textContent =
        cut === "nothing" ? "no cut" : cut === "top-k" ? `k = ${value}` : `${LETTER[cut]} = ${value.toFixed(2)}`;
      range.value = Math.round(value * per());
      range.setAttribute("aria-valuetext", short(value));
    },
  };
}
