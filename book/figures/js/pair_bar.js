// The pair bar: how many times one word has the weight of another, as two bars of which the second is the measure.
import { html, svg } from "./controls.js";
import { short } from "./words.js";

const [HIGH, BETWEEN] = [13, 3]; // CSS pixels: each of the two bars, and the space between them
const MOST = 4;

// `names` are the two words. A ratio above MOST goes up to the edge and ends in an arrow. The axis never changes.
export function pairBar({ names }) {
  const share = (ratio) => `${(100 * Math.min(ratio, MOST)) / MOST}%`;
  const place = (i) => ({ x: 0, y: i * (HIGH + BETWEEN), height: HIGH });
  const bar = (i) => svg("rect", { ...place(i), class: i ? "ws-one" : "ws-times" });
  const [first, second] = names.map((_, i) => bar(i));
  second.setAttribute("width", share(1));
  const mark = svg("rect", { y: -2, width: 2, height: HIGH + 4, class: "ws-was" });
  const plot = svg("svg", { class: "ws-svg", height: 2 * HIGH + BETWEEN, "aria-hidden": "true" },
    second, first, mark);
  const labels = names.map((name) => html("span", {}, name));
  const value = html("b", { class: "ws-ratio" });
  const root = html("div", { class: "ws-compare" },
    html("div", { class: "ws-compare-names" }, ...labels), plot, value);
  return {
    root,
    // `now` and `was` are ratios, of which `was` is marked; Infinity is "without end", NaN is no ratio at all.
    draw(now, was) {
      first.setAttribute("width", Number.isNaN(now) ? 0 : share(now));
      mark.setAttribute("x", share(was));
      mark.setAttribute("visibility", was > MOST ? "hidden" : "inherit");
      root.classList.toggle("ws-beyond", now > MOST);
    },
    show(now, was) {
      value.textContent = pairText(now);
      root.classList.toggle("ws-bent", !(Math.abs(Math.log(now / was)) < 1e-9));
    },
  };
}

export function pairText(ratio) {
  if (Number.isNaN(ratio)) return "none";
  return ratio === Infinity ? "∞" : `${short(ratio)}×`;
}
