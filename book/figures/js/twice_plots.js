// What *twice* draws: a row of scores with one knob, and rows of weights on one scale.
import { html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";
import { ROOM } from "./twice_math.js";
import { percent, scoreText } from "./words.js";

// CSS pixels: 12 for each point of score.
const SCORE = { height: 152, top: 32 };
const WEIGHT = { height: 124, top: 20 };
const [BAR, GRIP] = [0.56, 60];

const flat = (kind, y) => svg("line", { class: kind, x1: 0, x2: "100%", y1: y, y2: y });
export const depthOf = (s) => SCORE.top + ((ROOM[1] - s) / (ROOM[1] - ROOM[0])) * (SCORE.height - SCORE.top - 0.5);
const up = (w) => WEIGHT.top + (1 - w) * (WEIGHT.height - WEIGHT.top - 1);

// The scores as bars, and a knob on that of the `right` one. `move` is what a grip takes.
export function scoreBars({ tokens, right, move }) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, BAR), middleOf(n)];
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-score" }));
  const label = svg("text", { x: middle(right), class: "ws-label" });
  const unit = depthOf(0) - depthOf(1);
  const knob = grip({
    name: `score of ${tokens[right]}`, left: 0, width: 0, bounds: () => ROOM, unit: () => unit, ...move,
  });
  knob.root.setAttribute("style", `left:calc(${middle(right)} - ${GRIP / 2}px);width:${GRIP}px`);
  const place = { class: "ws-call", "aria-hidden": "true", style: `left:${middle(right)}` };
  const badge = html("span", place, "pull me up");
  const plot = svg("svg", { class: "ws-svg", height: SCORE.height, "aria-hidden": "true" },
    flat("ws-zero", SCORE.height - 0.5), ...bars, label);
  return {
    root: html("div", { class: "ws-plot" }, plot, badge, html("div", { class: "ws-grips" }, knob.root)),
    show(score, asked) {
      label.textContent = scoreText(score);
      knob.show(`${tokens[right]}, score ${label.textContent}`);
      badge.hidden = !asked;
      knob.root.firstChild.classList.toggle("ws-meant", asked);
    },
    draw(scores) {
      scores.forEach((s, i) => setBar(bars[i], depthOf(0), depthOf(s)));
      const y = depthOf(scores[right]);
      label.setAttribute("y", y - 13);
      knob.root.style.top = `${y}px`;
      badge.style.setProperty("--ws-knob", `${y}px`);
    },
  };
}

// Weights as bars, of which that of the `right` one is written; behind each what it had on the floor above, and a
// line that none of them gets over.
export function weightBars({ tokens, right, kind }) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, BAR), middleOf(n)];
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  const label = svg("text", { x: middle(right), class: "ws-label ws-accent" });
  const line = flat("ws-ceiling", 0);
  const had = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-had" }));
  const never = svg("text", { x: 0, class: "ws-label ws-never" });
  const root = svg("svg", { class: `ws-svg ${kind}`, height: WEIGHT.height, role: "img" },
    flat("ws-all", WEIGHT.top), ...had, ...bars, line, label, never, flat("ws-zero", WEIGHT.height - 0.5));
  return {
    root,
    // `ceiling` is null where there is none to be drawn.
    show(called, weights, ceiling = null) {
      const told = tokens.map((token, i) => `${token} ${percent(weights[i])}`).join(", ");
      root.setAttribute("aria-label", `${called}: ${told}`);
      label.textContent = percent(weights[right]);
      for (const part of [line, never]) part.classList.toggle("ws-gone", ceiling === null);
      if (ceiling === null) return;
      for (const end of ["y1", "y2"]) line.setAttribute(end, up(ceiling));
      never.setAttribute("y", up(ceiling) - 6);
      never.textContent = `never above ${percent(ceiling)}`;
    },
    draw(weights, above = weights) {
      weights.forEach((w, i) => setBar(bars[i], up(0), up(w)));
      above.forEach((w, i) => setBar(had[i], up(0), up(w)));
      label.setAttribute("y", up(weights[right]) - 6);
    },
  };
}
