// What *outside the frame* draws: a strip of bars for the scores and for each rule, and the marks of the tests.
import { button, html, svg } from "./controls.js";
import { rule } from "./map_panel.js";
import { columnsOf, setBar } from "./score_row.js";
import { percent } from "./words.js";

// How high a strip is in units of its own, which the style sheet stretches, with the room over all the weight and
// under nothing; the highest score that is drawn.
const STRIP = { height: 42, top: 3, foot: 1, most: 5 };
const BOX = { viewBox: `0 0 100 ${STRIP.height}`, preserveAspectRatio: "none", role: "img" };
const base = STRIP.height - STRIP.foot;

// The scores: bars up and down from 0, cut off where the axis ends.
export function scoreStrip(n) {
  const at = columnsOf(n, 0.62);
  const bars = Array.from({ length: n }, (_, i) => svg("rect", { ...at(i), class: "ws-score" }));
  const middle = STRIP.height / 2;
  const plot = svg("svg", { class: "ws-svg ws-strip", ...BOX },
    ...bars, rule(middle, "ws-zero"));
  return {
    root: plot,
    name: (text) => plot.setAttribute("aria-label", text),
    draw: (scores) => scores.forEach((s, i) => {
      const inside = Math.max(-STRIP.most, Math.min(STRIP.most, s));
      setBar(bars[i], middle, middle - (inside / STRIP.most) * middle);
    }),
  };
}

// The weights under a rule, with a line where each was before the test.
function weightStrip(n) {
  const [at, wide] = [columnsOf(n, 0.62), columnsOf(n, 0.86)];
  const tall = (w) => Math.min(w, 1) * (base - STRIP.top);
  const bars = Array.from({ length: n }, (_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  const were = Array.from({ length: n }, (_, i) => svg("rect", { ...wide(i), height: 2, class: "ws-was" }));
  const plot = svg("svg", { class: "ws-svg ws-strip", ...BOX },
    rule(STRIP.top, "ws-all"), ...bars, rule(base, "ws-zero"), ...were);
  return {
    root: plot,
    show(label, was, now) {
      plot.setAttribute("aria-label", label);
      were.forEach((line, i) => {
        line.setAttribute("y", base - tall(was[i] ?? 0) - 1);
        line.setAttribute("visibility", i < was.length && Math.abs(was[i] - now[i]) > 1e-9 ? "visible" : "hidden");
      });
    },
    draw: (weights) => weights.forEach((w, i) => setBar(bars[i], base, base - tall(w))),
  };
}

// A mark: nothing yet, kept or broken.
function markOf() {
  const size = { width: 24, height: 24, viewBox: "0 0 24 24" };
  const root = svg("svg", { class: "ws-verdict", ...size, role: "img" },
    svg("circle", { class: "ws-open", cx: 12, cy: 12, r: 2 }),
    svg("path", { class: "ws-passed", d: "M5 12.5L10 17.5L19 7" }),
    svg("circle", { class: "ws-fell", cx: 12, cy: 12, r: 11 }),
    svg("path", { class: "ws-cross", d: "M8 8L16 16M16 8L8 16" }));
  const cell = html("span", { class: "ws-marked" }, root);
  return {
    cell,
    show(test, passes, now) {
      root.dataset.is = passes === undefined ? "open" : passes ? "kept" : "broken";
      cell.classList.toggle("ws-now", now);
      root.setAttribute("aria-label", `${test}: ${passes === undefined ? "not tested" : root.dataset.is}`);
    },
  };
}

// A row for a rule: its name, what is read of it, its strip and its marks.
export function ruleRow(name, n, tests) {
  const strip = weightStrip(n);
  const marks = tests.map(markOf);
  const [was, now] = [html("span"), html("b")];
  const reading = html("span", { class: "ws-reading" }, was, now);
  const root = html("div", { class: "ws-rule-row", role: "group", "aria-label": name },
    html("b", { class: "ws-rule-name ws-axis" }, name), reading, strip.root,
    html("div", { class: "ws-marks" }, ...marks.map((mark) => mark.cell)));
  return {
    root,
    marks,
    draw: strip.draw,
    // What is read: its name, before (or nothing) and now.
    show([called, old, value], before, weights, words) {
      was.textContent = old === null ? called : `${called}${old} → `;
      now.textContent = value;
      const all = words.map((word, i) => `${word} ${percent(weights[i])}`).join(", ");
      strip.show(`weights under ${name}: ${all}`, before, weights);
    },
  };
}

// The tests, as buttons over the columns of their marks; on a phone above all rows, with the numbers of
// the columns.
export function testButtons(tests, told, press) {
  const all = tests.map((test, k) => {
    const made = button("", () => press(test));
    made.append(html("span", { class: "ws-number-of", "aria-hidden": "true" }, String(k + 1)),
      html("span", {}, told[test].press));
    return made;
  });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  all[0].append(call);
  return {
    root: html("div", { class: "ws-tests", role: "group", "aria-label": "tests" }, ...all),
    numbers: html("div", { class: "ws-marks ws-numbers", "aria-hidden": "true" },
      ...tests.map((_, k) => html("span", {}, String(k + 1)))),
    show(test, first) {
      all.forEach((one, k) => one.setAttribute("aria-pressed", String(tests[k] === test)));
      all[0].classList.toggle("ws-meant", first);
      call.hidden = !first;
    },
  };
}
