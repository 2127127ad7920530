// Each weight against β, above the slider and on its scale: the thumb stands under the marker.
import { END, TOP, atPlace, fromPlace } from "./beta_slider.js";
import { svg } from "./controls.js";
import { manyOf, weightsAmong } from "./crowd.js";
import { NAMED, placeNames } from "./curve_names.js";
import { admissible } from "./math.js";
import { percent, short } from "./words.js";

// Sizes in CSS pixels.
const PLOT = { top: 12, height: 190, total: 210, thumb: 10 };
const LABEL = { most: 10, apart: 12, letters: 11, number: 6 }; // a number has the same room, whatever its digits
const NEARLY = 0.9; // the weight of a word that has nearly all
const FAINT = 0.005; // in a crowd a curve with less weight has no name, if there are more than two
// The two ends, then places that stand for a number: closer in a crowd, where curves are steep.
const placesEvery = (step) => [
  0, TOP, ...Array.from({ length: (TOP - 2 * END) / step + 1 }, (_, k) => END + k * step),
];
const [COARSE, FINE] = [placesEvery(4), placesEvery(1)];
const placesOf = (state) => (manyOf(state) > state.tokens.length ? FINE : COARSE);

const height = (w) => PLOT.top + (1 - w) * PLOT.height;

// Tokens with the same score and prior have the same weight at every β: they share a curve and a label.
function bundles(state) {
  const { tokens, scores, prior, where } = state;
  const crowded = placesOf(state) === FINE;
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
    const most = Math.max(...scores.filter((_, i) => open[i]));
    if (crowded && found.size === 2 && scores[all[0]] < most) return { all, text: "each other" };
    const more = all.length > 2 ? `${all.length} ${first}` : `${first}, ${first}`;
    const one = all.length > 1 && !crowded ? more : first;
    const letters = [...(words.size > 2 ? `${all.length} tokens` : second ? `${first}, ${second}` : one)];
    const text =
      letters.length > LABEL.letters ? letters.slice(0, LABEL.letters - 1).join("") + "…" : letters.join("");
    return { all, text };
  });
}

// A list for all places, in the order in which they stand.
const inOrder = (list) => [list[0], ...list.slice(2), list[1]];

// Of dots in a pile none is named but the one that leads, or is pointed at. `all` are in falling order.
function clear(all, y) {
  const apart = (one, other) => !other || Math.abs(y(one) - y(other)) >= LABEL.apart;
  const alone = (one, k) => apart(one, all[k - 1]) && apart(one, all[k + 1]);
  return all.filter((one, k) => k === 0 || all.length === 2 || one.kind.includes("ws-lit") || alone(one, k));
}

