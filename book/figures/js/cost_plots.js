// What *the cost* draws: for products, bytes moved and bytes held a dot for each way on a logarithmic scale.
import { html, svg } from "./controls.js";
import { WAYS } from "./cost_math.js";
import { costText, COST_KINDS } from "./cost_words.js";

const ROW = 18; // CSS pixels
const ABOVE_ROWS = 20; // for the names of the scale
const [LOW, HIGH] = [2, 15]; // the scale of each panel, in powers of ten
const MARKS = [[3, "10³", "kB"], [6, "10⁶", "MB"], [9, "10⁹", "GB"], [12, "10¹²", "TB"]];

const share = (power) => `${((100 * (power - LOW)) / (HIGH - LOW)).toFixed(3)}%`;
const middle = (i) => ABOVE_ROWS + ROW * (i + 0.5);

export function costPanel(kind) {
  const height = ABOVE_ROWS + ROW * WAYS.length;
  const marks = MARKS.flatMap(([power, ...names]) => [
    svg("line", { class: "ws-all", x1: share(power), x2: share(power), y1: ABOVE_ROWS - 3, y2: height }),
    svg("text", { class: "ws-label ws-level", x: share(power), y: ABOVE_ROWS - 7 }, names[kind ? 1 : 0]),
  ]);
  const stems = WAYS.map((_, i) => svg("line", { class: "ws-stem", x1: 0, y1: middle(i), y2: middle(i) }));
  const dots = WAYS.map((_, i) => svg("circle", { class: "ws-dot", r: 4.5, cy: middle(i) }));
  const plot = svg("svg", { class: "ws-svg", height, role: "img" }, ...marks, ...stems, ...dots);
  const values = WAYS.map(() => html("li"));
  const list = (head, items) =>
    html("ul", { "aria-hidden": "true" }, html("li", { class: "ws-axis" }, head), ...items);
  return {
    root: html("div", { class: "ws-costs" },
      list(COST_KINDS[kind], WAYS.map((way) => html("li", {}, way))), plot, list("", values)),
    name(all, squared) {
      const texts = all.map((one) => costText(one[kind], kind));
      texts.forEach((text, i) => (values[i].textContent = text));
      dots.forEach((dot, i) => dot.classList.toggle("ws-square", squared[i][kind]));
      const said = WAYS.map((way, i) => `${way} ${texts[i]}`).join("; ");
      plot.setAttribute("aria-label", `${COST_KINDS[kind]}: ${said}`);
    },
    draw: (powers) => powers.forEach((power, i) => {
      dots[i].setAttribute("cx", share(power));
      stems[i].setAttribute("x2", share(power));
    }),
  };
}

// A slider over powers of two, each as far from the next; some have their names under it.
export function powerSlider({ name, symbol, values, marks, choose }) {
  const value = html("span", { class: "ws-value" });
  const place = (x) => values.indexOf(x);
  const range = html("input", { type: "range", class: "ws-range", min: 0, max: values.length - 1, step: 1 });
  range.addEventListener("input", () => choose(values[Number(range.value)]));
  const tick = ([x, text]) => html("span", { style: `left:${(100 * place(x)) / (values.length - 1)}%` }, text);
  return {
    root: html("div", { class: "ws-slider ws-power" }, value,
      html("div", {},
        html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, name), range),
        html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...marks.map(tick)))),
    show(x, text) {
      range.value = place(x);
      range.setAttribute("aria-valuetext", `${symbol} = ${text}`);
      value.replaceChildren(html("i", {}, symbol), ` = ${text}`);
    },
  };
}
