// The numbers of *one price, one rule*, behind More: the price as a formula, and the weights without and with the
// newcomer.
import { html } from "./controls.js";
import { ratioOf, weightsOf } from "./one_price_math.js";
import { fixed, percent, scoreText } from "./words.js";

const ENDS = "at α = 1 that is x log x, at α = 2 it is ½x² − ½x, and the ½x add up to ½ for any weights.";
const TURNS = "From 1.66 on “it” gets nothing, with the newcomer from 1.59 on.";

export function priceTable({ tokens, scores }) {
  const head = (text) => html("th", { scope: "col" }, text);
  const newcomer = tokens.at(-1);
  const rows = [...tokens, `${tokens[0]} over ${tokens[1]}`].map((name, i) => {
    const cells = [0, 1].map(() => html("td", { class: "ws-number" }));
    const score = html("td", {}, i < tokens.length ? scoreText(scores[i]) : "");
    return { cells, root: html("tr", {}, html("th", { scope: "row" }, name), score, ...cells) };
  });
  const alpha = html("b", {});
  const formula = html("p", { class: "ws-text" },
    alpha, ". A weight x costs (x", html("sup", {}, "α"), ` − x) / (α(α − 1)): ${ENDS} ${TURNS}`);
  const heads = ["word", "score", `without “${newcomer}”`, `with “${newcomer}”`].map(head);
  return {
    root: html("div", {}, formula,
      html("table", { class: "ws-table" },
        html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map(({ root }) => root)))),
    show(price) {
      alpha.textContent = `α = ${fixed(price, 2)}`;
      [false, true].forEach((joins, k) => {
        const weights = weightsOf({ scores }, price, joins);
        const texts = tokens.map((_, i) => (i in weights ? percent(weights[i]) : "–"));
        [...texts, fixed(ratioOf(weights), 2)].forEach((text, i) => (rows[i].cells[k].textContent = text));
      });
    },
  };
}
