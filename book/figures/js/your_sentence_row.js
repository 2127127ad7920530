// The tokens of a sentence in a line, with arcs from the one that looks; of a long sentence in several lines,
// where each is filled as high as its weight.
import { arcsFrom } from "./arcs.js";
import { html, uid } from "./controls.js";
import { markName } from "./marks.js";

const ARCS = { height: 84, thick: 30 }; // CSS pixels
const LETTERS = { mark: 3.6, least: 3.3, gap: 1.3, most: 96 }; // how wide a column is, and a line at most
const widthOf = (token) => LETTERS.gap + (markName(token) ? LETTERS.mark : Math.max(LETTERS.least, token.length));

// Whole percents; a weight that is there is never 0%.
export function share(w) {
  if (w === undefined) return "–";
  return w > 0 && w < 0.005 ? "<1%" : `${Math.round(100 * w)}%`;
}

// `pick` is called with the place of the token that is pressed.
export function tokenRow(tokens, pick) {
  const name = uid();
  const widths = tokens.map(widthOf);
  const long = widths.reduce((sum, width) => sum + width, 0);
  const at = widths.map((width, i) => (widths.slice(0, i).reduce((sum, x) => sum + x, 0) + width / 2) / long);
  const inLine = long <= LETTERS.most;
  const cells = tokens.map((token, i) => {
    const box = html("input", { type: "radio", name, value: i, class: "ws-unseen" });
    const mark = markName(token);
    const kind = mark ? " ws-mark-of" : token.startsWith("##") || token === "[UNK]" ? " ws-piece" : "";
    const word = html("span", { class: `ws-word${kind}` }, mark ?? token);
    const part = html("b", { class: "ws-part" });
    box.addEventListener("change", () => pick(i));
    return { root: html("label", { class: "ws-asked" }, box, word, part), box, word, part };
  });
  const sky = html("div", { class: "ws-sky" });
  const columns = widths.map((width) => `minmax(0,${width.toFixed(1)}fr)`).join(" ");
  const root = html("div", { class: `ws-plot ws-tokens-of ${inLine ? "ws-in-line" : "ws-in-lines"}` },
    sky,
    html("div", {
      class: "ws-row-of-words", role: "radiogroup", "aria-label": "the token that looks",
      style: `--ws-columns:${columns};--ws-long:${long.toFixed(1)}`,
    }, ...cells.map((one) => one.root)));
  let [arcs, from] = [null, null];
  return {
    root,
    // Who looks, and its weights, or none while they are on their way.
    show(query, row, label) {
      if (inLine && from !== query) {
        arcs = arcsFrom(query, at, ARCS.height, { thick: ARCS.thick });
        arcs.plot.setAttribute("role", "img");
        sky.replaceChildren(arcs.plot);
      }
      from = query;
      arcs?.plot.setAttribute("aria-label", label);
      cells.forEach(({ root, box, part }, i) => {
        root.classList.toggle("ws-asker", i === query);
        box.checked = i === query;
        part.textContent = share(row?.[i]);
        part.classList.toggle("ws-none", !(row?.[i] >= 0.005));
      });
    },
    draw(row) {
      arcs?.draw(row);
      row.forEach((w, i) => {
        cells[i].word.style.setProperty("--ws-shade", `${(50 * w).toFixed(2)}%`);
        cells[i].word.style.setProperty("--ws-fill", `${(100 * w).toFixed(2)}%`);
      });
    },
  };
}
