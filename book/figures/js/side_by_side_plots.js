// What *side by side* draws beside the panels of its maps: the β at which tokens drop out, and two tokens.
import { TOP, toPlace } from "./beta_slider.js";
import { html, svg } from "./controls.js";
import { rule, swatch } from "./map_panel.js";
import { percent } from "./words.js";

// Sizes in CSS pixels; REACH in points.
const DROPS = { height: 22, row: 11, first: 10, other: 5 };
const CURVES = { height: 178, top: 12, bottom: 26 };
export const REACH = 4;
const STEPS = 160; // of the curves, from −REACH to REACH
export const LEADS = Array.from({ length: STEPS + 1 }, (_, k) => REACH * ((2 * k) / STEPS - 1));

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
  const dots = names.map((name) =>
    [0, 1].map((w) => svg("circle", { class: `ws-ring ws-${name}`, r: 4, cy: y(w) })),
  );
  const levels = [0.5, 1].flatMap((w) => [
    rule(y(w), "ws-all"), svg("text", { class: "ws-label ws-level", x: 0, y: y(w) - 4 }, percent(w))]);
  const ticks = [-REACH, -REACH / 2, 0, REACH / 2, REACH].map((x, k) =>
    svg(
      "text",
      {
        class: `ws-label ws-level ws-${["start", "mid", "mid", "mid", "end"][k]}`, x: `${share(x)}%`,
        y: height - 8,
      },
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
