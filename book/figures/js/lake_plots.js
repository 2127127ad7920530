// What *the lake* draws besides its posts: the water with its float, what stands out, and the glass in which that
// is gathered.
import { html, svg } from "./controls.js";
import { grip } from "./grips.js";
import { HIGHEST, LOWEST } from "./lake_math.js";
import { sumText } from "./lake_words.js";
import { rule } from "./map_panel.js";
import { columnsOf, middleOf, setBar } from "./score_row.js";
import { scoreText, short } from "./words.js";

// CSS pixels: how wide the glass is and how far its foot is from the floor; from which height on a piece has its
// name, if it is of so few letters; what is above the glass for the sum.
const GLASS = { wide: 58, foot: 4, named: 17, letters: 7, head: 52, wall: 3 };

// Faint lines at whole points, behind the posts.
export function pointLines(depth, height) {
  const whole = Array.from({ length: Math.floor(HIGHEST - LOWEST) + 1 }, (_, k) => LOWEST + k);
  const lines = whole.flatMap((s) => [
    rule(depth(s), "ws-point-line"),
    svg("text", { x: "100%", dx: -2, y: depth(s) - 4, class: "ws-label ws-level" },
      `${short(s)}${s + 1 > HIGHEST ? " points" : ""}`),
  ]);
  return svg("svg", { class: "ws-svg ws-points", height, "aria-hidden": "true" }, ...lines);
}

// What stands out of each post, and from the water up as much of it as counts; over the post its weight. One under
// water has its 0 in it.
export function standingOut(tokens, depth, height) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 0.56), middleOf(n)];
  const dry = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-dry" }));
  const counts = tokens.map((_, i) => svg("rect", { ...at(i), class: "ws-weight" }));
  const labels = tokens.map((_, i) => svg("text", { x: middle(i), class: "ws-label ws-share" }));
  let there = [];
  const plot = svg("svg", { class: "ws-svg ws-over", height, role: "img" }, ...dry, ...counts);
  return {
    parts: [plot, svg("svg", { class: "ws-svg ws-over ws-shares", height, "aria-hidden": "true" }, ...labels)],
    name(texts) {
      plot.setAttribute("aria-label", `weights: ${tokens.map((word, i) => `${word} ${texts[i]}`).join(", ")}`);
      there = texts.map((text) => text !== "0");
      labels.forEach((label, i) => {
        label.textContent = texts[i];
        label.classList.toggle("ws-accent", there[i]);
        label.classList.toggle("ws-none", !there[i]);
      });
    },
    // `worth` is how many points all the weight is.
    draw(scores, level, weights, worth, floor) {
      scores.forEach((s, i) => {
        const foot = depth(Math.max(Math.min(s, level), floor));
        const top = depth(s);
        setBar(dry[i], top, foot);
        setBar(counts[i], foot, Math.max(top, foot - (depth(0) - depth(1)) * worth * weights[i]));
        labels[i].setAttribute("y", top + (there[i] ? -13 : 22));
      });
    },
  };
}

// The water from its level down, and the float by which it is moved.
export function waterWith(move) {
  const water = html("div", { class: "ws-water" });
  const float = grip({ name: "level of the water", left: 0, width: 100, ...move });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" });
  const buoy = html("div", { class: "ws-buoy" }, call, float.root);
  return {
    water,
    buoy,
    // `say` is what the badge says, if anything; under softmax there is no water.
    show(text, say, there) {
      float.show(text);
      call.textContent = say;
      call.classList.toggle("ws-done", !say);
      float.root.querySelector(".ws-knob").classList.toggle("ws-meant", Boolean(say));
      buoy.classList.toggle("ws-absent", !there);
      float.root.setAttribute("tabindex", there ? 0 : -1);
    },
    draw(y) {
      water.style.setProperty("top", `${y}px`);
      float.root.style.setProperty("top", `${y}px`);
      call.style.setProperty("top", `${y}px`);
    },
  };
}

// The glass: what counts of each post, piled up, in the same pixels as there. It is full when the sum is 1.
export function glassOf(tokens, depth, height) {
  const pixels = depth(0) - depth(1);
  const ground = height - GLASS.foot;
  const piece = { x: GLASS.wall, width: GLASS.wide - 2 * GLASS.wall, class: "ws-weight" };
  const pieces = tokens.map(() => svg("rect", piece));
  const names = tokens.map((word) =>
    svg("text", { x: GLASS.wide / 2, class: "ws-poured" }, word.length > GLASS.letters ? "" : word));
  const wall = svg("path", { class: "ws-wall" });
  const brim = svg("line", { x1: -4, x2: GLASS.wide + 4, class: "ws-brim" });
  const room = { y: GLASS.head, viewBox: `0 ${GLASS.head} ${GLASS.wide} ${ground - GLASS.head}` };
  const pile = svg("svg", { ...room, width: GLASS.wide, height: ground - GLASS.head }, ...pieces, ...names);
  const sum = svg("text", { x: GLASS.wide / 2, class: "ws-sum" });
  const said = svg("text", { x: GLASS.wide / 2, class: "ws-label ws-verdict" });
  const plot = svg("svg", { class: "ws-svg ws-glass", height, role: "img" }, pile, wall, brim, sum, said);
  return {
    root: html("div", { class: "ws-gauge" }, plot),
    show(text, verdict, full) {
      sum.textContent = text;
      said.textContent = verdict;
      plot.classList.toggle("ws-filled", full);
      plot.setAttribute("aria-label", `the glass: together ${text}, ${verdict}`);
    },
    draw(weights, worth) {
      const top = ground - pixels * worth;
      const order = weights.map((_, i) => i).sort((i, j) => weights[j] - weights[i]);
      let y = ground;
      for (const i of order) {
        const tall = pixels * worth * weights[i];
        y -= tall;
        pieces[i].setAttribute("y", y);
        pieces[i].setAttribute("height", Math.max(0, tall - Math.min(1, tall / 2)));
        names[i].setAttribute("y", y + tall / 2 + 4.5);
        const fits = tall >= GLASS.named && y + tall / 2 > GLASS.head + 10;
        names[i].setAttribute("visibility", fits ? "visible" : "hidden");
      }
      wall.setAttribute("d", `M1 ${top}V${ground + 1}H${GLASS.wide - 1}V${top}`);
      for (const end of ["y1", "y2"]) brim.setAttribute(end, top);
      const over = Math.max(GLASS.head, Math.min(top, y)); // the sum rides on the pile
      sum.setAttribute("y", over - 27);
      said.setAttribute("y", over - 9);
    },
  };
}

export const spokenLevel = (level, { found, sum }) =>
  `${scoreText(Number(level.toFixed(2)))} points, together ${sumText(sum)}${found ? ", found" : ""}`;
