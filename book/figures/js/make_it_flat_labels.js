// Where things stand beside the curve of *make it flat*: the factors, and the badge that says which knob to pull.
import { html } from "./controls.js";
import { AT, alike, drawnLogs, factorsOf, logCurve } from "./make_it_flat_math.js";
import { across, halfway, heightOf } from "./make_it_flat_plots.js";

export const within = (x, low, high) => Math.min(high, Math.max(low, x));

// The factor of step k stands over its piece of the curve, or beside it where it is steep.
export function factorAt(height, k) {
  const middle = halfway(height, k);
  const [before, half, after] = [k, middle, k + 1].map(height);
  const steep = within((before - after) / 0.12, -1, 1);
  return { x: across(middle), y: within(half, 0.06, 1), steep, off: half < 0 || half > 0.98 };
}
const besideKnob = (steep) => ({ left: 50 + 50 * steep, px: 6 * steep, up: 9 - 6 * Math.abs(steep) });
export function factorStyle({ x, y, steep }) {
  const { left, px, up } = besideKnob(steep);
  return {
    left: `${100 * x}%`, top: `${100 * y}%`,
    transform: `translate(calc(-${left}% - ${px}px), calc(-100% - ${up}px))`,
  };
}

// Factors that are worth aiming at, and one for who has none.
const [WORTH, WILD, FAIR] = [1.2, 6, 2];

// The step that is furthest from what all could be, and which way: that of most factors, or of the middle one.
export function mostNeeded(shares) {
  const factors = factorsOf(shares);
  const mean = (shares.at(-1) / shares[0]) ** (1 / factors.length);
  const off = (x, goal) => Math.abs(Math.log(x / goal));
  const fellows = (x) => factors.filter((other) => alike(other, x)).length;
  const better = (a, b) => ((fellows(b) - fellows(a) || off(a, mean) - off(b, mean)) > 0 ? b : a);
  const fair = factors.filter((x) => x >= WORTH && x <= WILD);
  const goal = fair.length ? fair.reduce(better) : FAIR;
  const worst = factors.reduce((a, b) => (off(b, goal) > off(a, goal) ? b : a));
  return { k: factors.indexOf(worst) + 1, up: worst < goal };
}

// The paper's width and height where the page is broad, less so, and narrow; in CSS pixels, as all below.
const PAPERS = { broad: [560, 300], wide: [385, 300], narrow: [328, 178] };
const [LONG, THICK] = [102, 22]; // the badge
const [KNOB, FACTOR, CLEAR] = [13, [46, 20], 5];
const BESIDE = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1].map((x) => x * (LONG / 2 + KNOB + 6));
const ABOVE = Array.from({ length: 37 }, (_, i) => 5 * (i - 18));

// What is in the way on this paper, as boxes: the curve, knobs, factors, and the bars of the words.
function inTheWay(height, place, [wide, tall]) {
  const box = (x, y, dx, dy) => [x - dx, y - dy, x + dx, y + dy];
  const at = (s) => [wide * across(s), tall * height(s)];
  const curve = Array.from({ length: 81 }, (_, i) => box(...at(1 + i / 20), CLEAR, CLEAR));
  const knobs = [1, 2, 3, 4, 5].map((s) => box(...at(s), KNOB, KNOB));
  const bars = AT.map((score) => {
    const [x, y] = at(score + place);
    return [x - CLEAR - 3, y - CLEAR - 3, x + CLEAR + 3, tall];
  });
  const factors = [1, 2, 3, 4].map((k) => {
    const { x, y, steep } = factorAt(height, k);
    const { left, px, up } = besideKnob(steep);
    const [from, bottom] = [wide * x - (left / 100) * FACTOR[0] - px, tall * y - up];
    return [from, bottom - FACTOR[1], from + FACTOR[0], bottom];
  });
  return [...curve, ...knobs, ...bars, ...factors];
}

// How far the badge's middle is from its knob, on each paper: as near as it can be, and over nothing.
function badgeAway(height, place, k) {
  const away = ([how, [wide, tall]]) => {
    const boxes = inTheWay(height, place, [wide, tall]);
    const [x0, y0] = [wide * across(k + 1), tall * height(k + 1)];
    let best = { cost: Infinity };
    for (const dx of BESIDE) {
      for (const dy of ABOVE) {
        const [x, y] = [x0 + dx, y0 + dy];
        const over = boxes.filter(([left, top, right, bottom]) =>
          right > x - LONG / 2 && left < x + LONG / 2 && bottom > y - THICK / 2 && top < y + THICK / 2).length;
        const out = x < LONG / 2 || x > wide - LONG / 2 || y < THICK / 2 || y > tall - THICK / 2;
        const gap = Math.hypot(Math.max(0, Math.abs(dx) - LONG / 2), Math.max(0, Math.abs(dy) - THICK / 2));
        const cost = 1000 * out + 100 * over + gap + Math.abs(dx) / 20;
        if (cost < best.cost) best = { cost, dx, dy };
      }
    }
    return `--${how}: ${best.dx.toFixed(0)}px, ${best.dy.toFixed(0)}px`;
  };
  return Object.entries(PAPERS).map(away).join("; ");
}

export function pullBadge() {
  const root = html("span", { class: "ws-call ws-pull-me" });
  return {
    root,
    hide() {
      root.hidden = true;
    },
    // The step whose knob it stands at.
    show(shares, place) {
      const { k, up } = mostNeeded(shares);
      const curve = logCurve(drawnLogs(shares));
      const height = (s) => heightOf(curve(s), 0, 0);
      const at = `left: ${100 * across(k + 1)}%; top: ${(100 * height(k + 1)).toFixed(2)}%`;
      root.setAttribute("style", `${at}; ${badgeAway(height, place, k)}`);
      root.textContent = `pull me ${up ? "up" : "down"}`;
      root.hidden = false;
      return k;
    },
  };
}
