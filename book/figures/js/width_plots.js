// What *the width* draws: scores and weights in columns, the pulls as curves, and the slider that is their scale.
import { html, svg } from "./controls.js";
import { SCALES } from "./width_words.js";
import { percent, short, steady } from "./words.js";

// Heights in CSS pixels. The scale of scores is that of their square roots, so that 1
// and 50 points have room on it.
const SCORE = { height: 140, zero: 70, root: 6.6 };
const WEIGHT = { height: 104, top: 22 };
const CURVE = { height: 130, top: 24 };
const BAR = 0.62; // width of a bar, in columns
const COLUMNS = 92; // percent of the width; on the right of them stands what the lines mean
const LEVELS = [40, 10, -10, -40]; // points, at which there are lines
const STEPS = [0.5, 1]; // pulls, at which there are lines
const ASIDE = 0.97; // of the slider: from there on the marker would stand at the names of these lines

// Scores above and weights below, column by column, as in *β and the weights*.
export function columns(n) {
  const share = (columns) => `${(COLUMNS * columns) / n}%`;
  const at = (i) => ({ x: share(i + 0.5 - BAR / 2), width: share(BAR) });
  const text = (x, anchor, y, said) =>
    svg("text", { class: `ws-label ws-${anchor}`, x, y }, ...(said ? [said] : []));
  const height = (s) => SCORE.zero - Math.sign(s) * SCORE.root * Math.sqrt(Math.abs(s));
  const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
  const scores = Array.from({ length: n }, (_, i) => svg("rect", { ...at(i), class: "ws-score" }));
  const weights = Array.from({ length: n }, (_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  // Beside the margin there is no room for a label wider than its bar, so each begins or ends where its bar does.
  const sides = [share(0.5 - BAR / 2), share(n - 0.5 + BAR / 2)];
  const ends = ["start", "end"].map((anchor, i) => text(sides[i], anchor, 0));
  const most = text(sides[0], "start", 0);
  most.classList.add("ws-accent");
  for (const value of [...ends, most]) value.classList.add("ws-of-bar");
  // The bars fall from left to right, so the unit has room over the last of them.
  const levels = LEVELS.map((s) => text("100%", "end", height(s) - 4, `${short(s)}${s === 40 ? " points" : ""}`));
  for (const label of levels) label.classList.add("ws-level");
  const scorePlot = svg("svg", { class: "ws-svg", height: SCORE.height, role: "img" },
    ...LEVELS.map((s) => rule(height(s), "ws-all")), ...levels, ...scores, rule(SCORE.zero, "ws-zero"), ...ends);
  const weightPlot = svg("svg", { class: "ws-svg", height: WEIGHT.height, role: "img" },
    rule(WEIGHT.top, "ws-all"), text("100%", "end", WEIGHT.top - 5, "100%"), ...weights,
    rule(WEIGHT.height - 0.5, "ws-zero"), most);
  weightPlot.children[1].classList.add("ws-level");
  const bar = (rect, y0, y1) => {
    rect.setAttribute("y", Math.min(y0, y1));
    rect.setAttribute("height", Math.abs(y1 - y0));
  };
  return {
    scorePlot,
    weightPlot,
    name(s, w) {
      ends[0].textContent = steady(s[0]);
      ends[1].textContent = steady(s[n - 1]);
      most.textContent = percent(w[0]);
      scorePlot.setAttribute("aria-label", `scores from ${steady(s[n - 1])} to ${steady(s[0])} points`);
      weightPlot.setAttribute(
        "aria-label", `weights, the largest first: ${w.slice(0, 4).map(percent).join(", ")} and so on`,
      );
    },
    draw(s, w) {
      s.forEach((score, i) => bar(scores[i], SCORE.zero, height(score)));
      const yWeight = (weight) => WEIGHT.top + (1 - weight) * (WEIGHT.height - WEIGHT.top - 1);
      w.forEach((weight, i) => bar(weights[i], yWeight(0), yWeight(weight)));
      ends[0].setAttribute("y", height(s[0]) - 6);
      const lowest = height(s[n - 1]) + 17;
      ends[1].setAttribute("y", lowest);
      levels.forEach((level, i) => { // a name of the scale in the same line would read as part of the value
        const same = Math.abs(height(LEVELS[i]) - 4 - lowest) < 12;
        level.setAttribute("visibility", same ? "hidden" : "visible");
      });
      most.setAttribute("y", yWeight(w[0]) - 6);
    },
  };
}

// The median of the largest possible pulls against d, with and without the division, on the slider's scale. The
// marker goes on to the thumb, where the slider is right `below`.
export function pullCurves(rows, below) {
  const kinds = Object.keys(SCALES);
  const top = 1.04 * Math.max(...kinds.flatMap((scale) => rows[scale].pull));
  const y = (pull) => CURVE.top + (1 - pull / top) * (CURVE.height - CURVE.top - 1);
  const share = (i) => i / (rows.widths.length - 1);
  const of = (make) => Object.fromEntries(kinds.map((scale) => [scale, make(scale)]));
  const lines = of((scale) => {
    const points = rows[scale].pull.map((pull, i) => `${(1000 * share(i)).toFixed(1)} ${y(pull).toFixed(2)}`);
    return svg("path", { class: `ws-pull ws-${scale}`, d: `M${points.join("L")}` });
  });
  const dots = of((scale) => svg("circle", { class: `ws-here ws-${scale}`, r: 5 }));
  const peak = rows.undivided.pull.indexOf(Math.max(...rows.undivided.pull));
  const placed = { divided: y(rows.divided.pull[peak]) - 8, undivided: y(rows.undivided.pull[peak]) - 9 };
  const names = of((scale) =>
    svg("text", { class: `ws-label ws-${scale}`, x: `${100 * share(peak)}%`, y: placed[scale] }, SCALES[scale]));
  const now = svg("line", { class: "ws-now", y1: CURVE.top - 14, y2: CURVE.height + (below ? 12 : 0) });
  const rule = (at, kind) => svg("line", { x1: 0, x2: "100%", y1: y(at), y2: y(at), class: kind });
  const steps = STEPS.filter((pull) => pull < top);
  const levels = steps.map((pull) =>
    svg("text", { class: "ws-label ws-level ws-end", x: "100%", y: y(pull) - 4 }, String(pull)));
  const box = {
    viewBox: `0 0 1000 ${CURVE.height}`, preserveAspectRatio: "none", width: "100%", height: CURVE.height,
  };
  const all = (parts) => kinds.map((scale) => parts[scale]);
  const root = svg("svg", { class: "ws-svg", height: CURVE.height, role: "img" },
    ...steps.map((pull) => rule(pull, "ws-all")), ...levels, rule(0, "ws-zero"), now,
    svg("svg", box, ...all(lines)), ...all(names), ...all(dots),
  );
  return {
    root,
    name(scale, d, pulls) {
      for (const one of kinds) {
        for (const part of [lines[one], dots[one], names[one]]) part.classList.toggle("ws-chosen", one === scale);
      }
      const said = kinds.map((one) => `${SCALES[one]} ${steady(pulls[one])}`).join(", ");
      root.setAttribute("aria-label", `median of the largest possible pulls at d = ${d}: ${said}`);
    },
    draw(place, ...pulls) {
      for (const end of ["x1", "x2"]) now.setAttribute(end, `${100 * place}%`);
      for (const level of levels) level.setAttribute("dx", place > ASIDE ? -6 : 0); // out of the marker's way
      kinds.forEach((scale, i) => {
        dots[scale].setAttribute("cx", `${100 * place}%`);
        dots[scale].setAttribute("cy", y(pulls[i]));
      });
    },
  };
}

// The names of the widths that are powers of two, under what has the slider's scale.
export function widthTicks(widths) {
  const powers = widths.filter((d) => Number.isInteger(Math.log2(d)));
  const tick = (d) =>
    html("span", { style: `left:${(100 * widths.indexOf(d)) / (widths.length - 1)}%` }, String(d));
  return html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...powers.map(tick));
}

// A slider over the widths, which are equally far apart on it.
export function widthSlider(widths, choose) {
  const last = widths.length - 1;
  const range = html("input", { type: "range", class: "ws-range", min: 0, max: last, step: 1 });
  range.addEventListener("input", () => choose(widths[Number(range.value)]));
  return {
    root: html("div", { class: "ws-slider" },
      html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "width d"), range),
      widthTicks(widths)),
    show(d) {
      range.value = widths.indexOf(d);
      range.setAttribute("aria-valuetext", `d = ${d}`);
    },
  };
}
