// What *number formats* draws: for each format where the scores lie on its range, and the weights that come out.
import { html, svg } from "./controls.js";
import { ends, FORMATS } from "./formats_math.js";
import { formatWeight } from "./formats_words.js";
import { fixed } from "./words.js";

// Heights in CSS pixels.
const RULER = 27;
const HEIGHT = 43; // of the weights
const ABOVE = 17; // over the highest bar, for its label
const BAR = 0.56; // width of a bar, in columns
const MARKS = [-10_000, -100, 0, 100, 10_000];
const [BEND, FAR] = [5, 30_000]; // the scale is even near 0 and logarithmic beyond; ends here

// Where a score lies, as a share of the width.
const place = (x) => 0.5 + Math.asinh(Math.max(-FAR, Math.min(FAR, x)) / BEND) / (2 * Math.asinh(FAR / BEND));
const share = (x) => `${(100 * place(x)).toFixed(3)}%`;

function ruler(format, n) {
  const [low, high] = ends(format);
  const edge = (x) => svg("line", { x1: share(x), x2: share(x), y1: 1, y2: RULER - 1, class: "ws-edge" });
  const gap = (RULER - 10) / (n - 1);
  const dots = Array.from({ length: n }, (_, i) => svg("circle", { r: 3.5, cy: 5 + gap * i, class: "ws-dot" }));
  const band = svg("rect", {
    x: share(low), width: `${(100 * (place(high) - place(low))).toFixed(3)}%`, y: 1, height: RULER - 2,
    class: "ws-band",
  });
  const root = svg("svg", { class: "ws-svg", height: RULER, role: "img" }, band, edge(low), edge(high), ...dots);
  return {
    root,
    name({ grown }) {
      const lost = [grown.filter((e) => e === Infinity).length, grown.filter((e) => e === 0).length];
      root.setAttribute(
        "aria-label", `${format.name}: of ${n} exponentials ${lost[0]} are ∞ and ${lost[1]} are 0`,
      );
      dots.forEach((dot, i) => dot.classList.toggle("ws-lost", grown[i] === 0 || grown[i] === Infinity));
    },
    draw: (powers) => dots.forEach((dot, i) => dot.setAttribute("cx", share(powers[i]))),
  };
}

function columns(format, n) {
  const middle = (i) => `${(100 * (i + 0.5)) / n}%`;
  const at = (i) => ({ x: `${(100 * (i + 0.5 - BAR / 2)) / n}%`, width: `${(100 * BAR) / n}%` });
  const bars = Array.from({ length: n }, (_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  const holes = Array.from({ length: n }, (_, i) =>
    svg("rect", { ...at(i), y: ABOVE, height: HEIGHT - ABOVE - 1, class: "ws-nan" }),
  );
  const labels = Array.from({ length: n }, (_, i) => svg("text", { x: middle(i), class: "ws-label" }));
  const root = svg("svg", { class: "ws-svg", height: HEIGHT, role: "img" },
    ...holes, ...bars, ...labels,
    svg("line", { x1: 0, x2: "100%", y1: HEIGHT - 0.5, y2: HEIGHT - 0.5, class: "ws-zero" }),
  );
  return {
    root,
    name({ weights }) {
      root.setAttribute("aria-label", `${format.name}: weights ${weights.map(formatWeight).join(", ")}`);
      weights.forEach((w, i) => {
        labels[i].textContent = formatWeight(w);
        labels[i].classList.toggle("ws-accent", w > 0);
        holes[i].classList.toggle("ws-shown", Number.isNaN(w));
      });
    },
    // Heights are shares of the room that there is for a bar.
    draw(heights) {
      heights.forEach((part, i) => {
        const height = (HEIGHT - ABOVE - 1) * part;
        bars[i].setAttribute("y", (HEIGHT - 1 - height).toFixed(3));
        bars[i].setAttribute("height", height.toFixed(3));
        labels[i].setAttribute("y", (HEIGHT - 6 - height).toFixed(3));
      });
    },
  };
}

// One strip for each format; under the last the scale of the scores, and the tokens.
export function strips(tokens) {
  const n = tokens.length;
  const all = FORMATS.map((format) => {
    const aside = html("span", { class: "ws-aside" });
    const parts = { aside, ruler: ruler(format, n), columns: columns(format, n) };
    const span = (kind, text) => html("span", { class: kind }, text);
    const [low, high] = ends(format);
    const [from, to] = [low, high].map((end) => fixed(Math.trunc(end), 0));
    const range = `${format.digits} binary digits, eˢ fits from ${from} to ${to}`;
    const head = html("div", { class: "ws-head" }, span("ws-axis", format.name), span("ws-note", range), aside);
    const [left, right] = [html("div", {}, parts.ruler.root), html("div", {}, parts.columns.root)];
    return { ...parts, left, right, root: html("div", { class: "ws-strip" }, head, left, right) };
  });
  const tick = (x) => html("span", { style: `left:${share(x)}` }, fixed(x, 0));
  const last = all[all.length - 1];
  last.left.append(html("div", { class: "ws-ticks ws-scale", "aria-hidden": "true" }, ...MARKS.map(tick)));
  last.right.append(
    html(
      "ol", { class: "ws-tokens", "aria-hidden": "true", style: `--ws-n:${n}` },
      ...tokens.map((t) => html("li", {}, t)),
    ),
  );
  return all;
}
