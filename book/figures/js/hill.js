// The triangle as a hill: the outlines of all points that are worth a level or more.
//
// What is drawn is concave: average scores less a convex price. So each outline is convex, and every ray from the
// top meets it once. It is found along each ray, to a fraction of a pixel, and joined to one closed line, which is
// quick enough for a phone to draw the hill anew while its slider moves.
import { SIDE, TALL, place, polyline } from "./triangle.js";

const TURNS = 240; // rays, besides those to the three corners
const BANDS = 9;
export const CORNERS = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const CLOSE = 1e-4; // of a ray: how closely an outline is found
const STRAIGHT = 0.3; // units of the triangle, of which a screen shows 500 or fewer pixels for 1000
const FLAT = 1e-12;

const along = (p, way, r) => p.map((x, i) => Math.max(0, x + r * way[i]));

// The rays from a point, as {way, far}: point + r·way lies in the triangle for r from 0 to far.
function rays(from) {
  const [x0, y0] = place(from);
  const turned = Array.from({ length: TURNS }, (_, k) => (2 * Math.PI * (k + 0.5)) / TURNS - Math.PI);
  const ways = turned.map((angle) => {
    const [across, down] = [Math.cos(angle), (Math.sin(angle) * SIDE) / TALL];
    return { angle, way: [-down, down / 2 - across, across + down / 2] };
  });
  for (const corner of CORNERS) {
    const [x, y] = place(corner);
    const way = corner.map((c, i) => c - from[i]);
    if (Math.hypot(x - x0, y - y0) > 1e-6) ways.push({ angle: Math.atan2(y - y0, x - x0), way });
  }
  ways.sort((a, b) => a.angle - b.angle);
  return ways.map(({ way }) => {
    const ends = way.map((d, i) => (d < -FLAT ? -from[i] / d : Infinity));
    return { way, far: Math.min(...ends) };
  });
}

// Where a falling function reaches a level between `near` and `far`, whose values are given: the secant, halved on
// the side that stays (the Illinois rule).
function crossing(value, level, near, far, atNear, atFar) {
  let [low, high, above, below] = [near, far, atNear - level, atFar - level];
  for (let k = 0, side = 0; k < 40 && high - low > CLOSE * far; k++) {
    const r = below === -Infinity ? (low + high) / 2 : (low * below - high * above) / (below - above);
    const rest = value(r) - level;
    if (Math.abs(rest) < FLAT) return r;
    if (rest > 0) {
      [low, above] = [r, rest];
      if (side === 1) below /= 2;
      side = 1;
    } else {
      [high, below] = [r, rest];
      if (side === -1) above /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}

// For each level, from high to low, the outline of the points that are worth as much or more, as a closed line.
export function outlines(top, value, levels) {
  const all = levels.map(() => []);
  const peak = value(top);
  for (const { way, far } of rays(top)) {
    const on = (r) => value(along(top, way, r));
    const edge = far > 0 ? on(far) : peak;
    let [near, atNear] = [0, peak];
    levels.forEach((level, k) => {
      if (edge >= level || atNear <= level) near = edge >= level ? far : near;
      else near = crossing(on, level, near, far, atNear, edge);
      atNear = Math.min(atNear, level);
      all[k].push(along(top, way, near));
    });
  }
  return all.map((points) => `${polyline(thinned(points))}Z`);
}

// The line without the points that lie between their neighbours, to a fraction of a pixel, as most on a side do.
function thinned(points) {
  const kept = [];
  points.forEach((point, k) => {
    const [before, after] = [kept.at(-1) ?? points.at(-1), points[(k + 1) % points.length]];
    const [[x0, y0], [x, y], [x1, y1]] = [before, point, after].map(place);
    const aside = Math.abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0));
    if (!kept.length || aside > STRAIGHT * Math.hypot(x1 - x0, y1 - y0)) kept.push(point);
  });
  return kept;
}

// The bands of the hill from the lowest but one up, as lines to be filled over one another. The levels are closer
// towards the top, where the hill is flat, so that the bands are about equally wide.
export function hill(top, value) {
  const peak = value(top);
  const fall = peak - Math.min(...CORNERS.map(value));
  const levels = Array.from({ length: BANDS - 1 }, (_, k) => peak - fall * ((k + 1) / BANDS) ** 2);
  return fall > 0 ? outlines(top, value, levels).reverse() : levels.map(() => "");
}

// The line of points with one average score: where it meets the sides of the triangle.
export function straight(scores, level) {
  const ends = [[0, 1], [1, 2], [2, 0]].flatMap(([i, j]) => {
    const t = (level - scores[i]) / (scores[j] - scores[i]);
    return t >= 0 && t <= 1 ? [CORNERS[i].map((x, k) => x + t * (CORNERS[j][k] - x))] : [];
  });
  return ends.length ? polyline(ends) : "";
}
export const EDGE = `${polyline(CORNERS)}Z`;
export const LAYERS = BANDS - 1;
