// What *raise one score* draws under the scores: weights, and what each of them gains or loses.
import { svg } from "./controls.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";
import { percent } from "./words.js";
import { change } from "./raise_one_words.js";

// Heights in CSS pixels.
const WEIGHTS = { height: 72, top: 20 };
const CHANGES = { height: 92, edge: 20 };
const SCALES = [0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1]; // what the change plot reaches to, up and down

const ruleAt = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });

export function weightPlot(tokens) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 0.56), middleOf(n)];
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label ws-accent" }));
  const root = svg("svg", { class: "ws-svg", height: WEIGHTS.height, role: "img" },
    ruleAt(WEIGHTS.top, "ws-all"), ...bars, ...labels, ruleAt(WEIGHTS.height - 0.5, "ws-zero"));
  const y = (w) => WEIGHTS.top + (1 - w) * (WEIGHTS.height - WEIGHTS.top - 1);
  return {
    root,
    name(words, weights) {
      weights.forEach((w, i) => (labels[i].textContent = percent(w)));
      root.setAttribute(
        "aria-label", `weights: ${words.map((word, i) => `${word} ${percent(weights[i])}`).join(", ")}`,
      );
    },
    draw: (weights) => weights.forEach((w, i) => {
      setBar(bars[i], y(0), y(w));
      labels[i].setAttribute("y", y(w) - 6);
    }),
  };
}

// Bars from a line in the middle: up for what a weight gains, down and paler for what it loses; each
// forecast is an outline around them.
export function changePlot(tokens) {
  const n = tokens.length;
  const [at, mark, middle] = [columnsOf(n, 0.5), columnsOf(n, 0.76), middleOf(n)];
  const zero = CHANGES.height / 2;
  const bars = tokens.map((_, i) => svg("rect", at(i)));
  const marks = tokens.map((_, i) => svg("rect", { ...mark(i), class: "ws-forecast" }));
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const root = svg("svg", { class: "ws-svg ws-changes", height: CHANGES.height, role: "img" },
    ruleAt(zero, "ws-zero"), ...bars, ...marks, ...labels);
  return {
    root,
    // The first scale that holds all changes; forecasts beyond 1 stand at its edge.
    scaleFor: (all) => SCALES.find((top) => all.every((x) => Math.abs(x) <= top)) ?? 1,
    name(words, gained, forecast) {
      gained.forEach((x, i) => {
        bars[i].setAttribute("class", x < 0 ? "ws-minus" : "ws-plus");
        labels[i].textContent = change(x);
      });
      const said = words.map((word, i) => `${word} ${change(gained[i])}, forecast ${change(forecast[i])}`);
      root.setAttribute("aria-label", `change of each weight in percentage points: ${said.join("; ")}`);
    },
    draw(gained, forecast, top) {
      const y = (x) => zero - (Math.min(1.1, Math.max(-1.1, x / top)) * (zero - CHANGES.edge)) / 1.1;
      gained.forEach((x, i) => {
        const [here, there] = [y(x), y(forecast[i])];
        setBar(bars[i], zero, here);
        setBar(marks[i], zero, there);
        // Beyond the bar, and beyond its forecast where that is further out.
        labels[i].setAttribute("y", x < 0 ? Math.max(here, there, zero) + 15 : Math.min(here, there, zero) - 6);
      });
    },
  };
}
