// What *one price, one rule* draws: a row of weights, the ratio of two of them without
// the newcomer and with it, and the dial with the roads that lead into its first end.
import { shade } from "./arcs.js";
import { html, svg } from "./controls.js";
import { STEPS } from "./one_price_math.js";
import { bentText, FIRST, LAST, SLIDE, spokenPrice, timesText } from "./one_price_words.js";
import { roads } from "./roads.js";
import { fixed, percent, scoreText } from "./words.js";

// The highest weight that there is room for, with its label; in CSS pixels, how wide a bar is. The style sheet
// says how high the plot is.
const BARS = { most: 0.86, wide: 36 };
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

// How many times the first word gets the weight of the second: one bar, from which a second comes down when the
// newcomer joins; how much longer this is, is the bend. The axis never changes: it ends at `most`, the greatest
// ratio there is. In CSS pixels: how high a bar and the line over it are, and how far the second stands below.
const SPLIT = { high: 32, line: 22, apart: 64 };

export function splitBar(tokens, most) {
  const share = (ratio) => `${(100 * ratio) / most}%`;
  const [first, second, newcomer] = [tokens[0], tokens[1], tokens.at(-1)].map((word) => `“${word}”`);
  const place = { y: SPLIT.line, height: SPLIT.high };
  const verdict = svg("tspan", { class: "ws-verdict" });
  const more = svg("rect", { ...place, class: "ws-bend" }); // how much longer the second is
  const lengths = ["without", "with"].map(() => svg("rect", { ...place, class: "ws-times" }));
  const bars = ["without", "with"].map((which, i) => {
    const value = svg("text", { class: "ws-ratio", y: SPLIT.line + SPLIT.high / 2, dx: 10, dy: "0.36em" });
    const root = svg("svg", { overflow: "visible" }, lengths[i], ...(i ? [more] : []), value);
    const text = `${which} ${newcomer}${i ? ": " : ""}`;
    const name = svg("text", { class: "ws-of-bar", y: 15 + i * SPLIT.apart }, text);
    return { name, value, root };
  });
  const [alone, joined] = bars;
  joined.name.append(verdict);
  const empty = svg("rect", { ...place, y: SPLIT.apart + SPLIT.line, width: "100%", class: "ws-empty" });
  const height = SPLIT.apart + SPLIT.line + SPLIT.high;
  const plot = svg("svg", { class: "ws-svg ws-split", height, role: "img" },
    empty, joined.root, alone.root, alone.name, joined.name);
  return {
    root: plot,
    show({ was, now, bend, joins }) {
      alone.value.textContent = timesText(was);
      joined.value.textContent = joins ? timesText(now) : "";
      verdict.textContent = joins ? bentText(bend) : "?";
      const also = joins ? `, ${fixed(now, 2)} with it` : "";
      plot.setAttribute("aria-label", `${first} over ${second}: ${fixed(was, 2)} without ${newcomer}${also}`);
    },
    // `there` goes from 0, where no newcomer has joined and both bars are one, to 1.
    draw(was, now, there) {
      const past = there * Math.max(0, now - was);
      for (const bar of lengths) bar.setAttribute("width", share(was));
      alone.value.setAttribute("x", share(was));
      more.setAttribute("x", share(was));
      joined.root.setAttribute("y", SPLIT.apart * there);
      empty.setAttribute("opacity", 1 - there);
      more.setAttribute("width", share(past));
      joined.value.setAttribute("x", share(was + past));
    },
  };
}

// In CSS pixels: where the dial's rail is, what is below it, and the ring at its first end, into which the roads
// run; `head` is the room for the question over it.
const DIAL = { head: 44, rail: 60, below: 22, ring: 17 };
const ROADS = { apart: 52, foot: 30 };

export function priceDial(choose) {
  const level = { y1: DIAL.rail, y2: DIAL.rail };
  const ring = svg("circle", { class: "ws-end", cx: 0, cy: DIAL.rail, r: DIAL.ring });
  const rail = svg("line", { class: "ws-rail", x1: DIAL.ring, x2: "100%", ...level });
  const here = svg("circle", { class: "ws-here", cy: DIAL.rail, r: 9 });
  const line = svg("svg", { class: "ws-svg", height: DIAL.rail + DIAL.below, "aria-hidden": "true" },
    rail, ring, here);
  const call = html("span", { class: "ws-call", "aria-hidden": "true" });
  const range = html("input", { type: "range", class: "ws-range", min: 1, max: 2, step: 1 / STEPS });
  range.addEventListener("input", () => choose(Number(range.value)));
  const ends = [[FIRST, "softmax"], [LAST, "sparsemax"]].map(([price, rule]) =>
    html("span", {},
      html("span", {}, `price ${price}`), html("span", {}, html("i", {}, "rule: "), html("b", {}, rule))));
  return {
    root: html("div", { class: "ws-slider ws-dial" },
      html("div", { class: "ws-turned" }, html("p", { class: "ws-asks" }, SLIDE), line),
      html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "price"), range, call),
      html("div", { class: "ws-ends", "aria-hidden": "true" }, ...ends)),
    // `say` is what the badge over the knob says, if anything.
    show(price, say) {
      range.value = price;
      range.setAttribute("aria-valuetext", spokenPrice(price));
      call.textContent = say;
      call.hidden = !say;
    },
    draw(price) {
      here.setAttribute("cx", `${100 * (price - 1)}%`);
      call.style.setProperty("--ws-at", price - 1);
    },
  };
}

// Two roads that run into the first end of the dial: faint at first, until they have been run.
export function roadsInto() {
  const middle = DIAL.head + DIAL.rail;
  const made = roads({
    left: 0, right: 100, middle, top: middle - ROADS.apart, bottom: middle + ROADS.apart,
  });
  const height = middle + ROADS.apart + ROADS.foot;
  const box = { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", height };
  const plot = (kind, named) =>
    svg("svg", { class: `ws-svg ${kind}`, ...box, ...named },
      ...made.roads.map((d) => svg("path", { class: "ws-road", d })),
      svg("path", { class: "ws-road ws-joined", d: made.joined }));
  return html("div", { class: "ws-roads" }, html("span", {}, "four wishes"),
    plot("ws-faint", { role: "img", "aria-label": "two roads run together into softmax" }),
    plot("ws-run", { "aria-hidden": "true" }),
    html("span", {}, "a price on claims"));
}
