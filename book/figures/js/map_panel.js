// Several maps under one another: a panel with the weights of each token, the table of all, and a map's own line.
import { html, svg } from "./controls.js";
import { columnsOf, middleOf } from "./score_row.js";
import { scoreText } from "./words.js";

// How large a ring is and how far above its bar a label stands, in CSS pixels; the largest weight that is drawn.
const OF_PANEL = { ring: 4, label: 5, most: 1.08 };

export const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
export const swatch = (name) =>
  svg("svg", { class: "ws-swatch", width: 30, height: 8, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 30, y1: 4, y2: 4, class: `ws-map ws-${name}` }));

// The weights under one map, with a ring for each token that has none. How high it is, the style sheet
// says: all is drawn in shares of that. A weight above 1, which a total of several may be, ends a little
// above the line of all the weight.
export function mapPanel(name, tokens) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 0.56), middleOf(n)];
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: `ws-bar ws-${name}` }));
  const { ring, label } = OF_PANEL;
  const up = `translate(0 ${-ring - 2})`;
  const rings = tokens.map((_, i) =>
    svg("circle", { cx: middle(i), cy: "100%", transform: up, r: ring, class: `ws-ring ws-${name}` }),
  );
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const plot = svg("svg", { class: "ws-svg ws-bars", role: "img" },
    rule(0, "ws-all"), ...bars, rule("100%", "ws-zero"), ...rings, ...labels);
  const title = html("span", { class: `ws-axis ws-${name}` });
  const [count, first] = [html("span", { class: "ws-note" }), html("span", { class: "ws-aside" })];
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
      plot.setAttribute(
        "aria-label",
        `weights under ${called}: ${tokens.map((word, i) => `${word} ${labels[i].textContent}`).join(", ")}`,
      );
    },
    draw: (weights) => weights.forEach((w, i) => {
      const drawn = Math.min(w, OF_PANEL.most);
      const y = `${100 * (1 - drawn)}%`;
      bars[i].setAttribute("y", y);
      bars[i].setAttribute("height", `${100 * drawn}%`);
      labels[i].setAttribute("y", there[i] ? y : "100%");
      labels[i].setAttribute("dy", there[i] ? -label : -label - 2 * ring - 2);
    }),
  };
}

// Scores and the weights under several maps: one below the other, or beside each other where there is
// room. The words stand under the scores; where the maps are beside these, under the last map as well.
// `below` is what moves the maps.
export function mapCells(tokens, scores, panels, below) {
  const words = tokens.map((token) => html("li", { title: token }, token));
  const longest = Math.max(...tokens.map((token) => token.length));
  return html("div", { class: "ws-cells" },
    html("div", { class: "ws-of-scores" }, ...scores),
    html("div", { class: "ws-of-maps" }, ...panels.flatMap((panel) => panel.parts),
      html("ol", { class: "ws-tokens", "aria-hidden": "true", style: `--ws-longest:${longest}` }, ...words)),
    html("div", { class: "ws-sliders" }, ...below));
}

// The scores and, in a column for each map, the weights; `what` is what a token is here.
export function mapTable(tokens, names, what = "token") {
  const rows = tokens.map((token) => {
    const cells = ["score", ...names].map(() => html("td"));
    return { root: html("tr", {}, html("th", { scope: "row" }, token), ...cells), cells };
  });
  const heads = [what, "score", ...names].map((text) => html("th", { scope: "col" }, text));
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show: (scores, texts) => rows.forEach(({ cells }, i) => {
      cells[0].textContent = scoreText(scores[i]);
      texts.forEach((row, k) => (cells[k + 1].textContent = row[i]));
    }),
  };
}
