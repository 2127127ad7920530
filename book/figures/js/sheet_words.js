// What *the sheet* says, and its table of numbers.
import { bytesText, countText, productText } from "./cost_words.js";
import { html } from "./controls.js";

export function sheetSentence({ n, d, way, stored, fused, products, lists }) {
  const count = countText(n);
  if (way === "stored") {
    return `Two tables of ${count} × ${count} numbers. The lists, the line at the left, fill ${bytesText(lists)}.
Twice the text: four times the tables, twice the lists.`;
  }
  return `${bytesText(fused)} in place of ${bytesText(stored)}: nearly all are the lists of ${d} numbers.
A small block still comes to every pair: ${productText(products)} multiplications, as before.`;
}

// The same for some texts, of which each is twice as long as the last.
export function sheetTable(rows) {
  const cells = (one) => one.map((text) => html("td", {}, text));
  const line = ([n, ...more]) => html("tr", {}, html("th", { scope: "row" }, countText(n)), ...cells(more));
  const heads = ["words", "tables stored", "never stored", "multiplications"];
  return html("table", { class: "ws-table" },
    html("caption", {}, "memory with the tables stored and without, and multiplications, of one head"),
    html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, head)))),
    html("tbody", {}, ...rows.map(([n, stored, fused, products]) =>
      line([n, bytesText(stored), bytesText(fused), productText(products)]))));
}
