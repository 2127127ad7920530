// Several maps under one another: a panel with the weights of each token, the table of all, and a map's own line.
import { html, svg } from "./controls.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";
import { scoreText } from "./words.js";

// Where the line of all the weight stands and how large a ring is, in CSS pixels; the largest weight that is drawn.
const OF_PANEL = { top: 20, ring: 4, most: 1.08 };

export const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
export const swatch = (name) =>
  svg("svg", { class: "ws-swatch", width: 30, height: 8, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 30, y1: 4, y2: 4, class: `ws-map ws-${name}` }));

// The weights under one map, with a ring for each token that has none. `height` is in CSS pixels. A weight above 1,
// which a total of several may be, ends a little above the line of all the weight.
export function mapPanel(name, tokens, height = 92) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 0.56), middleOf(n)];
  const base = height - 1;
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: `ws-bar ws-${name}` }));
  const rings = tokens.map((_, i) =>
    svg("circle", { cx: middle(i), cy: base - OF_PANEL.ring - 2, r: OF_PANEL.ring, class: `ws-ring ws-${name}` }));
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const plot = svg("svg", { class: "ws-svg", height, role: "img" },
    rule(OF_PANEL.top, "ws-all"), ...bars, rule(base, "ws-zero"), ...rings, ...labels);
  const title = html("span", { class: `ws-axis ws-${name}` });
  const [count, first] = [html("span", { class: "ws-note" }), html("span", { class: "ws-aside" })];
  const y = (w) => OF_PANEL.top + (1 - Math.min(w, OF_PANEL.most)) * (base - OF_PANEL.top);
  let there = [];
  return {
    parts: [html("div", { class: "ws-head ws-of-map" }, swatch(name), title, count, first), plot],
    // `note` stands beside the name, `aside` at the right end.
    name(called, texts, has, note, aside) {
      there = has;
      title.textContent = called;
      count.textContent = note;
      first.textContent = aside;
      texts.forEach((text, i) => {
        labels[i].textContent = has[i] ? text : "0";
        labels[i].classList.toggle("ws-none", !has[i]);
        rings[i].setAttribute("visibility", has[i] ? "hidden" : "visible");
      });
      plot.setAttribute("aria-label", `weights under ${called}: ${tokens.map((word, i) => `${word} ${labels[i].textContent}`).join(", ")}`);
    },
    draw: (weights) => weights.forEach((w, i) => {
      setBar(bars[i], base, y(w));
      labels[i].setAttribute("y", (there[i] ? y(w) : base - 2 * OF_PANEL.ring - 2) - 5);
    }),
  };
}

// The scores and, in a column for each map, the weights.
export function mapTable(tokens, names) {
  const rows = tokens.map((token) => {
    const cells = ["score", ...names].map(() => html("td"));
    return { root: html("tr", {}, html("th", { scope: "row" }, token), ...cells), cells };
  });
  const heads = ["token", "score", ...names].map((text) => html("th", { scope: "col" }, text));
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show: (scores, texts) => rows.forEach(({ cells }, i) => {
      cells[0].textContent = scoreText(scores[i]);
      texts.forEach((row, k) => (cells[k + 1].textContent = row[i]));
    }),
  };
}
