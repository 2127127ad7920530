// What *the cost* says, and its table of numbers.
import { html } from "./controls.js";
import { WAYS } from "./cost_math.js";
import { grouped, short } from "./words.js";

export const ASKS = { all: "all tokens ask", one: "one new token asks" };
export const COST_KINDS = ["products", "bytes moved", "bytes held"];

const threeDigits = (x) => String(Number(x.toPrecision(3)));

// In steps of a thousand, to three digits: 2.15 billion, 138 MB.
const inThousands = (names) => (x) => {
  const step = Math.min(names.length - 1, Math.floor(Math.log10(Number(x.toPrecision(3))) / 3));
  return `${threeDigits(x / 1000 ** step)} ${names[step]}`.trim();
};
export const productText = inThousands(["", "thousand", "million", "billion", "trillion"]);
export const bytesText = inThousands(["bytes", "kB", "MB", "GB", "TB"]);
export const costText = (x, kind) => (kind ? bytesText(x) : productText(x));

export const countText = (n) => grouped(n);

const perByte = ([products, moved]) => {
  const rounded = Number((products / moved).toPrecision(3));
  return rounded < 10_000 ? String(rounded) : countText(rounded);
};

export function costSentence({ n, d, asks }, all) {
  const [stored, fused] = all;
  const who = asks === "all" ? `${countText(n)} tokens ask` : `1 token asks ${countText(n)}`;
  return `${who}, d = ${d}: ${bytesText(stored[2])} held with scores stored, ${bytesText(fused[2])} fused.
Fused: ${perByte(fused)} products for each byte moved.`;
}

export function costTable() {
  const title = (text, scope) => html("th", { scope }, text);
  const heads = ["way", ...COST_KINDS, "products for each byte moved"];
  const rows = WAYS.map(() => [0, 1, 2, 3].map(() => html("td")));
  return {
    root: html("table", { class: "ws-table" },
      html(
        "thead", {},
        html("tr", {}, ...heads.map((text) => title(text, "col"))),
      ),
      html("tbody", {}, ...WAYS.map((way, i) => html("tr", {}, title(way, "row"), ...rows[i])))),
    show(all) {
      all.forEach((one, i) => {
        [...one.map(short), perByte(one)].forEach((text, j) => (rows[i][j].textContent = text));
      });
    },
  };
}
