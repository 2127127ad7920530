// What *uphill* draws: a hill, a ball on it, the places where its steps ended, and the slider at the foot.
import { html, svg } from "./controls.js";
import { GROUND } from "./uphill_math.js";

export const LEADS = [1, 10]; // points, as the slider has them
const [LEFT, RIGHT] = [-10.5, 4]; // how far ahead the right word is at the ends of the plots
const HILL = { height: 132, top: 34, foot: 10, ball: 9 }; // CSS pixels
const LOWEST = { weight: 0, logarithm: LEFT }; // of the ground; the highest is 1 and 0
const FAR = 0.07; // points: steps that are shorter leave one line
const SPAN = Array.from({ length: 113 }, (_, k) => LEFT + (k * (RIGHT - LEFT)) / 112);

const shareAt = (x) => (Math.min(RIGHT, Math.max(LEFT, x)) - LEFT) / (RIGHT - LEFT);

export function hillPlot(hill, name) {
  const high = HILL.height - HILL.top - HILL.foot;
  const y = (x) => HILL.top + high * ((LOWEST[hill] ? 0 : 1) - GROUND[hill](x)) / (LOWEST[hill] ? -LOWEST[hill] : 1);
  const at = (x) => `${(1000 * shareAt(x)).toFixed(2)} ${y(x).toFixed(2)}`;
  const course = (xs) => xs.map(at).join("L");
  const box = { viewBox: `0 0 1000 ${HILL.height}`, preserveAspectRatio: "none", width: "100%", height: HILL.height };
  const ground = svg("path", { class: "ws-ground", d: `M${course(SPAN)}V${HILL.height}H0Z` });
  const edge = svg("path", { class: `ws-slope ws-${hill}`, d: `M${course(SPAN)}` });
  const goal = `${100 * shareAt(0)}%`;
  const pole = svg("line", { class: "ws-pole", x1: goal, x2: goal, y1: y(0) - 34, y2: y(0) });
  const flag = svg("svg", { x: goal, y: y(0) - 34, width: 20, height: 14, class: "ws-pennant" },
    svg("path", { d: "M0 0L16 6L0 12Z" }));
  const trail = svg("path", { class: "ws-trail" });
  const prints = svg("path", { class: "ws-prints" });
  const ball = svg("circle", { class: "ws-ball", r: HILL.ball });
  const title = svg("text", { class: "ws-label ws-hill-name", x: 0, y: 15 }, name);
  const status = svg("text", { class: "ws-label ws-behind", x: 0, y: 36 });
  const root = svg("svg", { class: "ws-svg ws-hill", height: HILL.height, role: "img" },
    svg("svg", box, ground, edge, trail, prints), pole, flag, ball, title, status);
  return {
    root,
    tell(text, said) {
      status.textContent = text;
      root.setAttribute("aria-label", `${name}: ${said}`);
    },
    // The ball at x, after so many steps of this course.
    draw(x, steps, places) {
      const taken = places.slice(0, steps + 1);
      const start = places[0];
      const way = SPAN.filter((one) => one > start && one < x);
      trail.setAttribute("d", `M${course([start, ...way, Math.max(start, x)])}`);
      const apart = taken.filter((one, k) => one <= x + 1e-9 && (k === 0 || one - taken[k - 1] > FAR));
      prints.setAttribute("d", apart.map((one) => `M${at(one)}h0`).join(""));
      ball.setAttribute("cx", `${100 * shareAt(x)}%`);
      ball.setAttribute("cy", y(x) - HILL.ball);
    },
  };
}

// A slider whose scale is that of the hills: how far behind the ball starts.
export function leadSlider(choose) {
  const [least, most] = LEADS;
  const range = html("input", { type: "range", class: "ws-range", min: -most, max: -least, step: 0.5 });
  range.addEventListener("input", () => choose(-Number(range.value)));
  const wide = shareAt(-least) - shareAt(-most);
  const mark = (x) => html("span", { style: `left:${100 * shareAt(x)}%` }, x ? String(-x) : "level");
  const root = html("div", { class: "ws-slider ws-starts", style: `--ws-share:${wide};--ws-first:${shareAt(-most)}` },
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
