// The sentence of *a real head*, with all weights, and its scores as bars under it, or as numbers where it stands
// in two lines.
import { svg } from "./controls.js";
import { markName } from "./marks.js";
import { setBar } from "./score_row.js";
import { spread } from "./spread.js";
import { fixed, percent } from "./words.js";

// In CSS pixels.
const ARCS = { heights: [100, 52], thick: [30, 30] };
const BELOW = { height: 74, top: 16, bottom: 16 };

// `rows` are those of all last words, `word` is the one that looks.
export function sentenceLine(rows, word) {
  const sentence = spread(rows, word, ARCS);
  const { words, parts, small } = sentence;
  const scores = rows.flatMap((row) => row.scores);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const y = (s) => BELOW.top + ((high - s) / (high - low)) * (BELOW.height - BELOW.top - BELOW.bottom);
  const share = (x) => `${100 * x}%`;

  const bars = sentence.at.map((x) =>
    svg("rect", { x: share(x - 0.016), width: share(0.032), class: "ws-score" }));
  const labels = sentence.at.map((x) => svg("text", { x: share(x), class: "ws-label" }));
  const zero = svg("line", { x1: 0, x2: "100%", y1: y(0), y2: y(0), class: "ws-zero" });
  const below = svg(
    "svg", { class: "ws-svg ws-below", height: BELOW.height, role: "img" }, zero, ...bars, ...labels,
  );
  return {
    plot: sentence.root,
    below,
    name(now, scores, weights) {
      const names = now.map((token) => (markName(token) ? `${markName(token)} mark` : token));
      now.forEach((token, i) => {
        words[i].textContent = markName(token) ?? token;
        parts[i].textContent = percent(weights[i]);
        parts[i].classList.toggle("ws-none", weights[i] === 0);
        small[i].textContent = labels[i].textContent = fixed(scores[i], 1);
      });
      sentence.call(`weights from “it”: ${names.map((name, i) => `${name} ${percent(weights[i])}`).join(", ")}`);
      below.setAttribute(
        "aria-label", `scores: ${names.map((name, i) => `${name} ${fixed(scores[i], 1)}`).join(", ")}`,
      );
    },
    draw(scores, weights) {
      sentence.draw(weights);
      scores.forEach((s, i) => {
        setBar(bars[i], y(0), y(s));
        labels[i].setAttribute("y", y(s) + (s < 0 ? 15 : -5));
      });
    },
  };
}
