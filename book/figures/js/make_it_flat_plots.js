// The pictures of *make it flat*: the curve with the row on it, the pen's paper, and the strip of weights.
import { html, svg } from "./controls.js";
import { AT, FAR, PLACES, ROW, goalOf, logRatio, penLine } from "./make_it_flat_math.js";
import { percent } from "./words.js";

const SHOWN = { from: 0.5, points: 5 }; // what is seen of the axis of scores
const TALLEST = 30 / 25; // the top of the linear paper, where the highest share is 1
const DECADES = 3; // of the log paper, whose middle is the share at score 3
export const MIDDLE = 3;
const SAMPLES = Array.from({ length: 161 }, (_, i) => 1 + i / 40);
const RULED = [-1, 0, 1, 2].flatMap((k) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => digit * 10 ** k))
  .filter((value) => value > 0.32 && value < 316);
const PLAIN = [10, 20, 30]; // the rules of the linear paper
export const PAPER = { low: Math.log(0.95), high: Math.log(4.2) }; // of the pen, in logarithms of the ratio
const WRITTEN = [1, 2, 3];
export const GHOSTS = 6; // how many earlier lines stand behind

const share = (x) => `${Number((100 * x).toFixed(3))}%`;
export const across = (score) => (score - SHOWN.from) / SHOWN.points;
const clamped = (x, low, high) => Math.min(high, Math.max(low, x));
const path = (xs, ys) =>
  `M${xs.map((x, i) => `${(1000 * x).toFixed(1)} ${(1000 * clamped(ys[i], -0.5, 1.5)).toFixed(1)}`).join("L")}`;

// How far below the top of the paper a share is, of which this is the logarithm: 0 is the highest on linear paper,
// `middle` is in the middle of log paper. `log` goes from 0, linear paper, to 1.
export function heightOf(logShare, middle, log) {
  const linear = log < 1 ? 1 - Math.exp(logShare) / TALLEST : 0;
  return (1 - log) * linear + log * (0.5 - (logShare - middle) / (DECADES * Math.LN10));
}
// Where the pen is on its paper, from 0, above, to 1.
const penHeight = (logRatio_) => clamped((PAPER.high - logRatio_) / (PAPER.high - PAPER.low), 0.004, 0.996);

// The score half of the way along the curve from score k to k + 1, which is steep in places.
export function halfway(height, k) {
  const gone = (s) => (s - k) / SHOWN.points + Math.abs(height(s) - height(k));
  let [low, high] = [k, k + 1];
  for (let i = 0; i < 12; i++) {
    const middle = (low + high) / 2;
    if (gone(middle) < gone(k + 1) / 2) low = middle;
    else high = middle;
  }
  return low;
}

// A box whose units are thousandths of the paper, with a little room above and below.
const stretched = (...inside) => svg(
  "svg", { y: "-3%", height: "106%", width: "100%", viewBox: "0 -30 1000 1060", preserveAspectRatio: "none" },
  ...inside,
);
const ghostsOf = () => Array.from({ length: GHOSTS }, () => svg("path", { class: "ws-ghost" }));
const behind = (ghosts, ...below) =>
  svg("svg", { class: "ws-svg ws-behind", "aria-hidden": "true" }, ...below, stretched(...ghosts));
const place = (el, at) => Object.entries(at).forEach(([name, value]) => el.setAttribute(name, value));

