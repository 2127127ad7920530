// The curve of *make it flat*: through five shares, smooth in the logarithm; and what the pen makes of it.

export const ROW = ["drank", "milk", "cat"];
export const AT = [1, 1.4, 1.9]; // the words' scores where the row stands at 0
export const FAR = 3.1; // how far the row can be slid, in points
export const SQUARES = [1, 4, 9, 16, 25];
const TOPMOST = 25; // to this the highest share is brought, since only ratios count
const LOGS = SQUARES.map((square) => Math.log(square) / 2); // of the scores 1 to 5
const WRITTEN_AT = 187; // places of the pen, along its line
export const PLACES = Array.from({ length: WRITTEN_AT }, (_, i) => (FAR * i) / (WRITTEN_AT - 1));

const mean = (all) => all.reduce((sum, x) => sum + x, 0) / all.length;
export const range = (all) => Math.max(...all) - Math.min(...all);

// The slopes of the monotone cubic through five values at 1 to 5: Fritsch and Carlson's, as in SciPy's PCHIP.
function slopesOf(y) {
  const steps = y.slice(1).map((value, i) => value - y[i]);
  const end = (near, far) => {
    const slope = (3 * near - far) / 2;
    if (slope * near <= 0) return 0;
    return near * far <= 0 && Math.abs(slope) > 3 * Math.abs(near) ? 3 * near : slope;
  };
  const inner = steps.slice(1).map((b, i) => (steps[i] * b > 0 ? (2 * steps[i] * b) / (steps[i] + b) : 0));
  return [end(steps[0], steps[1]), ...inner, end(steps.at(-1), steps.at(-2))];
}

export function cubic(y) {
  const d = slopesOf(y);
  return (s) => {
    const k = Math.min(3, Math.max(0, Math.floor(s - 1)));
    const t = s - 1 - k;
    const rise = t * t * (3 - 2 * t);
    return y[k] * (1 - rise) + y[k + 1] * rise + d[k] * t * (1 - t) ** 2 - d[k + 1] * t * t * (1 - t);
  };
}
const cubicLog = cubic(LOGS);

// The logarithm of the share at each score from 1 to 5, from those of the five shares. Equal factors from handle
// to handle make an exact exponential. Squares, a straight line through 0 and other powers of the score are exact
// as well, and what is near one of them is drawn towards it: so nothing jumps when the first handle is touched.
export function logCurve(y) {
  const through = cubic(y);
  const [x0, y0, wide] = [mean(LOGS), mean(y), range(y)];
  const spread = LOGS.reduce((sum, x) => sum + (x - x0) ** 2, 0);
  const power = LOGS.reduce((sum, x, i) => sum + (x - x0) * y[i], 0) / spread;
  const off = Math.max(...LOGS.map((x, i) => Math.abs(y[i] - y0 - power * (x - x0))));
  const near = wide > 0 ? Math.max(0, 1 - (25 * off) / wide) : 0;
  return near ? (s) => through(s) + near * power * (Math.log(s) - cubicLog(s)) : through;
}

export const logsOf = (shares) => shares.map(Math.log);

// The logarithms of the shares as they are drawn: 0 is the highest of them, or `top`.
export const drawnLogs = (shares, top = Math.max(...shares)) => logsOf(shares).map((y) => y - Math.log(top));

// What the pen writes along its way, in logarithms, and in one place.
export const logRatio = (curve, place) => curve(AT[2] + place) - curve(AT[1] + place);
export const penLine = (curve) => PLACES.map((place) => logRatio(curve, place));

// A line is level if its highest point is no further above its lowest than this, in logarithms: 5%, and a sixth of
// what a point counts for. Where a point counts for less than COUNTS, it counts for nothing.
const [LEVEL, OF_MEAN, COUNTS] = [Math.log(1.05), 0.16, Math.log(1.08)];

// The band in which a flat line lies, about the middle of this one.
export function goalOf(line) {
  const wide = Math.min(LEVEL, OF_MEAN * Math.max(mean(line), COUNTS));
  return { middle: Math.max((Math.max(...line) + Math.min(...line)) / 2, COUNTS), wide };
}

// Whether a line is level, and whether it also says that a better score gets more; else the score counts for
// nothing, or the worse one gets more.
export function judge(line) {
  const [middle, wide] = [mean(line), range(line)];
  if (!(wide < LEVEL)) return "bent";
  if (Math.abs(middle) <= COUNTS) return "even";
  if (!(wide < OF_MEAN * Math.abs(middle))) return "bent";
  return middle > 0 ? "flat" : "fallen";
}

// The slope of the exponential that has been found, or null.
export function slopeOf({ shares, beta }) {
  if (beta !== null) return beta;
  const logs = logsOf(shares);
  return judge(penLine(logCurve(logs))) === "flat" ? (logs[4] - logs[0]) / 4 : null;
}

// Factors that are as good as equal.
export const alike = (a, b) => Math.abs(Math.log(a / b)) < 0.005;
export const factorsOf = (shares) => shares.slice(1).map((share, i) => share / shares[i]);

// The shares once the one numbered k, and all to its right, are `times` what they were.
export const bent = (shares, k, times) => shares.map((share, j) => (j < k ? share : share * times));

// The shares with the highest at 25, and no more digits than a link needs.
export function scaled(shares) {
  const top = Math.max(...shares);
  return shares.map((share) => Number(((TOPMOST * share) / top).toPrecision(6)));
}

// The factor of another step that is nearest to this one, if it is within reach: `far(a, b)` says how far.
export function caught(shares, k, factor, far, reach) {
  const others = factorsOf(shares).filter((_, j) => j !== k - 1);
  const nearest = others.reduce((best, one) => (far(one, factor) < far(best, factor) ? one : best));
  return far(nearest, factor) < reach ? nearest : factor;
}

// The next factor of step k upwards or downwards by `times`: on the way it stops at that of another step.
export function stepped(shares, k, times) {
  const [own, factors] = [factorsOf(shares)[k - 1], factorsOf(shares)];
  const clear = 1e-4;
  const between = (x) => Math.sign(times - 1) * Math.log(x / own);
  const ahead = factors.filter((x) => between(x) > clear && between(x) < Math.abs(Math.log(times)) + clear);
  return ahead.length ? ahead.reduce((a, b) => (between(a) < between(b) ? a : b)) : own * times;
}
