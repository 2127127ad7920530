// What *two maps learn* draws: three curves against steps, and for each map what its heads look at.
import { html, svg } from "./controls.js";
import { rule, swatch } from "./map_panel.js";
import { shadedSquare } from "./square_map.js";
import { headText, scoreOf, spreadText } from "./two_maps_words.js";
import { fixed, percent } from "./words.js";

const LOSS = 3.5; // nats: a little more than what guessing costs, log 16, and what an untrained model pays
const SHADES = 8;
const SIDES = ["first", "second"];

// One plot: a line for each of two runs, of the values called `name`, from 0 to `most`; `levels` are [value, text,
// whether the text stands at the right end]. How high it is, the style sheet says: all is drawn in shares of that.
function curvePair(name, most, steps, levels) {
  const y = (value) => 100 * (1 - Math.min(value, most) / most);
  const x = (step) => (100 * step) / steps;
  const marks = levels.flatMap(([value, text, end]) => [
    rule(`${y(value)}%`, "ws-all"),
    svg(
      "text",
      { class: `ws-label ws-level${end ? " ws-end" : ""}`, x: end ? "100%" : 0, y: `${y(value)}%`, dy: -4 }, text,
    ),
  ]);
  const ticks = [0, steps / 2, steps].map((step, k) =>
    svg(
      "text", { class: `ws-label ws-level ws-${["start", "mid", "end"][k]}`, x: `${x(step)}%`, y: "100%", dy: 15 },
      k === 2 ? `${step} steps` : String(step),
    ),
  );
  const paths = SIDES.map((side) => svg("path", { class: `ws-map ws-${side}` }));
  const dots = SIDES.map((side) => svg("circle", { class: `ws-dot ws-${side}`, r: 4 }));
  const box = {
    viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%", overflow: "visible",
  };
  const root = svg("svg", { class: "ws-svg ws-learning", role: "img" },
    ...marks, rule("100%", "ws-zero"), ...ticks, svg("svg", box, ...[...paths].reverse()), ...[...dots].reverse());
  return {
    root,
    draw(side, run) {
      const values = run?.[name] ?? [];
      paths[side].setAttribute(
        "d", values.length > 1
          ? `M${values.map((value, k) => `${x(run.step[k]).toFixed(2)} ${y(value).toFixed(2)}`).join("L")}`
          : "",
      );
      dots[side].setAttribute("visibility", values.length ? "visible" : "hidden");
      if (!values.length) return;
      dots[side].setAttribute("cx", `${x(run.step.at(-1))}%`);
      dots[side].setAttribute("cy", `${y(values.at(-1))}%`);
    },
    say: (text) => root.setAttribute("aria-label", text),
  };
}

export function learningCurves(steps) {
  const axis = (name, note) =>
    html(
      "div", { class: "ws-head" }, html("span", { class: "ws-axis" }, name),
      html("span", { class: "ws-note" }, note),
    );
  const all = [
    ["loss", "loss", "in nats", LOSS, [[Math.log(16), "guessing", true]], (value) => `${fixed(value, 2)} nats`],
    ["accuracy", "accuracy", "", 1, [[1, "all right"]], percent],
    ["induction", "induction", "best head", 1, [[1, "all weight"]], percent],
  ].map(([key, name, note, most, levels, text]) => ({
    key, name, text, head: axis(name, note), plot: curvePair(key, most, steps, levels),
  }));
  return {
    root: html("div", { class: "ws-three" }, ...all.map(({ head, plot }) => html("div", {}, head, plot.root))),
    draw: (side, run) => all.forEach(({ plot }) => plot.draw(side, run)),
    name: (names, runs) => all.forEach(({ key, name, text, plot }) => {
      const ends = runs.map((run, k) =>
        run?.heads ? `${names[k]} ${text(run[key].at(-1))} at step ${run.step.at(-1)}` : `${names[k]} not trained`,
      );
      plot.say(`${name} against steps: ${ends.join(", ")}`);
    }),
  };
}

// The heads of one map, a column for each: what it looks at, then its two scores with a
// bar, and how spread out it is.
export function headGrid(side, { layers, heads, room }) {
  const kind = `ws-${SIDES[side]}`;
  const cell = (name, ...inside) => html("span", { class: name }, ...inside);
  const columns = Array.from({ length: layers * heads }, (_, k) => {
    const square = shadedSquare(SHADES, ` ${kind}`);
    square.root.setAttribute("role", "img");
    const [previous, induction] = [0, 0].map(() => cell(`ws-scored ${kind}`, html("b")));
    return { square, previous, induction, spread: cell("ws-spread"), name: headText(k, heads) };
  });
  const row = (text, key) => [cell("ws-row", text), ...columns.map((column) => column[key])];
  const [title, aside] = [html("span", { class: `ws-axis ${kind}` }), html("span", { class: "ws-aside" })];
  const squares = [
    cell("ws-row", "heads"),
    ...columns.map(({ square, name }) => html("div", { class: "ws-one" }, square.root, cell("ws-named", name))),
  ];
  const table = html("div", { class: "ws-head-grid" },
    ...squares, ...row("previous", "previous"), ...row("induction", "induction"), ...row("spread", "spread"));
  const line = swatch(SIDES[side]);
  const scored = (place, value) => {
    place.firstChild.textContent = value === null ? "" : scoreOf(value);
    place.style.setProperty("--ws-size", `${value === null ? 0 : (100 * value).toFixed(1)}%`);
  };
  return {
    root: html(
      "div", { class: "ws-of-one" }, html("div", { class: "ws-head ws-of-map" }, line, title, aside), table,
    ),
    name(called, note) {
      title.textContent = called;
      aside.textContent = note;
    },
    // The first `count` of the columns are heads of this model.
    draw(all, count) {
      columns.forEach(({ square, previous, induction, spread, name }, k) => {
        const one = all?.[k] ?? null;
        for (const part of [square.root.parentElement, previous, induction, spread]) {
          part.classList.toggle("ws-absent", k >= count);
        }
        square.show((i, j) => (one ? one.shades[(i * (i + 1)) / 2 + j] : 0), room);
        scored(previous, one && one.previous);
        scored(induction, one && one.induction);
        spread.textContent = one ? fixed(one.spread, 1) : "";
        const said = one
          ? `previous ${percent(one.previous)}, induction ${percent(one.induction)}, \
spread of ${spreadText(one.spread)}`
          : "not trained";
        square.root.setAttribute("aria-label", `${title.textContent}, head ${name}: ${said}`);
      });
    },
  };
}
