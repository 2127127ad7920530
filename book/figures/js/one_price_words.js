// What *one price, one rule* says.
import { fixed, percent } from "./words.js";

export const [FIRST, LAST] = ["x log x", "½x²"];

export const SLIDE = "Slide the price: which one keeps the ratio?";
const LAST_WORD = "Only at this price does a newcomer change no ratio. Both roads end in softmax.";

const large = (text) => text[0].toUpperCase() + text.slice(1);
const isEnd = (price) => price === 1 || price === 2;
const priceText = (price) =>
  price === 1 ? FIRST : price === 2 ? LAST : price === 1.5 ? "half way" : `between ${FIRST} and ${LAST}`;
export const spokenPrice = (price) => `${priceText(price)}, α = ${fixed(price, 2)}`;

export const timesText = (ratio) => `${fixed(ratio, 2)}×`;

// How far the newcomer bends the ratio.
export const bentText = (bend) => (Math.abs(bend - 1) < 1e-9 ? "the same" : `bent by ${percent(bend - 1)}`);

// `now` and `was` are the ratio as it is, and without the newcomer; `met` is whether the roads have met.
export function priceSentence({ tokens, price, joins, met, now, was, weights }) {
  if (met && joins && price === 1) return LAST_WORD;
  const [first, second] = tokens.map((word) => `“${word}”`);
  const newcomer = `“${tokens.at(-1)}”`;
  const gone = tokens.filter((_, i) => weights[i] === 0).map((word) => `“${large(word)}” gets nothing.`);
  const text = priceText(price);
  const at = isEnd(price) ? `The price is ${text}` : large(text);
  const gets = `${first} gets ${fixed(now, 2)} times the weight of ${second}`;
  const told = !joins ? `${at}: ${gets}.`
    : price === 1 ? `${at}: with ${newcomer} and without, ${gets}.`
    : `${at}: ${newcomer} bends the ratio from ${fixed(was, 2)} to ${fixed(now, 2)}.`;
  return [told, ...gone].join(" ");
}
