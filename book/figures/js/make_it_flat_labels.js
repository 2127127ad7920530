// Where things stand beside the curve of *make it flat*: the factors, and the badge that says which knob to pull.
import { html } from "./controls.js";
import { alike, drawnLogs, factorsOf } from "./make_it_flat_math.js";
import { across, halfway, heightOf } from "./make_it_flat_plots.js";

export const within = (x, low, high) => Math.min(high, Math.max(low, x));

// The factor of step k stands over its piece of the curve, or beside it where it is steep.
export function factorAt(height, k) {
  const middle = halfway(height, k);
  const [before, half, after] = [k, middle, k + 1].map(height);
  const steep = within((before - after) / 0.12, -1, 1);
  return { x: across(middle), y: within(half, 0.06, 1), steep, off: half < 0 || half > 0.98 };
}
const labelShift = (steep) => ({ left: 50 + 50 * steep, px: 6 * steep, up: 9 - 6 * Math.abs(steep) });
export function factorStyle({ x, y, steep }) {
  const { left, px, up } = labelShift(steep);
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

// Where the badge stands: over its knob on the side from which the curve comes up, where only paper is; at the top
// of the paper under its knob. In CSS pixels: from the knob, and how long the badge is at most.
const TOP_PART = 0.3;
const BADGE = { beside: 12, over: 34, under: 19, long: 82 };
function badgeAt(shares, k) {
  const height = heightOf(drawnLogs(shares)[k], 0, 0);
  const [x, y] = [across(k + 1), height].map((part) => `${(100 * part).toFixed(2)}%`);
  const right = (by) => `left: min(100% - ${BADGE.long}px, ${x} + ${by}px)`;
  if (height < TOP_PART) return `${right(-4)}; top: calc(${y} + ${BADGE.under}px)`;
  const side = shares[k] < shares[k - 1] ? right(BADGE.beside) : `right: calc(100% - ${x} + ${BADGE.beside}px)`;
  return `${side}; bottom: calc(100% - ${y} + ${BADGE.over}px)`;
}

export function pullBadge() {
  const root = html("span", { class: "ws-call ws-pull-me" });
  return {
    root,
    hide() {
      root.hidden = true;
    },
    // The step whose knob it stands at.
    show(shares) {
      const { k, up } = mostNeeded(shares);
      root.setAttribute("style", badgeAt(shares, k));
      root.textContent = `pull ${up ? "up" : "down"}`;
      root.hidden = false;
      return k;
    },
  };
}
