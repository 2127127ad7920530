// The sentence of *a real head*: words in columns as wide as they are long, shaded by their weights and joined from
// "it" by arcs; under them the scores. Where the line would be too narrow, the words wrap and stand without arcs.
import { html, svg } from "./controls.js";
import { markName } from "./marks.js";
import { setBar } from "./score_row.js";
import { fixed, percent } from "./words.js";

// Heights in CSS pixels; how thick the arc of all the weight is; how far down the shade of all the weight is.
const ARCS = { height: 100, top: 16, thick: 30, flat: 18 };
const BELOW = { height: 74, top: 16, bottom: 16 };
const SHADE = 0.5;
const LOOP = 13; // half the width of the loop from "it" to itself, in thousandths of the line

// How wide letters are, in those of a usual width; a mark, the narrowest column, and the space between two.
const NARROW = /[fijlrt]/g;
const WIDE = /[mw]/g;
const [MARK, LEAST, GAP] = [3.7, 2, 1.3];
const letters = (word) => word.length - 0.45 * (word.match(NARROW) ?? []).length + 0.45 * (word.match(WIDE) ?? []).length;

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

function arc(from, to) {
  const { height, top, flat } = ARCS;
  const [x0, x1] = [1000 * from, 1000 * to];
  if (x0 === x1) return `M${x0 - LOOP / 2} ${height}C${x0 - 2 * LOOP} ${height - 44} ${x0 + 2 * LOOP} ${height - 44} ${x0 + LOOP / 2} ${height}`;
  const rise = flat + (height - top - flat) * Math.sqrt(Math.min(1, Math.abs(to - from) / 0.68));
  const y = height - (4 / 3) * rise; // where the handles are, for the curve to rise that far
  return `M${x0} ${height}C${x0} ${y} ${x1} ${y} ${x1} ${height}`;
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

  const paths = each((_, i) => svg("path", { d: arc(at[from], at[i]), class: "ws-arc" }));
  const arcs = svg("svg", { class: "ws-svg ws-arcs", height: ARCS.height, viewBox: `0 0 1000 ${ARCS.height}`, preserveAspectRatio: "none" },
    svg("g", {}, ...paths));
  const kind = (token, i) => (markName(token) ? ` ws-mark-of ws-${markName(token)}` : i === from ? " ws-from" : "");
  const words = each((token, i) => html("span", { class: `ws-word${kind(token, i)}` }));
  const parts = each(() => html("b", { class: "ws-part" }));
  const small = each(() => html("small", { class: "ws-small" }));
  const cells = each((_, i) => html("span", { class: "ws-cell", style: `--ws-letters:${widths[i]}` }, words[i], parts[i], small[i]));
  const line = html("div", { class: "ws-line", style: `--ws-columns:${widths.map((width) => `${width + GAP}fr`).join(" ")}` }, ...cells);
  const plot = html("div", { class: "ws-plot", role: "img" }, arcs, line);

  const bars = each((_, i) => svg("rect", { x: share(at[i] - 0.016), width: share(0.032), class: "ws-score" }));
  const labels = each((_, i) => svg("text", { x: share(at[i]), class: "ws-label" }));
  const zero = svg("line", { x1: 0, x2: "100%", y1: y(0), y2: y(0), class: "ws-zero" });
  const below = svg("svg", { class: "ws-svg ws-below", height: BELOW.height, role: "img" }, zero, ...bars, ...labels);
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
      plot.setAttribute("aria-label", `weights from “it”: ${names.map((name, i) => `${name} ${percent(weights[i])}`).join(", ")}`);
      below.setAttribute("aria-label", `scores: ${names.map((name, i) => `${name} ${fixed(scores[i], 1)}`).join(", ")}`);
    },
    draw(scores, weights) {
      weights.forEach((w, i) => {
        paths[i].setAttribute("stroke-width", ARCS.thick * w);
        words[i].style.setProperty("--ws-shade", `${(100 * SHADE * w).toFixed(2)}%`);
      });
      scores.forEach((s, i) => {
        setBar(bars[i], y(0), y(s));
        labels[i].setAttribute("y", y(s) + (s < 0 ? 15 : -5));
      });
    },
  };
}
