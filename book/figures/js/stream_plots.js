// What *streaming* draws: scores with the running largest, the terms below them, and sliders over whole numbers.
import { html, svg } from "./controls.js";
import { numeral } from "./stream_words.js";
import { fixed, scoreText, short } from "./words.js";

// Heights in CSS pixels.
const SCORE_BAND = { height: 114, top: 20, bottom: 20 };
const TERMS = { height: 80, top: 20 };
const THICK = 0.56; // width of a bar, in columns

export function streamPlots(tokens, scores, values) {
  const n = tokens.length;
  const middle = (i) => `${(100 * (i + 0.5)) / n}%`;
  const at = (i) => ({ x: `${(100 * (i + 0.5 - THICK / 2)) / n}%`, width: `${(100 * THICK) / n}%` });
  const bars = (kind) => tokens.map((_, i) => svg("rect", { ...at(i), class: kind }));
  const texts = (...kinds) =>
    tokens.map((_, i) => svg("text", { x: middle(i), class: ["ws-label", ...kinds].join(" ") }));
  const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
  const [low, high] = [Math.min(0, ...scores), Math.max(0, ...scores)];
  const y = (s) =>
    SCORE_BAND.top + ((high - s) / (high - low || 1)) * (SCORE_BAND.height - SCORE_BAND.top - SCORE_BAND.bottom);
  const [score, scoreLabel, term, termLabel] = [bars("ws-score"), texts(), bars("ws-weight"), texts("ws-accent")];
  scores.forEach((s, i) => {
    score[i].setAttribute("y", Math.min(y(0), y(s)));
    score[i].setAttribute("height", Math.abs(y(0) - y(s)));
    scoreLabel[i].setAttribute("y", s < 0 ? y(s) + 16 : y(s) - 6);
    scoreLabel[i].textContent = scoreText(s);
  });
  const tops = [0, 1].map(() => svg("line", { class: "ws-top" }));
  const splits = [0, 1].map(() => svg("line", { y1: 0, y2: "100%", class: "ws-split" }));
  const scorePlot = svg("svg", { class: "ws-svg", height: SCORE_BAND.height, role: "img" },
    splits[0], ...score, rule(y(0), "ws-zero"), ...tops, ...scoreLabel);
  const termPlot = svg("svg", { class: "ws-svg", height: TERMS.height, role: "img" },
    splits[1], rule(TERMS.top, "ws-all"), ...term, rule(TERMS.height - 0.5, "ws-zero"), ...termLabel);
  const words = tokens.map((token, i) => html("li", {}, token, html("small", {}, `value ${short(values[i])}`)));
  const below = tokens.map((token) => html("li", {}, token));
  const list = (kind, all) =>
    html("ol", { class: `ws-tokens ${kind}`, "aria-hidden": "true", style: `--ws-n:${n}` }, ...all);
  return {
    scorePlot,
    termPlot,
    words: list("ws-keys", words),
    below: list("ws-below", below), // for where the terms stand beside the scores
    name({ parts, merged, terms }, cut) {
      const read = parts.flatMap((part) => part.read);
      tokens.forEach((_, i) => {
        const here = parts.some(({ newest }) => newest === i) && !merged;
        for (const part of [score[i], scoreLabel[i], words[i], below[i]]) {
          part.classList.toggle("ws-unread", !read.includes(i));
        }
        for (const word of [words[i], below[i]]) word.classList.toggle("ws-newest", here);
        termLabel[i].textContent = terms[i] === null ? "" : fixed(terms[i], 2);
      });
      for (const split of splits) {
        for (const end of ["x1", "x2"]) split.setAttribute(end, `${(100 * cut) / n}%`);
        split.classList.toggle("ws-absent", !cut);
      }
      // The largest score is drawn over the keys that it was taken over.
      const shown = merged ? [{ top: merged.top, read: tokens.map((_, i) => i) }] : parts;
      tops.forEach((line, i) => {
        const part = shown[i];
        line.classList.toggle("ws-absent", !part?.read.length);
        if (!part?.read.length) return;
        line.setAttribute("x1", `${(100 * Math.min(...part.read)) / n}%`);
        line.setAttribute("x2", `${(100 * (Math.max(...part.read) + 1)) / n}%`);
        for (const end of ["y1", "y2"]) line.setAttribute(end, y(part.top));
      });
      scorePlot.setAttribute(
        "aria-label", `scores: ${tokens.map((t, i) => `${t} ${scoreText(scores[i])}`).join(", ")}`,
      );
      const said = read.map((i) => `${tokens[i]} ${numeral(terms[i])}`).join(", ");
      termPlot.setAttribute("aria-label", `terms: ${said || "none yet"}`);
    },
    draw(shown) {
      shown.forEach((height, i) => {
        const tall = (TERMS.height - TERMS.top - 1) * height;
        term[i].setAttribute("y", (TERMS.height - 1 - tall).toFixed(3));
        term[i].setAttribute("height", tall.toFixed(3));
        termLabel[i].setAttribute("y", (TERMS.height - 7 - tall).toFixed(3));
      });
    },
  };
}

// A slider over whole numbers from 0, with a mark at each.
export function countSlider({ name, choose }) {
  const range = html("input", { type: "range", class: "ws-range", min: 0, step: 1 });
  range.addEventListener("input", () => choose(Number(range.value)));
  const ticks = html("div", { class: "ws-ticks", "aria-hidden": "true" });
  return {
    root: html("div", { class: "ws-slider" },
      html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, name), range), ticks),
    show(value, marks, spoken) {
      range.max = marks.length - 1;
      range.value = value;
      range.setAttribute("aria-valuetext", spoken);
      const place = (i) => `left:${(100 * i) / (marks.length - 1)}%`;
      ticks.replaceChildren(...marks.map((mark, i) => html("span", { style: place(i) }, mark)));
    },
  };
}
