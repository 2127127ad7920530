// The sentence of *a real head*: words in columns as wide as they are long, shaded by their weights
// and joined from "it" by arcs; under them the scores. Where the line would be too narrow, the words
// wrap and stand without arcs.
import { arcsFrom, shade } from "./arcs.js";
import { html, svg } from "./controls.js";
import { markName } from "./marks.js";
import { setBar } from "./score_row.js";
import { fixed, percent } from "./words.js";

// Heights in CSS pixels.
const ARCS = 100;
const BELOW = { height: 74, top: 16, bottom: 16 };

// How wide letters are, in those of a usual width; a mark, the narrowest column, and the space between two.
const NARROW = /[fijlrt]/g;
const WIDE = /[mw]/g;
const [MARK, LEAST, GAP] = [3.7, 2, 1.3];
const letters = (word) =>
  word.length - 0.45 * (word.match(NARROW) ?? []).length + 0.45 * (word.match(WIDE) ?? []).length;

// How many letters wide each column is, with room for the longest word that comes to stand there.
const widthsOf = (rows) => rows[0].tokens.map((token, i) =>
  markName(token) ? MARK : Math.max(LEAST, ...rows.map(({ tokens }) => letters(tokens[i]))));

// Where the middle of each column is, in parts of the line.
function middles(widths) {
  const total = widths.reduce((sum, width) => sum + width + GAP, 0);
  let from = 0;
  return widths.map((width) => {
    from += width + GAP;
    return (from - (width + GAP) / 2) / total;
  });
}

// `rows` are those of all last words, `word` is the one that looks.
export function sentenceLine(rows, word) {
  const { tokens } = rows[0];
  const from = tokens.indexOf(word);
  const widths = widthsOf(rows);
  const at = middles(widths);
  const scores = rows.flatMap((row) => row.scores);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const y = (s) => BELOW.top + ((high - s) / (high - low)) * (BELOW.height - BELOW.top - BELOW.bottom);
  const each = (make) => tokens.map((token, i) => make(token, i));
  const share = (x) => `${100 * x}%`;

  const arcs = arcsFrom(from, at, ARCS);
  const kind = (token, i) => {
    if (markName(token)) return ` ws-mark-of ws-${markName(token)}`;
    return i === from ? " ws-from" : "";
  };
  const words = each((token, i) => html("span", { class: `ws-word${kind(token, i)}` }));
  const parts = each(() => html("b", { class: "ws-part" }));
  const small = each(() => html("small", { class: "ws-small" }));
  const cells = each((_, i) =>
    html("span", { class: "ws-cell", style: `--ws-letters:${widths[i]}` }, words[i], parts[i], small[i]),
  );
  const line = html(
    "div", { class: "ws-line", style: `--ws-columns:${widths.map((width) => `${width + GAP}fr`).join(" ")}` },
    ...cells,
  );
  const plot = html("div", { class: "ws-plot", role: "img" }, arcs.plot, line);

  const bars = each((_, i) => svg("rect", { x: share(at[i] - 0.016), width: share(0.032), class: "ws-score" }));
  const labels = each((_, i) => svg("text", { x: share(at[i]), class: "ws-label" }));
  const zero = svg("line", { x1: 0, x2: "100%", y1: y(0), y2: y(0), class: "ws-zero" });
  const below = svg(
    "svg", { class: "ws-svg ws-below", height: BELOW.height, role: "img" }, zero, ...bars, ...labels,
  );
  return {
    plot,
    below,
    name(now, scores, weights) {
      const names = now.map((token) => (markName(token) ? `${markName(token)} mark` : token));
      now.forEach((token, i) => {
        words[i].textContent = markName(token) ?? token;
        parts[i].textContent = percent(weights[i]);
        parts[i].classList.toggle("ws-none", weights[i] === 0);
        small[i].textContent = labels[i].textContent = fixed(scores[i], 1);
      });
      plot.setAttribute(
        "aria-label", `weights from “it”: ${names.map((name, i) => `${name} ${percent(weights[i])}`).join(", ")}`,
      );
      below.setAttribute(
        "aria-label", `scores: ${names.map((name, i) => `${name} ${fixed(scores[i], 1)}`).join(", ")}`,
      );
    },
    draw(scores, weights) {
      arcs.draw(weights);
      weights.forEach((w, i) => shade(words[i], w));
      scores.forEach((s, i) => {
        setBar(bars[i], y(0), y(s));
        labels[i].setAttribute("y", y(s) + (s < 0 ? 15 : -5));
      });
    },
  };
}
