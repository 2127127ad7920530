// What *two sentences* draws: the scores as bars, of which those of the first sentence stand on a step that can be
// lifted; and all the weight as an area, cut into sentences, and each of these into words.
import { html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { rule } from "./map_panel.js";
import { setBar } from "./score_row.js";
import { sentencesOf } from "./two_sentences_math.js";
import { scoreText } from "./words.js";

export const MOST = 1; // points for the first sentence
const STEPS = { top: 26, point: 120, most: 1.5 }; // CSS pixels: over the axis, of a point; and the points on it
const HIGH = STEPS.top + STEPS.point * STEPS.most;
// In percent of the width: where a sentence begins, how wide it is, and how wide a word.
const GROUP = { left: [28, 67], wide: 33, word: 14 };
const KNOB = 10.5; // its middle
const BADGE = 30; // how far over the head of the knob’s way
const TOO_NARROW = 0.09; // a sentence with less weight has no ratio over it
const LEGIBLE = { wide: 0.36, tall: 14 }; // a word is named in a tile that is at least so wide, and so many % tall

const yOf = (s) => HIGH - 0.5 - STEPS.point * s;
const pct = (x) => `${x}%`;

// The scores: two bars in each of two sentences. `move` is what a grip takes.
export function scoreSteps(words, move) {
  const places = GROUP.left.flatMap((left) => [left, left + GROUP.wide - GROUP.word]);
  const bars = places.map((x) => svg("rect", { x: pct(x), width: pct(GROUP.word), class: "ws-score" }));
  const labels = places.map((x) => svg("text", { x: pct(x + GROUP.word / 2), class: "ws-label" }));
  const step = svg("rect", { x: pct(GROUP.left[0] - 1), width: pct(GROUP.wide + 2), class: "ws-step" });
  const spines = GROUP.left.map((left, j) => { // that of the first begins at its knob
    const from = j ? left - 1 : KNOB;
    return svg("rect", { x: pct(from), width: pct(left + GROUP.wide + 1 - from), height: 3, class: "ws-spine" });
  });
  const knob = grip({
    name: "points for the first sentence", left: 0, width: 2 * KNOB, unit: () => STEPS.point, ...move,
  });
  const badge = html(
    "span", { class: "ws-call", style: `top:${yOf(MOST) - BADGE}px`, "aria-hidden": "true" }, "pull up");
  const way = html("i", { class: "ws-way", style: `top:${yOf(MOST)}px;height:${STEPS.point * MOST}px` });
  const plot = svg("svg", { class: "ws-svg", height: HIGH, "aria-hidden": "true" },
    rule(yOf(0), "ws-zero"), step, ...bars, ...spines, ...labels);
  const name = (kind, left, wide, text) =>
    html("span", { class: kind, style: `left:${left}%;width:${wide}%` }, text);
  const names = places.map((x, i) => name("ws-word-of", x - 4, GROUP.word + 8, words[i % 2]));
  const groups = GROUP.left.map((left, j) => name("ws-group-of", left, GROUP.wide, ["first", "second"][j]));
  return {
    root: html("div", { class: "ws-steps" },
      html("div", { class: "ws-plot" }, plot, html("div", { class: "ws-grips" }, way, knob.root), badge),
      html("div", { class: "ws-under", "aria-hidden": "true" }, ...names, ...groups)),
    show(lead, asked) {
      knob.show(`${scoreText(lead)} points`);
      badge.hidden = !asked;
      knob.root.firstChild.classList.toggle("ws-meant", asked);
    },
    // The scores of both words in the first sentence, then in the second.
    draw(lead, scores) {
      scores.forEach((s, i) => {
        const foot = i < 2 ? lead : 0;
        setBar(bars[i], yOf(foot), yOf(s));
        labels[i].setAttribute("y", yOf(s) - 7);
        labels[i].textContent = scoreText(s);
      });
      setBar(step, yOf(0), yOf(lead));
      [lead, 0].forEach((foot, j) => spines[j].setAttribute("y", yOf(foot) - 1.5));
      knob.root.style.top = `${yOf(lead)}px`;
    },
  };
}

// How high the area is, the style sheet says: all is drawn in shares of it.
export function mosaic(words) {
  const rects = ["ws-ahead", "ws-behind", "ws-ahead", "ws-behind"].map((kind) => svg("rect", { class: kind }));
  const cuts = [0, 1].map(() => svg("line", { class: "ws-cut-of" }));
  // Each word in each sentence, as the tiles are listed.
  const called = [0, 1, 2, 3].map((k) =>
    svg("text", { class: `ws-tile-of${k % 2 ? " ws-on-tint" : ""}`, dy: 5 }, words[k % 2]));
  const plot = svg("svg", { class: "ws-svg ws-area", role: "img" }, ...rects, ...cuts, ...called);
  const row = (kind, ...all) => html("div", { class: kind, "aria-hidden": "true" }, ...all);
  const ratios = [0, 1].map(() => html("b", { class: "ws-ratio" }));
  const names = ["first", "second"].map((text) => html("span", {}, text));
  return {
    root: html("div", { class: "ws-mosaic" }, row("ws-over", ...ratios), plot, row("ws-below-it", ...names)),
    name(told, texts) {
      ratios.forEach((ratio, i) => (ratio.textContent = texts[i]));
      plot.setAttribute("aria-label", told);
    },
    draw(table) {
      const across = sentencesOf(table);
      across.forEach((share, j) => {
        const cut = share > 0 ? (100 * table[2 * j + 1]) / share : 0;
        const x = 100 * (j ? across[0] : 0);
        [[2 * j, cut, 100 - cut], [2 * j + 1, 0, cut]].forEach(([k, y, height]) => {
          for (const [key, value] of Object.entries({ x, y, width: 100 * share, height })) {
            rects[k].setAttribute(key, pct(value));
          }
          called[k].setAttribute("x", pct(x + 50 * share));
          called[k].setAttribute("y", pct(y + height / 2));
          called[k].classList.toggle("ws-gone", share < LEGIBLE.wide || height < LEGIBLE.tall);
        });
        const ends = { x1: x, x2: x + 100 * share, y1: cut, y2: cut };
        for (const [key, value] of Object.entries(ends)) cuts[j].setAttribute(key, pct(value));
        for (const part of [cuts[j], ratios[j], names[j]]) part.classList.toggle("ws-gone", share < TOO_NARROW);
        for (const part of [ratios[j], names[j]]) part.style.flexBasis = pct(100 * share);
      });
    },
  };
}
