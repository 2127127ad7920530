// The simplex of three tokens as a triangle: where its points lie, curves of equal value, a point to move.
import { html } from "./controls.js";
import { entmax, normalised } from "./math.js";
import { percent } from "./words.js";

// The triangle's own units; the first token is the corner above, the others left and right below.
export const [SIDE, TALL] = [1000, 866];
export const place = ([a, , c]) => [SIDE * (c + a / 2), TALL * (1 - a)];
const found = (x, y) => [1 - y / TALL, 0.5 + y / TALL / 2 - x / SIDE, x / SIDE - 0.5 + y / TALL / 2];

// A grid with N steps along each side, and the small triangles between its points. It is closer towards the edges,
// where curves of equal divergence bend most.
const N = 44;
export const GRID = [];
const CELLS = [];
for (let i = 0; i <= N; i++) {
  for (let j = 0; j <= N - i; j++) {
    const k = GRID.push(normalised([i, N - i - j, j].map((x) => x ** 1.5))) - 1;
    const above = k + N - i + 1;
    if (j < N - i) CELLS.push([k, k + 1, above]);
    if (j < N - i - 1) CELLS.push([k + 1, above + 1, above]);
  }
}
const PLACES = GRID.map(place);

const spot = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
export const polyline = (points) => "M" + points.map((p) => spot(place(p))).join("L");

// Where the values on the grid pass one of the levels: a short piece for each small triangle.
export function contours(values, levels) {
  let pieces = "";
  for (const level of levels) {
    const reached = values.map((value) => value >= level);
    for (const cell of CELLS) {
      if (reached[cell[0]] === reached[cell[1]] && reached[cell[0]] === reached[cell[2]]) continue; // most of them
      const ends = [];
      cell.forEach((k, i) => {
        const m = cell[(i + 1) % 3];
        if (reached[k] === reached[m]) return;
        const t = (level - values[k]) / (values[m] - values[k]);
        ends.push(PLACES[k].map((x, axis) => x + t * (PLACES[m][axis] - x)));
      });
      pieces += `M${ends.map(spot).join("L")}`;
    }
  }
  return pieces;
}

// --- the point that can be moved: no share below 1% --------------------------------------------------
const LEAST = 0.01;
const tidy = (x) => Math.round(x * 1e4) / 1e4;

// The point with this share of token i, the other two in proportion.
export function withShare(u, i, share) {
  const mine = Math.min(1 - 2 * LEAST, Math.max(LEAST, share));
  const rest = 1 - mine;
  const others = u.map((x) => Math.min(rest - LEAST, Math.max(LEAST, (rest * x) / (1 - u[i]))));
  return others.map((x, j) => tidy(j === i ? mine : x));
}

// The point of the triangle nearest to a place on the plane, in whole percents; near
// the middle, the middle itself.
export function nearest(x, y) {
  const room = 1 - 3 * LEAST;
  const shares = entmax(found(x, y).map((p) => (p - LEAST) / room), 1, 2).map((p) => LEAST + room * p);
  if (shares.every((p) => Math.abs(p - 1 / 3) < 0.015)) return null;
  const [a, b] = shares.map((p) => Math.round(100 * p));
  return [a, b, 100 - a - b].map((p) => p / 100);
}

// A ring to drag; for keys and screen readers it is three sliders, the share of each token, at the same place.
// `move(shares, jump)` moves it, where null is the middle.
export function point(name, tokens, move) {
  let u = [];
  const sliders = tokens.map((token, i) => {
    const label = { "aria-label": `${name}, share of ${token}`, "data-i": i };
    const slider = html("input", { type: "range", class: "ws-share", min: 1, max: 98, step: 1, ...label });
    slider.addEventListener("input", () => move(withShare(u, i, slider.value / 100), false));
    return slider;
  });
  const group = { class: "ws-point", role: "group", "aria-label": name };
  const root = html("div", group, html("span", { class: "ws-knob" }), ...sliders);

  let from = null;
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    root.setPointerCapture(event.pointerId);
    const [x, y] = place(u);
    const unit = SIDE / root.parentElement.clientWidth;
    from = { unit, x: x - unit * event.clientX, y: y - unit * event.clientY };
  });
  root.addEventListener("pointermove", (event) => {
    if (from) move(nearest(from.x + from.unit * event.clientX, from.y + from.unit * event.clientY), true);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    root.addEventListener(end, () => (from = null));
  }
  return {
    root,
    show(next) {
      u = next;
      const said = tokens.map((token, i) => `${token} ${percent(u[i])}`).join(", ");
      sliders.forEach((slider, i) => {
        slider.value = 100 * u[i];
        slider.setAttribute("aria-valuetext", said);
      });
    },
  };
}
