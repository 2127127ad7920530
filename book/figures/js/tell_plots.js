// The two plots of *can you tell?*: how the mean score is distributed, and the exponents against m.
import { html, svg } from "./controls.js";
import { HOLDS } from "./tell_math.js";
import { chance, LIMITS } from "./tell_words.js";
import { scoreText, steady } from "./words.js";

const HUMPS = { height: 208, top: 48, floor: 186 };
const CURVES = { height: 140, headroom: 1.2 };
const MARGIN = 0.18; // of the scores' range, on both sides
const BINS = 400; // at most, over that range
const FEWEST = 16; // bins over it
const NO_ROOM = 0.8; // of the width: from there on a name has no room to its right
const LOWEST = 0.4; // the lower hump is drawn at least this high, as a share of the higher one
export const GRID = [1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200, 300, 500, 700, 1000];
const MOST = 1000;

const percentOf = (x) => `${Math.round(1e4 * x) / 100}%`;
const across = (m) => Math.log10(m) / Math.log10(MOST);
const inner = (width, y, height, ...paths) =>
  svg(
    "svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", width: "100%", height, y }, ...paths,
  );

// Ticks in steps of 1, 2 or 5 times a power of ten, at most six of them over the range.
function ticksOf(low, high) {
  const size = 10 ** Math.floor(Math.log10((high - low) / 6));
  const step = [1, 2, 5, 10].map((x) => x * size).find((x) => (high - low) / x <= 6);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

// The chance of a place, on average in each bin of `size` places, from `start` on. A place is one wide, and where
// an edge of the bins cuts it, each gets its part.
function binned({ first, chances }, size, start) {
  const bins = new Float64Array(Math.ceil((first + chances.length - 0.5 - start) / size) + 1);
  for (let k = 0; k < chances.length; k++) {
    const left = first + k - 0.5 - start;
    const b = Math.floor(left / size + 1e-9);
    const inside = Math.min(1, (b + 1) * size - left);
    bins[b] += (inside * chances[k]) / size;
    bins[b + 1] += ((1 - inside) * chances[k]) / size;
  }
  return bins;
}

// Whether a distribution rises and then falls, but for dips too small to be seen.
function isHump(bins) {
  const least = 0.02 * bins.reduce((a, b) => Math.max(a, b));
  let [turned, last] = [false, 0];
  for (const chance of bins) {
    if (Math.abs(chance - last) < least) continue;
    if (chance > last && turned) return false;
    turned = chance < last;
    last = chance;
  }
  return true;
}

// Both distributions in bins with an edge at the bar. With few words only few sums are possible: then the bins are
// widened until two humps can be seen, as long as there remain some.
function inBins(sums, places, at) {
  for (let size = Math.ceil(places / BINS); ; size++) {
    const start = at - Math.ceil((at + 0.5) / size) * size;
    const bins = sums.map((one) => binned(one, size, start));
    if (bins.every(isHump) || (size + 1) * FEWEST > places) return { bins, size, start };
  }
}

export function humps(scores) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const from = low - MARGIN * (high - low);
  const share = (score) => (score - from) / ((1 + 2 * MARGIN) * (high - low));
  const room = HUMPS.floor - HUMPS.top;
  const area = (kind) => svg("path", { class: kind });
  const [pi, piTail, u, uTail] = ["ws-from-pi", "ws-miss", "ws-from-u", "ws-alarm"].map(area);
  const text = (said, kind, y, anchor, x, dx = 0) =>
    svg("text", { class: `ws-label ${kind}`, y, "text-anchor": anchor, x, dx }, said);
  // What the test says on either side of the bar: beside it, or as near to it as there is room.
  const says = (name) => html("div", {}, html("span", {}, name));
  const axis = html("span", { class: "ws-axis ws-mean" }, "mean score");
  const verdicts = html("div", { class: "ws-verdicts" }, says("← say equal"), says("say softmax →"));
  // Both errors: how often, and what they are.
  const [miss, alarm] = ["ws-accent", "ws-null"].map((kind) => html("b", { class: kind }));
  const error = (kind, share, what) =>
    html("div", {}, html("span", { class: `ws-swatch ${kind}` }), share, html("span", { class: "ws-note" }, what));
  const errors = html("div", { class: "ws-errors" },
    error("ws-of-miss", miss, "softmax, taken for equal"),
    error("ws-of-alarm", alarm, "equal, taken for softmax"));
  const fromU = text("equal chances", "ws-null", 40, "end", 0, -2);
  const fromPi = text("softmax", "ws-accent", 40, "start", 0, 2);
  const bar = svg("line", { class: "ws-bar", y1: 0, y2: HUMPS.floor });
  const drawn = svg("circle", { class: "ws-drawn", r: 6, cy: HUMPS.floor, visibility: "hidden" });
  const ticks = ticksOf(low, high).map((x) =>
    text(scoreText(x), "ws-tick-label", HUMPS.floor + 18, "middle", percentOf(share(x))));
  const floor = svg("line", { class: "ws-zero", x1: 0, x2: "100%", y1: HUMPS.floor, y2: HUMPS.floor });
  // Each tail lies over both humps, so that it has the colour that its key has.
  const stand = inner(1000, HUMPS.top, room, u, pi, piTail, uTail);
  stand.setAttribute("class", "ws-whole"); // the stroke of a peak is half outside
  const picture = svg("svg", { class: "ws-svg", height: HUMPS.height, role: "img" },
    stand, floor, bar, fromU, fromPi, ...ticks, drawn);

  // The outline of a distribution between two places.
  function outline(bins, size, origin, scale, places, start, end) {
    const x = (place) => (1000 * share(low + ((high - low) * place) / places)).toFixed(1);
    const flat = room.toFixed(1);
    let path = "";
    let before = flat;
    let last = start;
    for (let b = 0; b < bins.length; b++) {
      const [left, right] = [Math.max(start, origin + b * size), Math.min(end, origin + (b + 1) * size)];
      if (left >= right - 1e-9) continue;
      const y = (room * (1 - bins[b] * scale)).toFixed(1);
      if (y !== before) path += `${path ? "H" : "M"}${x(left)}${path ? "" : ` ${flat}`}V${y}`;
      [before, last] = [y, right];
    }
    if (before !== flat) path += `H${x(last)}V${flat}`;
    return path && `${path}Z`;
  }

  return {
    parts: [html("div", { class: "ws-plot" }, picture, axis, verdicts), errors],
    // `sums` are those under u and under π, `means` their mean scores.
    show({ m, sums, means, test, said, waits }) {
      const places = Math.round(((high - low) * m) / 0.1);
      // Where the test tosses a coin at the bar's place, the bar cuts that place as the coin divides its chance.
      const at = (test.bar - m * low) / 0.1 + 0.5 - test.toss;
      const { bins, size, start: origin } = inBins(sums, places, at);
      const peaks = bins.map((one) => one.reduce((a, b) => Math.max(a, b)));
      const scales = peaks.map((peak) => Math.max(1 / Math.max(...peaks), LOWEST / peak));
      const drawn_ = (i, start, end) => outline(bins[i], size, origin, scales[i], places, start, end);
      u.setAttribute("d", drawn_(0, -Infinity, Infinity));
      uTail.setAttribute("d", drawn_(0, at, Infinity));
      pi.setAttribute("d", drawn_(1, -Infinity, Infinity));
      piTail.setAttribute("d", drawn_(1, -Infinity, at));
      const x = percentOf(share(low + ((high - low) * at) / places));
      bar.setAttribute("x1", x);
      bar.setAttribute("x2", x);
      verdicts.style.setProperty("--ws-bar", x);
      fromU.setAttribute("x", percentOf(share(means[0])));
      fromPi.setAttribute("x", percentOf(share(means[1])));
      fromPi.setAttribute("text-anchor", share(means[1]) > NO_ROOM ? "end" : "start");
      // How often is said once the reader has begun; before that, what the full tails are.
      miss.textContent = `misses${waits ? "" : ` ${chance(test.logMiss)}`}`;
      alarm.textContent = `false alarms${waits ? "" : ` ${chance(test.logFalseAlarm)}`}`;
      picture.setAttribute("aria-label", said);
    },
    mark(mean) {
      drawn.setAttribute("visibility", mean === null ? "hidden" : "visible");
      if (mean !== null) drawn.setAttribute("cx", percentOf(share(mean)));
    },
  };
}

