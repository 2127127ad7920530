// What *dispersion* draws: the best token's weight against n on the slider's scale, and as a share of all weight.
import { html, svg } from "./controls.js";
import { DISPERSED, FEWEST, MOST, topAmong } from "./dispersion_math.js";
import { rule, swatch } from "./map_panel.js";
import { percent } from "./words.js";

// Sizes in CSS pixels.
const PLOT = { height: 190, top: 18, thumb: 12 };
const BAR = { height: 22 };
const STEPS = 120; // of the curves
const ASIDE = 0.9; // of the slider: from there on the marker would stand at the names of the lines
const COUNTS = Array.from({ length: STEPS + 1 }, (_, k) => FEWEST * (MOST / FEWEST) ** (k / STEPS));
export const placeOf = (n) => Math.log(n / FEWEST) / Math.log(MOST / FEWEST);

// The curves of a state as one list, map after map, to glide from one state to another.
export const curvesOf = (state) => {
  const rows = COUNTS.map((n) => topAmong(n, state));
  return DISPERSED.flatMap((_, k) => rows.map((row) => row[k]));
};

// The curve of softmax lies over the two others, and so do their dots: those may be one line at the top.
export function dispersionCurves() {
  const y = (w) => PLOT.top + (1 - w) * (PLOT.height - PLOT.top - 1);
  const paths = DISPERSED.map((name) => svg("path", { class: `ws-map ws-${name}` }));
  const dots = DISPERSED.map((name, k) => svg("circle", { class: `ws-dot ws-${name}`, r: [4, 6, 8][k] }));
  const here = svg("line", { class: "ws-here", y1: PLOT.top - 8, y2: PLOT.height + PLOT.thumb });
  const levels = [0.5, 1].map((w) =>
    svg("text", { class: "ws-label ws-level ws-end", x: "100%", y: y(w) - 5 }, percent(w)));
  const box = {
    viewBox: `0 0 ${STEPS} ${PLOT.height}`, preserveAspectRatio: "none", width: "100%", height: PLOT.height,
  };
  const root = svg("svg", { class: "ws-svg ws-on-scale", height: PLOT.height, role: "img" },
    rule(y(0.5), "ws-all"), rule(y(1), "ws-all"), rule(y(0), "ws-zero"), ...levels, here,
    svg("svg", box, ...[...paths].reverse()), ...[...dots].reverse(),
  );
  return {
    root,
    name(weights) {
      const said = DISPERSED.map((name, k) => `${name} ${percent(weights[k])}`).join(", ");
      root.setAttribute("aria-label", `weight of the best token against the number of tokens; here ${said}`);
    },
    draw(place, weights, curves) {
      for (const end of ["x1", "x2"]) here.setAttribute(end, `${100 * place}%`);
      for (const level of levels) level.setAttribute("dx", place > ASIDE ? -12 : 0); // out of the marker's way
      paths.forEach((path, k) => {
        const curve = curves.slice(k * COUNTS.length, (k + 1) * COUNTS.length);
        path.setAttribute("d", `M${curve.map((w, i) => `${i} ${y(w).toFixed(2)}`).join("L")}`);
        dots[k].setAttribute("cx", `${100 * place}%`);
        dots[k].setAttribute("cy", y(weights[k]));
      });
    },
  };
}

// All weight under each map as a bar: filled what the best token has, the rest is its rivals'.
export function meltingBars() {
  const rows = DISPERSED.map((name) => {
    const best = svg("rect", { class: `ws-bar ws-${name}`, x: 0, y: 0, height: BAR.height });
    const rest = svg("rect", { class: "ws-rest", x: 0, y: 0.5, width: "100%", height: BAR.height - 1 });
    const bar = svg("svg", { class: "ws-svg", height: BAR.height, "aria-hidden": "true" }, rest, best);
    const value = html("span", { class: "ws-share" });
    const label = html("span", { class: `ws-axis ws-${name}` }, name);
    return { best, value, root: html("div", { class: "ws-melting" }, swatch(name), label, bar, value) };
  });
  return {
    parts: rows.map((row) => row.root),
    name: (weights) => rows.forEach((row, k) => (row.value.textContent = percent(weights[k]))),
    draw: (weights) => rows.forEach((row, k) => row.best.setAttribute("width", `${100 * weights[k]}%`)),
  };
}