// The curve of the rule. Orange bars are shares, and each word is a bead where its bar meets the curve.
export function curvePaper() {
  const rules = RULED.map((value) =>
    svg("line", { x1: 0, x2: "100%", class: `ws-rule${[1, 10, 100].includes(value) ? " ws-strong" : ""}` }));
  const uprights = [1, 2, 3, 4, 5].map((score) =>
    svg("line", { x1: share(across(score)), x2: share(across(score)), y1: 0, y2: "100%", class: "ws-upright" }));
  const upright = (kind) => ROW.map(() => svg("line", { class: kind, y1: "100%" }));
  const [drops, rods] = [upright("ws-drop"), upright("ws-rod")];
  const foot = svg("circle", { class: "ws-foot", r: 4.5, cx: share(across(1)) });
  const beads = ROW.map(() => svg("circle", { class: "ws-bead", r: 6.5 }));
  const line = svg("path", { class: "ws-bow" });
  const ghosts = ghostsOf();
  const decades = [1, 10, 100].map((value) => svg("text", {
    x: 3, y: share(heightOf(Math.log(value / 25), Math.log(10 / 25), 1)), dy: -4, class: "ws-decade",
  }, String(value)));
  const squares = svg("text", { x: share(across(1.16)), y: "84.5%", class: "ws-of-squares" }, "squares");
  const base = svg("line", { x1: 0, x2: "100%", y1: "100%", y2: "100%", class: "ws-base" });
  const picture = svg(
    "svg", { class: "ws-svg", role: "img" }, ...rules, ...uprights, base, ...decades, squares, ...drops, ...rods,
    stretched(line), foot, ...beads,
  );
  return {
    parts: [behind(ghosts), picture],
    name: (text) => picture.setAttribute("aria-label", text),
    draw(curve, at, log, earlier) {
      const middle = curve(MIDDLE);
      const height = (s) => heightOf(curve(s), middle, log);
      RULED.forEach((value, i) => {
        const y = share(clamped(heightOf(Math.log(value / 25), Math.log(10 / 25), log), -0.1, 1));
        place(rules[i], { y1: y, y2: y, opacity: PLAIN.includes(value) ? 1 : log });
      });
      line.setAttribute("d", path(SAMPLES.map(across), SAMPLES.map(height)));
      for (const text of [...decades, squares]) text.setAttribute("opacity", log);
      place(foot, { cy: share(clamped(height(1), -0.1, 1.1)) });
      AT.forEach((score, i) => {
        const [x, y] = [share(across(score + at)), share(clamped(height(score + at), 0, 1))];
        place(drops[i], { x1: x, x2: x, y2: y });
        place(rods[i], { x1: x, x2: x, y2: y, "stroke-width": Number((7 * (1 - log)).toFixed(2)) });
        place(beads[i], { cx: x, cy: y });
      });
      ghosts.forEach((ghost, i) => {
        const other = log > 0 && earlier[i];
        ghost.setAttribute("opacity", log);
        const y = (s) => heightOf(other(s), other(MIDDLE), 1);
        ghost.setAttribute("d", other ? path(SAMPLES.map(across), SAMPLES.map(y)) : "");
      });
      return height;
    },
  };
}

// The pen lies to the upper right of where it writes: its lead, and the rest of it.
const LEAD = "M0 28L2.5 18.5L9.5 25.5Z";
const BODY = "M2.5 18.5L17.6 3.4A4.95 4.95 0 0 1 24.6 10.4L9.5 25.5Z";

// Where the name of the band has the fewest lines behind it: under the band or over it, close by or further, at
// its left or its right. It has so many `letters`; over the band it stays clear of the pen.
const [LETTER, NAME_HIGH] = [0.029, 0.17];
function nameSpot([top, bottom], [from, to], lines, xs, letters) {
  const long = letters * LETTER;
  const [gaps, either] = [[0, NAME_HIGH, 2 * NAME_HIGH], [false, true]];
  const all = gaps.flatMap((gap) => either.flatMap((over) => either.map((right) => ({ gap, over, right }))));
  const spots = all.map(({ gap, over, right }) => {
    const y = over ? top - gap : bottom + gap;
    const [low, high] = over ? [y - NAME_HIGH, y] : [y, y + NAME_HIGH];
    const inside = (x) => (right ? x > to - long : x < from + long);
    const hits = lines.map((line) =>
      line.filter((height, i) => inside(xs[i]) && height > low && height < high).length);
    const behind_ = hits.reduce((sum, hit, i) => sum + (i ? 3 : 10) * hit, 0); // the first is the pen's own
    const out = low < -0.01 || high > 1.01;
    const atPen = over && !gap && long > 0.2;
    return { y, over, right, cost: 1e4 * out + 200 * atPen + behind_ + 400 * gap + right };
  });
  return spots.reduce((a, b) => (b.cost < a.cost ? b : a));
}