// With `few` a dot in a pile has no name.
export function curvePlot(slider, few = false) {
  const root = svg("svg", { class: "ws-svg ws-curves", height: PLOT.total, role: "img" });
  slider.track.before(root);
  let lit = null;
  let last = [];

  // Paths are drawn in the slider's places, stretched to the width; marker and labels in pixels from such a place.
  function draw(state, place) {
    last = [state, place];
    const sign = slider.sign();
    const at = (size) => weightsAmong(state, sign * size);
    const all = placesOf(state);
    const along = (one) => all.map((p) => one(p === 0 ? 0 : p === TOP ? Infinity : atPlace(p)));
    const rows = along(at);
    // While the marker glides it stands at a place between two states: the dots are where it cuts the curves.
    const now = place === slider.place() ? weightsAmong(state) : at(fromPlace(place));
    const best = Math.max(...rows[1]);
    const shown = bundles(state).map(({ all, text }) => {
      const y = rows.map((row) => height(row[all[0]]).toFixed(2));
      const kind = (rows[1][all[0]] === best ? " ws-first" : "") + (all.includes(lit) ? " ws-lit" : "");
      return { i: all[0], y, kind, text };
    });
    const path = (kind, d) => svg("path", { class: `ws-curve${kind}`, d, "vector-effect": "non-scaling-stroke" });
    const curves = shown.flatMap(({ y, kind }) => [
      path(kind, `M${y.slice(2).map((at, k) => `${all[k + 2]} ${at}`).join("L")}`),
      path(`${kind} ws-snap`, `M0 ${y[0]}L${END} ${y[2]}M${TOP - END} ${y.at(-1)}L${TOP} ${y[1]}`),
    ]);
    // Where the best would be if there were no more words than are seen.
    const winner = shown.find(({ kind }) => kind.includes("ws-first"));
    const alone = along((size) => weightsAmong({ ...state, crowd: 0 }, sign * size)).slice(2);
    const ghost = all === FINE && winner
      ? alone.map((row, k) => [all[k + 2], row[winner.i]])
      : [];
    const ends = shown.flatMap(({ y, kind }) =>
      ["0", "100%"].map((cx, end) => svg("circle", { class: `ws-end${kind}`, cx, cy: y[end], r: 2.5 })));
    const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
    const box = { width: "100%", height: PLOT.total, viewBox: `0 0 ${TOP} ${PLOT.total}`, overflow: "visible" };
    const level = (w, more) =>
      svg("text", { class: "ws-label ws-level", x: 0, y: height(w) - 4, ...more }, percent(w));
    const onLine = { x: "100%", y: height(NEARLY) + 4, class: "ws-label ws-level ws-at-end" };
    root.replaceChildren(
      rule(PLOT.top, "ws-all"), rule(height(NEARLY), "ws-all"), rule(height(0), "ws-zero"), level(1),
      level(0), level(NEARLY, onLine),
      ...ghostOf(ghost, box, state.tokens.length),
      svg("svg", { ...box, preserveAspectRatio: "none" }, ...curves), ...ends, marker(shown, now, place, sign));
    root.classList.toggle("ws-dim", shown.some(({ kind }) => kind.includes("ws-lit")));
    const whole = shown
      .map(({ i, text }) => `${text} ${percent(rows[0][i])} to ${percent(rows[1][i])}`)
      .join(", ");
    const here = shown.map(({ i, text }) => `${text} ${percent(now[i])}`).join(", ");
    root.setAttribute("aria-label", `weights: ${here}; from β = 0 to ${short(sign * Infinity)}: ${whole}`);
  }

  // A curve of [place, weight] to compare with, named where it begins, which is far from most markers.
  function ghostOf(all, box, words) {
    if (!all.length) return [];
    const d = `M${all.map(([p, w]) => `${p} ${height(w).toFixed(2)}`).join("L")}`;
    const at = { x: `${(100 * all[0][0]) / TOP}%`, y: height(all[0][1]) - 6 };
    return [
      svg("svg", { ...box, preserveAspectRatio: "none" },
        svg("path", { class: "ws-ghost", "vector-effect": "non-scaling-stroke", d })),
      svg("text", { class: "ws-label ws-ghost-name", ...at }, `${words} words`),
    ];
  }

  function marker(shown, now, place, sign) {
    const { scores } = last[0];
    const rise = (a, b) => now[b.i] - now[a.i] || sign * (scores[b.i] - scores[a.i]);
    const all = placesOf(last[0]);
    const crowded = all === FINE;
    const faint = ({ i }) => crowded && shown.length > 2 && now[i] < FAINT;
    const seen = shown.filter((one) => one.kind.includes("ws-first") || !faint(one));
    const ordered = seen.sort(rise).slice(0, LABEL.most);
    const named = few ? clear(ordered, ({ i }) => height(now[i])) : ordered;
    const curves = [
      ...shown.map(({ y }) => inOrder(y).map(Number)), all.map(() => height(0)), all.map(() => height(1)),
    ];
    const labels = placeNames(
      named.map(({ i, text }) => ({ y: height(now[i]), letters: [...text].length, number: LABEL.number })),
      { place, places: inOrder(all), curves, top: TOP, low: PLOT.top - 6, high: PLOT.total - 6 });
    const leaders = named.map(({ i, kind }, k) => {
      const { side, y } = labels[k];
      const d = `M${side * 5} ${height(now[i])}L${side * (NAMED.from - 9)} ${y}h${side * 6}`;
      return svg("path", { class: `ws-leader${kind}`, d });
    });
    const texts = named.map(({ i, text, kind }, k) => {
      const { side, y } = labels[k];
      return svg(
        "text", { class: `ws-label ws-name${side > 0 ? " ws-after" : ""}${kind}`, x: side * NAMED.from, y: y + 4 },
        svg("tspan", { class: "ws-called" }, text), svg("tspan", { class: "ws-number" }, ` ${percent(now[i])}`));
    });
    const dots = shown.map(({ i, kind }) =>
      svg("circle", { class: `ws-dot${kind}`, cx: 0, cy: height(now[i]), r: 4 }),
    );
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
