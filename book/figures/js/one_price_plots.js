// What *one price, one rule* draws: a row of weights, and the dial with the roads that lead into its first end.
import { shade } from "./arcs.js";
import { html, svg } from "./controls.js";
import { bendOf, PRICES, STEPS } from "./one_price_math.js";
import { bentText, FIRST, LAST, spokenPrice } from "./one_price_words.js";
import { roads } from "./roads.js";
import { percent, scoreText } from "./words.js";

// The highest weight that there is room for, with its label; in CSS pixels, how wide a bar is. The style sheet
// says how high the plot is.
const BARS = { most: 0.86, wide: 40 };
// In percent of the width: where the row ends, and where the newcomer waits.
export const WAY = { row: 74, waits: 87 };
// In percent, the middle of the i-th of n words in the row.
export const placeOf = (i, n) => (WAY.row * (i + 0.5)) / n;

// The bars of all words, and the words that are always there; the newcomer's word is put in by the view.
export function weightRow({ tokens, scores }) {
  const bars = tokens.map(() =>
    svg("rect", { width: BARS.wide, class: "ws-weight", transform: `translate(${-BARS.wide / 2})` }));
  const labels = tokens.map(() => svg("text", { class: "ws-label ws-accent", dy: -6 }));
  const floor = svg("line", { x1: 0, x2: `${WAY.row}%`, y1: "100%", y2: "100%", class: "ws-floor" });
  const plot = svg("svg", { class: "ws-svg", role: "img" }, ...bars, floor, ...labels);
  const named = (i) => [
    html("span", { class: "ws-word" }, tokens[i]),
    html("small", {}, scoreText(scores[i]), html("span", {}, " points")),
  ];
  const cells = tokens.slice(0, -1).map((_, i) => html("li", { class: "ws-cell" }, ...named(i)));
  const last = tokens.length - 1;
  const [word, points] = named(last);
  return {
    plot,
    cells: html("ol", { class: "ws-cells", "aria-hidden": "true" }, ...cells),
    newcomer: [word, points],
    // `weights` has a 0 for a newcomer that waits.
    name(weights, joins) {
      const shown = tokens.filter((_, i) => joins || i < last);
      plot.setAttribute("aria-label", `weights: ${shown.map((t, i) => `${t} ${percent(weights[i])}`).join(", ")}`);
      labels.forEach((label, i) => (label.textContent = joins || i < last ? percent(weights[i]) : ""));
      [...cells.map((cell) => cell.children[0]), word].forEach((one, i) => shade(one, weights[i]));
    },
    draw(weights, places) {
      weights.forEach((w, i) => {
        const tall = (100 * w) / BARS.most;
        bars[i].setAttribute("height", `${tall}%`);
        for (const part of [bars[i], labels[i]]) part.setAttribute("y", `${100 - tall}%`);
        for (const part of [bars[i], labels[i]]) part.setAttribute("x", `${places[i]}%`);
        if (i < last) cells[i].style.setProperty("left", `${places[i]}%`);
      });
    },
  };
}

// The dial's rail is where nothing bends; above it stands how far the newcomer bends the ratio.
// In CSS pixels; `reach` is how high a bend of 1 would be.
const DIAL = { rail: 122, reach: 270, below: 20, ring: 16, dot: 5 };
const ROADS = { apart: 66, head: 22, foot: 30 };

