// What *side by side* says, and its table of numbers.
import { html } from "./controls.js";
import { percent, scoreText, short } from "./words.js";

// A weight, which at a finite β is never called 0 as long as it is above it.
export const weightText = (w, there) => (there && w < 0.001 ? "<0.1%" : there && w === 1 ? "100%" : percent(w));

const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

export function sideSentence({ tokens, scores, beta, alpha, counts, firsts }) {
  const n = tokens.length;
  const even = scores.every((s) => s === scores[0]);
  if (n === 1) return "A single token has all the weight under all three maps.";
  if (even) return `The scores are equal, so all three maps give each token ${percent(1 / n)} at every β.`;
  if (beta === 0) return `At β = 0 scores do not count: all three maps give each token ${percent(1 / n)}.`;
  if (Math.abs(beta) === Infinity) {
    const sign = Math.sign(beta);
    const best = Math.max(...scores.map((s) => sign * s));
    const first = [...new Set(tokens.filter((_, i) => sign * scores[i] === best).map((word) => `“${word}”`))];
    return `At β = ${short(beta)} all three maps put all the weight on ${list(first)}.`;
  }
  const [soft, ent, sparse] = counts.map((many) => (many === n ? `all ${n}` : many));
  const ofEntmax = alpha === 1 ? "" : `at β = ${short(firsts[1])} under entmax (α = ${short(alpha)}), `;
  return `At β = ${short(beta)} softmax gives weight to ${soft} tokens, entmax to ${ent}, sparsemax to ${sparse}.
Zeros begin ${ofEntmax}at β = ${short(firsts[2])} under sparsemax.`;
}

export function sideTable(tokens, names) {
  const rows = tokens.map((token) => {
    const cells = ["score", ...names].map(() => html("td"));
    return { root: html("tr", {}, html("th", { scope: "row" }, token), ...cells), cells };
  });
  const heads = ["token", "score", ...names].map((text) => html("th", { scope: "col" }, text));
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show: (scores, texts) => rows.forEach(({ cells }, i) => {
      cells[0].textContent = scoreText(scores[i]);
      texts.forEach((row, k) => (cells[k + 1].textContent = row[i]));
    }),
  };
}
