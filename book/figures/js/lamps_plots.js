// What *lamps* draws besides the row of scores: the comb on which the bars stand, and a row for each rule.
import { button, html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { RULES, WISHES } from "./lamps_math.js";
import { rule } from "./map_panel.js";
import { pairBar, pairText } from "./pair_bar.js";

const LAMP = { size: 34, disc: 8, halo: 13, spread: 4 }; // CSS pixels

// The spine of the comb, which goes where everybody goes, with its knob at the left, and faint lines at whole
// points, which stay. `move` is what a grip takes.
export function comb({ ends, depth, height, move }) {
  const lowest = Math.ceil(ends[0]);
  const whole = Array.from({ length: Math.floor(ends[1]) - lowest + 1 }, (_, k) => lowest + k);
  const lines = whole.map((s) => rule(depth(s), s ? "ws-point-line" : "ws-zero-line"));
  const zero = svg("text", { x: "100%", dx: -2, y: depth(0) + 15, class: "ws-label ws-level" }, "0");
  const spine = svg("rect", { x: 0, width: "100%", height: 3, class: "ws-spine" });
  const knob = grip({ name: "scores of everybody", left: 0, width: 100, ...move });
  const called = html("span", { class: "ws-everybody", "aria-hidden": "true" },
    html("span", { class: "ws-long" }, "everybody"), html("span", { class: "ws-brief" }, "all"));
  knob.root.append(called);
  return {
    behind: svg("svg", { class: "ws-svg ws-points", height, "aria-hidden": "true" }, ...lines, zero, spine),
    handle: html("div", { class: "ws-handle" }, knob.root),
    show: knob.show,
    draw(shift) {
      spine.setAttribute("y", depth(shift) - 1.5);
      knob.root.style.top = `${depth(shift)}px`;
    },
  };
}

// What to do first, over the knob of one word.
export function invitation(i, n) {
  const middle = `${(100 * (i + 0.5)) / n}%`;
  const arrow = svg("path", { d: "M0 16V1M-5 6 0 1 5 6", class: "ws-pull-arrow" });
  const place = svg("svg", { x: middle, y: 0, width: 1, height: 1, overflow: "visible" }, arrow);
  const text = svg("text", { x: middle, class: "ws-label ws-pull" }, "pull me up");
  const root = svg("svg", { class: "ws-svg ws-invites", "aria-hidden": "true" }, place, text);
  return {
    root,
    show: (seen) => root.classList.toggle("ws-gone", !seen),
    draw(y) {
      text.setAttribute("y", y - 50);
      place.setAttribute("y", y - 44);
    },
  };
}

// A bracket under the two words of the pair, with a button in it that swaps their scores.
export function swapBracket([i, j], tokens, press) {
  const n = tokens.length;
  const made = button("swap", press);
  made.setAttribute("aria-label", `swap the scores of ${tokens[i]} and ${tokens[j]}`);
  const style = `left:${(100 * (Math.min(i, j) + 0.5)) / n}%;width:${(100 * Math.abs(i - j)) / n}%`;
  return html("div", { class: "ws-swap" }, html("div", { class: "ws-bracket", style }, made));
}

// A lamp: a disc that shines while it is on, and an empty ring with a stroke through it when it is out. `draw`
// takes how much of it is on, from 0 to 1.
function lampOf(name) {
  const middle = { cx: LAMP.size / 2, cy: LAMP.size / 2 };
  const halo = svg("circle", { ...middle, class: "ws-halo" });
  const ring = svg("circle", { ...middle, r: LAMP.disc, class: "ws-rim" });
  const disc = svg("circle", { ...middle, class: "ws-disc" });
  const stroke = svg("path", { class: "ws-struck" });
  const size = { width: LAMP.size, height: LAMP.size };
  const root = svg("svg", { class: "ws-lamp", ...size, role: "img" }, halo, ring, disc, stroke);
  return {
    root,
    name: (on) => root.setAttribute("aria-label", `${name}: ${on ? "on" : "out"}`),
    draw(on) {
      disc.setAttribute("r", LAMP.disc * on);
      halo.setAttribute("r", LAMP.halo + LAMP.spread * (1 - on));
      halo.setAttribute("opacity", on);
      const reach = (LAMP.disc + 4) * Math.SQRT1_2 * (1 - on);
      const [from, to] = [LAMP.size / 2 - reach, LAMP.size / 2 + reach];
      stroke.setAttribute("d", `M${from} ${to}L${to} ${from}`);
      stroke.setAttribute("visibility", on < 1 ? "visible" : "hidden");
    },
  };
}

// A row for each rule: its name, how many times the one word has the weight of the other, and its lamps.
export function board(names) {
  const cell = (kind, ...inside) => html("div", { class: kind }, ...inside);
  const [first, second] = names.map((name) => `“${name}”`);
  const head = cell("ws-wishes",
    cell("ws-asked-pair", `how many times ${first} gets the weight of ${second}`),
    ...WISHES.map((wish, k) =>
      cell(k ? "ws-wish" : "ws-wish ws-of-first", html("b", {}, String(k + 1)), " ", wish)));
  head.setAttribute("aria-hidden", "true");
  const rows = RULES.map((name) => {
    const bar = pairBar({ names });
    const lamps = WISHES.map((wish, k) => lampOf(`${k + 1}, ${wish}`));
    lamps[0].root.classList.add("ws-of-first");
    const root = cell("ws-rule", cell("ws-axis", name), bar.root, ...lamps.map((lamp) => lamp.root));
    root.setAttribute("role", "group");
    return { name, bar, lamps, root };
  });
  return {
    parts: [head, ...rows.map((row) => row.root)],
    // `on` has for each rule whether each of its lamps is; `ratios` and `were` one number for each rule.
    show: (on, ratios, were) => rows.forEach(({ name, bar, lamps, root }, r) => {
      root.setAttribute("aria-label", `${name}: ${first} over ${second} ${pairText(ratios[r])}`);
      bar.show(ratios[r], were[r]);
      root.classList.toggle("ws-endless", !Number.isFinite(ratios[r]));
      lamps.forEach((lamp, k) => lamp.name(on[r][k]));
    }),
    drawBars: (ratios, were) => rows.forEach(({ bar }, r) => bar.draw(ratios[r], were[r])),
    drawLamps: (on) => rows.flatMap(({ lamps }) => lamps).forEach((lamp, k) => lamp.draw(on[k])),
  };
}
