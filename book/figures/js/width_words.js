// What *the width* says, and its table of numbers.
import { html } from "./controls.js";
import { softmax } from "./math.js";
import { percent, steady } from "./words.js";

export const SCALES = { divided: "divided by √d", undivided: "not divided" };

// The widths for which there are numbers: powers of two, and three times such powers.
export const isWidth = (d) => d >= 4 && d <= 512 && [d, d / 3].some((x) => Number.isInteger(Math.log2(x)));

const two = (x) => String(Number(x.toPrecision(2)));

// `plain`, it says nothing of the pulls.
export function widthSentence({ d, scale, spread, largest, pulls }, plain = false) {
  const other = scale === "divided" ? "undivided" : "divided";
  const times = pulls[other] / pulls[scale];
  const compared = times >= 1 ? `${two(times)} times as large` : `${two(1 / times)} times smaller`;
  const changed = scale === "divided" ? "Without" : "With";
  const seen = `At d = ${d}, ${SCALES[scale]}, scores are spread by ${steady(spread)} points; \
here the best of 16 keys has \
${percent(largest)} of the weight.`;
  if (plain) return seen;
  return `${seen}\n\
The largest possible pull has the median ${steady(pulls[scale])}. ${changed} the division it is ${compared}.`;
}

// One row for each width, and each number twice: divided and not.
export function widthTable(rows) {
  const title = (text, attributes = {}) => html("th", { scope: "col", ...attributes }, text);
  const kinds = Object.keys(SCALES);
  const both = (of) => kinds.map((scale) => html("td", {}, of(rows[scale])));
  const lines = rows.widths.map((d, i) =>
    html("tr", {}, html("th", { scope: "row" }, String(d)),
      ...both(({ spread }) => steady(spread[i])),
      ...both(({ scores }) => percent(softmax(scores[i])[0])),
      ...both(({ pull }) => steady(pull[i]))));
  const groups = ["spread", "largest weight", "largest pull"];
  return html("table", { class: "ws-table" },
    html("caption", {}, "the query in the middle, scores divided by √d (÷) and not"),
    html("thead", {},
      html(
        "tr", {}, title("width d", { rowspan: 2 }),
        ...groups.map((text) => title(text, { colspan: 2, scope: "colgroup" })),
      ),
      html("tr", {}, ...groups.flatMap(() => [title("÷"), title("not")]))),
    html("tbody", {}, ...lines));
}
