// The numbers of a sentence of a trained model: for each token its score, and its weight under one rule or more.
import { html } from "./controls.js";
import { callToken, markName } from "./marks.js";
import { fixed, percent } from "./words.js";

export function headTable(n, heads = ["token", "score s", "weight π"]) {
  const rows = Array.from({ length: n }, () => {
    const [name, score] = [html("th", { scope: "row" }), html("td")];
    const weights = heads.slice(2).map(() => html("td", { class: "ws-number" }));
    return { root: html("tr", {}, name, score, ...weights), name, score, weights };
  });
  const titles = heads.map((text) => html("th", { scope: "col" }, text));
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...titles)), html("tbody", {}, ...rows.map((row) => row.root))),
    show: (words, scores, ...columns) => rows.forEach(({ name, score, weights }, i) => {
      name.textContent = markName(words[i]) ? `${words[i]}, ${callToken(words[i])}` : words[i];
      score.textContent = fixed(scores[i], 2);
      columns.forEach((column, k) => (weights[k].textContent = percent(column[i])));
    }),
  };
}
