// Controls of *the compromise*: radio buttons, and its table of numbers.
import { field, html, uid } from "./controls.js";
import { percent } from "./words.js";

// One of a few, as radio buttons.
export function choice(label, options, pick) {
  const name = uid();
  const boxes = Object.keys(options).map((value) => html("input", { type: "radio", name, value }));
  const labels = boxes.map((box) =>
    html("label", { class: "ws-tick" }, box, html("span", {}, options[box.value])),
  );
  for (const box of boxes) box.addEventListener("change", () => pick(box.value));
  return {
    root: html("div", { class: "ws-choice", role: "radiogroup", "aria-label": label }, ...labels),
    boxes,
    show: (value) => boxes.forEach((box) => (box.checked = box.value === value)),
  };
}

// The numbers to read and to type: one row per token.
export function shareTable(tokens, setScore, setShare, complain) {
  const cell = (inside) => html("td", {}, inside);
  const rows = tokens.map((token, i) => {
    const number = { type: "number", step: "any" };
    const score = field(`score of ${token}`, number, Number.isFinite, (x) => setScore(i, x), complain);
    const share = { ...number, min: 1, max: 98 };
    const fits = (x) => x >= 1 && x <= 98;
    const null_ = field(`null u of ${token}, in percent`, share, fits, (x) => setShare(i, x / 100), complain);
    const weight = html("td", { class: "ws-number" });
    const root = html("tr", {}, html("th", { scope: "row" }, token), cell(score.input), cell(null_.input), weight);
    return { root, score, null_, weight };
  });
  const heads = ["token", "score s", "null u, in %", "weight π"].map((text) => html("th", { scope: "col" }, text));
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show(scores, u, pi) {
      rows.forEach((row, i) => {
        row.score.show(String(scores[i]));
        row.null_.show(String(Number((100 * u[i]).toFixed(2))));
        row.weight.textContent = percent(pi[i]);
      });
    },
  };
}
