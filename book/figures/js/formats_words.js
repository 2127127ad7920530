// What *number formats* says, and its table of numbers.
import { html } from "./controls.js";
import { FORMATS } from "./formats_math.js";
import { percent, short } from "./words.js";

// A weight of exactly 0 is not one that is only too small to show.
export const formatWeight = (w) => (Number.isNaN(w) ? "NaN" : w === 0 ? "0" : percent(w));

export const numberText = (x) => (Number.isNaN(x) ? "NaN" : short(x));

export const shiftText = (shift) => `${shift > 0 ? "+" : ""}${short(shift)} points for everybody`;

// How a format fares, against the exact weights.
export function fate({ total, weights }, exact) {
  if (weights.some(Number.isNaN)) return "NaN";
  if (total === Infinity) return "all 0";
  return weights.every((w, i) => Math.abs(w - exact[i]) < 0.01) ? "right" : "wrong";
}

const several = (count) => (count === 1 ? "One exponential is" : `${count} exponentials are`);

const SAID = {
  right: () => "All exponentials have room.\nThe weights are right.",
  "all 0": () =>
    "Each exponential has room, but their sum is ∞.\nA number divided by ∞ is 0, so all weights are 0.",
  NaN({ grown }) {
    const over = grown.filter((e) => e === Infinity).length;
    if (!over) return "All exponentials are 0.\n0/0 is NaN, “not a number”.";
    return `${several(over)} ∞.\n∞/∞ is NaN, “not a number”.`;
  },
  wrong({ grown, weights }, exact, tokens) {
    const best = exact.indexOf(Math.max(...exact));
    const lost = grown.filter((e) => e === 0).length;
    const [has, truth] = [weights, exact].map((all) => percent(all[best]));
    const why = lost ? `${several(lost)} 0.` : "The numbers of this format are coarse.";
    return `${why}\n“${tokens[best]}” has ${has}, where ${truth} would be right. Nothing warns of it.`;
  },
};

export function formatsSentence({ tokens, way, result, exact }) {
  const says = SAID[fate(result, exact)](result, exact, tokens);
  if (way === "plain") return says;
  const best = tokens[exact.indexOf(Math.max(...exact))];
  return `“${best}” stands at 0, wherever the scores are.\n${says.replace("\n", " ")}`;
}

export function formatsTable(tokens) {
  const title = (text) => html("th", { scope: "col" }, text);
  const line = (name) => {
    const cells = FORMATS.map(() => html("td", { class: "ws-number" }));
    return { root: html("tr", {}, html("th", { scope: "row" }, name), ...cells), cells };
  };
  const rows = [...tokens, "sum of e"].map(line);
  return {
    root: html("table", { class: "ws-table" },
      html("caption", {}, "Weights, and the sum that they were divided by, as each format has them"),
      html("thead", {}, html("tr", {}, title("token"), ...FORMATS.map((f) => title(f.name)))),
      html("tbody", {}, ...rows.map((row) => row.root))),
    show(results) {
      rows.forEach((row, i) => row.cells.forEach((cell, j) => {
        const { weights, total } = results[j];
        cell.textContent = numberText(i < weights.length ? weights[i] : total);
      }));
    },
  };
}
