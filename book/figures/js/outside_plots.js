// What *outside the frame* draws under the panels of its maps: the sum of each map's weights at every shift.
import { html, svg } from "./controls.js";
import { rule, swatch } from "./map_panel.js";

// Sizes in CSS pixels; FAR is the largest shift in points, TALLEST the largest sum that is drawn.
// The foot is there for a plot without an axis of its own.
const PLOT = { height: 190, top: 18, bottom: 26, foot: 4 };
export const FAR = 4;
const TALLEST = 2;
const STEPS = 160;
export const SHIFTS = Array.from({ length: STEPS + 1 }, (_, k) => FAR * ((2 * k) / STEPS - 1));

// `onScale` says that a slider stands below, whose scale is the axis.
export function sumsPlot(maps, names, onScale) {
  const { top, bottom } = PLOT;
  const height = PLOT.height - (onScale ? bottom - PLOT.foot : 0);
  const y = (sum) => top + (1 - Math.min(sum, 1.2 * TALLEST) / TALLEST) * (PLOT.height - top - bottom);
  const share = (shift) => 50 * (1 + shift / FAR);
  const paths = maps.map((map) => svg("path", { class: `ws-map ws-${map}` }));
  // That of ReLU over its sum is a ring: where both are 1, softmax is seen in it.
  const dots = maps.map((map) => svg("circle", { class: `ws-dot ws-${map}`, r: map === "relu" ? 8 : 5 }));
  const here = svg("line", { y1: y(TALLEST), y2: y(0), class: "ws-here" });
  const levels = [1, TALLEST].flatMap((sum) => [
    rule(y(sum), "ws-all"), svg("text", { class: "ws-label ws-level", x: 0, y: y(sum) - 4 }, `sum ${sum}`)]);
  const ticks = (onScale ? [] : [-FAR, -FAR / 2, 0, FAR / 2, FAR]).map((x, k) =>
    svg(
      "text",
      {
        class: `ws-label ws-level ws-${["start", "mid", "mid", "mid", "end"][k]}`, x: `${share(x)}%`,
        y: height - 8,
      },
      `${x < 0 ? "−" : x > 0 ? "+" : ""}${Math.abs(x)}${k === 4 ? " points" : ""}`));
  // What lies above TALLEST is cut off by the inner picture.
  const room = y(0) - y(TALLEST) + 8;
  const box = {
    x: 0, y: y(TALLEST) - 4, viewBox: `0 ${y(TALLEST) - 4} ${STEPS} ${room}`, preserveAspectRatio: "none",
    width: "100%", height: room,
  };
  const root = svg("svg", { class: `ws-svg ws-sums${onScale ? " ws-on-scale" : ""}`, height, role: "img" },
    ...levels, rule(y(0), "ws-zero"), ...ticks, svg("svg", box, ...paths), here, ...dots);
  const keys = maps.map((map, k) => html("span", { class: "ws-line-key" }, swatch(map), names[k]));
  return {
    root,
    keys: html("div", { class: "ws-keys", "aria-hidden": "true" }, ...keys),
    name: (texts) =>
      root.setAttribute("aria-label", `the sum of each map's weights against the shift; here ${texts.join(", ")}`),
    draw(shift, sums, curves) {
      const x = `${share(shift)}%`;
      for (const end of ["x1", "x2"]) here.setAttribute(end, x);
      curves.forEach((all, k) => {
        paths[k].setAttribute("d", `M${all.map((sum, i) => `${i} ${y(sum).toFixed(2)}`).join("L")}`);
        dots[k].setAttribute("cx", x);
        dots[k].setAttribute("cy", y(sums[k]));
        dots[k].setAttribute("visibility", sums[k] <= TALLEST ? "visible" : "hidden");
      });
    },
  };
}
