// β on a logarithmic track that reaches exactly 0 at its left end and infinity at its right end.
import { field, html, tick } from "./controls.js";
import { short, steady } from "./words.js";

const DECADE = 50; // places per power of ten, from 0.01 to 100
// Places between 0 and 0.01, and between 100 and ∞: they stand for no β, so the thumb snaps to either side.
export const END = 20;
export const TOP = 4 * DECADE + 2 * END;
const NEAR = 3; // places from which the thumb snaps to a mark
const ONE = END + 2 * DECADE;
const TICKS = [0, 0.01, 0.1, 1, 10, 100, Infinity];
const PREFERRED = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8]; // ten even steps per decade, in round numbers

const round = (x, digits) => Number(x.toPrecision(digits));
const STOPS = [0];
for (const size of [0.01, 0.1, 1, 10]) STOPS.push(...PREFERRED.map((x) => round(x * size, 3)));
STOPS.push(100, Infinity);

export function toPlace(size) {
  if (size === 0 || size === Infinity) return size && TOP;
  // A typed β beyond 0.01 or 100 is shown halfway between that number and the end.
  if (size < 0.01) return END / 2;
  if (size > 100) return TOP - END / 2;
  return ONE + DECADE * Math.log10(size);
}

export const atPlace = (place) => 10 ** ((place - ONE) / DECADE); // between the two end zones

export function fromPlace(place) {
  if (place < END / 2) return 0;
  if (place > TOP - END / 2) return Infinity;
  const inside = Math.min(Math.max(place, END), TOP - END);
  return round(atPlace(inside), 3);
}

// The size of β that a key leads to, or null for a key that is not ours.
export function keyed(key, size, stops = STOPS) {
  const up = (list) => list.find((x) => x > size * (1 + 1e-9)) ?? Infinity;
  const down = (list) => list.findLast((x) => x < size * (1 - 1e-9)) ?? 0;
  if (key === "ArrowRight" || key === "ArrowUp") return up(stops);
  if (key === "ArrowLeft" || key === "ArrowDown") return size === Infinity ? 100 : down(stops);
  if (key === "PageUp") return up(TICKS);
  if (key === "PageDown") return size === Infinity ? 100 : down(TICKS);
  if (key === "Home") return 0;
  return key === "End" ? Infinity : null;
}

export function spokenBeta(beta, inverse) {
  if (beta === 0) return `β = 0, infinite ${inverse}`;
  const spell = (x) => short(x).replace("∞", "infinity").replace("−", "minus ");
  return `β = ${spell(beta)}, ${inverse} ${spell(Math.abs(beta) === Infinity ? 0 : 1 / beta)}`;
}

// `inverse` is what 1/β is called here; `mark` is one value, as [label, β], that is named over the rail: keys stop
// there, and the thumb snaps to it. One that is `finite` ends at 100.
export function betaSlider(choose, complain, { inverse = "temperature", mark, finite = false } = {}) {
  const top = finite ? TOP - END : TOP;
  const most = finite ? atPlace(top) : Infinity;
  const stops = mark ? [...STOPS, mark[1]].sort((a, b) => a - b) : STOPS;
  const marked = (place) => mark && Math.abs(place - toPlace(mark[1])) < NEAR;
  let beta = 1;
  let sign = 1;
  let held = false;
  const range = html("input", { type: "range", min: 0, max: top, step: 1, class: "ws-range" });
  const value = html("span", { class: "ws-value" });
  const heat = html("span", { class: "ws-aside" });
  const ticks = html("div", { class: "ws-ticks", "aria-hidden": "true" });
  const sizes = TICKS.filter((size) => size <= most);
  const marks = sizes.map((size) => {
    const mark = html("span", { style: `left:${(100 * toPlace(size)) / top}%` });
    ticks.append(mark);
    return mark;
  });
  const low = html("span", {}, "0: ignore the scores");
  const high = html("span", {});
  const name = html("span", { class: "ws-note" }, "inverse temperature");
  const unseen = html("span", { class: "ws-unseen" }, "inverse temperature β");
  const track = html("label", { class: "ws-track" }, unseen, range);
  const root = html("div", { class: finite ? "ws-beta ws-finite" : "ws-beta" },
    html("div", { class: "ws-head" }, value, name, heat),
    track,
    ticks,
    html("div", { class: "ws-ends", "aria-hidden": "true" }, low, high));

  if (mark) {
    const name = html("span", { style: `left:${(100 * toPlace(mark[1])) / top}%` }, mark[0]);
    track.before(html("div", { class: "ws-own", "aria-hidden": "true" }, name));
  }

  const pick = (size, jump) => choose(size === 0 ? 0 : sign * Math.min(size, most), jump);
  range.addEventListener("pointerdown", () => (held = true));
  for (const end of ["pointerup", "pointercancel", "change", "blur"]) {
    range.addEventListener(end, () => (held = false));
  }
  range.addEventListener("input", () => {
    const place = Number(range.value);
    const old = Math.round(toPlace(Math.abs(beta)));
    let size = marked(place) ? mark[1] : fromPlace(place);
    // A screen reader moves the thumb by one place; from an end that would snap back, so it goes to the next stop.
    if (!held && Math.abs(place - old) === 1) {
      size = keyed(place > old ? "ArrowRight" : "ArrowLeft", Math.abs(beta), stops);
    }
    pick(size, held);
    show(beta);
  });
  range.addEventListener("keydown", (event) => {
    const size = event.altKey || event.ctrlKey || event.metaKey ? null : keyed(event.key, Math.abs(beta), stops);
    if (size === null) return;
    event.preventDefault();
    pick(size, false);
  });

  const isBeta = (x) => !Number.isNaN(x);
  const typed = field("β", { type: "text", spellcheck: "false" }, isBeta, (x) => choose(x), complain);
  const flip = tick("prefer low scores (β < 0)", (low) => {
    sign = low ? -1 : 1;
    choose(beta === 0 ? 0 : -beta);
  });

  function show(next) {
    beta = next;
    if (beta !== 0) sign = beta < 0 ? -1 : 1;
    range.value = toPlace(Math.abs(beta));
    range.setAttribute("aria-valuetext", spokenBeta(beta, inverse));
    range.style.setProperty("--ws-at", toPlace(Math.abs(beta)) / top);
    value.textContent = `β = ${steady(beta)}`;
    const warmth = beta === 0 ? "∞" : steady(Math.abs(beta) === Infinity ? 0 : 1 / beta);
    heat.textContent = `${inverse} 1/β = ${warmth}`;
    sizes.forEach((size, i) => (marks[i].textContent = short(size === 0 ? 0 : sign * size)));
    high.textContent = sign < 0 ? "−∞: the lowest takes all" : "∞: the highest takes all";
    flip.box.checked = sign < 0;
    typed.show(Number(beta.toPrecision(3)) === beta ? short(beta) : String(beta)); // a field keeps every digit
  }
  const typedRoot = html("label", { class: "ws-typed" }, html("span", {}, "β"), typed.input);
  const [place, side] = [() => Math.round(toPlace(Math.abs(beta))), () => sign];
  return { root, track, typed: typedRoot, flip: flip.root, show, place, sign: side };
}
