// The grid of *the mask*: one line for each query, with a drawing, a button over each
// cell, and the sum of the row.
import { html, svg, uid } from "./controls.js";
import { share, sumOf } from "./mask_words.js";

// Heights of a line, in CSS pixels: of a query, and of a token that asks nothing.
const HEIGHT = 44;
const LOW = 22;
const FULL = 0.9; // of a cell's width and height, where the weight is 1

export function maskGrid(tokens, flip) {
  const n = tokens.length;
  const part = (x) => `${(100 * x) / n}%`;
  const hatch = uid();
  const lines = { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const pattern = svg("defs", {}, svg("pattern", lines, svg("path", { d: "M0 0V6", class: "ws-hatch" })));
  const box = (j, kind) => svg("rect", { x: part(j), width: part(1), y: 0.5, height: HEIGHT - 1, class: kind });

  const rows = tokens.map((token, i) => {
    const cells = tokens.map((_, j) => box(j, "ws-room"));
    const masses = tokens.map(() => svg("rect", { class: "ws-weight" }));
    const texts = tokens.map((_, j) => svg("text", { x: part(j + 0.5), y: HEIGHT / 2 + 5, class: "ws-label" }));
    const own = box(i, "ws-own");
    const buttons = tokens.map((_, j) => {
      const made = html("button", { type: "button", class: "ws-spot", tabindex: -1 });
      made.addEventListener("click", () => flip(i, j));
      return made;
    });
    const plot = svg("svg", { class: "ws-svg", height: HEIGHT, "aria-hidden": "true" },
      ...(i ? [] : [pattern]), ...cells, ...masses, own, ...texts);
    const sum = html("span", { class: "ws-value", role: "gridcell" });
    const name = html("span", { class: "ws-name", role: "rowheader" }, token);
    const root = html("div", { class: "ws-line", role: "row" }, name,
      html(
        "div", { class: "ws-plot", role: "presentation" }, plot,
        html(
          "div", { class: "ws-spots", role: "presentation" },
        ...buttons.map((made) => html("div", { role: "gridcell" }, made)))), sum);
    return { root, plot, cells, masses, texts, own, buttons, sum };
  });

  // One cell is reached by Tab, the others from there by arrows.
  let here = null;
  const shown = (i, j) => rows[i]?.buttons[j] && !rows[i].root.classList.contains("ws-cached");
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

  const heads = tokens.map((token) => html("span", { title: token, role: "columnheader" }, token));
  return {
    root: html("div", { class: "ws-grid", role: "grid", "aria-label": "who may see whom" },
      html("div", { class: "ws-line ws-heads-of-keys", role: "row" },
        html("span", { class: "ws-name ws-note", role: "columnheader" }, "query"),
        html("div", { class: "ws-tokens", role: "presentation" }, ...heads),
        html("span", { class: "ws-sum ws-note", role: "columnheader" }, "sum")),
      ...rows.map((row) => row.root)),
    // What is written and what can be pressed; weights are drawn below, since they move.
    show(open, weights) {
      const first = n - open.length;
      rows.forEach((row, i) => {
        const asks = i >= first;
        row.root.classList.toggle("ws-cached", !asks);
        const height = asks ? HEIGHT : LOW;
        row.plot.setAttribute("height", height);
        for (const cell of row.cells) cell.setAttribute("height", height - 1);
        row.sum.textContent = asks ? `${sumOf(weights[i - first])}` : "earlier";
        row.own.setAttribute("class", asks ? "ws-own" : "ws-own ws-away");
        row.buttons.forEach((made, j) => {
          const free = asks && open[i - first][j];
          row.cells[j].setAttribute("style", asks && !free ? `fill:url(#${hatch})` : "fill:none");
          const w = asks ? weights[i - first][j] : 0;
          row.texts[j].textContent = Number.isNaN(w) ? "NaN" : "";
          made.disabled = !asks;
          made.setAttribute("aria-pressed", String(Boolean(free)));
          const said = `${tokens[i]} sees ${tokens[j]} (key ${j})`;
          made.setAttribute("aria-label", `${said}, weight ${share(w)}`);
          made.setAttribute("title", `${tokens[i]} → ${tokens[j]}: ${free ? "" : "forbidden, "}${share(w)}`);
        });
      });
      if (!here || here.disabled) reach(first, 0);
    },
    // Sides of the filled areas, as parts of a cell, row by row for all tokens.
    draw(sides) {
      rows.forEach((row, i) => row.masses.forEach((mass, j) => {
        const side = FULL * sides[i * n + j];
        mass.setAttribute("x", part(j + 0.5 - side / 2));
        mass.setAttribute("width", part(side));
        mass.setAttribute("y", (HEIGHT * (1 - side)) / 2);
        mass.setAttribute("height", HEIGHT * side);
      }));
    },
  };
}
