// What *seventy-two heads* draws: all heads small, a row for each layer; one large; and the
// sentence to choose a query from.
import { html, svg, uid } from "./controls.js";
import { markName } from "./marks.js";
import { HEADS } from "./seventy_two_math.js";
import { ROLES, workText } from "./seventy_two_words.js";
import { percent } from "./words.js";

const SHADES = 6; // of a small picture
const GAP = 2; // cells between two small pictures
const SHADE = 0.5; // how far down the shade of all the weight is, under a word

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
    // The weights of all heads, and what each does.
    name(all, works) {
      strips.forEach((one, layer) => {
        const { box, paths } = strip(all.slice(layer * HEADS, (layer + 1) * HEADS));
        one.setAttribute("viewBox", box);
        shades[layer].forEach((path, k) => path.setAttribute("d", paths[k + 1]));
      });
      cells.forEach(({ root, letter }, index) => {
        letter.textContent = ROLES[works[index].role].letter;
        root.setAttribute("aria-label", `head ${(index % HEADS) + 1}, ${workText(works[index])}`);
      });
    },
    show: (chosen) => cells.forEach(({ root }, index) => {
      root.setAttribute("aria-selected", String(index === chosen));
      root.setAttribute("tabindex", index === chosen ? 0 : -1);
    }),
  };
}

// One head large: a row for each query, a column for each key.
export function largeMap(tokens, pick) {
  const n = tokens.length;
  const part = 100 / n; // of its height, too, which the style sheet says
  const size = { width: `${part}%`, height: `${part}%` };
  const cells = tokens.flatMap((_, i) => tokens.map((__, j) =>
    svg("rect", { x: `${part * j}%`, y: `${part * i}%`, ...size, class: "ws-weight" })));
  const row = svg("rect", { x: 0, width: "100%", height: `${part}%`, class: "ws-row" });
  const bed = svg("rect", { width: "100%", height: "100%", class: "ws-bed" });
  const plot = svg("svg", { class: "ws-svg", role: "img" }, bed, ...cells, row);
  plot.addEventListener("click", ({ clientY }) => {
    const { top, height } = plot.getBoundingClientRect();
    pick(Math.min(n - 1, Math.floor((n * (clientY - top)) / height)));
  });
  const names = () => tokens.map((token) => html("li", {}, markName(token) ?? token));
  const [keys, queries] = [names(), names()];
  const list = (kind, items) => html("ol", { class: kind, "aria-hidden": "true" }, ...items);
  return {
    root: html("div", { class: "ws-large", style: `--ws-n:${n}` },
      html("span", { class: "ws-note ws-corner-of" }, "who looks"), list("ws-of-keys", keys),
      list("ws-of-queries", queries), plot,
    ),
    name(label, query) {
      plot.setAttribute("aria-label", label);
      row.setAttribute("y", `${part * query}%`);
      queries.forEach((one, i) => one.classList.toggle("ws-chosen-one", i === query));
    },
    draw: (weights) => weights.forEach((w, k) => cells[k].setAttribute("fill-opacity", depth(w).toFixed(3))),
  };
}

// The sentence: one of its words is the query, and each is shaded by the weight that it gets from there.
export function wordRow(tokens, pick) {
  const name = uid();
  const cells = tokens.map((token, i) => {
    const box = html("input", { type: "radio", name, value: i, class: "ws-unseen" });
    const mark = markName(token);
    const [word, part] = [
      html("span", { class: mark ? "ws-word ws-mark-of" : "ws-word" }, mark ?? token),
      html("b", { class: "ws-part" }),
    ];
    box.addEventListener("change", () => pick(i));
    return { root: html("label", { class: "ws-asked" }, box, word, part), box, word, part };
  });
  return {
    root: html(
      "div", { class: "ws-row-of-words", role: "radiogroup", "aria-label": "the word that looks" },
      ...cells.map((one) => one.root),
    ),
    show: (query, row) => cells.forEach(({ root, box, part }, i) => {
      root.classList.toggle("ws-asker", i === query);
      box.checked = i === query;
      part.textContent = percent(row[i]);
      part.classList.toggle("ws-none", row[i] === 0);
    }),
    draw: (row) =>
      cells.forEach(({ word }, i) =>
        word.style.setProperty("--ws-shade", `${(100 * SHADE * depth(row[i])).toFixed(2)}%`),
      ),
  };
}
