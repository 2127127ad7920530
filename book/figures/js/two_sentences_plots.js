// What *two sentences* draws: the scores as bars, of which those of the first sentence stand on a step that can be
// lifted; and all the weight as an area, cut into sentences, and each of these into words.
import { html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { rule } from "./map_panel.js";
import { setBar } from "./score_row.js";
import { sentencesOf } from "./two_sentences_math.js";
import { scoreText } from "./words.js";

const STEPS = { top: 26, point: 80, most: 2 }; // CSS pixels: over the axis, of a point; and the points on it
const HIGH = STEPS.top + STEPS.point * STEPS.most;
// In percent of the width: where a sentence begins, how wide it is, and how wide a word.
const GROUP = { left: [25, 66], wide: 34, word: 14 };
const KNOB = 10.5; // its middle
const BADGE = 92; // how far over the knob: above the bars beside it
const TOO_NARROW = 0.09; // a sentence with less weight has no words at it

const yOf = (s) => HIGH - 0.5 - STEPS.point * s;
const pct = (x) => `${x}%`;

// The scores: two bars in each of two sentences. `move` is what a grip takes, which may go `most` points up.
export function scoreSteps(words, most, move) {
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
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "pull up");
  const way = html("i", { class: "ws-way", style: `top:${yOf(most)}px;height:${STEPS.point * most}px` });
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
      badge.style.top = `${Math.max(0, yOf(lead) - BADGE)}px`;
    },
  };
}

// How high the area is, the style sheet says: all is drawn in shares of it.
export function mosaic(words) {
  const rects = ["ws-ahead", "ws-behind", "ws-ahead", "ws-behind"].map((kind) => svg("rect", { class: kind }));
  const cuts = [0, 1].map(() => svg("line", { class: "ws-cut-of" }));
  const called = words.map((word, i) =>
    svg("text", { class: `ws-tile-of ${i ? "ws-on-tint" : ""}`, x: 0, dx: 8, dy: 5 }, word));
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
        });
        const ends = { x1: x, x2: x + 100 * share, y1: cut, y2: cut };
        for (const [key, value] of Object.entries(ends)) cuts[j].setAttribute(key, pct(value));
        for (const part of [cuts[j], ratios[j], names[j]]) part.classList.toggle("ws-gone", share < TOO_NARROW);
        if (j === 0) [50 + cut / 2, cut / 2].forEach((y, i) => called[i].setAttribute("y", pct(y)));
      });
    },
  };
}
