// The two plots of *the race*: where each token has landed in the last race, and the shares of the wins.
import { shade } from "./arcs.js";
import { html, svg } from "./controls.js";
import { noiseDensity } from "./race_math.js";
import { percent, scoreText } from "./words.js";

// Heights in CSS pixels.
const LANES = { height: 146, top: 22, bottom: 4 };
const SHARES = { height: 116, top: 22 };
const BAR = { left: 0.14, width: 0.3 }; // of a column: its score stands left of the middle
const CLOUD = { left: 0.5, width: 0.42 }; // and where it may land is drawn to the right of it
const WIN = 0.5;
const MARK = 0.78;
const REACH = { below: 3.2, above: 4.6 }; // how far noise of size 1 is drawn
const STEPS = 48;

// The lowest and the highest total that there is room for.
export const span = (scores, beta) => [
  Math.min(0, ...scores) - REACH.below / beta,
  Math.max(0, ...scores) + REACH.above / beta,
];

// What the axis of shares ends at: a quarter, a half or all.
export const topShare = (shares) => [0.25, 0.5, 1].find((top) => Math.max(...shares) <= 0.92 * top) ?? 1;

// The outline of what noise adds, as wide as 1 where it is densest; from −REACH.below to REACH.above, downwards.
function cloud(kind) {
  if (kind === "none") return "";
  const places = Array.from(
    { length: STEPS + 1 }, (_, k) => REACH.above - ((REACH.below + REACH.above) * k) / STEPS,
  );
  const wide = places.map((x) => noiseDensity(kind, x));
  const most = Math.max(...wide);
  const points = places.map((x, k) => `${(wide[k] / most).toFixed(2)} ${(REACH.above - x).toFixed(2)}`);
  return `M0 0L${points.join("L")}L0 ${REACH.below + REACH.above}`;
}

export function plots(tokens, scores) {
  const n = tokens.length;
  const at = (i, part) => `${(100 * (i + part)) / n}%`;
  const wide = (part) => `${(100 * part) / n}%`;
  const rule = (kind, y = 0) => svg("line", { class: kind, x1: 0, x2: "100%", y1: y, y2: y });
  const columns = tokens.map((_, i) => {
    const outline = svg("path", { class: "ws-noise" });
    return {
      score: svg("rect", { class: "ws-score", x: at(i, BAR.left), width: wide(BAR.width) }),
      outline,
      cloud: svg("svg", { x: at(i, CLOUD.left), width: wide(CLOUD.width), preserveAspectRatio: "none",
        viewBox: `0 0 1 ${REACH.below + REACH.above}` }, outline),
      stem: svg("line", { class: "ws-stem", x1: at(i, 0.5), x2: at(i, 0.5) }),
      dot: svg("circle", { class: "ws-landed", cx: at(i, 0.5), r: 4.5 }),
      won: svg("rect", { class: "ws-weight", x: at(i, 0.5 - WIN / 2), width: wide(WIN) }),
      band: svg("rect", { class: "ws-band", x: at(i, 0.5 - MARK / 2), width: wide(MARK) }),
      mark: svg("line", { class: "ws-mark-softmax", x1: at(i, 0.5 - MARK / 2), x2: at(i, 0.5 + MARK / 2) }),
      count: svg("text", { class: "ws-label ws-accent", x: at(i, 0.5) }),
    };
  });
  const all = (...keys) => columns.flatMap((column) => keys.map((key) => column[key]));
  const zero = rule("ws-zero");
  const level = rule("ws-level");
  const total = svg("text", { class: "ws-label ws-accent" });
  const lanes = svg("svg", { class: "ws-svg ws-lanes", height: LANES.height, role: "img" },
    zero, ...all("cloud", "score"), level, ...all("stem", "dot"), total);
  const end = svg("text", { class: "ws-label ws-end", x: 0, y: SHARES.top - 6 });
  const shares = svg("svg", { class: "ws-svg ws-shares", height: SHARES.height, role: "img" },
    rule("ws-all", SHARES.top), end, ...all("band", "won", "mark", "count"), rule("ws-zero", SHARES.height - 0.5));
  const names = tokens.map((token) => html("span", { class: "ws-word" }, token));
  const words = html("ol", { class: "ws-tokens", "aria-hidden": "true" }, ...tokens.map((token, i) =>
    html("li", { title: token }, names[i], html("small", {}, scoreText(scores[i])))));
  words.style.setProperty("--ws-n", n);
  words.style.setProperty("--ws-longest", Math.max(...tokens.map((token) => token.length)));

  const put = (part, values) => Object.entries(values).forEach(([name, value]) => part.setAttribute(name, value));
  const bar = (rect, y0, y1) => put(rect, { y: Math.min(y0, y1), height: Math.abs(y1 - y0) });

  return {
    lanes,
    words,
    shares,
    // What does not glide: forms, classes and texts.
    label({ noise, races }, { wins, last, winner }) {
      const path = cloud(noise);
      columns.forEach((column, i) => {
        if (column.outline.getAttribute("d") !== path) column.outline.setAttribute("d", path);
        column.count.textContent = races ? String(wins[i]) : "";
        column.dot.classList.toggle("ws-best", i === winner);
        column.stem.classList.toggle("ws-best", i === winner);
        column.dot.setAttribute("r", i === winner ? 6.5 : 4.5);
      });
      total.textContent = races ? scoreText(last[winner]) : "";
      total.setAttribute("x", at(Math.max(0, winner), 0.5));
      for (const part of [level, total, ...all("dot", "stem")]) part.classList.toggle("ws-gone", !races);
    },
    // `last` is where each has landed, `top` the best of them; the lists of shares are of all wins.
    draw({ low, high, beta, last, share, softmax, error, top }) {
      const room = LANES.height - LANES.top - LANES.bottom;
      const y = (x) => LANES.top + ((high - Math.min(high, Math.max(low, x))) / (high - low)) * room;
      const height = (part) =>
        SHARES.top + (1 - Math.min(1, Math.max(0, part / top))) * (SHARES.height - SHARES.top - 1);
      const best = Math.max(...last);
      put(zero, { y1: y(0), y2: y(0) });
      put(level, { y1: y(best), y2: y(best) });
      total.setAttribute("y", y(best) - 11);
      columns.forEach((column, i) => {
        const from = y(scores[i]);
        shade(names[i], softmax[i]);
        bar(column.score, y(0), from);
        const above = y(scores[i] + REACH.above / beta);
        put(column.cloud, { y: above, height: y(scores[i] - REACH.below / beta) - above });
        put(column.stem, { y1: from, y2: y(last[i]) });
        column.dot.setAttribute("cy", y(last[i]));
        bar(column.won, height(0), height(share[i]));
        bar(column.band, height(softmax[i] - 2 * error[i]), height(softmax[i] + 2 * error[i]));
        put(column.mark, { y1: height(softmax[i]), y2: height(softmax[i]) });
        const clear = height(share[i]) - height(softmax[i]);
        column.count.setAttribute("y", Math.min(height(share[i]), clear > 24 ? Infinity : height(softmax[i])) - 7);
      });
      end.textContent = percent(top);
    },
  };
}
