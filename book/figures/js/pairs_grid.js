// All heads of *pairs* as numbers: for how many pairs each is right in both sentences.
import { html } from "./controls.js";
import { EVERY_HEAD } from "./pairs_math.js";

const IN_LAYER = 12;

// The whole is one grid for the keyboard; `open(index)` is called with the head, counted through all layers.
export function countsGrid(open) {
  const cells = Array.from({ length: EVERY_HEAD }, (_, index) => {
    const root = html("div", { class: "ws-tally", role: "gridcell", tabindex: -1 });
    root.addEventListener("click", () => open(index));
    root.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -IN_LAYER, ArrowDown: IN_LAYER }[event.key];
      if (!step) return;
      event.preventDefault();
      const to = index + step;
      const leaves = Math.abs(step) === 1 && Math.floor(to / IN_LAYER) !== Math.floor(index / IN_LAYER);
      if (!cells[to] || leaves) return;
      open(to);
      cells[to].focus();
    });
    return root;
  });
  const rows = Array.from({ length: EVERY_HEAD / IN_LAYER }, (_, layer) =>
    html("div", { class: "ws-tallies", role: "row" },
      html("span", { class: "ws-tally-of", role: "rowheader", "aria-label": `layer ${layer + 1}` }, layer + 1),
      ...cells.slice(layer * IN_LAYER, (layer + 1) * IN_LAYER)));
  return {
    root: html("div", { class: "ws-tally-grid", role: "grid", "aria-label": "all heads, a row for each layer" },
      ...rows),
    // The counts, or null while they are covered; what is more than `coin` stands out.
    show(chosen, counts, coin) {
      cells.forEach((cell, index) => {
        const count = counts?.[index];
        cell.textContent = counts ? count || "·" : "";
        cell.classList.toggle("ws-some", Boolean(count));
        cell.classList.toggle("ws-above", count > coin);
        cell.setAttribute("aria-selected", String(index === chosen));
        cell.setAttribute("tabindex", index === chosen ? 0 : -1);
        const says = counts ? `, right in both: ${count}` : "";
        cell.setAttribute("aria-label", `head ${(index % IN_LAYER) + 1}${says}`);
      });
    },
  };
}
