// What *dispersion* draws: the best token's weight against n on the slider's scale, and as a share of all weight.
import { html, svg } from "./controls.js";
import { DISPERSED, FEWEST, MOST, topAmong } from "./dispersion_math.js";
import { rule, swatch } from "./map_panel.js";
import { percent } from "./words.js";

// Sizes in CSS pixels.
const PLOT = { height: 150, top: 18, thumb: 12 };
const BAR = 44;
// The most rivals that are drawn one by one. Where the bar is short (`room`), several share a slice of `least` px.
const SLICES = { most: 400, room: 160, least: 3 };
const STEPS = 120; // of the curves
const SAME = 1e-9; // the most by which two curves differ that are drawn as one
const NAMED = { leader: 0.2, rivals: 0.38 }; // from which share on a part of the bar has its name
const ASIDE = 0.9; // of the slider: from there on the marker would stand at the names of the lines
const COUNTS = Array.from({ length: STEPS + 1 }, (_, k) => FEWEST * (MOST / FEWEST) ** (k / STEPS));
export const placeOf = (n) => Math.log(n / FEWEST) / Math.log(MOST / FEWEST);

// The curves of a state as one list, map after map, to glide from one state to another.
export const curvesOf = (state) => {
  const rows = COUNTS.map((n) => topAmong(n, state));
  return DISPERSED.flatMap((_, k) => rows.map((row) => row[k]));
};

// Whether the second and the third curve are one at every n.
export const areOne = (curves) =>
  COUNTS.every((_, k) => Math.abs(curves[COUNTS.length + k] - curves[2 * COUNTS.length + k]) < SAME);

// How many rivals are in a slice where all of them have `share` of a short bar: 1, 2, 5, 10 …
function perSlice(share, rivals) {
  const least = (SLICES.least * rivals) / (SLICES.room * share);
  const size = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((k) => k * size).find((k) => k >= least);
}

// The curve of softmax lies over the two others. Where those are one, it is drawn once. The curves reach as far as
// the text has grown: what lies beyond is asked.
export function dispersionCurves() {
  const y = (w) => PLOT.top + (1 - w) * (PLOT.height - PLOT.top - 1);
  const paths = DISPERSED.map((name) => svg("path", { class: `ws-map ws-${name}` }));
  const dots = DISPERSED.map((name, k) => svg("circle", { class: `ws-dot ws-${name}`, r: [4, 6, 8][k] }));
  const here = svg("line", { class: "ws-here", y1: PLOT.top - 8, y2: PLOT.height + PLOT.thumb });
  const levels = [0.5, 1].map((w) =>
    svg("text", { class: "ws-label ws-level ws-end", x: "100%", y: y(w) - 9 }, percent(w)));
  const window = svg("svg", { preserveAspectRatio: "none", height: PLOT.height }, ...[...paths].reverse());
  const root = svg("svg", { class: "ws-svg ws-on-scale", height: PLOT.height, role: "img" },
    rule(y(0.5), "ws-all"), rule(y(1), "ws-all"), rule(y(0), "ws-zero"), ...levels, here,
    window, ...[...dots].reverse(),
  );
  return {
    root,
    name(weights) {
      const said = DISPERSED.map((name, k) => `${name} ${percent(weights[k])}`).join(", ");
      root.setAttribute("aria-label", `weight of the best token against the number of tokens; here ${said}`);
    },
    join: (one) => {
      for (const part of [paths[2], dots[2]]) part.setAttribute("visibility", one ? "hidden" : "visible");
    },
    draw(place, weights, curves) {
      window.setAttribute("width", `${100 * place}%`);
      window.setAttribute("viewBox", `0 0 ${STEPS * place} ${PLOT.height}`);
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

// All weight under each map as a bar: filled what the leader has. That of softmax has the rivals as slices.
export function meltingBars() {
  const rows = DISPERSED.map((name, k) => {
    const height = BAR;
    const best = svg("rect", { class: `ws-bar ws-${name}`, x: 0, y: 0, height });
    const rest = svg("rect", { class: "ws-rest", x: 0, y: 0.5, width: "100%", height: height - 1 });
    const slices = ["ws-each", "ws-several"].map((kind) => svg("path", { class: `ws-slices ${kind}` }));
    const box = { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", width: "100%", height };
    const crowd = svg("svg", box, ...slices);
    const text = { y: height / 2 + 5 };
    const [leader, rivals] = ["ws-of-leader", "ws-of-rivals"].map((kind) => svg("text", { class: kind, ...text }));
    const inside = k ? [rest, best] : [rest, crowd, best, leader, rivals];
    const bar = svg("svg", { class: "ws-svg", height, role: "img" }, ...inside);
    const value = html("span", { class: `ws-share ws-${name}` });
    const label = html("span", { class: `ws-axis ws-${name}` }, name);
    const root = html("div", { class: "ws-melting" }, swatch(name), label, bar, value);
    return { best, value, root, label, slices, leader, rivals, bar };
  });
  const [{ slices, leader, rivals }, second, third] = rows;
  leader.textContent = "leader";
  leader.setAttribute("x", 8);
  rivals.setAttribute("x", "100%");
  rivals.setAttribute("dx", -8);
  return {
    root: html("div", { class: "ws-bars-of" }, ...rows.map((row) => row.root)),
    name(weights, count) {
      rows.forEach((row, k) => {
        row.value.textContent = percent(weights[k]);
        row.bar.setAttribute("aria-label", `${DISPERSED[k]}: the leader has ${percent(weights[k])}`);
      });
      rivals.textContent = `${count} rivals`;
      leader.setAttribute("visibility", weights[0] >= NAMED.leader ? "visible" : "hidden");
      rivals.setAttribute("visibility", 1 - weights[0] >= NAMED.rivals ? "visible" : "hidden");
    },
    // Two maps with one curve have one bar, and are named together.
    join(one) {
      second.label.textContent = one ? `${DISPERSED[1]} and ${DISPERSED[2]}` : DISPERSED[1];
      second.root.classList.toggle("ws-of-both", one);
      third.root.classList.toggle("ws-absent", one);
    },
    draw(weights, place) {
      rows.forEach((row, k) => row.best.setAttribute("width", `${100 * weights[k]}%`));
      const [count, rest] = [Math.round(FEWEST * (MOST / FEWEST) ** place) - 1, 1 - weights[0]];
      [Math.min(SLICES.most, count), Math.ceil(count / perSlice(rest, count))].forEach((many, i) => {
        const x = (k) => (1000 * (weights[0] + (rest * k) / many)).toFixed(1);
        slices[i].setAttribute("d", Array.from({ length: many }, (_, k) => `M${x(k)} 0V${BAR}`).join(""));
      });
    },
  };
}
