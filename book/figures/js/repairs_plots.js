// What *repairs* draws: a bar for all words together, one for each word, and the marks of what is kept and gained.
import { html, svg } from "./controls.js";
import { lampOf } from "./lamp.js";
import { lineSlider } from "./line_slider.js";
import { KNOBS } from "./repairs_words.js";
import { GAINS, WISHES } from "./repairs_math.js";

const NEAR_END = 0.3; // of the length of all weights

// A row of the board: a name, a score, and the weight in a frame of softmax's own, with a line where it was
// before; `rest` is what stands at the end of the frame, if there is room.
export function weightRow(kind = "") {
  const [name, score] = ["ws-name", "ws-given"].map((one) => html("span", { class: one }));
  const [plain, bar] = ["ws-plain", "ws-weight"].map((one) => svg("rect", { x: 0, height: "100%", class: one }));
  const was = svg("line", { y1: -3, y2: "100%", class: "ws-was" });
  const text = svg("text", { y: "50%", dx: 5, dy: 4.5, class: "ws-label" });
  const left = svg("text", { x: "100%", y: "50%", dx: -6, dy: 4.5, class: "ws-label ws-rest" });
  const plot = svg("svg", { class: "ws-svg ws-strip", role: "img" }, plain, bar, was, text, left);
  const root = html("div", { class: `ws-word-row ${kind}` }, name, score, plot);
  let least = 0; // where the line is; the number stands beyond it and the frame, if these are near
  return {
    root,
    // `before` is the weight that is marked, or nothing.
    show({ called, scored, value, before, absent = false, rest = "" }) {
      left.textContent = rest;
      name.textContent = called;
      name.title = called;
      score.textContent = scored;
      text.textContent = value;
      root.classList.toggle("ws-absent", absent);
      plot.setAttribute("aria-label", [called, value, rest].filter(Boolean).join(", "));
      was.setAttribute("visibility", before === null ? "hidden" : "inherit");
      least = before ?? 0;
      for (const end of ["x1", "x2"]) was.setAttribute(end, `${100 * least}%`);
    },
    draw(w, softmax) {
      bar.setAttribute("width", `${100 * w}%`);
      plain.setAttribute("width", `${100 * softmax}%`);
      text.setAttribute("x", `${100 * Math.max(w, ...[softmax, least].filter((end) => end - w < NEAR_END))}%`);
    },
  };
}

// The slider of each repair, of which the chosen one's is seen.
export function knobs(choose) {
  const made = Object.entries(KNOBS).map(([repair, { trait, ...how }]) => [repair, trait, lineSlider({
    kind: "ws-knob-of", ends: [], ...how, spoken: how.shown,
    choose: (x) => choose({ [trait]: Number(x.toFixed(2)) }),
  })]);
  const none = html("span", { class: "ws-slider ws-note" }, "Nothing is repaired, so there is no knob.");
  return {
    root: html("div", { class: "ws-knobs" }, none, ...made.map(([, , slider]) => slider.root)),
    show(state) {
      none.classList.toggle("ws-absent", state.repair !== "none");
      for (const [repair, trait, slider] of made) {
        slider.root.classList.toggle("ws-absent", repair !== state.repair);
        slider.show(state[trait]);
      }
    },
  };
}

// A plus in a disc where there is a gain, an empty ring where there is none.
function gainOf(name) {
  const root = svg("svg", { class: "ws-gain", width: 24, height: 24, viewBox: "0 0 24 24", role: "img" },
    svg("circle", { cx: 12, cy: 12, r: 10 }), svg("path", { d: "M12 7v10M7 12h10" }));
  return {
    root,
    show(on) {
      root.setAttribute("aria-label", `${name}: ${on ? "yes" : "no"}`);
      root.classList.toggle("ws-on", on);
    },
  };
}

// The lamps of the four wishes, and what else there may be to gain.
export function marks() {
  const [lamps, gains] = [WISHES.map(lampOf), GAINS.map(gainOf)];
  const cell = (mark, ...text) => html("div", { class: "ws-kept" }, mark.root, html("span", {}, ...text));
  const kept = lamps.map((lamp, k) => cell(lamp, html("b", {}, String(k + 1)), ` ${WISHES[k]}`));
  const gained = gains.map((gain, k) => cell(gain, GAINS[k]));
  const group = (kind, name, cells) => html("div", { class: kind, role: "group", "aria-label": name }, ...cells);
  return {
    root: html("div", { class: "ws-marks" },
      group("ws-wishes", "wishes", kept), group("ws-gains", "gains", gained)),
    // `asked` is the place of what the situation asks about, −1 if it is none.
    show(on, asked) {
      lamps.forEach((lamp, k) => lamp.show(on[k], false));
      gains.forEach((gain, k) => gain.show(on[WISHES.length + k]));
      [...kept, ...gained].forEach((root, k) => root.classList.toggle("ws-asked", k === asked));
    },
    draw: (on) => lamps.forEach((lamp, k) => lamp.draw(on[k])),
  };
}

// All repairs at once, in columns, and what each keeps and gains.
export function lampTable(names) {
  const rows = [...WISHES, ...GAINS].map((name) => ({ name, cells: names.map(() => html("td")) }));
  const lines = rows.map(({ name, cells }) => html("tr", {}, html("th", { scope: "row" }, name), ...cells));
  const heads = ["wish or gain", ...names].map((text) => html("th", { scope: "col" }, text));
  return {
    root: html("table", { class: "ws-table" }, html("thead", {}, html("tr", {}, ...heads)),
      html("tbody", {}, ...lines)),
    // `all` has the lamps of each repair.
    show: (all) => rows.forEach(({ cells }, k) =>
      cells.forEach((cell, r) => (cell.textContent = all[r][k] ? "yes" : "–"))),
  };
}
