// A row of scores in columns, each with a knob to drag, and the words under them.
import { shade } from "./arcs.js";
import { html, svg } from "./controls.js";
import { grip, takeTurns } from "./grips.js";
import { scoreText } from "./words.js";

const SCORES = { height: 176, top: 30, bottom: 24 }; // CSS pixels

export const columnsOf = (n, width) => (i) => ({
  x: `${(100 * (i + 0.5 - width / 2)) / n}%`, width: `${(100 * width) / n}%`,
});
export const middleOf = (n) => (i) => `${(100 * (i + 0.5)) / n}%`;

export function setBar(rect, y0, y1) {
  rect.setAttribute("y", Math.min(y0, y1));
  rect.setAttribute("height", Math.abs(y1 - y0));
}

// The words of a sentence in columns, as large as the longest of them allows.
export function sentenceOf(words) {
  const longest = Math.max(...words.map((word) => word.textContent.length));
  return html(
    "ol", { class: "ws-tokens ws-sentence", "aria-hidden": "true", style: `--ws-longest:${longest}` }, ...words,
  );
}

// `value(i)` is a score, and `set(i, x, jump)` moves it, as far as there is room, or from and to what
// `bounds(i, room)` says; `took` and `left` are called when a pointer takes it and leaves it. `was`, if given,
// are scores to mark. `height` is in CSS pixels. `depth(s, [low, high])` is how far below the top a score stands.
// It is `first`'s turn to be pulled by a finger.
export function scoreRow({
  tokens, value, bounds = (i, room) => room, set, took = () => {}, left = () => {}, was = [],
  height = SCORES.height, first = 0,
}) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 0.56), middleOf(n)];
  const pixels = height - SCORES.top - SCORES.bottom;
  let room = null; // the lowest and the highest score that there is room for
  // The halves are subtracted, since the difference of two huge scores may be infinite.
  const share = (s, [low, high]) => (high / 2 - s / 2) / (high / 2 - low / 2);
  const depth = (s, ends) => SCORES.top + share(s, ends) * pixels;
  const zero = svg("line", { x1: 0, x2: "100%", class: "ws-zero" });
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-score" }));
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const marks = was.map((_, i) => svg("rect", { ...columnsOf(n, 0.78)(i), height: 2, class: "ws-was" }));
  const knobs = tokens.map((token, i) =>
    grip({
      name: `score of ${token} (token ${i + 1} of ${n})`,
      left: (100 * i) / n,
      width: 100 / n,
      value: () => value(i),
      bounds: () => bounds(i, room),
      unit: () => pixels / (room[1] - room[0]),
      set: (x, jump) => x !== value(i) && set(i, x, jump),
      hold: (taken) => (taken ? took() : left()),
    }));
  takeTurns(knobs.map((knob) => knob.root), first);
  const plot = svg("svg", { class: "ws-svg", height, "aria-hidden": "true" }, zero, ...bars, ...marks, ...labels);
  const grips = html(
    "div", { class: "ws-grips", role: "group", "aria-label": "scores" }, ...knobs.map((knob) => knob.root),
  );
  const words = tokens.map((token) => html("li", { class: "ws-word", title: token }, token));
  return {
    parts: [html("div", { class: "ws-plot" }, plot, grips), sentenceOf(words)],
    plot,
    bars,
    words,
    grips: knobs.map((knob) => knob.root),
    knobs: knobs.map((one) => one.knob),
    // The first room that is asked for is the room for good: a scale that changed would hide what has. Returns it.
    room: (wanted) => (room ??= wanted),
    // `weights` are softmax's, which shade the words.
    show(weights) {
      tokens.forEach((token, i) => {
        shade(words[i], weights[i]);
        labels[i].textContent = scoreText(value(i));
        knobs[i].show(`${token}, score ${labels[i].textContent}`);
      });
    },
    depth,
    // Bars stand on 0, or on another `foot`. One that has no room ends with an arrow.
    draw(scores, low, high, foot = 0) {
      const y = (s) => depth(Math.min(high, Math.max(low, s)), [low, high]);
      for (const end of ["y1", "y2"]) zero.setAttribute(end, y(0));
      scores.forEach((s, i) => {
        setBar(bars[i], y(foot), y(s));
        if (was.length) {
          marks[i].setAttribute("y", y(was[i]) - 1);
          marks[i].setAttribute("visibility", s === was[i] ? "hidden" : "visible");
        }
        labels[i].setAttribute("y", y(s) + (s < foot ? 21 : -12));
        knobs[i].root.style.top = `${y(s)}px`;
        knobs[i].root.classList.toggle("ws-too-high", s > high + 1e-6);
        knobs[i].root.classList.toggle("ws-too-low", s < low - 1e-6);
      });
    },
  };
}
