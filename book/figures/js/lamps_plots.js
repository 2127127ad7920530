// What *lamps* draws besides the row of scores: the comb on which the bars stand, and a row for each rule.
import { button, html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { lampOf } from "./lamp.js";
import { RULES, WISHES } from "./lamps_math.js";
import { rule } from "./map_panel.js";
import { pairBar, pairText } from "./pair_bar.js";

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
    html("span", { class: "ws-long" }, "all words"), html("span", { class: "ws-brief" }, "all"));
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "pull us up");
  knob.root.append(called);
  return {
    behind: svg("svg", { class: "ws-svg ws-points", height, "aria-hidden": "true" }, ...lines, zero, spine),
    handle: html("div", { class: "ws-handle" }, knob.root),
    show: knob.show,
    // Whether everybody is what is to be moved next.
    invite(all) {
      if (all) knob.root.append(call);
      else call.remove();
      knob.knob.classList.toggle("ws-meant", all);
    },
    draw(shift) {
      spine.setAttribute("y", depth(shift) - 1.5);
      knob.root.style.top = `${depth(shift)}px`;
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

// A row for each rule: its name, how many times the one word has the weight of the other, and its lamps.
export function board(names) {
  const cell = (kind, ...inside) => html("div", { class: kind }, ...inside);
  const [first, second] = names.map((name) => `“${name}”`);
  const asked = cell("ws-asked-pair", `how many times ${first} gets the weight of ${second}`,
    html("span", { class: "ws-tick-key" }, "before"));
  asked.setAttribute("aria-hidden", "true");
  const head = cell("ws-wishes",
    ...WISHES.map((wish, k) =>
      cell(k ? "ws-wish" : "ws-wish ws-of-first", html("b", {}, String(k + 1)), " ", wish)));
  head.setAttribute("aria-hidden", "true");
  const rows = RULES.map((name) => {
    const bar = pairBar({ names });
    const lamps = WISHES.map((wish, k) => lampOf(`${k + 1}, ${wish}`));
    lamps[0].root.classList.add("ws-of-first");
    const nothing = html("small");
    const root = cell(`ws-rule ws-by-${name}`, cell("ws-called", html("b", { class: "ws-axis" }, name), nothing),
      bar.root, ...lamps.map((lamp) => lamp.root));
    root.setAttribute("role", "group");
    return { name, bar, lamps, nothing, root };
  });
  return {
    parts: [head, ...rows.map((row) => row.root), asked],
    // `on` has for each rule whether each of its lamps is, `just` whether it went out by the last move, `without`
    // how many words have no weight; `ratios` and `were` one number for each rule.
    show: ({ on, just, without, ratios, were }) => rows.forEach(({ name, bar, lamps, nothing, root }, r) => {
      nothing.textContent = without[r];
      root.setAttribute("aria-label", `${name}: ${first} over ${second} ${pairText(ratios[r])}; ${without[r]}`);
      bar.show(ratios[r], were[r]);
      root.classList.toggle("ws-endless", !Number.isFinite(ratios[r]));
      lamps.forEach((lamp, k) => lamp.show(on[r][k], just[r][k]));
    }),
    drawBars: (ratios, were) => rows.forEach(({ bar }, r) => bar.draw(ratios[r], were[r])),
    drawLamps: (on) => rows.flatMap(({ lamps }) => lamps).forEach((lamp, k) => lamp.draw(on[k])),
  };
}
