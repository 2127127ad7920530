// What *the width* draws: walks that spread, the fan of √d, and ribbons that carry the weights to the words.
import { html, svg } from "./controls.js";
import { dividedBy, placeAt, WIDEST } from "./width_math.js";
import { fixed, percent } from "./words.js";

const HEIGHT = 280; // CSS pixels
const REACH = 20; // points, up and down
const WALKED = 0.8; // of the plot's width: the rest is for the ribbons
const THICKEST = 32; // the ribbon of all the weight
const NARROW = 1; // the thinnest ribbon, so that each word keeps its line
const SLIGHT = 0.005; // a weight below this is drawn in grey
const LINES = [-10, 10]; // points, at which there are lines

const yAt = (points) => HEIGHT * (0.5 - Math.max(-1, Math.min(1, points / REACH)) / 2);
const xAt = (d) => 1000 * WALKED * (d / WIDEST);
const joined = (points) => points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(2)}`).join("L");
// Where the fan is drawn: closer together at first, where it bends most.
const BENDS = Array.from({ length: 33 }, (_, k) => WIDEST * (k / 32) ** 2);

// A band from the end of a walk to its word, which is as thick as its weight there.
function ribbonPath(x, y, row, weight) {
  const [from, to] = [Math.max(NARROW, 0.4 * THICKEST * weight) / 2, Math.max(NARROW, THICKEST * weight) / 2];
  const middle = (x + 1000) / 2;
  const curve = (a, b) => `C${middle.toFixed(1)} ${a.toFixed(2)} ${middle.toFixed(1)} ${b.toFixed(2)}`;
  return `M${x.toFixed(1)} ${(y - from).toFixed(2)}${curve(y - from, row - to)} 1000 ${(row - to).toFixed(2)}\
V${(row + to).toFixed(2)}${curve(row + to, y + from)} ${x.toFixed(1)} ${(y + from).toFixed(2)}Z`;
}

export function walkPlot(tokens) {
  const n = tokens.length;
  const rowAt = (i) => ((i + 0.5) * HEIGHT) / n;
  const path = (kind) => svg("path", { class: kind });
  const band = path("ws-band");
  const edges = [path("ws-edge"), path("ws-edge")];
  const lines = tokens.map(() => path("ws-walk"));
  const ribbons = tokens.map(() => path("ws-ribbon"));
  const ends = tokens.map(() => svg("circle", { class: "ws-tip", r: 4 }));
  const front = svg("line", { class: "ws-front", y1: 0, y2: HEIGHT });
  const rule = (s, kind) => svg("line", { x1: 0, x2: `${100 * WALKED}%`, y1: yAt(s), y2: yAt(s), class: kind });
  const named = (s) => svg("text", { class: "ws-label ws-level", x: 0, y: yAt(s) + (s > 0 ? -4 : 15) },
    s > 0 ? `+${s}` : `−${-s}`);
  const [typically, about] = [svg("tspan", { class: "ws-typically" }, "typically "), svg("tspan")];
  const size = svg("text", { class: "ws-label ws-size", y: 14 }, typically, about);
  const span = svg("path", { class: "ws-cone-span" });
  const clamp = svg("svg", { class: "ws-clamp" }, span); // from one edge to the other, where the walks end
  const box = { viewBox: `0 0 1000 ${HEIGHT}`, preserveAspectRatio: "none", width: "100%", height: HEIGHT };
  const root = svg("svg", { class: "ws-svg ws-fan", height: HEIGHT, role: "img" },
    svg("svg", box, band), ...LINES.map((s) => rule(s, "ws-all")), rule(0, "ws-zero"),
    svg("svg", box, ...edges, ...lines, ...ribbons), front, clamp, ...ends, ...LINES.map(named), size);
  const shares = tokens.map(() => html("b"));
  const rows = tokens.map((token, i) => html("li", {}, html("span", {}, token), shares[i]));
  const words = html("ol", { class: "ws-ends-at", "aria-hidden": "true", style: `height:${HEIGHT}px` },
    ...rows);
  return {
    root,
    words,
    share: WALKED,
    name(scores, weights) {
      const told = tokens.map((token, i) => `${token} ${fixed(scores[i], 1)} points, ${percent(weights[i])}`);
      root.setAttribute("aria-label", `scores as walks, and weights: ${told.join("; ")}`);
    },
    // The walks as far as d, with the division `divided` done, and the weights that come of it.
    draw(walks, d, divided, weights) {
      const [x, typical] = [xAt(d), Math.sqrt(d) * dividedBy(divided, d)];
      const edge = [...BENDS.filter((j) => j < d), d].map((j) => [xAt(j), Math.sqrt(j) * dividedBy(divided, j)]);
      const [up, down] = [1, -1].map((sign) => edge.map(([at, s]) => [at, yAt(sign * s)]));
      band.setAttribute("d", `M${joined([...up, ...down.toReversed()])}Z`);
      edges.forEach((line, k) => line.setAttribute("d", `M${joined([up, down][k])}`));
      const whole = Array.from({ length: Math.floor(d) + 1 }, (_, j) => j);
      const places = whole.at(-1) < d ? [...whole, d] : whole;
      walks.forEach((walk, i) => {
        const course = places.map((j) => [xAt(j), yAt(placeAt(walk, j) * dividedBy(divided, j))]);
        const [, y] = course.at(-1);
        lines[i].setAttribute("d", `M${joined(course)}`);
        lines[i].setAttribute("stroke-width", (1 + 2 * weights[i]).toFixed(3));
        ribbons[i].setAttribute("d", ribbonPath(x, y, rowAt(i), weights[i]));
        ends[i].setAttribute("cx", `${x / 10}%`);
        ends[i].setAttribute("cy", y);
        shares[i].textContent = percent(weights[i]);
        for (const part of [rows[i], ribbons[i]]) part.classList.toggle("ws-slight", weights[i] < SLIGHT);
      });
      for (const end of ["x1", "x2"]) front.setAttribute(end, `${x / 10}%`);
      const early = d < 0.4 * WIDEST;
      const far = fixed(typical, 1).replace(/\.0$/, "");
      about.textContent = `±${far} ${far === "1" ? "point" : "points"}`;
      clamp.setAttribute("x", `${x / 10}%`);
      span.setAttribute("d", `M-5 ${yAt(typical)}h10M0 ${yAt(typical)}V${yAt(-typical)}M-5 ${yAt(-typical)}h10`);
      size.setAttribute("x", `${x / 10}%`);
      size.setAttribute("dx", early ? 8 : -8);
      size.classList.toggle("ws-before", !early);
    },
  };
}

// A slider on the scale of the walks, with a badge at its thumb.
export function termSlider(choose) {
  const range = html("input", { type: "range", class: "ws-range", min: 0, max: WIDEST, step: 1 });
  range.addEventListener("input", () => choose(Math.max(1, Number(range.value))));
  const mark = (d) => html("span", { style: `left:${(100 * d) / WIDEST}%` }, String(d));
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "drag me");
  const root = html("div", { class: "ws-slider ws-terms", style: `--ws-walked:${WALKED}` },
    html("span", { class: "ws-note ws-of-slider" }, "width d: terms added up"),
    html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "width d"), range, badge),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...[4, 16, 32, 48, 64].map(mark)));
  return {
    root,
    show(d, meant) {
      range.value = d;
      range.setAttribute("aria-valuetext", `d = ${d}`);
      root.classList.toggle("ws-drag", meant);
      badge.style.setProperty("--ws-at", d / WIDEST);
      badge.classList.toggle("ws-before", d > WIDEST / 2); // where it has room
    },
  };
}
