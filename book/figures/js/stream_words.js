// What *streaming* says, and its table of numbers.
import { html } from "./controls.js";
import { lastStep } from "./stream_math.js";
import { fixed, short } from "./words.js";

const NAMES = ["first part", "second part"];
const quoted = (token) => `“${token}”`;
export const numeral = (x) => (Number.isFinite(x) ? fixed(x, 3) : short(x));

// What one key did to its part.
function reading({ before, top, newest, factors }, tokens, name) {
  const who = `${name}${quoted(tokens[newest])}`;
  if (before.sum === 0) return `${who}: the first largest score, ${short(top)}.`;
  if (top > before.top) {
    return `${who}: a new largest score, ${short(top)}, so the old sum is multiplied by ${numeral(factors[0])}.`;
  }
  return `${who}: the largest score stays ${short(top)}, and ${numeral(factors[1])} is added to the sum.`;
}

export function streamSentence({ at, parts, merged }, { tokens, cut }) {
  if (at === 0) return "Nothing has been read yet: the largest score is −∞, the sum 0.";
  if (merged) {
    const smaller = merged.factors[0] < 1 ? 0 : 1;
    const even = merged.factors[0] === merged.factors[1];
    const how = even ? "Both parts have the same largest score, and their sums are added."
      : `The ${NAMES[smaller]} has the lower largest score, \
so its sum is multiplied by ${numeral(merged.factors[smaller])}.`;
    return `Merged: ${how}\n\
Sum ${numeral(merged.sum)}, output ${numeral(merged.output)}, as for all keys at once.`;
  }
  const news = parts.map((part, i) =>
    part.newest === null ? "" : reading(part, tokens, cut ? `${NAMES[i]}, ` : ""),
  );
  if (!cut && at === lastStep(tokens.length, 0)) news.push("Each term over the sum is now the weight of softmax.");
  return news.filter(Boolean).map((text) => text[0].toUpperCase() + text.slice(1)).join("\n");
}

export function streamTable() {
  const title = (text, scope) => html("th", { scope }, text);
  const rows = [0, 1, 2].map(() => {
    const name = title("", "row");
    const cells = Array.from({ length: 4 }, () => html("td"));
    return { root: html("tr", {}, name, ...cells), name, cells };
  });
  const heads = ["part", "keys read", "largest a", "sum b", "output o"].map((text) => title(text, "col"));
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show({ parts, merged }, n, cut) {
      const found = cut ? [...parts, merged] : parts;
      rows.forEach(({ root, name, cells }, i) => {
        const part = found[i];
        root.classList.toggle("ws-absent", i >= found.length);
        name.textContent = cut || i ? [...NAMES, "merged"][i] : "all keys";
        const read = part ? String(part.read ? part.read.length : n) : "–";
        const empty = !part || part.sum === 0;
        const texts = [
          read, part ? short(part.top) : "–", part ? numeral(part.sum) : "–", empty ? "–" : numeral(part.output),
        ];
        cells.forEach((cell, j) => (cell.textContent = texts[j]));
      });
    },
  };
}