export function curves() {
  const { height, headroom } = CURVES;
  const of = (make) => Object.fromEntries(HOLDS.map((hold, i) => [hold, make(`ws-test-${i}`)]));
  const lines = of((kind) => svg("path", { class: `ws-exponent ${kind}` }));
  const limits = of((kind) => svg("line", { class: `ws-limit ${kind}`, x1: 0, x2: "100%" }));
  const names = of((kind) => svg("text", { class: `ws-label ${kind}`, x: "27%", dx: 0, "text-anchor": "start" }));
  const dots = of((kind) => svg("circle", { class: `ws-here ${kind}`, r: 4.5 }));
  const now = svg("line", { class: "ws-now", y1: 0, y2: height });
  const all = (parts) => HOLDS.map((hold) => parts[hold]);
  const floor = svg("line", { class: "ws-zero", x1: 0, x2: "100%", y1: height - 0.5, y2: height - 0.5 });
  const root = svg("svg", { class: "ws-svg", height, role: "img" },
    floor, now, ...all(limits), inner(1000, 0, height, ...all(lines)), ...all(dots), ...all(names));
  return {
    root,
    show({ m, hold, limit, exponents, tests }) {
      const top = headroom * Math.max(...all(limit));
      const y = (e) => Number((height * (1 - e / top)).toFixed(1));
      const upper = limit.misses > limit["false alarms"] ? "misses" : "false alarms";
      const apart = Math.abs(y(limit.misses) - y(limit["false alarms"])) > 34;
      now.setAttribute("x1", percentOf(across(m)));
      now.setAttribute("x2", percentOf(across(m)));
      for (const one of HOLDS) {
        const points = exponents[one].map((e, i) => `${(1000 * across(GRID[i])).toFixed(1)} ${y(e)}`);
        lines[one].setAttribute("d", `M${points.join("L")}`);
        for (const end of ["y1", "y2"]) limits[one].setAttribute(end, y(limit[one]));
        const above = one === upper || (one !== "neither" && apart);
        names[one].setAttribute("y", y(limit[one]) + (above ? -7 : 17));
        names[one].textContent = `${LIMITS[one]} ${steady(limit[one])}`;
        dots[one].setAttribute("cx", percentOf(across(m)));
        dots[one].setAttribute("cy", y(tests[one].exponent));
        dots[one].setAttribute("visibility", tests[one].exponent > top ? "hidden" : "visible");
        for (const part of [lines[one], dots[one], names[one]]) part.classList.toggle("ws-chosen", one === hold);
      }
      const said = HOLDS.map((one) => `${one} held ${steady(tests[one].exponent)} of ${steady(limit[one])}`);
      root.setAttribute("aria-label", `exponents at m = ${m}: ${said.join(", ")}`);
    },
  };
}
