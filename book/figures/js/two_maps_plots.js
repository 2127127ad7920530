// What *two maps learn* draws: how many answers are right against steps, and for each map what its heads look at.
import { html, svg } from "./controls.js";
import { rule, swatch } from "./map_panel.js";
import { shadedSquare } from "./square_map.js";
import { arrival, doing, headText, MAP_NAMES, rightText } from "./two_maps_words.js";
import { percent } from "./words.js";

const SHADES = 8;
// CSS pixels: the height of a flag over the finish, of which the style sheet leaves room for two; how wide a
// letter on it is; and how wide the plot is at least.
const FLAG = { high: 20, letter: 7, least: 316 };
const SIDES = ["first", "second"];

// The task: a block comes again and again, and the next symbol is asked for.
export function task() {
  const tiles = Array.from("beacbea?", (letter, i) =>
    html("span", { class: `ws-tile${letter === "?" ? " ws-open" : i % 4 === 0 ? " ws-again" : ""}` }, letter),
  );
  const note = html("span", { class: "ws-right-is" });
  const root = html("div", { class: "ws-task", role: "img" }, ...tiles, note);
  return {
    root,
    show(isOver) {
      root.setAttribute("aria-label", `b e a c b e a: ${isOver ? "c is right" : "what comes next?"}`);
      tiles.at(-1).textContent = isOver ? "c" : "?";
      note.textContent = isOver ? "is right" : "";
    },
  };
}

// A line for each of two runs, and over the finish a flag with its name and step where it arrives at `enough`. The
// axis ends where both are likely to have ended; should a run go on, it ends with the last of all steps.
export function rightPlot(steps, enough) {
  const y = (share) => 100 * (1 - share);
  let span = steps;
  const x = (step) => (100 * step) / span;
  const ticks = ["from", "mid", "end"].map((at, k) =>
    svg("text", { class: `ws-label ws-level ws-${at}`, x: `${50 * k}%`, y: "100%", dy: 15 }));
  const levels = [[enough, "ws-finish"], [0.5, "ws-half"]].map(([share, kind]) => [
    rule(`${y(share)}%`, `ws-all ${kind}`),
    svg("text", { class: "ws-label ws-level ws-end", x: "100%", y: `${y(share)}%`, dy: 14 },
      share === enough ? `finish: ${percent(share)} right` : percent(share)),
  ]);
  const paths = SIDES.map((side) => svg("path", { class: `ws-map ws-${side}` }));
  const dots = SIDES.map((side) => svg("circle", { class: `ws-dot ws-${side}`, r: 5 }));
  const flags = SIDES.map((side) => {
    const stem = svg("path", { class: `ws-stem ws-${side}` });
    const text = svg("text", { class: `ws-label ws-flag ws-${side}` });
    return { stem, text, root: svg("svg", { y: `${y(enough)}%`, overflow: "visible" }, stem, text) };
  });
  const box = {
    viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%", overflow: "visible",
  };
  const root = svg("svg", { class: "ws-svg ws-learning", role: "img" },
    ...levels.flat(), rule("100%", "ws-zero"), ...ticks,
    svg("g", { class: "ws-result" }, ...flags.map(({ root: flag }) => flag),
      svg("svg", box, ...[...paths].reverse()), ...[...dots].reverse()));
  // Who arrives later flies the lower flag, so that no stem crosses a name.
  function fly({ stem, text, root: place }, name, at, isLater) {
    place.setAttribute("visibility", at === null ? "hidden" : "inherit");
    if (at === null) return;
    const up = FLAG.high * (isLater ? 1 : 2) + 2;
    const whole = `${name} ${at}`;
    const isRight = x(at) > 100 * (1 - (FLAG.letter * whole.length) / FLAG.least); // no room for a name
    place.setAttribute("x", `${x(at)}%`);
    stem.setAttribute("d", `M0 0V${-up}`);
    text.setAttribute("y", 13 - up);
    text.setAttribute("x", isRight ? -6 : 6);
    text.classList.toggle("ws-end", isRight);
    text.textContent = isRight ? at : whole;
  }
  function trace(side, run) {
    const values = run?.accuracy ?? [];
    const ends = values.map((value, k) => `${x(run.step[k]).toFixed(2)} ${y(value).toFixed(2)}`);
    paths[side].setAttribute("d", ends.length > 1 ? `M${ends.join("L")}` : "");
    dots[side].setAttribute("visibility", ends.length ? "inherit" : "hidden");
    if (!ends.length) return;
    dots[side].setAttribute("cx", `${x(run.step.at(-1))}%`);
    dots[side].setAttribute("cy", `${y(values.at(-1))}%`);
  }
  return {
    root,
    draw(maps, runs, likely) {
      span = runs?.some(({ step }) => step.at(-1) > likely) ? steps : likely;
      [0, span / 2, `${span} steps`].forEach((text, k) => (ticks[k].textContent = text));
      const at = [0, 1].map((side) => (runs ? arrival(runs[side]) : null));
      const later = at[0] !== null && at[1] !== null && at[0] > at[1] ? 0 : 1;
      [0, 1].forEach((side) => {
        trace(side, runs?.[side]);
        fly(flags[side], MAP_NAMES[maps[side]], at[side], side === later && at[1 - later] !== null);
      });
    },
    // Nothing is said of what cannot be seen yet.
    name: (maps, runs) => root.setAttribute("aria-label", `right answers against steps: ${maps.map((map, k) =>
      runs?.[k]?.step.length
        ? `${MAP_NAMES[map]} ${rightText(runs[k].accuracy.at(-1))} at step ${runs[k].step.at(-1)}`
        : `${MAP_NAMES[map]} not trained`).join(", ")}`),
  };
}

// The heads of one map, a picture of what each looks at, and in a word what it does.
export function headGrid(side, { layers, heads, room }) {
  const kind = `ws-${SIDES[side]}`;
  const columns = Array.from({ length: layers * heads }, (_, k) => {
    const square = shadedSquare(SHADES, ` ${kind}`);
    square.root.setAttribute("role", "img");
    const does = html("span", { class: "ws-does ws-result", "aria-hidden": "true" });
    const root = html("div", { class: "ws-one" }, square.root, does);
    return { square, does, root, called: headText(k, heads) };
  });
  const name = html("span", { class: "ws-named" });
  return {
    root: html("div", { class: "ws-of-one" },
      html("div", { class: `ws-of-map ${kind}` }, swatch(SIDES[side]), name),
      html("div", { class: "ws-squares" }, ...columns.map(({ root }) => root))),
    // The first `count` of them are heads of this model; what is `hidden` is for paper.
    draw(map, all, count, hidden) {
      name.textContent = MAP_NAMES[map];
      const most = Math.max(...(all ?? []).map(({ induction }) => induction));
      const best = Math.max(0, all?.findIndex(({ induction }) => induction === most) ?? 0);
      columns.forEach(({ square, does, called, root }, k) => {
        const one = all?.[k] ?? null;
        root.classList.toggle("ws-best", k === best); // the one that there is room for on a phone
        root.classList.toggle("ws-absent", k >= count);
        square.show((i, j) => (one ? one.shades[(i * (i + 1)) / 2 + j] : 0), room);
        does.textContent = one ? doing(one) : "";
        const said = one && !hidden
          ? `previous ${percent(one.previous)}, induction ${percent(one.induction)}` : "not trained";
        square.root.setAttribute("aria-label", `${MAP_NAMES[map]}, head ${called}: ${said}`);
      });
    },
  };
}