export function priceDial(row, choose) {
  const bends = PRICES.map((price) => bendOf(row, price));
  const y = (bend) => DIAL.rail - DIAL.reach * (bend - 1);
  const spot = (k) => `${k} ${y(bends[k]).toFixed(2)}`;
  const line = (places) => `M${places.map(spot).join("L")}`;
  const whole = line(PRICES.map((_, k) => k));
  const wedge = svg("path", { class: "ws-wedge", d: `${whole}V${DIAL.rail}Z` });
  const guess = svg("path", { class: "ws-guess", d: whole });
  const pen = svg("path", { class: "ws-penned", d: "" });
  const height = DIAL.rail;
  const box = { viewBox: `0 0 ${STEPS} ${height}`, preserveAspectRatio: "none", width: "100%", height };
  const ring = svg("circle", { class: "ws-end", cx: 0, cy: DIAL.rail, r: DIAL.ring });
  const rail = svg("line", { class: "ws-rail", x1: -12, x2: "100%", y1: DIAL.rail, y2: DIAL.rail });
  const here = svg("circle", { class: "ws-here", cy: DIAL.rail, r: 9 });
  const stalk = svg("line", { class: "ws-stalk", y1: DIAL.rail });
  const dot = svg("circle", { class: "ws-dot", r: DIAL.dot });
  const curve = svg("svg", { class: "ws-svg", height: DIAL.rail + DIAL.below, role: "img" },
    svg("svg", box, wedge, guess), rail, ring, stalk, dot, here);
  const trace = svg("svg", { class: "ws-svg ws-trace", height, "aria-hidden": "true" }, svg("svg", box, pen));
  const tag = html("span", { class: "ws-tag" });
  const met = html("p", { class: "ws-met" }, "rigid", html("b", {}, "softmax"));
  const range = html("input", { type: "range", class: "ws-range", min: 1, max: 2, step: 1 / STEPS });
  range.addEventListener("input", () => choose(Number(range.value)));
  const been = PRICES.map(() => false);
  const nearest = (price) => Math.round((price - 1) * STEPS);
  return {
    root: html("div", { class: "ws-slider ws-dial" },
      html("div", { class: "ws-curve" }, curve, trace, tag, met),
      html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "price"), range),
      html("div", { class: "ws-ends", "aria-hidden": "true" },
        html("span", {}, html("span", { class: "ws-price" }, "price: "), FIRST), html("span", {}, LAST))),
    // The pen has passed all prices between these two.
    pass(from, to) {
      const [low, high] = [from, to].map(nearest).sort((a, b) => a - b);
      been.fill(true, low, high + 1);
      const pieces = [];
      been.forEach((there, k) => there && (been[k - 1] ? pieces.at(-1).push(k) : pieces.push([k])));
      pen.setAttribute("d", pieces.filter((piece) => piece.length > 1).map(line).join(""));
    },
    clean() {
      been.fill(false);
      pen.setAttribute("d", "");
    },
    show(price, joins, bend) {
      range.value = price;
      range.setAttribute("aria-valuetext", spokenPrice(price));
      curve.setAttribute("aria-label", `how far the newcomer bends the ratio at this price: ${bentText(bend)}`);
      tag.textContent = joins && price > 1 ? bentText(bend) : "";
    },
    // `there` goes from 0, where no newcomer has joined, to 1.
    draw(price, bend, there) {
      const [left, top] = [`${100 * (price - 1)}%`, y(1 + there * (bend - 1))];
      for (const end of ["x1", "x2"]) stalk.setAttribute(end, left);
      stalk.setAttribute("y2", top);
      for (const part of [dot, here]) part.setAttribute("cx", left);
      dot.setAttribute("cy", top);
      for (const part of [stalk, dot]) part.setAttribute("opacity", there);
      tag.style.setProperty("--ws-at", left);
      tag.style.setProperty("top", `${top.toFixed(2)}px`);
    },
  };
}

// Two roads that run into the first end of the dial.
export function roadsInto() {
  const middle = ROADS.head + DIAL.rail;
  const made = roads({
    left: 0, right: 100, middle, top: middle - ROADS.apart, bottom: middle + ROADS.apart,
  });
  const paths = made.roads.map((d) => svg("path", { class: "ws-road", d }));
  const height = middle + ROADS.apart + ROADS.foot;
  const box = { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", height };
  const named = { role: "img", "aria-label": "two roads run together into softmax" };
  const plot = svg("svg", { class: "ws-svg", ...box, ...named }, ...paths,
    svg("path", { class: "ws-road ws-joined", d: made.joined }));
  return html("div", { class: "ws-roads" }, html("span", {}, "four wishes"), plot,
    html("span", {}, "a price on claims"));
}
