// The pair bar: how many times one word has the weight of another, as two bars of which the second is the measure.
import { html, svg } from "./controls.js";
import { short } from "./words.js";

const [HIGH, GAP] = [13, 3]; // CSS pixels: each of the two bars, and the space between them

// `names` are the two words, `most` is the greatest ratio that there is room for: a longer bar goes up to the edge and
// ends in an arrow. The axis never changes.
export function pairBar({ names, most = 5 }) {
  const share = (ratio) => `${(100 * Math.min(ratio, most)) / most}%`;
  const [first, second] = names.map((_, i) => svg("rect", { x: 0, y: i * (HIGH + GAP), height: HIGH, class: i ? "ws-one" : "ws-times" }));
  second.setAttribute("width", share(1));
  const mark = svg("rect", { y: -2, width: 2, height: HIGH + 4, class: "ws-was" });
  const height = 2 * HIGH + GAP;
  const plot = svg("svg", { class: "ws-svg", height, "aria-hidden": "true" }, second, first, mark);
  const labels = names.map((name) => html("span", {}, name));
  const value = html("b", { class: "ws-ratio" });
  const root = html("div", { class: "ws-pair" }, html("div", { class: "ws-pair-names" }, ...labels), plot, value);
  return {
    root,
    // `now` and `was` are ratios, of which `was` is marked; Infinity is "without end", NaN is no ratio at all.
    draw(now, was) {
      first.setAttribute("width", Number.isNaN(now) ? 0 : share(now));
      mark.setAttribute("x", share(was));
      root.classList.toggle("ws-beyond", now > most);
    },
    show(now, was) {
      value.textContent = pairText(now);
      root.classList.toggle("ws-bent", !(Math.abs(Math.log(now / was)) < 1e-9));
    },
  };
}

export function pairText(ratio) {
  if (Number.isNaN(ratio)) return "none";
  return ratio === Infinity ? "∞" : `${short(ratio)} ×`;
}
