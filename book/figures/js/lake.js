// The lake: scores are posts in water. The reader lowers the water until what stands out fills a glass; from then
// on it finds its level by itself, and the rule can be turned, from sparsemax to softmax.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { DEEPEST, GROUND, HIGHEST, lakeOf, LOWEST } from "./lake_math.js";
import { glassOf, pointLines, spokenLevel, standingOut, waterWith } from "./lake_plots.js";
import { lakeSentence, lakeTexts, ruleName, sumText } from "./lake_words.js";
import { lineSlider } from "./line_slider.js";
import { logSlider } from "./log_slider.js";
import { mapTable } from "./map_panel.js";
import { scoreRow } from "./score_row.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { short } from "./words.js";

const TRAITS = ["tokens", "scores", "beta", "alpha", "level", "water"];
const [HEIGHT, BELOW] = [240, 22]; // of the row of posts in CSS pixels, and of what is cut off under the ground
const BETAS = [0.25, 4];
const SNAP = 0.06; // points from the right level, where the water snaps to it
const [ROOM, REACH] = [[GROUND, HIGHEST], [LOWEST, HIGHEST]]; // what is drawn, and how far a post goes
const LAKE_RULE = "The glass is 1/β points high. A weight is ((α − 1)β × what stands out) to the power of \
1/(α − 1): at α = 2, all of it times β. The lower α, the less a little counts, and the lower the water.";

const inside = (x, [low, high]) => x >= low && x <= high;
render.fits = ({ scores, beta, alpha, level }) =>
  scores.every((s) => inside(s, REACH)) && inside(beta, BETAS) && inside(alpha, [1, 2]) &&
  inside(level, [DEEPEST, HIGHEST]);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: oneForEachToken("scores") });
  let state = read();
  let [row, lake, glass, out, table] = [];
  let held = false; // whether a pointer has the float

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const levelNow = () => Math.max(DEEPEST, lakeOf(state).level);
  // Near the right level the water snaps to it.
  function moveWater(x, jump) {
    const level = Math.min(HIGHEST, Math.max(DEEPEST, x));
    const found = Math.abs(level - lakeOf(state).right) < SNAP;
    const glides = found && state.water !== "found";
    change({ level, water: found ? "found" : "held" }, jump && !glides);
  }
  const alphaSlider = lineSlider({
    kind: "ws-alpha", name: "α, the rule", note: "", ticks: [1, 1.5, 2], step: 0.01,
    ends: ["softmax", "sparsemax"],
    shown: ruleName, spoken: (x) => `${ruleName(x)}, α = ${short(x)}`,
    choose: (alpha) => change({ alpha, water: "found" }, true),
  });
  const turn = html("span", { class: "ws-call", "aria-hidden": "true" }, "turn the rule");
  alphaSlider.track.append(turn);
  const betaValue = html("span", { class: "ws-value" });
  const betaSlider = logSlider({
    marks: [BETAS[0], 1, BETAS[1]],
    name: "inverse temperature β", low: BETAS[0], high: BETAS[1], spoken: (x) => `β = ${short(x)}`,
    choose: (beta, jump) => change({ beta, water: "found" }, jump),
  });

  function build() {
    const { tokens } = state;
    row = scoreRow({
      tokens, height: HEIGHT, value: (i) => state.scores[i], left: () => update(false), bounds: () => REACH,
      set: (i, x, jump) => change({ scores: state.scores.map((s, k) => (k === i ? x : s)) }, jump),
    });
    row.room(ROOM);
    const depth = (s) => row.depth(s, ROOM);
    lake = waterWith({
      value: levelNow, bounds: () => [DEEPEST, HIGHEST], unit: () => depth(0) - depth(1), set: moveWater,
      hold(taken) {
        held = taken;
        update(false);
      },
    });
    glass = glassOf(tokens, depth, HEIGHT - BELOW);
    out = standingOut(tokens, depth, HEIGHT);
    table = mapTable(tokens, ["weight"]);
    const [plot, words] = row.parts;
    plot.replaceChildren(plot.children[0], ...out.parts, plot.children[1]);
    fill(el,
      html("div", { class: "ws-scene" },
        html("div", { class: "ws-shore", style: `height:${HEIGHT - BELOW}px` },
          pointLines(depth, HEIGHT), lake.buoy, plot, lake.water),
        words, glass.root),
      html("div", { class: "ws-turns" }, alphaSlider.root,
        html("div", {}, html("div", { class: "ws-head" }, betaValue), betaSlider.root)),
      ...voice.parts, ...kit.parts);
    kit.panel.replaceChildren(kit.options(), kit.status,
      html("p", { class: "ws-text" }, LAKE_RULE), table.root);
    el.style.setProperty("--ws-n", tokens.length);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide(([level, worth, ...shown]) => {
    const n = state.tokens.length;
    const [scores, weights] = [shown.slice(0, n), shown.slice(n)];
    row.draw(scores, ...ROOM, GROUND);
    lake.draw(row.depth(level, ROOM));
    out.draw(scores, level, weights, worth, GROUND);
    glass.draw(weights, worth);
  }, CHANGE);

  function update(jump) {
    const next = read();
    const rebuilt = !row || String(next.tokens) !== String(state.tokens);
    state = next;
    if (rebuilt) build();
    const { scores, beta, alpha } = state;
    const now = lakeOf(state);
    const texts = lakeTexts(now.weights);
    const there = now.level >= DEEPEST;
    const level = Math.max(now.level, GROUND - 0.1);
    row.show(scores.map(() => 0));
    out.name(texts);
    const low = now.sum < 1;
    glass.show(sumText(now.sum), now.found ? "full" : low ? "too little" : "too much", now.found);
    lake.show(spokenLevel(level, now), now.found || held ? "" : low ? "lower me" : "raise me", there);
    turn.classList.toggle("ws-done", !now.found || held || alpha !== model.get("start").alpha);
    alphaSlider.show(alpha);
    betaSlider.show(beta);
    betaValue.textContent = `β = ${short(beta)}`;
    table.show(scores, [texts]);
    voice.say(lakeSentence(state, now));
    motion.to([level, 1 / beta, ...scores, ...now.weights], jump || rebuilt);
  }

  update(true);
  return settle(el, model, { kind: "ws-lake", traits: TRAITS, parts: [motion, voice], follow });
}
