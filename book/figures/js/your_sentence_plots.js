// All heads of *your sentence*, small: a row for each layer.
import { html, svg } from "./controls.js";
import { HEADS } from "./your_sentence_math.js";
import { ROLES, workText } from "./your_sentence_words.js";

const SHADES = 6; // of a small picture
const GAP = 2; // cells between two small pictures

// The root makes small weights visible beside large ones.
const depth = (w) => Math.sqrt(w);

// The small pictures of one layer: for each shade one path, made of the runs of it down each column. Its moves are
// from the end of the last run, which leaves the page's picture half as heavy.
function strip(heads) {
  const n = heads[0].length;
  const paths = Array(SHADES + 1).fill("");
  const ends = paths.map(() => [0, 0]);
  heads.forEach((weights, head) => {
    for (let j = 0; j < n; j++) {
      const x = head * (n + GAP) + GAP / 2 + j;
      const shades = weights.map((row) => Math.round(SHADES * depth(row[j])));
      for (let i = 0, from = 0; i < n; i++) {
        if (shades[i + 1] === shades[i]) continue;
        const [k, [x0, y0]] = [shades[i], ends[shades[i]]];
        paths[k] += `m${x - x0} ${from - y0}v${i + 1 - from}`;
        ends[k] = [x, i + 1];
        from = i + 1;
      }
    }
  });
  return { box: `-0.5 0 ${HEADS * (n + GAP)} ${n}`, paths };
}

// All heads. The whole is one grid for the keyboard; `open(index)` is called with the
// head, counted through all layers.
export function headMap(layers, open) {
  const shades = Array.from({ length: layers }, () => Array.from({ length: SHADES }, (_, k) =>
    svg("path", { class: "ws-run", "stroke-opacity": (k + 1) / SHADES })));
  const strips = shades.map((paths) =>
    svg("svg", { class: "ws-svg ws-strip", preserveAspectRatio: "none", "aria-hidden": "true" }, ...paths),
  );
  const cells = [...Array(layers * HEADS).keys()].map((index) => {
    const letter = html("span", { class: "ws-letter", "aria-hidden": "true" });
    const root = html("div", { class: "ws-one", role: "gridcell", tabindex: -1 }, letter);
    root.addEventListener("click", () => open(index));
    root.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -HEADS, ArrowDown: HEADS }[event.key];
      const to = index + (step ?? 0);
      const leaves = Math.abs(step) === 1 && Math.floor(to / HEADS) !== Math.floor(index / HEADS);
      if (!step) return;
      event.preventDefault();
      if (!cells[to] || leaves) return;
      open(to);
      cells[to].root.focus();
    });
    return { root, letter };
  });
  const drawn = []; // of each layer its first head
  const rows = strips.map((strip, layer) => html("div", { class: "ws-layer", role: "row" },
    html("span", { class: "ws-number-of", role: "rowheader", "aria-label": `layer ${layer + 1}` }, layer + 1),
    html(
      "div", { class: "ws-ones", role: "presentation" }, strip,
      ...cells.slice(layer * HEADS, (layer + 1) * HEADS).map((one) => one.root),
    ),
  ),
);
  return {
    root: html(
      "div", { class: "ws-plot ws-over", role: "grid", "aria-label": "all heads, a row for each layer" }, ...rows,
    ),
    // The weights of all heads; a layer that has not come has none.
    draw(all) {
      strips.forEach((one, layer) => {
        const heads = all.slice(layer * HEADS, (layer + 1) * HEADS);
        rows[layer].classList.toggle("ws-to-come", !heads[0]);
        if (drawn[layer] === heads[0]) return;
        drawn[layer] = heads[0];
        const { box, paths } = heads[0] ? strip(heads) : { box: "0 0 1 1", paths: [] };
        one.setAttribute("viewBox", box);
        shades[layer].forEach((path, k) => path.setAttribute("d", paths[k + 1] ?? ""));
      });
    },
    // What each does in the model as it is, if that is known.
    name: (works) => cells.forEach(({ root, letter }, index) => {
      letter.textContent = works ? ROLES[works[index].role].letter : "";
      root.setAttribute("aria-label", `head ${(index % HEADS) + 1}${works ? `, ${workText(works[index])}` : ""}`);
    }),
    show: (chosen) => cells.forEach(({ root }, index) => {
      root.setAttribute("aria-selected", String(index === chosen));
      root.setAttribute("tabindex", index === chosen ? 0 : -1);
    }),
  };
}
