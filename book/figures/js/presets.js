// Values of β to go to at once: a row of buttons, with a bar under the one where β is.
import { button, html } from "./controls.js";

export function presetRow(presets, choose) {
  const buttons = presets.map(([label, beta]) => button(label, () => choose(beta, false)));
  const lead = html("span", { class: "ws-note", "aria-hidden": "true" }, "β at");
  return {
    root: html("div", { class: "ws-presets", role: "group", "aria-label": "β at" }, lead, ...buttons),
    show: (beta) => presets.forEach(([, at], i) => buttons[i].setAttribute("aria-pressed", String(at === beta))),
  };
}
