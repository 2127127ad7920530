// What *side by side* draws under the scores: a panel for each map, the β at which tokens drop out, and two tokens.
import { TOP, toPlace } from "./beta_slider.js";
import { html, svg } from "./controls.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";
import { percent } from "./words.js";

// Sizes in CSS pixels; REACH in points.
const PANEL = { height: 92, top: 20, ring: 4 };
const DROPS = { height: 26, row: 13, first: 12, other: 6 };
const CURVES = { height: 178, top: 12, bottom: 26 };
export const REACH = 4;
const STEPS = 160; // of the curves, from −REACH to REACH
export const LEADS = Array.from({ length: STEPS + 1 }, (_, k) => REACH * ((2 * k) / STEPS - 1));

const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
const swatch = (name) =>
  svg("svg", { class: "ws-swatch", width: 30, height: 8, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 30, y1: 4, y2: 4, class: `ws-map ws-${name}` }));

// The weights under one map, with a ring for each token that has none.
export function mapPanel(name, tokens) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 0.56), middleOf(n)];
  const base = PANEL.height - 1;
  const bars = tokens.map((_, i) => svg("rect", { ...at(i), class: `ws-bar ws-${name}` }));
  const rings = tokens.map((_, i) =>
    svg("circle", { cx: middle(i), cy: base - PANEL.ring - 2, r: PANEL.ring, class: `ws-ring ws-${name}` }));
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const plot = svg("svg", { class: "ws-svg", height: PANEL.height, role: "img" },
    rule(PANEL.top, "ws-all"), ...bars, rule(base, "ws-zero"), ...rings, ...labels);
  const title = html("span", { class: `ws-axis ws-${name}` });
  const [count, first] = [html("span", { class: "ws-note" }), html("span", { class: "ws-aside" })];
  const y = (w) => PANEL.top + (1 - w) * (base - PANEL.top);
  let there = [];
  return {
    parts: [html("div", { class: "ws-head ws-of-map" }, swatch(name), title, count, first), plot],
    name(called, texts, has, from) {
      there = has;
      const many = has.filter(Boolean).length;
      title.textContent = called;
      count.textContent = many === n ? `all ${n} have weight` : `${many} of ${n} ${many === 1 ? "has" : "have"} weight`;
      first.textContent = from;
      texts.forEach((text, i) => {
        labels[i].textContent = has[i] ? text : "0";
        labels[i].classList.toggle("ws-none", !has[i]);
        rings[i].setAttribute("visibility", has[i] ? "hidden" : "visible");
      });
      plot.setAttribute("aria-label", `weights under ${called}: ${tokens.map((word, i) => `${word} ${labels[i].textContent}`).join(", ")}`);
    },
    draw: (weights) => weights.forEach((w, i) => {
      setBar(bars[i], base, y(w));
      labels[i].setAttribute("y", (there[i] ? y(w) : base - 2 * PANEL.ring - 2) - 5);
    }),
  };
}

// Above the slider, a tick at each β from which on a token has no weight; the first one of each map is long.
export function dropouts(names) {
  const root = svg("svg", { class: "ws-svg ws-dropouts", height: DROPS.height, "aria-hidden": "true" });
  return {
    root,
    show(all) {
      root.replaceChildren(...all.flatMap((sizes, k) => {
        const first = Math.min(...sizes);
        return sizes.filter((size) => size < Infinity).map((size) => {
          const x = `${(100 * toPlace(size)) / TOP}%`;
          const foot = DROPS.row * (k + 1);
          const tall = size === first ? DROPS.first : DROPS.other;
          return svg("line", { x1: x, x2: x, y1: foot - tall, y2: foot, class: `ws-tick-mark ws-${names[k]}` });
        });
      }));
    },
  };
}

// The weight of one of two tokens, against its lead over the other.
export function twoTokens(names) {
  const { height, top, bottom } = CURVES;
  const y = (w) => top + (1 - w) * (height - top - bottom);
  const share = (x) => 50 * (1 + x / REACH);
  const paths = names.map((name) => svg("path", { class: `ws-map ws-${name}` }));
  const dots = names.map((name) => [0, 1].map((w) => svg("circle", { class: `ws-ring ws-${name}`, r: 4, cy: y(w) })));
  const levels = [0.5, 1].flatMap((w) => [
    rule(y(w), "ws-all"), svg("text", { class: "ws-label ws-level", x: 0, y: y(w) - 4 }, percent(w))]);
  const ticks = [-REACH, -REACH / 2, 0, REACH / 2, REACH].map((x, k) =>
    svg("text", { class: `ws-label ws-level ws-${["start", "mid", "mid", "mid", "end"][k]}`, x: `${share(x)}%`, y: height - 8 },
      `${x < 0 ? "−" : x > 0 ? "+" : ""}${Math.abs(x)}${k === 4 ? " points" : ""}`));
  const centre = svg("line", { x1: "50%", x2: "50%", y1: y(1), y2: y(0), class: "ws-all" });
  const box = { viewBox: `0 0 ${STEPS} ${height}`, preserveAspectRatio: "none", width: "100%", height };
  const root = svg("svg", { class: "ws-svg ws-two", height, role: "img" },
    ...levels, centre, rule(y(0), "ws-zero"), ...ticks, svg("svg", box, ...[...paths].reverse()), ...dots.flat());
  const keys = names.map((name) => html("span", { class: "ws-line-key" }, swatch(name), name));
  return {
    root,
    keys: html("div", { class: "ws-keys", "aria-hidden": "true" }, ...keys),
    // `ends` has for each map the lead at which all weight is on one token, or ∞.
    name(ends, sign, said) {
      root.setAttribute("aria-label", `the weight of one of two tokens against its lead: ${said}`);
      ends.forEach((end, k) => dots[k].forEach((dot, w) => {
        dot.setAttribute("visibility", end <= REACH ? "visible" : "hidden");
        if (end <= REACH) dot.setAttribute("cx", `${share(sign * (w ? end : -end))}%`);
      }));
    },
    draw: (curves) => curves.forEach((weights, k) =>
      paths[k].setAttribute("d", `M${weights.map((w, i) => `${i} ${y(w).toFixed(2)}`).join("L")}`)),
  };
}
