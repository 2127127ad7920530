// The Jacobian: scores above, their map of slopes below, and how much of the answer is left against β.
import { betaSlider } from "./beta_slider.js";
import { fill, glide, hint, html, settle, speaker, tools } from "./controls.js";
import { lastingRoom } from "./grips.js";
import { jacobianTable, leftCurve, slopeMap } from "./jacobian_plots.js";
import { largestFactor, softmax, softmaxJacobian } from "./math.js";
import { scoreRow } from "./score_row.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { percent, short, steady } from "./words.js";

const TRAITS = ["tokens", "scores", "beta"];
const SLOPES_ROW = 176; // height of their row, in CSS pixels

export function jacobianSentence({ tokens, beta, weights, slopes }) {
  if (beta === 0) return "At β = 0 scores do not count: no weight answers to any of them.";
  if (Math.abs(beta) === Infinity) {
    if (weights.filter((w) => w > 0).length > 1) {
      return `At β = ${short(beta)} the choice is hard, and here it is a tie, which the smallest change decides:\n\
there are no slopes, \
though the map and the norm show 0.`;
    }
    return `At β = ${short(beta)} the choice is hard. Its slopes are 0,\n\
except at a tie, which the smallest change decides.`;
  }
  const most = largestFactor(weights);
  const opening = `At β = ${short(beta)} small steps of scores move weights up to \
${steady(Math.abs(beta) * most)} times as far: \
${percent(2 * most)} of ${beta < 0 ? "−" : ""}β/2.`;
  if (tokens.length < 2) return opening;
  const [first, second] = weights.map((_, i) => i).sort((i, j) => weights[j] - weights[i]);
  return `${opening}\n“${tokens[first]}” and “${tokens[second]}” exchange most, \
${steady(Math.abs(slopes[first][second]))} a point.`;
}

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: oneForEachToken("scores") });
  let state = read();
  let [row, map, table] = [];

  // --- the parts: built anew when the tokens change ------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const curve = leftCurve(slider);
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const norm = span("ws-aside");
  const head = (...inside) => html("div", { class: "ws-head" }, ...inside);
  const inset = (...parts) => html("div", { class: "ws-inset" }, ...parts);

  function build() {
    const { tokens } = state;
    row = scoreRow({
      tokens,
      value: (i) => state.scores[i],
      set: (i, x, jump) => change({ scores: state.scores.map((s, k) => (k === i ? x : s)) }, jump),
      height: SLOPES_ROW,
    });
    map = slopeMap(tokens);
    table = jacobianTable(tokens);
    const key = span("ws-aside", span("ws-key ws-plus"), "gains", span("ws-key ws-minus"), "loses");
    fill(el,
      html("div", { class: "ws-pair" },
        html("div", {},
          head(span("ws-axis", "score ", html("i", {}, "s")), hint("drag a score")),
          inset(...row.parts),
          head(span("ws-axis", "slope ", html("i", {}, "∂π/∂s")), span("ws-note", "of row by column"), key),
          inset(map.rows, map.root)),
        html("div", {}, slider.root, ...voice.parts)),
      ...kit.parts,
    );
    kit.panel.replaceChildren(kit.options(slider.typed, slider.flip), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
  }
  slider.track.before(head(span("ws-axis", "norm"), span("ws-note", "of |β|/2, the most"), norm));
  slider.track.before(curve.root);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    row.draw(shown.slice(2, 2 + n), shown[0], shown[1]);
    map.draw(shown.slice(2 + n, 2 + n + n * n));
    curve.draw(...shown.slice(-2));
  });

  function update(jump) {
    const next = read();
    const rebuilt = !row || next.tokens.join("\n") !== state.tokens.join("\n");
    state = next;
    if (rebuilt) build();
    const { tokens, scores, beta } = state;
    const range = row.room(lastingRoom(model));
    const weights = softmax(scores, beta);
    const slopes = softmaxJacobian(weights, beta);
    const hard = Math.abs(beta) === Infinity;
    const left = hard ? 0 : 2 * largestFactor(weights);
    norm.textContent = `${beta === 0 || hard ? "0" : steady((Math.abs(beta) * left) / 2)} per point`;
    row.show(weights);
    map.name(tokens, slopes);
    slider.show(beta);
    curve.name(scores, slider.sign(), left);
    table.show(slopes);
    voice.say(jacobianSentence({ tokens, beta, weights, slopes }));
    // Colours follow the slopes over |β|/4, the largest there can be.
    const depth = slopes.flat().map((x) => (beta === 0 || hard ? 0 : (4 * x) / Math.abs(beta)));
    motion.to([...range, ...scores, ...depth, left, slider.place()], jump || rebuilt);
  }

  update(true);
  return settle(el, model, {
    kind: "ws-jacobian", traits: TRAITS, parts: [motion, voice],
    follow,
  });
}
