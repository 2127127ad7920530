// The grid of *the mask*: one line for each query, with a drawing, a button over each cell, and what comes out;
// under it what each word's value gets in training.
import { html, svg, uid } from "./controls.js";
import { fateOf, share, WRITTEN } from "./mask_words.js";
import { fixed } from "./words.js";

const FULL = 0.9; // of a cell's width and height, where the weight is 1
const [LAST, MOST] = [50, 73]; // the height of the gradients, and of one that is all there can be
const FEW = 4; // so few lines are taller
const TOLD = 0.5; // from this weight on there is room for it in its area

export function maskGrid(tokens, flip) {
  const n = tokens.length;
  const part = (x) => `${(100 * x) / n}%`;
  const hatch = uid();
  const lines = { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const pattern = svg("defs", {}, svg("pattern", lines, svg("path", { d: "M0 0V6", class: "ws-hatch" })));
  const box = (j, kind) => svg("rect", { x: part(j), width: part(1), y: "1%", height: "98%", class: kind });

  const rows = tokens.map((token, i) => {
    const cells = tokens.map((_, j) => box(j, "ws-room"));
    const masses = tokens.map(() => svg("rect", { class: "ws-weight" }));
    const floods = tokens.map(() => svg("rect", { class: "ws-flood" }));
    const texts = tokens.map((_, j) => svg("text", { x: part(j + 0.5), y: "50%", dy: 5, class: "ws-label" }));
    const own = box(i, "ws-own");
    const buttons = tokens.map((_, j) => {
      const made = html("button", { type: "button", class: "ws-spot", tabindex: -1 });
      made.addEventListener("click", () => flip(i, j));
      return made;
    });
    const plot = svg("svg", { class: "ws-svg", "aria-hidden": "true" },
      ...(i < n - 1 ? [] : [pattern]), ...cells, ...masses, ...floods, own, ...texts);
    const sum = html("span", { class: "ws-value", role: "gridcell" });
    const name = html("span", { class: "ws-name", role: "rowheader" }, token);
    const spots = html("div", { class: "ws-spots", role: "presentation" },
      ...buttons.map((made) => html("div", { role: "gridcell" }, made)));
    const field = html("div", { class: "ws-plot", role: "presentation" }, plot, spots);
    const root = html("div", { class: "ws-line", role: "row" }, name, field, sum);
    return { root, field, cells, masses, floods, texts, buttons, sum };
  });

  // One cell is reached by Tab, the others from there by arrows.
  let here = null;
  const shown = (i, j) => rows[i]?.buttons[j] && !rows[i].root.classList.contains("ws-earlier");
  function reach(i, j) {
    if (here) here.setAttribute("tabindex", -1);
    here = rows[i].buttons[j];
    here.setAttribute("tabindex", 0);
  }
  const STEPS = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -n], End: [0, n],
  };
  rows.forEach((row, i) => row.buttons.forEach((made, j) => {
    made.addEventListener("focus", () => reach(i, j));
    made.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const to = [i + step[0], Math.min(n - 1, Math.max(0, j + step[1]))];
      if (shown(...to)) rows[to[0]].buttons[to[1]].focus();
    });
  }));

  // The gradients: a bar for each word, as long as all rows together would have.
  const grounds = tokens.map((_, j) => svg("rect", { x: part(j + 0.3), width: part(0.4), class: "ws-gradient" }));
  const spoilt = tokens.map(() => svg("rect", { class: "ws-flood" }));
  const note = (j) => svg("text", { x: part(j + 0.5), y: LAST / 2 + 5, class: "ws-label ws-of-nan" });
  const notes = tokens.map((_, j) => note(j));
  const below = svg("svg", { class: "ws-svg", height: LAST, role: "img" },
    svg("line", { x1: 0, x2: "100%", y1: LAST - 0.5, y2: LAST - 0.5, class: "ws-zero" }),
    ...grounds, ...spoilt, ...notes);

  const heads = tokens.map((token) => html("span", { title: token, role: "columnheader" }, token));
  const output = html("span", { class: "ws-sum ws-note", role: "columnheader" }, "output");
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "hide me too");
  const cover = (rect, j, side) => {
    rect.setAttribute("x", part(j + 0.5 - side / 2));
    rect.setAttribute("width", part(side));
    rect.setAttribute("y", part((n * (1 - side)) / 2));
    rect.setAttribute("height", part(n * side));
  };
  let lost = { rows: [], keys: [] }; // where there is NaN
  const root = html("div", { class: "ws-grid", role: "grid", "aria-label": "who may see whom" },
    html("div", { class: "ws-line ws-heads-of-keys", role: "row" },
      html("span", { class: "ws-name ws-note", role: "columnheader" }, "query"),
      html("div", { class: "ws-tokens", role: "presentation" }, ...heads),
      output),
    ...rows.map((row) => row.root));
  return {
    root,
    gradients: html("div", { class: "ws-line ws-gradients" },
      html("span", { class: "ws-name ws-note" }, "gradient"), html("div", { class: "ws-plot" }, below)),
    // What is written and what can be pressed; weights are drawn below, since they move. `next` is the row and the
    // key of a cell to press, or null.
    show({ open, weights, gains, way, next }) {
      const first = n - open.length;
      root.classList.toggle("ws-few", open.length <= FEW);
      rows.forEach((row, i) => {
        const asks = i >= first;
        row.root.classList.toggle("ws-earlier", !asks);
        const fate = asks ? fateOf(weights[i - first], open[i - first]) : "";
        row.sum.textContent = fate;
        row.sum.dataset.fate = fate;
        row.buttons.forEach((made, j) => {
          const free = asks && open[i - first][j];
          row.cells[j].setAttribute("style", asks && !free ? `fill:url(#${hatch})` : "fill:none");
          const w = asks ? weights[i - first][j] : 0;
          const none = Number.isNaN(w);
          const told = none || w >= TOLD;
          row.texts[j].textContent = told ? share(w) : asks && !free && !(w > 0) ? WRITTEN[way] : "";
          row.texts[j].classList.toggle("ws-of-nan", told);
          made.disabled = !asks;
          made.classList.toggle("ws-meant", next?.[0] === i && next[1] === j);
          made.setAttribute("aria-pressed", String(Boolean(free)));
          const said = `${tokens[i]} sees ${tokens[j]} (key ${j})`;
          made.setAttribute("aria-label", `${said}, weight ${share(w)}`);
          made.setAttribute("title", `${tokens[i]} → ${tokens[j]}: ${free ? "" : "forbidden, "}${share(w)}`);
        });
      });
      // Only what is not fine is worth a word.
      output.classList.toggle("ws-spared", rows.every((row) => ["", "fine"].includes(row.sum.dataset.fate)));
      gains.forEach((gain, j) => (notes[j].textContent = Number.isNaN(gain) ? "NaN" : ""));
      const told = gains.map((gain, j) => `${tokens[j]} ${Number.isNaN(gain) ? "NaN" : fixed(gain, 2)}`);
      below.setAttribute("aria-label", `gradient of each value: ${told.join(", ")}`);
      const nowhere = tokens.map(() => false);
      lost = {
        rows: rows.map((_, i) => (i < first ? nowhere : weights[i - first].map(Number.isNaN))),
        keys: gains.map(Number.isNaN),
      };
      badge.remove();
      if (next) {
        const before = next[1] > n / 2; // under the cell, and where there is room
        badge.style.left = part(next[1] + (before ? 1 : 0));
        badge.classList.toggle("ws-before", before);
        rows[next[0]].field.append(badge);
      }
      if (!here || here.disabled) reach(first, 0);
    },
    // Sides of the filled areas, as parts of a cell, row by row for all tokens, and the gradients, of 1.
    draw(sides, gains) {
      rows.forEach((row, i) => row.masses.forEach((mass, j) => cover(mass, j, FULL * sides[i * n + j])));
      gains.forEach((gain, j) => {
        grounds[j].setAttribute("y", LAST - 1 - MOST * gain);
        grounds[j].setAttribute("height", MOST * gain);
      });
    },
    // NaN floods its row in the first half of the time, from left to right, and the gradients in the second.
    flood(time) {
      const grown = (from) => Math.min(1, Math.max(0, 4 * (time - from)));
      const late = (j) => (0.25 * j) / n;
      rows.forEach((row, i) => row.floods.forEach((rect, j) =>
        cover(rect, j, lost.rows[i]?.[j] ? grown(late(j)) : 0)));
      spoilt.forEach((rect, j) => cover(rect, j, lost.keys[j] ? grown(0.5 + late(j)) : 0));
    },
  };
}
