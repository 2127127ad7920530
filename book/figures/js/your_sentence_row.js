// The tokens of a sentence in a line, with arcs from the one that looks; where that is too narrow, in two lines,
// the arcs between; of a long sentence in several, where each is filled as high as its weight.
import { arcsBetween, arcsFrom } from "./arcs.js";
import { html, uid } from "./controls.js";
import { markName } from "./marks.js";

const ARCS = { height: 84, thick: 30, between: 50, thin: 14 }; // CSS pixels
// How wide a column is, how much of it is beside its token, and how wide a line is at most.
const LETTERS = { mark: 3.6, least: 3.5, gap: 1.3, beside: 2.6, most: 96 };
const sumOf = (widths) => widths.reduce((sum, width) => sum + width, 0);
const widthOf = (token) => LETTERS.gap + (markName(token) ? LETTERS.mark : Math.max(LETTERS.least, token.length));

// Whole percents; a weight that is there is never 0%.
export function share(w) {
  if (w === undefined) return "–";
  return w > 0 && w < 0.005 ? "<1%" : `${Math.round(100 * w)}%`;
}

// Where the middle of each column is, in parts of the line.
const middlesOf = (widths) =>
  widths.map((width, i) => (sumOf(widths.slice(0, i)) + width / 2) / sumOf(widths));
const styleOf = (widths) => {
  const columns = widths.map((width) => `minmax(0,${width.toFixed(1)}fr)`).join(" ");
  return `--ws-columns:${columns};--ws-long:${sumOf(widths).toFixed(1)}`;
};

// How many tokens stand in the first of two lines, for the longer to be as short as can be.
function halfwayOf(widths) {
  const longer = (k) => Math.max(sumOf(widths.slice(0, k)), sumOf(widths.slice(k)));
  return widths.reduce((best, _, k) => (longer(k) < longer(best) ? k : best), 0);
}

// `pick` is called with the place of the token that is pressed.
export function tokenRow(tokens, pick) {
  const name = uid();
  const widths = tokens.map(widthOf);
  const first = halfwayOf(widths);
  const halves = [widths.slice(0, first), widths.slice(first)];
  const inLine = sumOf(widths) <= LETTERS.most;
  const cells = tokens.map((token, i) => {
    const box = html("input", { type: "radio", name, value: i, class: "ws-unseen" });
    const mark = markName(token);
    const kind = mark ? " ws-mark-of" : token.startsWith("##") || token === "[UNK]" ? " ws-piece" : "";
    const word = html("span", { class: `ws-word${kind}` }, mark ?? token);
    const part = html("b", { class: "ws-part" });
    box.addEventListener("change", () => pick(i));
    return { root: html("label", { class: "ws-asked" }, box, word, part), box, word, part };
  });
  const [sky, between] = ["ws-sky", "ws-sky ws-sky-between"].map((kind) => html("div", { class: kind }));
  const [upper, lower] = halves.map((half, i) =>
    html("div", { class: "ws-half", style: styleOf(half) },
      ...cells.slice(i * first, i ? undefined : first).map((one) => one.root)));
  const root = html("div", { class: `ws-plot ws-tokens-of ${inLine ? "ws-in-line" : "ws-in-lines"}` },
    sky,
    html("div", {
      class: "ws-row-of-words", role: "radiogroup", "aria-label": "the token that looks", style: styleOf(widths),
    }, upper, between, lower));
  let [arcs, from] = [[], null];
  return {
    root,
    // Who looks, and its weights, or none while they are on their way.
    show(query, row, label) {
      if (inLine && from !== query) {
        const side = (widths[query] - LETTERS.beside) / 2 / sumOf(halves[query < first ? 0 : 1]);
        arcs = [
          arcsFrom(query, middlesOf(widths), ARCS.height, { thick: ARCS.thick }),
          arcsBetween(query, halves.flatMap(middlesOf), first, ARCS.between, { thick: ARCS.thin, side }),
        ];
        for (const { plot } of arcs) plot.setAttribute("role", "img");
        [sky, between].forEach((place, i) => place.replaceChildren(arcs[i].plot));
      }
      from = query;
      for (const { plot } of arcs) plot.setAttribute("aria-label", label);
      cells.forEach(({ root, box, part }, i) => {
        root.classList.toggle("ws-asker", i === query);
        box.checked = i === query;
        part.textContent = share(row?.[i]);
        part.classList.toggle("ws-none", !(row?.[i] >= 0.005));
      });
    },
    draw(row) {
      for (const { draw } of arcs) draw(row);
      row.forEach((w, i) => {
        cells[i].word.style.setProperty("--ws-shade", `${(50 * w).toFixed(2)}%`);
        cells[i].word.style.setProperty("--ws-fill", `${(100 * w).toFixed(2)}%`);
      });
    },
  };
}
