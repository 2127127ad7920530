// Each weight against β, above the slider and on its scale: the thumb stands under the marker.
import { END, TOP, atPlace, fromPlace } from "./beta_slider.js";
import { svg } from "./controls.js";
import { admissible, softmax } from "./math.js";
import { percent, short } from "./words.js";

// Sizes in CSS pixels.
const PLOT = { top: 24, height: 140, total: 172, thumb: 10 };
// While the marker is left of the place `right`, the labels stand on its right.
const LABEL = { gap: 14, most: 10, letters: 11, letter: 6.5, right: 60 };
const PLACES = [0, TOP]; // the two ends, then places that stand for a number
for (let place = END; place <= TOP - END; place += 4) PLACES.push(place);

const height = (w) => PLOT.top + (1 - w) * PLOT.height;

// Tokens with the same score and prior have the same weight at every β: they share a curve and a label.
function bundles({ tokens, scores, prior, where }) {
  const open = admissible(scores, { prior, where });
  const found = new Map();
  tokens.forEach((token, i) => {
    if (!open[i]) return;
    const key = `${scores[i]} ${prior ? prior[i] : 1}`;
    if (!found.has(key)) found.set(key, { all: [], words: new Set() });
    found.get(key).all.push(i);
    found.get(key).words.add(token);
  });
  return [...found.values()].map(({ all, words }) => {
    const [first, second] = words;
    const one = all.length > 1 ? `${first} ×${all.length}` : first;
    const letters = [...(words.size > 2 ? `${all.length} tokens` : second ? `${first}, ${second}` : one)];
    const text = letters.length > LABEL.letters ? letters.slice(0, LABEL.letters - 1).join("") + "…" : letters.join("");
    return { all, text };
  });
}

// The heights nearest to the wanted ones (in rising order), with room for a line of text between them.
function apart(wanted, low, high) {
  const blocks = [];
  wanted.forEach((y, i) => {
    let block = { sum: y - i * LABEL.gap, size: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).size > block.sum / block.size) {
      const { sum, size } = blocks.pop();
      block = { sum: sum + block.sum, size: size + block.size };
    }
    blocks.push(block);
  });
  const top = high - (wanted.length - 1) * LABEL.gap;
  const starts = blocks.flatMap(({ sum, size }) => Array(size).fill(Math.max(low, Math.min(top, sum / size))));
  return starts.map((start, i) => start + i * LABEL.gap);
}

export function curvePlot(slider) {
  const root = svg("svg", { class: "ws-svg ws-curves", height: PLOT.total, role: "img" });
  slider.track.before(root);
  let lit = null;
  let last = [];

  // Paths are drawn in the slider's places, stretched to the width; marker and labels in pixels from such a place.
  function draw(state, place) {
    last = [state, place];
    const sign = slider.sign();
    const at = (size) => softmax(state.scores, sign * size, state);
    const rows = PLACES.map((p) => at(p === 0 ? 0 : p === TOP ? Infinity : atPlace(p)));
    // While the marker glides it stands at a place between two states: the dots are where it cuts the curves.
    const now = place === slider.place() ? softmax(state.scores, state.beta, state) : at(fromPlace(place));
    const best = Math.max(...rows[1]);
    const shown = bundles(state).map(({ all, text }) => {
      const y = rows.map((row) => height(row[all[0]]).toFixed(2));
      const kind = (rows[1][all[0]] === best ? " ws-first" : "") + (all.includes(lit) ? " ws-lit" : "");
      return { i: all[0], y, kind, text };
    });
    const path = (kind, d) => svg("path", { class: `ws-curve${kind}`, d, "vector-effect": "non-scaling-stroke" });
    const curves = shown.flatMap(({ y, kind }) => [
      path(kind, `M${y.slice(2).map((at, k) => `${PLACES[k + 2]} ${at}`).join("L")}`),
      path(`${kind} ws-snap`, `M0 ${y[0]}L${END} ${y[2]}M${TOP - END} ${y.at(-1)}L${TOP} ${y[1]}`),
    ]);
    const ends = shown.flatMap(({ y, kind }) =>
      ["0", "100%"].map((cx, end) => svg("circle", { class: `ws-end${kind}`, cx, cy: y[end], r: 2.5 })));
    const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
    const box = { width: "100%", height: PLOT.total, viewBox: `0 0 ${TOP} ${PLOT.total}`, overflow: "visible" };
    root.replaceChildren(
      svg("text", { class: "ws-label ws-what", x: 0, y: 14 }, "each weight at every β"),
      rule(PLOT.top, "ws-all"), rule(height(0), "ws-zero"),
      svg("svg", { ...box, preserveAspectRatio: "none" }, ...curves), ...ends, marker(shown, now, place, sign));
    root.classList.toggle("ws-dim", shown.some(({ kind }) => kind.includes("ws-lit")));
    const whole = shown.map(({ i, text }) => `${text} ${percent(rows[0][i])} to ${percent(rows[1][i])}`).join(", ");
    root.setAttribute("aria-label", `weights from β = 0 to ${short(sign * Infinity)}: ${whole}`);
  }

  function marker(shown, now, place, sign) {
    const { scores } = last[0];
    const rise = (a, b) => now[b.i] - now[a.i] || sign * (scores[b.i] - scores[a.i]);
    const named = [...shown].sort(rise).slice(0, LABEL.most);
    const side = place < LABEL.right ? 1 : -1;
    const labels = apart(named.map(({ i }) => height(now[i])), PLOT.top - 6, PLOT.total - 6);
    const leaders = named.map(({ i, kind }, k) =>
      svg("path", { class: `ws-leader${kind}`, d: `M${side * 5} ${height(now[i])}L${side * 13} ${labels[k]}h${side * 4}` }));
    const texts = named.flatMap(({ text, kind }, k) => {
      const towards = side > 0 ? " ws-after" : "";
      const width = 6 + LABEL.letter * [...text].length;
      const behind = { x: side > 0 ? 17 : -17 - width, y: labels[k] - LABEL.gap / 2, width, height: LABEL.gap };
      return [
        svg("rect", { class: "ws-behind", ...behind }),
        svg("text", { class: `ws-label ws-name${towards}${kind}`, x: side * 20, y: labels[k] + 4 }, text),
      ];
    });
    const dots = shown.map(({ i, kind }) => svg("circle", { class: `ws-dot${kind}`, cx: 0, cy: height(now[i]), r: 4 }));
    const line = svg("line", { class: "ws-marker", x1: 0, x2: 0, y1: PLOT.top, y2: PLOT.total + PLOT.thumb });
    const box = { x: `${(100 * place) / TOP}%`, overflow: "visible" };
    return svg("svg", box, line, ...leaders, ...texts, ...dots);
  }

  const light = (i) => {
    lit = i;
    draw(...last);
  };
  return {
    draw,
    // A token that is pointed at or has the keyboard shows its curve.
    follow(part, i) {
      for (const on of ["pointerenter", "focusin"]) part.addEventListener(on, () => light(i));
      for (const off of ["pointerleave", "focusout"]) part.addEventListener(off, () => light(null));
    },
  };
}
