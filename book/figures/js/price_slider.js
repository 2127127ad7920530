// The price of a claim, 1/β, on a logarithmic track: dear on the left, free on the right, so that β rises to the
// right as everywhere.
import { spokenBeta } from "./beta_slider.js";
import { field, html } from "./controls.js";
import { short, steady } from "./words.js";

const [TENFOLD, END_ZONE] = [100, 20]; // places: for a factor of ten, and beyond 0.1 and 10, where the thumb snaps
const [DEAREST, FULL] = [0.1, 2 * 100 + 2 * 20]; // the least β but 0; all places
const BETAS = [0, 0.1, 0.125, 0.16, 0.2, 0.25, 0.315, 0.4, 0.5, 0.63, 0.8];
const STOPS_OF_PRICE = [...BETAS, ...BETAS.slice(1).map((x) => 10 * x), 10, Infinity];
const MARKED = [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, Infinity]; // β; each is written as its price

function placeOf(beta) {
  if (beta === 0 || beta === Infinity) return beta && FULL;
  if (beta < DEAREST) return END_ZONE / 2; // typed: between the last number and the end
  if (beta > 10) return FULL - END_ZONE / 2;
  return END_ZONE + TENFOLD * Math.log10(beta / DEAREST);
}

function betaAt(at) {
  if (at < END_ZONE / 2) return 0;
  if (at > FULL - END_ZONE / 2) return Infinity;
  const inside = Math.min(Math.max(at, END_ZONE), FULL - END_ZONE);
  return Number((DEAREST * 10 ** ((inside - END_ZONE) / TENFOLD)).toPrecision(3));
}

// The β that a key leads to, or null for a key that is not ours.
function stepped(key, beta) {
  const up = (list) => list.find((x) => x > beta * (1 + 1e-9)) ?? Infinity;
  const down = (list) => list.findLast((x) => x < beta * (1 - 1e-9)) ?? 0;
  const under = (list) => (beta === Infinity ? list.at(-2) : down(list));
  const steps = {
    ArrowRight: () => up(STOPS_OF_PRICE), ArrowUp: () => up(STOPS_OF_PRICE),
    ArrowLeft: () => under(STOPS_OF_PRICE), ArrowDown: () => under(STOPS_OF_PRICE),
    PageUp: () => up(MARKED), PageDown: () => under(MARKED), Home: () => 0, End: () => Infinity,
  };
  return steps[key]?.() ?? null;
}

export const priceText = (beta) => (beta === 0 ? "∞" : steady(beta === Infinity ? 0 : 1 / beta));

export function priceSlider(choose, complain) {
  let beta = 1;
  let held = false;
  const range = html("input", { type: "range", class: "ws-range", min: 0, max: FULL, step: 1 });
  const value = html("span", { class: "ws-value" });
  const name = html("span", { class: "ws-note" }, "price");
  const aside = html("span", { class: "ws-aside" });
  const marks = MARKED.map((size) => {
    const text = size === 0 ? "∞" : short(1 / size);
    return html("span", { style: `left:${(100 * placeOf(size)) / FULL}%` }, text);
  });
  const root = html("div", { class: "ws-beta ws-price" },
    html("div", { class: "ws-head" }, name, value, aside),
    html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, "price of a claim 1/β"), range),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...marks),
    html("div", { class: "ws-ends", "aria-hidden": "true" },
      html("span", {}, "dear"), html("span", {}, "free")));
  range.addEventListener("pointerdown", () => (held = true));
  for (const end of ["pointerup", "pointercancel", "change", "blur"]) {
    range.addEventListener(end, () => (held = false));
  }
  range.addEventListener("input", () => {
    const [at, old] = [Number(range.value), Math.round(placeOf(beta))];
    // A screen reader moves the thumb by one place, from an end that would snap back: so it goes to the next stop.
    const step = !held && Math.abs(at - old) === 1;
    choose(step ? stepped(at > old ? "ArrowRight" : "ArrowLeft", beta) : betaAt(at), held);
  });
  range.addEventListener("keydown", (event) => {
    const size = event.altKey || event.ctrlKey || event.metaKey ? null : stepped(event.key, beta);
    if (size === null) return;
    event.preventDefault();
    choose(size, false);
  });
  const typed = field(
    "β", { type: "text", spellcheck: "false" }, (x) => !Number.isNaN(x), (x) => choose(x, false), complain,
  );
  return {
    root,
    typed: html("label", { class: "ws-typed" }, html("span", {}, "β"), typed.input),
    show(next) {
      beta = next;
      range.value = placeOf(beta);
      range.setAttribute("aria-valuetext", spokenBeta(beta, "price"));
      range.style.setProperty("--ws-at", placeOf(beta) / FULL);
      value.textContent = priceText(beta);
      aside.textContent = `β = ${steady(beta)}`;
      typed.show(Number(beta.toPrecision(3)) === beta ? short(beta) : String(beta)); // a field keeps every digit
    },
  };
}
