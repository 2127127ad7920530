// The board of *pairs*: each pair has two bars, one for each of its sentences. A bar goes as far to both sides as
// "it" gives weight to the two nouns, and the side that has more is filled.
import { html, svg } from "./controls.js";
import { isRight, onNouns, standing } from "./pairs_math.js";

export const COLUMNS = { wide: 4, narrow: 3 };
const NARROW = 540; // CSS pixels, as in the style sheet
const GROUPS = ["right in both", "the same noun, whatever is said", "right in neither"];
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// A bar with its mark; `show` takes the weights on both nouns, or null where they are not known.
export function leanBar() {
  const sides = [svg("rect", { class: "ws-lean-side" }), svg("rect", { class: "ws-lean-side" })];
  const plot = svg("svg", {
    class: "ws-svg ws-lean-track", viewBox: "-1 0 2 1", preserveAspectRatio: "none", role: "img",
    "aria-label": "the weight of it on both nouns",
  }, ...sides, svg("path", { class: "ws-middle", d: "M0 0V1" }));
  const mark = html("span", { class: "ws-judged" });
  return {
    root: html("span", { class: "ws-lean" }, plot, mark),
    show(weights, right) {
      sides.forEach((side, noun) => {
        const w = weights?.[noun] ?? 0;
        const place = { x: noun ? 0 : -w, y: 0, width: w, height: 1 };
        for (const [name, value] of Object.entries(place)) side.setAttribute(name, value.toFixed(4));
        side.classList.toggle("ws-more-of-it", w > (weights?.[1 - noun] ?? 0));
      });
      mark.dataset.right = weights ? String(right) : ""; // the style sheet writes it
    },
  };
}

const judgedText = (times) => `right in ${["neither sentence", "one sentence", "both sentences"][times]}`;

// `open(pair)` is called with the pair that is pressed.
export function pairsBoard(pairs, open) {
  const at = {};
  let chosen = 0;
  const duos = pairs.map(({ nouns, words }, pair) => {
    const bars = [leanBar(), leanBar()];
    const root = html("div", { class: "ws-duo", role: "option", tabindex: -1 },
      html("span", { class: "ws-duo-nouns" }, ...nouns.map((noun) => html("span", {}, noun))),
      ...bars.map((bar) => bar.root),
      html("span", { class: "ws-duo-words", "aria-hidden": "true" },
        ...words.map((word) => html("span", {}, word))));
    root.addEventListener("click", () => open(pair));
    root.addEventListener("keydown", (event) => {
      const step = KEYS[event.key];
      if (!step) return;
      event.preventDefault();
      const those = at[root.parentNode.clientWidth > NARROW ? "wide" : "narrow"];
      const [column, line] = those[pair];
      const to = those.findIndex(([x, y]) => x === column + step[0] && y === line + step[1]);
      if (to < 0) return;
      open(to);
      duos[to].root.focus();
    });
    return { root, bars };
  });
  const heads = GROUPS.map((name) => {
    const many = html("b");
    return { many, root: html("p", { class: "ws-of-group", "aria-hidden": "true" }, many, ` ${name}`) };
  });
  const root = html("div", { class: "ws-field-of-pairs", role: "listbox", "aria-label": "the pairs" },
    ...heads.map((one) => one.root), ...duos.map((one) => one.root));

  // Each width has columns of its own; a group begins with a line of its name.
  function place(groups) {
    for (const [width, columns] of Object.entries(COLUMNS)) {
      const found = standing(groups, columns);
      const before = (i) => groups.slice(0, i + 1).filter((one) => one.length).length;
      const named = groups.length > 1 ? groups.map((_, i) => before(i)) : [0]; // lines of names up to a group
      duos.forEach(({ root: duo }, pair) => {
        const [column, line, group] = found.at[pair];
        duo.style.setProperty(`--ws-${width}-x`, column);
        duo.style.setProperty(`--ws-${width}-y`, line);
        duo.style.setProperty(`--ws-${width}-names`, named[group]);
      });
      heads.forEach(({ root: name }, group) => {
        const lines = groups.slice(0, group).reduce((sum, one) => sum + Math.ceil(one.length / columns), 0);
        name.style.setProperty(`--ws-${width}-y`, lines);
        name.style.setProperty(`--ws-${width}-names`, named[group] - 1 || 0);
      });
      at[width] = found.at;
    }
  }
  return {
    root,
    show(pair) {
      chosen = pair;
      duos.forEach(({ root: duo }, i) => {
        duo.setAttribute("aria-selected", String(i === chosen));
        duo.setAttribute("tabindex", i === chosen ? 0 : -1);
      });
    },
    // `groups` as `groupsOf` has them, or null where pairs stand as they were written; `seen(pair)` says whether
    // its results are.
    draw(table, head, groups, seen) {
      place(groups ?? [pairs.map((_, i) => i)]);
      heads.forEach(({ many, root: name }, i) => {
        many.textContent = groups ? groups[i].length : "";
        name.classList.toggle("ws-gone", !groups?.[i].length);
      });
      duos.forEach(({ root: duo, bars }, pair) => {
        const shown = table && seen(pair);
        let times = 0;
        bars.forEach((bar, which) => {
          const right = table && isRight(table, pair, which, head);
          times += Number(right);
          bar.show(table && onNouns(table, pair, which, head), right); // without a script nothing is covered
        });
        duo.classList.toggle("ws-covered", !shown);
        const says = shown ? judgedText(times) : "covered";
        duo.setAttribute("aria-label", `${pairs[pair].nouns.join(", ")}: ${says}`);
      });
    },
  };
}
