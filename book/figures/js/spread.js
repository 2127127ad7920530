// A sentence of a trained model across the page: words in columns as wide as they are long, shaded by their
// weights, and arcs from one of them to each. Where one line would be too narrow the words stand in two, the first
// upside down, its numbers above it, so that the arcs between the lines touch the words at both ends.
import { arcsBetween, arcsFrom, shade } from "./arcs.js";
import { html } from "./controls.js";
import { markName } from "./marks.js";

// Which letters are narrow and wide, and by how much of a usual one; how wide a mark is, the narrowest column, and
// the space between two.
const COLUMN = { narrow: /[fijlrt]/g, wide: /[mw]/g, by: 0.45, mark: 3.7, least: 2, gap: 1.3 };
const count = (word, kind) => (word.match(kind) ?? []).length;
const lettersOf = (word) =>
  word.length + COLUMN.by * (count(word, COLUMN.wide) - count(word, COLUMN.narrow));

// How many letters wide each column is, with room for the longest word that comes to stand there.
const widthsOf = (rows) => rows[0].tokens.map((token, i) =>
  markName(token)
    ? COLUMN.mark
    : Math.max(COLUMN.least, ...rows.map(({ tokens }) => lettersOf(tokens[i]))));

const long = (widths) => widths.reduce((sum, width) => sum + width + COLUMN.gap, 0);
const gridOf = (widths) => `--ws-columns:${widths.map((width) => `minmax(0,${width + COLUMN.gap}fr)`).join(" ")}`;

// Where the middle of each column is, in parts of the line.
function middles(widths) {
  let from = 0;
  return widths.map((width) => {
    from += width + COLUMN.gap;
    return (from - (width + COLUMN.gap) / 2) / long(widths);
  });
}

// How many words stand in the first of two lines, for the longer to be as short as can be. The word that looks is
// in the second.
function breakOf(widths, from) {
  const longer = (k) => Math.max(long(widths.slice(0, k)), long(widths.slice(k)));
  const places = Array.from({ length: from }, (_, k) => k + 1);
  return places.reduce((best, k) => (longer(k) < longer(best) ? k : best));
}

// `rows` are those of all last words, `word` is the one that looks. `heights` are those of the arcs over one line
// and between two, and `thick` is how thick all the weight is there and there, in CSS pixels. `last` is the
// element of the last word, if not one like the others, and `wide` how many letters it is wider than its word.
// With `past` there are arcs of weights that were, too; with `self: false` none from the word to itself.
export function spread(rows, word, { heights, thick, last, wide = 0, past, self }) {
  const { tokens } = rows[0];
  const from = tokens.indexOf(word);
  const end = tokens.findLastIndex((token) => !markName(token));
  const widths = widthsOf(rows).map((width, i) => width + (i === end ? wide : 0));
  const first = breakOf(widths, from);
  const halves = [widths.slice(0, first), widths.slice(first)];
  const arcs = [
    arcsFrom(from, middles(widths), heights[0], { thick: thick[0], past, self }),
    arcsBetween(from, halves.flatMap(middles), first, heights[1], {
      thick: thick[1], past, self, side: widths[from] / 2 / long(halves[1]),
    }),
  ];
  const kind = (token, i) => {
    if (markName(token)) return ` ws-mark-of ws-${markName(token)}`;
    return i === from ? " ws-from" : "";
  };
  const each = (make) => tokens.map((token, i) => make(token, i));
  const words = each((token, i) =>
    i === end && last ? last : html("span", { class: `ws-word${kind(token, i)}`, "aria-hidden": "true" }));
  const parts = each(() => html("b", { class: "ws-part", "aria-hidden": "true" }));
  const small = each(() => html("small", { class: "ws-small", "aria-hidden": "true" }));
  const cells = each((_, i) => html("span", { class: "ws-cell" }, words[i], parts[i], small[i]));
  const half = (style, inside) => html("div", { class: "ws-half", style }, ...inside);
  const line = html("div", { class: "ws-line", style: gridOf(widths) },
    half(gridOf(halves[0]), cells.slice(0, first)),
    arcs[1].plot,
    half(gridOf(halves[1]), cells.slice(first)));
  for (const { plot } of arcs) plot.setAttribute("role", "img");
  return {
    root: html("div", { class: "ws-plot ws-spread" }, arcs[0].plot, line),
    at: middles(widths),
    words,
    parts,
    small,
    // What a screen reader calls the arcs.
    call: (label) => arcs.forEach(({ plot }) => plot.setAttribute("aria-label", label)),
    recall: (weights) => arcs.forEach(({ recall }) => recall(weights)),
    draw(weights) {
      for (const { draw } of arcs) draw(weights);
      weights.forEach((w, i) => shade(words[i], w));
    },
  };
}
