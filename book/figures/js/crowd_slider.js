// How many words there are, under the curves; and what to do next, on the one thumb and then on the other.
import { html } from "./controls.js";
import { MOST_WORDS, manyOf } from "./crowd.js";
import { logSlider } from "./log_slider.js";
import { fromJson } from "./traits.js";
import { grouped } from "./words.js";

// `low` is the fewest words, and `choose` takes another number of them. `ring` is to lie on the rail of β.
export function crowdSlider(low, choose) {
  const call = (text) => html("span", { class: "ws-call", "aria-hidden": "true" }, text);
  const [pull, grow] = [call("drag me"), call("now more words")];
  const many = html("span", { class: "ws-value" });
  const slider = logSlider({
    name: "number of words", low, high: MOST_WORDS, whole: true, choose, spoken: (n) => `${n} words`,
    tickText: grouped,
  });
  const ring = html("span", { class: "ws-thumb-ring ws-meant", "aria-hidden": "true" }, pull);
  return {
    ring,
    root: html("div", { class: "ws-crowd" }, html("div", { class: "ws-of-many" }, many, grow), slider.root),
    show(state, begun) {
      const n = manyOf(state);
      many.textContent = `${grouped(n)} words`;
      slider.show(n);
      const alone = n === manyOf({ ...state, crowd: begun.crowd });
      const turned = String(fromJson(begun.beta)) !== String(state.beta);
      ring.classList.toggle("ws-gone", turned || !alone);
      grow.classList.toggle("ws-gone", !turned || !alone);
    },
    draw(place) {
      ring.style.setProperty("left", `calc(12px + ${place} * (100% - 24px))`);
      ring.classList.toggle("ws-before", place > 0.7); // the badge stays in the figure
    },
  };
}
