// What *number formats* draws: the scores as pins on the land of a format, which ends in two cliffs; the weights.
import { html, svg } from "./controls.js";
import { ends, FORMATS } from "./formats_math.js";
import { formatWeight } from "./formats_words.js";
import { columnsOf, middleOf } from "./score_row.js";
import { fixed } from "./words.js";

const AXIS = [-31, 18]; // scores; it never changes
export const ROOM = [-22, 12]; // of the shift
// CSS pixels: from the top the rail, the ends of its teeth, the heads of the pins, the ground, the floor that they
// fall to.
const LAND = { rail: 22, teeth: 36, heads: 46, ground: 106, floor: 172, height: 192 };
const MARKS = [-20, -10, 0, 10];
const HEIGHTS = { height: 82, above: 17, bar: 0.56 };

const place = (x) => (x - AXIS[0]) / (AXIS[1] - AXIS[0]);
const share = (x) => `${(100 * Math.min(1, Math.max(0, place(x)))).toFixed(3)}%`;
const vertical = (kind) => svg("line", { class: kind });
const setAll = (el, values) => {
  for (const [name, value] of Object.entries(values)) el.setAttribute(name, value);
};
const endText = (x) => fixed(Math.trunc(x), 0);

// The land of a format: its walls, or how far off they are, and where those of the first format were.
function land() {
  const { ground, floor } = LAND;
  const earth = svg("rect", { y: ground, height: floor - ground, class: "ws-earth" });
  const walls = [0, 1].map(() => svg("line", { y1: ground, y2: floor, class: "ws-wall" }));
  const top = svg("line", { y1: ground, y2: ground, class: "ws-wall" });
  const floors = [0, 1].map(() => svg("line", { y1: floor, y2: floor, class: "ws-floor" }));
  const ghosts = [0, 1].map(() => svg("line", { y1: ground, y2: ground + 22, class: "ws-ghost-wall" }));
  const text = (kind, x) => svg("text", { x, y: (ground + floor) / 2 + 5, class: `ws-label ${kind}` });
  const name = text("ws-of-land", 0);
  const [left, right] = [text("ws-way-left", 6), text("ws-way-right", "100%")];
  setAll(right, { dx: -6 });
  const limit = (x, what) => svg("text", { x: share(x), y: ground + 22, class: "ws-label ws-limit" }, what);
  const inside = (x) => x > AXIS[0] && x < AXIS[1];
  const first = ends(FORMATS[0]);
  first.forEach((x, i) => setAll(ghosts[i], { x1: share(x), x2: share(x) }));
  const limits = [
    limit((AXIS[0] + first[0]) / 2, "eˢ = 0"), limit((AXIS[1] + first[1]) / 2, "eˢ = ∞"),
  ];
  return {
    parts: [earth, ...ghosts, top, ...walls, ...floors, name, left, right, ...limits],
    show(format) {
      const [low, high] = ends(format);
      const [from, to] = [share(low), share(high)];
      const width = `${(parseFloat(to) - parseFloat(from)).toFixed(3)}%`;
      setAll(earth, { x: from, width });
      name.setAttribute("x", `${((parseFloat(from) + parseFloat(to)) / 2).toFixed(3)}%`);
      setAll(top, { x1: from, x2: to });
      [[low, from, 0, from], [high, to, to, "100%"]].forEach(([x, at, start, end], i) => {
        const seen = inside(x) ? "visible" : "hidden";
        setAll(walls[i], { x1: at, x2: at, visibility: seen });
        setAll(floors[i], { x1: start, x2: end, visibility: seen });
        setAll(limits[i], { visibility: seen });
        setAll(ghosts[i], { visibility: inside(x) ? "hidden" : "visible" });
      });
      name.textContent = inside(low) ? `${format.name} has room for eˢ` : format.name;
      left.textContent = inside(low) ? "" : `← cliff at ${endText(low)}`;
      right.textContent = inside(high) ? "" : `cliff at ${endText(high)} →`;
    },
  };
}

