// Of several maps: the table of all weights, and a map's own line.
import { html, svg } from "./controls.js";
import { scoreText } from "./words.js";

export const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
export const swatch = (name) =>
  svg("svg", { class: "ws-swatch", width: 30, height: 8, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 30, y1: 4, y2: 4, class: `ws-map ws-${name}` }));

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
