// What *two sentences* draws: all the weight as a square, cut into sentences, and each of these into words.
import { html, svg } from "./controls.js";
import { sentencesOf, wordsOf } from "./two_sentences_math.js";
import { percent } from "./words.js";

const AREA = { top: 24, height: 150, bottom: 42 }; // in CSS pixels: the room over it, it, and the room under it
const TOO_NARROW = 0.09; // a sentence with less weight has no words at it

export function mosaic() {
  const rects = ["ws-ahead", "ws-behind", "ws-ahead", "ws-behind"].map((kind) => svg("rect", { class: kind }));
  const line = svg("line", { x1: 0, x2: "100%", class: "ws-apart" });
  const text = (y, kind = "") => svg("text", { class: `ws-label ${kind}`, y });
  const ratios = [0, 1].map(() => text(AREA.top - 8, "ws-ratio"));
  const names = ["first", "second"].map((name) => {
    const made = text(AREA.top + AREA.height + 17);
    made.textContent = name;
    return made;
  });
  const shares = [0, 1].map(() => text(AREA.top + AREA.height + 34, "ws-share"));
  const total = AREA.top + AREA.height + AREA.bottom;
  const plot = svg(
    "svg", { class: "ws-svg", height: total, role: "img" }, ...rects, line, ...ratios, ...names, ...shares,
  );
  const words = [0, 1].map(() => svg("text", { class: "ws-label ws-end", x: "100%", dx: -6 }));
  const gutter = svg("svg", { class: "ws-gutter", width: 40, height: total, "aria-hidden": "true" }, ...words);
  return {
    root: html("div", { class: "ws-mosaic" }, gutter, plot),
    name(called, tokens, texts) {
      words.forEach((word, i) => (word.textContent = tokens[i]));
      ratios.forEach((ratio, i) => (ratio.textContent = texts[i]));
      plot.setAttribute("aria-label", called);
    },
    draw(table) {
      const across = sentencesOf(table);
      const level = AREA.top + wordsOf(table)[1] * AREA.height;
      for (const end of ["y1", "y2"]) line.setAttribute(end, level);
      across.forEach((share, j) => {
        const [ahead, behind] = [rects[2 * j], rects[2 * j + 1]];
        const cut = AREA.top + (share > 0 ? table[2 * j + 1] / share : 0) * AREA.height;
        const [x, middle] = [100 * (j ? across[0] : 0), 100 * (j ? across[0] + share / 2 : share / 2)];
        for (const rect of [ahead, behind]) {
          rect.setAttribute("x", `${x}%`);
          rect.setAttribute("width", `${100 * share}%`);
        }
        behind.setAttribute("y", AREA.top);
        behind.setAttribute("height", cut - AREA.top);
        ahead.setAttribute("y", cut);
        ahead.setAttribute("height", AREA.top + AREA.height - cut);
        for (const label of [ratios[j], names[j], shares[j]]) {
          label.setAttribute("x", `${middle}%`);
          label.setAttribute("display", share < TOO_NARROW ? "none" : "inline");
        }
        shares[j].textContent = percent(share);
        if (j === 0) {
          [(cut + AREA.top + AREA.height) / 2, (AREA.top + cut) / 2].forEach((y, i) =>
            words[i].setAttribute("y", y + 4),
          );
        }
      });
    },
  };
}