// One pin for each word, the better the shorter, that hangs on the rail which the knob moves; the worst and the
// best have their names. A pin stands where the exponential is taken, a ring where the score is, if elsewhere.
export function landscape(tokens, scores, range) {
  const n = tokens.length;
  const { rail, teeth, heads, ground, floor, height } = LAND;
  const middle = (Math.min(...scores) + Math.max(...scores)) / 2;
  const order = scores.map((_, i) => i).sort((i, j) => scores[i] - scores[j] || i - j);
  const level = (i) => heads + ((ground - 10 - heads) * order.indexOf(i)) / Math.max(1, n - 1);
  const scene = land();
  const spine = svg("line", { y1: rail, y2: rail, class: "ws-rail" });
  const arrow = svg("path", { class: "ws-arrow", d: "M-5 0l10 -5v10z" });
  const [pull, head] = [vertical("ws-pull"), svg("svg", { overflow: "visible" }, arrow)];
  const pins = tokens.map((_, i) => ({
    y: level(i),
    tooth: vertical("ws-prong"),
    stick: vertical("ws-stick"),
    ring: svg("circle", { r: 3.5, cy: level(i), class: "ws-left" }),
    dot: svg("circle", { r: 4, class: "ws-dot" }),
  }));
  const names = [order[0], order.at(-1)].map((i, k) => ({
    i, onLeft: k === 0, text: svg("text", { class: "ws-label ws-pin-name" }, tokens[i]),
  }));
  const parts = ["tooth", "stick", "ring", "dot"].flatMap((kind) => pins.map((pin) => pin[kind]));
  const below = (x, kind, text) => svg("text", { x, y: height - 3, class: `ws-label ws-level ${kind}` }, text);
  const ticks = MARKS.flatMap((x) => [
    svg("line", { x1: share(x), x2: share(x), y1: floor, y2: floor + 4, class: "ws-notch" }),
    below(share(x), "", fixed(x, 0)),
  ]);
  ticks.push(below(0, "ws-first", "score"));
  const plot = svg("svg", { class: "ws-svg", height, role: "img" },
    ...scene.parts, spine, pull, head, ...parts, ...names.map(({ text }) => text), ...ticks);
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "drag us over a cliff");
  const [from, to] = ROOM.map((x) => 100 * place(x + middle));
  const rest = `left:calc(${from.toFixed(3)}% - 12px);width:calc(${(to - from).toFixed(3)}% + 24px)`;
  const track = html("label", { class: "ws-track", style: rest },
    html("span", { class: "ws-unseen" }, "shift of all scores"), range);
  return {
    root: html("div", { class: "ws-land" }, plot, track, badge),
    show({ format, grown, says, calls }) {
      scene.show(format);
      plot.setAttribute("aria-label", says);
      badge.classList.toggle("ws-gone", !calls);
      pins.forEach(({ dot }, i) => dot.classList.toggle("ws-lost", grown[i] === 0 || grown[i] === Infinity));
    },
    draw({ shift, held, powers, moved, falls }) {
      setAll(spine, { x1: share(Math.min(...held)), x2: share(Math.max(...held)) });
      badge.style.left = share(shift + middle);
      badge.classList.toggle("ws-left-of", place(shift + middle) > 0.5); // where there is room for it
      const best = order.at(-1);
      const y = pins[best].y;
      const seen = moved > 0.01 ? "visible" : "hidden";
      setAll(pull, { x1: share(held[best]), x2: share(powers[best]), y1: y, y2: y, visibility: seen });
      setAll(head, { x: share((powers[best] + held[best]) / 2), y, visibility: seen });
      setAll(arrow, { transform: powers[best] > held[best] ? "rotate(180)" : "rotate(0)" });
      const lies = ({ y: top }, i) => top + (floor - 6 - top) * falls[i]; // who has fallen, on the floor
      pins.forEach((pin, i) => {
        const { y: top, tooth, stick, ring, dot } = pin;
        const [x, at] = [share(powers[i]), share(held[i])];
        setAll(tooth, { x1: at, x2: at, y1: rail, y2: top + (teeth - top) * falls[i] });
        setAll(ring, { cx: at, visibility: seen });
        setAll(stick, {
          x1: x, x2: x, y1: lies(pin, i), y2: ground + (floor - ground) * falls[i], opacity: 1 - falls[i],
        });
        setAll(dot, { cx: x, cy: lies(pin, i) });
      });
      names.forEach(({ i, onLeft, text }) => {
        const needs = tokens[i].length + 1; // points, on a phone
        const before = onLeft ? powers[i] > AXIS[0] + needs : powers[i] > AXIS[1] - needs;
        // Over a dot that has a wall on that side; over the arrow, too.
        const walled = falls[i] === 1 && onLeft === powers[i] > 0;
        const up = walled ? 12 : 2 * falls[i] - 4 + (onLeft ? 0 : 9 * moved);
        const toLeft = before !== walled;
        text.classList.toggle("ws-before", toLeft);
        setAll(text, { x: share(powers[i]), y: lies(pins[i], i) - up, dx: walled ? 0 : toLeft ? -8 : 8 });
      });
    },
  };
}

// The weights that come out, as bars; an outline is what they should be.
export function columns(tokens) {
  const n = tokens.length;
  const { height, above, bar } = HEIGHTS;
  const [at, middle] = [columnsOf(n, bar), middleOf(n)];
  const rects = (kind, more = {}) => tokens.map((_, i) => svg("rect", { ...at(i), ...more, class: kind }));
  const [bars, trues] = [rects("ws-weight"), rects("ws-prior")];
  const holes = rects("ws-nan", { y: height - 24, height: 23, rx: 3 });
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const root = svg("svg", { class: "ws-svg", height, role: "img" },
    ...bars, ...trues, svg("line", { x1: 0, x2: "100%", y1: height - 0.5, y2: height - 0.5, class: "ws-zero" }),
    ...holes, ...labels);
  const tall = (part) => (height - above - 1) * part;
  const stand = (rect, part) => setAll(rect, {
    y: (height - 1 - tall(part)).toFixed(3), height: tall(part).toFixed(3),
  });
  return {
    root,
    name(weights) {
      const said = weights.map((w, i) => `${tokens[i]} ${formatWeight(w)}`);
      root.setAttribute("aria-label", `weights: ${said.join(", ")}`);
      weights.forEach((w, i) => {
        const none = Number.isNaN(w);
        labels[i].textContent = formatWeight(w);
        labels[i].classList.toggle("ws-accent", w > 0);
        labels[i].classList.toggle("ws-of-nan", none);
        holes[i].setAttribute("visibility", none ? "visible" : "hidden");
      });
    },
    // `heights` and `wanted` are shares of the room that there is for a bar.
    draw(heights, wanted) {
      heights.forEach((part, i) => {
        stand(bars[i], part);
        stand(trues[i], wanted[i]);
        const none = labels[i].classList.contains("ws-of-nan");
        labels[i].setAttribute("y", height - 7 - (none ? 0 : tall(Math.max(part, wanted[i]))));
      });
    },
  };
}

// Names of the formats, each with where its cliffs are.
export const reaches = () => FORMATS.map((format) => {
  const [low, high] = ends(format).map(endText);
  return html("span", { class: "ws-format" }, format.name, html("small", {}, `${low} to ${high}`));
});
