// The pair bar: how many times one word has the weight of another, as two bars of which the second is the measure.
import { html, svg } from "./controls.js";
import { short } from "./words.js";

const [PAIR, BETWEEN] = [13, 3]; // CSS pixels: each of the two bars, and the space between them

// `names` are the two words, `most` is the greatest ratio that there is room for: a longer bar goes up to the edge
// and ends in an arrow. The axis never changes. `high` is how high a bar is, `text(ratio)` what is written beside
// them (in `value`, which a view may put elsewhere), and `before` a word under the mark, where it has one.
export function pairBar({ names, most = 5, high = PAIR, text = pairText, before = "" }) {
  const share = (ratio) => `${(100 * Math.min(ratio, most)) / most}%`;
  const place = (i) => ({ x: 0, y: i * (high + BETWEEN), height: high });
  const bar = (i) => svg("rect", { ...place(i), class: i ? "ws-one" : "ws-times" });
  const [first, second] = names.map((_, i) => bar(i));
  second.setAttribute("width", share(1));
  const bars = 2 * high + BETWEEN;
  const mark = svg("rect", { y: -2, width: 2, height: high + 4, class: "ws-was" });
  const word = before && svg("text", { class: "ws-label", y: high + 18 }, before);
  const plot = svg("svg", { class: "ws-svg", height: bars, "aria-hidden": "true" },
    second, first, mark, ...(word ? [word] : []));
  const labels = names.map((name) => html("span", {}, name));
  const value = html("b", { class: "ws-ratio" });
  const root = html("div", { class: "ws-compare" },
    html("div", { class: "ws-compare-names", style: `--ws-high:${high + BETWEEN}px` }, ...labels), plot, value);
  return {
    root,
    value,
    // `now` and `was` are ratios, of which `was` is marked; Infinity is "without end", NaN is no ratio at all.
    draw(now, was) {
      first.setAttribute("width", Number.isNaN(now) ? 0 : share(now));
      mark.setAttribute("x", share(was));
      mark.setAttribute("visibility", was > most ? "hidden" : "inherit");
      if (word) word.setAttribute("x", share(was));
      root.classList.toggle("ws-beyond", now > most);
    },
    show(now, was) {
      value.textContent = text(now);
      root.classList.toggle("ws-bent", !(Math.abs(Math.log(now / was)) < 1e-9));
    },
  };
}

export function pairText(ratio) {
  if (Number.isNaN(ratio)) return "none";
  return ratio === Infinity ? "∞" : `${short(ratio)} ×`;
}
