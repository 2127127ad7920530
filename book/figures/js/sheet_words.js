// What *the sheet* says, and its table of numbers.
import { bytesText, countText, productText } from "./cost_words.js";
import { html } from "./controls.js";

export const FACTS = ["words", "memory", "multiplications"];

export const facts = ({ n, held, products }) => [countText(n), bytesText(held), productText(products)];

export function sheetSentence({ n, way, stored, fused, lists }) {
  const count = countText(n);
  if (way === "stored") {
    return `Each sheet has ${count} × ${count} numbers. The lists, the line at the left, fill ${bytesText(lists)}.
Twice the text: four times the sheets, twice the lists.`;
  }
  return `A small block (drawn too large) at a time: ${bytesText(fused)}, in place of ${bytesText(stored)}.
It still comes to every pair: as many multiplications, and the same outputs.`;
}

// The same for some texts, of which each is twice as long as the last.
export function sheetTable(rows) {
  const cells = (one) => one.map((text) => html("td", {}, text));
  const line = ([n, ...more]) => html("tr", {}, html("th", { scope: "row" }, countText(n)), ...cells(more));
  const heads = ["words", "sheets written", "never written", "multiplications"];
  return html("table", { class: "ws-table" },
    html("caption", {}, "memory with the sheets written down and without, and multiplications, of one head"),
    html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, head)))),
    html("tbody", {}, ...rows.map(([n, stored, fused, products]) =>
      line([n, bytesText(stored), bytesText(fused), productText(products)]))));
}
