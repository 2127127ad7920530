// A slider over the numbers from `low` to `high` on a logarithmic track.
import { html } from "./controls.js";
import { short } from "./words.js";

const PER_DECADE = 100; // places
const EVEN = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8]; // ten even steps per decade, in round numbers

export function logScale(low, high, whole) {
  const neat = (x) => (whole ? Math.round(x) : Number(x.toPrecision(3)));
  const powers = [];
  for (let k = Math.floor(Math.log10(low)); 10 ** k < high * 1.5; k++) powers.push(Number(`1e${k}`));
  const stops = [...new Set(powers.flatMap((power) => EVEN.map((x) => neat(x * power))))].filter(
    (x) => x >= low && x <= high,
  );
  // None is so close to the first that their names would meet.
  const ticks = [low, ...powers.filter((x) => x > low * 1.9)];
  const inside = (x) => Math.min(high, Math.max(low, x));
  const share = (x) => Math.log10(x / low) / Math.log10(high / low);
  const top = Math.round(PER_DECADE * Math.log10(high / low));
  const next = (list, x, up) =>
    inside(
      (up ? list.find((y) => y > x * (1 + 1e-9)) : list.findLast((y) => y < x * (1 - 1e-9))) ?? (up ? high : low),
    );
  return {
    ticks,
    top,
    share,
    toPlace: (x) => Math.round(top * share(x)),
    fromPlace: (place) => inside(neat(low * 10 ** (place / PER_DECADE))),
    // The number that a key leads to, or null for a key that is not ours.
    keyed(key, x) {
      if (key === "ArrowRight" || key === "ArrowUp") return next(stops, x, true);
      if (key === "ArrowLeft" || key === "ArrowDown") return next(stops, x, false);
      if (key === "PageUp" || key === "PageDown") return next(ticks, x, key === "PageUp");
      return { Home: low, End: high }[key] ?? null;
    },
  };
}

// `choose(x, jump)` is called with the number that it is moved to; `spoken(x)` is what a screen reader says.
// Numbers stand under the track at `marks`, or at round ones.
export function logSlider({ name, low, high, whole = false, choose, spoken, tickText = short, marks }) {
  const scale = logScale(low, high, whole);
  let value = low;
  let held = false;
  const range = html("input", { type: "range", class: "ws-range", min: 0, max: scale.top, step: 1 });
  const tick = (x) => html("span", { style: `left:${100 * scale.share(x)}%` }, tickText(x));
  const root = html("div", { class: "ws-slider" },
    html("label", { class: "ws-track" }, html("span", { class: "ws-unseen" }, name), range),
    html("div", { class: "ws-ticks", "aria-hidden": "true" }, ...(marks ?? scale.ticks).map(tick)));

  range.addEventListener("pointerdown", () => (held = true));
  for (const end of ["pointerup", "pointercancel", "change", "blur"]) {
    range.addEventListener(end, () => (held = false));
  }
  range.addEventListener("input", () => {
    const place = Number(range.value);
    const old = scale.toPlace(value);
    // A screen reader moves the thumb by one place, which may round to the same number:
    // then it goes to the next stop.
    const step = !held && Math.abs(place - old) === 1;
    choose(step ? scale.keyed(place > old ? "ArrowRight" : "ArrowLeft", value) : scale.fromPlace(place), held);
    show(value);
  });
  range.addEventListener("keydown", (event) => {
    const x = event.altKey || event.ctrlKey || event.metaKey ? null : scale.keyed(event.key, value);
    if (x === null) return;
    event.preventDefault();
    choose(x, false);
  });

  function show(x) {
    value = x;
    range.value = scale.toPlace(x);
    range.setAttribute("aria-valuetext", spoken(x));
  }
  return { root, show };
}
