// What *uphill* draws: a hill, a ball on it, the places where its steps ended, and the slider at the foot.
import { html, svg } from "./controls.js";
import { GROUND } from "./uphill_math.js";
import { percent } from "./words.js";

export const LEADS = [1, 10]; // points, as the slider has them
const [LEFT, RIGHT] = [-10.5, 4]; // how far ahead the right word is at the ends of the plots
const HILL = { top: 36, foot: 10, ball: 9, hop: 12 }; // CSS pixels
const HEIGHTS = { weight: 172, logarithm: 138 };
const ENDS = { weight: [0, 1], logarithm: [LEFT, 0] }; // of the ground: the lowest and the highest
const FAR = 0.07; // points: steps that are shorter leave one line
const SPAN = Array.from({ length: 113 }, (_, k) => LEFT + (k * (RIGHT - LEFT)) / 112);

const shareAt = (x) => (Math.min(RIGHT, Math.max(LEFT, x)) - LEFT) / (RIGHT - LEFT);

// A weight as the figure writes it: where it is small, with one digit that counts.
export const smallPercent = (w) => (w < 0.001 ? `${Number((100 * w).toPrecision(1))}%` : percent(w));

export function hillPlot(hill, name) {
  const [least, most] = ENDS[hill];
  const height = HEIGHTS[hill];
  const foot = hill === "weight" ? 1 : HILL.foot; // a weight of 0 is on the floor
  const high = height - HILL.top - foot;
  const y = (x) => HILL.top + (high * (most - GROUND[hill](x))) / (most - least);
  const at = (x) => `${(1000 * shareAt(x)).toFixed(2)} ${y(x).toFixed(2)}`;
  const course = (xs) => xs.map(at).join("L");
  const box = { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", width: "100%", height };
  const path = (kind, d) => svg("path", { class: kind, d });
  const goal = { x1: `${100 * shareAt(0)}%`, x2: `${100 * shareAt(0)}%` };
  const flag = svg("svg", { x: goal.x1, y: y(0) - 36, width: 20, height: 14, class: "ws-pennant" },
    svg("path", { d: "M0 0L16 6L0 12Z" }));
  const [trail, prints] = [path("ws-trail", "M0 0"), path("ws-prints", "M0 0")];
  const ball = svg("circle", { class: "ws-ball", r: HILL.ball });
  const share = svg("text", { class: "ws-label ws-accent" });
  const half = svg("text", { class: "ws-label ws-half-way", x: goal.x1, y: y(0) - 42 }, percent(GROUND.weight(0)));
  const status = svg("text", { class: "ws-label ws-behind", x: 0, y: 37 });
  const root = svg("svg", { class: "ws-svg ws-hill", height, role: "img" },
    svg("svg", box, path("ws-ground", `M${course(SPAN)}V${height}H0Z`),
      path(`ws-slope ws-${hill}`, `M${course(SPAN)}`), trail, prints),
    svg("line", { class: "ws-pole", ...goal, y1: y(0) - 36, y2: y(0) }), flag, ball,
    svg("text", { class: "ws-label ws-hill-name", x: 0, y: 16 }, name), status,
    ...(hill === "weight" ? [share, half] : []));
  return {
    root,
    tell(text) {
      status.textContent = text;
      root.setAttribute("aria-label", `${name}: ${text}`);
    },
    // The ball at x, so far up in its `hop`, after so many steps of the course.
    draw(x, hop, steps, places) {
      const [start] = places;
      const way = SPAN.filter((one) => one > start && one < x);
      trail.setAttribute("d", `M${course([start, ...way, Math.max(start, x)])}`);
      const taken = steps ? places.slice(0, steps + 1) : [];
      const apart = taken.filter((one, k) => one <= x + 1e-9 && (k === 0 || one - taken[k - 1] > FAR));
      prints.setAttribute("d", apart.map((one) => `M${at(one)}h0`).join("") || "M0 0");
      const up = y(x) - HILL.ball - HILL.hop * hop;
      ball.setAttribute("cx", `${100 * shareAt(x)}%`);
      ball.setAttribute("cy", up);
      const weight = GROUND.weight(x);
      share.textContent = smallPercent(weight);
      share.setAttribute("x", `${100 * shareAt(x)}%`);
      share.setAttribute("y", y(x) - 5 + 24 * Math.min(1, 2.5 * weight)); // under the ground where that is steep
    },
  };
}

// A slider whose scale is that of the hills: how far behind the ball starts.
export function leadSlider(choose) {
  const [least, most] = LEADS;
  const range = html("input", { type: "range", class: "ws-range", min: -most, max: 0, step: 0.5 });
  range.addEventListener("input", () => {
    const lead = Math.max(least, -Number(range.value));
    range.value = -lead; // the track goes on to where nobody leads, the knob does not
    choose(lead);
  });
  const wide = shareAt(0) - shareAt(-most);
  const mark = (x) => html("span", { style: `left:${100 * shareAt(x)}%` }, x ? String(-x) : "level");
  const style = `--ws-share:${wide};--ws-first:${shareAt(-most)}`;
  const root = html("div", { class: "ws-slider ws-starts", style },
    html("span", { class: "ws-note ws-of-slider" }, "points behind at the start"),
    html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "lead of the wrong word"), range),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...[-10, -8, -6, -4, -2, 0].map(mark)));
  return {
    root,
    show(lead) {
      range.value = -lead;
      range.setAttribute("aria-valuetext", `${lead} ${lead === 1 ? "point" : "points"}`);
    },
  };
}