// The pen and its paper, with the band where a flat line would lie. Across is the score of “cat”, as on the curve.
export function penPaper() {
  const rules = WRITTEN.map((times) => {
    const y = share(penHeight(Math.log(times)));
    return svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: "ws-rule ws-strong" });
  });
  const labels = WRITTEN.map((times) =>
    html("span", { class: "ws-level", style: `top:${share(penHeight(Math.log(times)))}` }, `${times}×`));
  const xs = PLACES.map((at) => across(AT[2] + at));
  const [from, to] = [xs[0] - 0.015, xs.at(-1) + 0.015];
  const ends = { x: share(from), width: share(to - from) };
  const goal = svg("rect", { class: "ws-goal", ...ends });
  const goalName = html("span", { class: "ws-goal-name" });
  const line = svg("path", { class: "ws-trace" });
  const dot = svg("circle", { class: "ws-spot", r: 4 });
  const ghosts = ghostsOf();
  const picture = svg("svg", { class: "ws-svg", role: "img" }, ...rules, stretched(line), dot);
  const drawing = svg("svg", { viewBox: "0 0 28 28", "aria-hidden": "true" },
    svg("path", { d: BODY }), svg("path", { class: "ws-lead", d: LEAD }));
  const pen = html("span", { class: "ws-pen" }, drawing);
  const strip = html("div", { class: "ws-writing" }, behind(ghosts, goal), picture, goalName, pen);
  return {
    root: html("div", { class: "ws-plot ws-pen-paper" }, strip, ...labels),
    name(text, aim) {
      picture.setAttribute("aria-label", text);
      goalName.textContent = aim;
    },
    draw(curve, at, earlier) {
      const written = (ratios) => path(xs, ratios.map(penHeight));
      const ratios = penLine(curve);
      line.setAttribute("d", written(ratios));
      const { middle, wide } = goalOf(ratios);
      const [top, bottom] = [penHeight(middle + wide / 2), penHeight(middle - wide / 2)];
      place(goal, { y: share(top), height: share(bottom - top) });
      const lines = [ratios, ...earlier.map(penLine)].map((one) => one.map(penHeight));
      const name = nameSpot([top, bottom], [from, to], lines, xs, goalName.textContent.length);
      goalName.setAttribute(
        "style", `${name.right ? `right:${share(1 - to)}` : `left:${ends.x}`};top:${share(name.y)}`);
      goalName.classList.toggle("ws-over", name.over);
      const [x, y] = [share(across(AT[2] + at)), share(penHeight(logRatio(curve, at)))];
      place(dot, { cx: x, cy: y });
      pen.style.left = x;
      pen.style.top = y;
      ghosts.forEach((ghost, i) => ghost.setAttribute("d", earlier[i] ? written(penLine(earlier[i])) : ""));
    },
  };
}

// How much of its label a piece of the strip has room for: 2 is word and weight, 1 the word, 0 nothing.
// How long the strip is at least, and how wide a letter, in CSS pixels.
const ROOMS = { broad: [494, 7.4], wide: [370, 7.4], narrow: [296, 6.5] };
function roomFor_(word, weight, [room, letter]) {
  const needs = (letters) => letters * letter + 8 <= weight * room;
  return needs(word.length + 1 + percent(weight).length) ? 2 : Number(needs(word.length));
}

export function weightStrip() {
  const pieces = ROW.map(() => svg("rect", { y: 0, height: "100%", class: "ws-weight" }));
  const shares = ROW.map(() => svg("tspan", { class: "ws-of", dx: 5 }));
  const labels = ROW.map((word, i) => svg("text", { y: 17, class: "ws-piece" }, word, shares[i]));
  const root = svg("svg", { class: "ws-svg ws-strip", height: 24, role: "img" }, ...pieces, ...labels);
  return {
    root,
    name(text, weights) {
      root.setAttribute("aria-label", text);
      weights.forEach((w, i) => {
        shares[i].textContent = percent(w);
        for (const [how, room] of Object.entries(ROOMS)) {
          labels[i].setAttribute(`data-${how}`, roomFor_(ROW[i], w, room));
        }
      });
    },
    draw(weights) {
      let sum = 0;
      weights.forEach((w, i) => {
        place(pieces[i], { x: share(sum), width: share(w) });
        labels[i].setAttribute("x", share(sum + w / 2));
        sum += w;
      });
    },
  };
}

// Where the row can be slid to, of the width of the axis: its left end and how wide it is.
export const combAt = (at) => share(at / SHOWN.points);
export const COMB_WIDTH = share((SHOWN.points - FAR) / SHOWN.points);
