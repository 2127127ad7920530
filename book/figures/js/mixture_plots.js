// The pictures of *a mixture*: arcs over the sentence, and the output as a strip of the words' values.
import { arcsFrom } from "./arcs.js";
import { svg } from "./controls.js";
import { middleOf } from "./score_row.js";
import { percent } from "./words.js";

// Heights in CSS pixels: arcs, weights as numbers, bands from these to the strip, and the strip.
const [ARCS, PARTS, BANDS, STRIP] = [62, 18, 42, 34];
// A weight from which on its percentage is written, if it is not the most; of a few words each is.
const [NOTED, FEW] = [0.1, 8];
const [HALF, THIN] = [0.28, 0.02]; // of a column: half a bar of the scores; below this weight a band ends narrower
const ROOM = { wide: 540, narrow: 312 }; // how long the strip is at least, in CSS pixels
const [LETTER, EDGE] = [7.6, 8]; // of a label on the strip, in CSS pixels
const VALUE_OF = "value of ";

// How much of a piece's label fits on so much of the strip: 2 is all, 1 the word, 0 nothing.
function fits(word, weight, room) {
  const needs = (letters) => letters * LETTER + EDGE <= weight * room;
  return needs((VALUE_OF + word).length) ? 2 : Number(needs(word.length));
}

// The arcs over the sentence, from its last word, which asks, to each.
export function askingArcs(tokens) {
  const n = tokens.length;
  const arcs = arcsFrom(n - 1, tokens.map((_, i) => (i + 0.5) / n), ARCS);
  arcs.plot.setAttribute("role", "img");
  return {
    root: arcs.plot,
    draw: arcs.draw,
    name(weights) {
      const said = tokens.map((token, i) => `${token} ${percent(weights[i])}`).join(", ");
      arcs.plot.setAttribute("aria-label", `weights from “${tokens.at(-1)}”: ${said}`);
    },
  };
}

// From the column of a word, `left` to `right`, to its piece of the strip; all in thousandths of the width.
const band = (left, right, from, to) => {
  const half = BANDS / 2;
  return `M${left} 0C${left} ${half} ${from} ${half} ${from} ${BANDS}\
H${to}C${to} ${half} ${right} ${half} ${right} 0Z`;
};

export function mixtureStrip(tokens) {
  const n = tokens.length;
  const middle = middleOf(n);
  const parts = tokens.map((_, i) => svg("text", { x: middle(i), y: 14, class: "ws-label ws-accent" }));
  const bands = tokens.map(() => svg("path", { class: "ws-band" }));
  const pieces = tokens.map(() => svg("rect", { y: 0, height: STRIP, class: "ws-weight" }));
  const labels = tokens.map((token) =>
    svg(
      "text", { y: STRIP / 2 + 5, class: "ws-piece" }, svg("tspan", { class: "ws-of" }, VALUE_OF),
      svg("tspan", {}, token),
    ),
  );
  const tall = (height, kind, ...inside) =>
    svg("svg", { class: `ws-svg ${kind}`, height, "aria-hidden": "true" }, ...inside);
  const flow = tall(BANDS, "ws-bands", ...bands);
  flow.setAttribute("viewBox", `0 0 1000 ${BANDS}`);
  flow.setAttribute("preserveAspectRatio", "none");
  const strip = svg("svg", { class: "ws-svg ws-strip", height: STRIP, role: "img" }, ...pieces, ...labels);
  return {
    parts: [tall(PARTS, "ws-parts", ...parts), flow, strip],
    name(weights) {
      const most = Math.max(...weights);
      weights.forEach((w, i) => {
        parts[i].textContent = w > 0 && (n <= FEW || w === most || w >= NOTED) ? percent(w) : "";
        for (const [how, room] of Object.entries(ROOM)) {
          labels[i].setAttribute(`data-${how}`, fits(tokens[i], w, room));
        }
      });
      const shown = tokens.map((token, i) => [token, weights[i]]).filter(([, w]) => w > 0);
      strip.setAttribute(
        "aria-label", `output: ${shown.map(([token, w]) => `${percent(w)} value of ${token}`).join(", ")}`,
      );
    },
    draw(weights) {
      let sum = 0;
      weights.forEach((w, i) => {
        const [from, to] = [sum, (sum += w)];
        const [at, half] = [(i + 0.5) / n, (HALF / n) * Math.min(1, w / THIN)];
        bands[i].setAttribute(
          "d", band(...[at - half, at + half, from, to].map((x) => Number((1000 * x).toFixed(3)))),
        );
        pieces[i].setAttribute("x", `${100 * from}%`);
        pieces[i].setAttribute("width", `${100 * w}%`);
        labels[i].setAttribute("x", `${50 * (from + to)}%`);
      });
    },
  };
}
