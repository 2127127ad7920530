// The budget ε on a linear track from 0, which is dotted where the budget no longer binds.
import { field, html } from "./controls.js";
import { fixed, short, steady } from "./words.js";

const STEPS = 200;

export function budgetSlider(choose, complain) {
  const range = html("input", { type: "range", class: "ws-range", min: 0 });
  const value = html("span", { class: "ws-value" });
  const price = html("span", { class: "ws-aside" });
  const marks = [0, 0.25, 0.5, 0.75, 1].map((at) => html("span", { style: `left:${100 * at}%`, "data-at": at }));
  const end = html("span", {});
  const root = html("div", { class: "ws-beta ws-budget" },
    html("div", { class: "ws-head" }, value, html("span", { class: "ws-note" }, "budget of divergence"), price),
    html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "budget ε"), range),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...marks),
    html("div", { class: "ws-ends", "aria-hidden": "true" }, html("span", {}, "0: only the null"), end));
  let held = false;
  range.addEventListener("pointerdown", () => (held = true));
  for (const end of ["pointerup", "pointercancel", "change", "blur"]) {
    range.addEventListener(end, () => (held = false));
  }
  range.addEventListener("input", () => choose(Number(range.value), held));
  const typed = field(
    "ε", { type: "text", spellcheck: "false" }, (x) => x >= 0, (x) => choose(x, false), complain,
  );
  return {
    root,
    typed: html("label", { class: "ws-typed" }, html("span", {}, "ε"), typed.input),
    show({ epsilon, beta, limit, unit, least }) {
      const top = Math.max(least, (Math.ceil((2 * limit) / least) * least) / 2);
      range.max = top;
      range.step = top / STEPS;
      range.value = Math.min(epsilon, top);
      const said = `ε = ${steady(epsilon)}${unit && ` ${unit}`}`;
      range.setAttribute(
        "aria-valuetext", `${said.replace("∞", "infinity")}, β = ${short(beta).replace("∞", "infinity")}`,
      );
      root.style.setProperty("--ws-binds", limit / top);
      value.textContent = said;
      const cost = beta === 0 ? "∞" : steady(beta === Infinity ? 0 : 1 / beta);
      price.textContent = `β = ${steady(beta)}, price 1/β = ${cost}`;
      for (const mark of marks) mark.textContent = short(mark.dataset.at * top);
      end.textContent = `from ${fixed(limit, 2)} on it no longer binds`;
      typed.show(short(epsilon));
    },
  };
}
