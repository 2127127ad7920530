// What *twice* draws: a row of scores with one knob, and rows of weights on one scale.
import { html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";
import { ROOM } from "./twice_math.js";
import { percent, scoreText } from "./words.js";

// CSS pixels: 10 for each point of score. On a phone the style sheet makes all depths smaller, by `--ws-squeeze`.
const SCORE = { height: 128, top: 28 };
const WEIGHT = { height: 150, top: 17 };
const [BAR, GRIP] = [0.56, 60];
const NEAR_LINE = 0.28; // a line this little above a bar leaves no room for the number between them, on a phone

const flat = (kind, y) => svg("line", { class: kind, x1: 0, x2: "100%", y1: y, y2: y });
export const depthOf = (s) => SCORE.top + ((ROOM[1] - s) / (ROOM[1] - ROOM[0])) * (SCORE.height - SCORE.top - 0.5);
const squeezed = (y) => `calc(${y}px * var(--ws-squeeze, 1))`;
const floor = (height) => ({ class: "ws-svg ws-squeezed", style: `height:${squeezed(height)}` });
const all = (...parts) => svg("g", { class: "ws-to-scale" }, ...parts);
// A text stands so many pixels above what is at a depth; that depth is squeezed, the text is not.
const stand = (label, y, above) => {
  label.setAttribute("y", y - above);
  label.style.setProperty("--ws-depth", `${y}px`);
};
const up = (w) => WEIGHT.top + (1 - w) * (WEIGHT.height - WEIGHT.top - 1);

// The scores as bars, and a knob on that of the `right` one. `move` is what a grip takes.
export function scoreBars({ tokens, right, move }) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, BAR), middleOf(n)];
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-score" }));
  const label = svg("text", { x: middle(right), class: "ws-label" });
  const unit = depthOf(0) - depthOf(1);
  const knob = grip({
    name: `score of ${tokens[right]}`, left: 0, width: 0, bounds: () => ROOM,
    unit: () => (unit * plot.getBoundingClientRect().height) / SCORE.height, ...move,
  });
  knob.root.setAttribute("style", `left:calc(${middle(right)} - ${GRIP / 2}px);width:${GRIP}px`);
  const place = { class: "ws-call", "aria-hidden": "true", style: `left:${middle(right)}` };
  const badge = html("span", place, "pull me up");
  const values = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label ws-beside" }));
  const plot = svg("svg", { ...floor(SCORE.height), "aria-hidden": "true" },
    all(flat("ws-zero", SCORE.height - 0.5), ...bars), ...values, label);
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
      scores.forEach((s, i) => {
        values[i].textContent = i === right ? "" : scoreText(s);
        stand(values[i], depthOf(s), 5);
      });
      const y = depthOf(scores[right]);
      stand(label, y, 13);
      knob.root.style.top = squeezed(y);
      badge.style.setProperty("--ws-knob", squeezed(y));
    },
  };
}

// Weights as bars, of which that of the `right` one is written; a short line where this was one floor above, and
// a long one that none of them gets over.
export function weightBars({ tokens, right, kind }) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, BAR), middleOf(n)];
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  const label = svg("text", { x: middle(right), class: "ws-label ws-accent" });
  const line = flat("ws-ceiling", 0);
  const had = svg("rect", { ...at(right), height: 2, class: "ws-had" });
  const never = svg("text", { x: 0, class: "ws-label ws-never" });
  const values = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label ws-beside" }));
  const root = svg("svg", { ...floor(WEIGHT.height), role: "img" },
    all(flat("ws-all", WEIGHT.top), ...bars, line, flat("ws-zero", WEIGHT.height - 0.5)),
    ...(kind === "ws-second" ? [had] : []), ...values, label, never);
  root.classList.add(kind);
  return {
    root,
    // `ceiling` is null where there is none to be drawn.
    show(called, weights, ceiling = null) {
      const told = tokens.map((token, i) => `${token} ${percent(weights[i])}`).join(", ");
      root.setAttribute("aria-label", `${called}: ${told}`);
      weights.forEach((w, i) => (values[i].textContent = i === right ? "" : percent(w)));
      label.textContent = percent(weights[right]);
      for (const part of [line, never]) part.classList.toggle("ws-gone", ceiling === null);
      // Also where it is not seen, so that nothing of an earlier state stays.
      for (const end of ["y1", "y2"]) line.setAttribute(end, up(ceiling ?? 0));
      stand(never, up(ceiling ?? 0), 20);
      never.textContent = ceiling === null ? "" : `never above ${percent(ceiling)}`;
    },
    draw(weights, above = weights) {
      weights.forEach((w, i) => setBar(bars[i], up(0), up(w)));
      weights.forEach((w, i) => stand(values[i], up(w), 5));
      stand(had, up(above[right]), 1);
      const gap = above[right] - weights[right];
      stand(label, up(gap > 0 && gap < NEAR_LINE ? above[right] : weights[right]), 6);
    },
  };
}
