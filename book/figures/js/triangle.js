// The simplex of three tokens as a triangle: where its points lie, and a knob that can be moved all over it.
import { html } from "./controls.js";
import { entmax } from "./math.js";

// The triangle's own units; the first token is the corner above, the others left and right below.
export const [SIDE, TALL] = [1000, 866];
export const place = ([a, , c]) => [SIDE * (c + a / 2), TALL * (1 - a)];
export const found = (x, y) => [1 - y / TALL, 0.5 + y / TALL / 2 - x / SIDE, x / SIDE - 0.5 + y / TALL / 2];

const spot = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
export const polyline = (points) => "M" + points.map((p) => spot(place(p))).join("L");

// --- the null, which has no share below 1% -----------------------------------------------------------
const LEAST = 0.01;
const tidy = (x) => Math.round(x * 1e4) / 1e4;

// The null with this share of token i, the other two in proportion.
export function withShare(u, i, share) {
  const mine = Math.min(1 - 2 * LEAST, Math.max(LEAST, share));
  const rest = 1 - mine;
  const others = u.map((x) => Math.min(rest - LEAST, Math.max(LEAST, (rest * x) / (1 - u[i]))));
  return others.map((x, j) => tidy(j === i ? mine : x));
}

// --- the point that is dragged, which may lie on an edge or in a corner ------------------------------
// The weights nearest to three numbers of sum 1, in half percents, about a pixel: so a link stays short, and a key
// and a pointer reach the same points. What is lost by rounding the two smaller ones the largest takes.
const PARTS = 200;
export function nearest(p) {
  const parts = entmax(p, 1, 2).map((x) => Math.round(PARTS * x));
  const most = parts.indexOf(Math.max(...parts));
  parts[most] += PARTS - parts.reduce((sum, x) => sum + x, 0);
  return parts.map((x) => x / PARTS);
}

const SNAP = 0.012; // from here a pointer snaps to the null, where nothing is paid
const snapped = (p, u) => (p.every((x, i) => Math.abs(x - u[i]) < SNAP) ? null : nearest(p));

// What a key adds to the three weights: up and down, left and right on the screen.
const KEYS = {
  ArrowUp: [0.01, -0.005, -0.005], ArrowDown: [-0.01, 0.005, 0.005],
  ArrowRight: [0, -0.01, 0.01], ArrowLeft: [0, 0.01, -0.01],
  PageUp: [0.1, -0.05, -0.05], PageDown: [-0.1, 0.05, 0.05],
};

// A knob in the triangle, which pointers drag and keys push. `move(weights, jump)` moves it;
// null in place of weights is the null itself.
export function knob(name, move) {
  let [p, u] = [[], []];
  const slider = { role: "slider", tabindex: 0, "aria-label": name, "aria-valuemin": 0, "aria-valuemax": 100 };
  const hold = html("div", { class: "ws-hold", ...slider });
  const root = html("div", { class: "ws-point" }, html("span", { class: "ws-knob" }), hold);

  hold.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const by = KEYS[event.key];
    if (!by && event.key !== "Home") return;
    event.preventDefault();
    move(by ? nearest(p.map((x, i) => x + by[i])) : null, true);
  });

  let from = null;
  hold.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    hold.setPointerCapture(event.pointerId);
    const [x, y] = place(p);
    const unit = SIDE / root.parentElement.clientWidth;
    from = { unit, x: x - unit * event.clientX, y: y - unit * event.clientY };
  });
  hold.addEventListener("pointermove", (event) => {
    if (!from) return;
    move(snapped(found(from.x + from.unit * event.clientX, from.y + from.unit * event.clientY), u), true);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    hold.addEventListener(end, () => (from = null));
  }
  return {
    root,
    show(weights, null_, text) {
      [p, u] = [weights, null_];
      hold.setAttribute("aria-valuenow", Math.round(100 * p[0]));
      hold.setAttribute("aria-valuetext", text);
    },
  };
}
