// A mixture: the last word of a sentence looks at each word. Its scores are pulled, arcs are its weights, and from
// each word as much of its value flows into the output, the strip below.
import { betaSlider } from "./beta_slider.js";
import { fill, glide, html, settle, speaker, tools } from "./controls.js";
import { lastingRoom, roomForTwice } from "./grips.js";
import { invitation } from "./invitation.js";
import { softmax } from "./math.js";
import { askingArcs, mixtureStrip } from "./mixture_plots.js";
import { mixtureSentence } from "./mixture_words.js";
import { scoreRow } from "./score_row.js";
import { numbers, renew } from "./table.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "beta"];
const ROW = 180; // height of the row of scores, in CSS pixels

// Which score is to be pulled at first: the best but one, since where it gets ahead all changes.
const runnerUp = (scores) => {
  const order = scores.map((_, i) => i).sort((i, j) => scores[j] - scores[i]);
  return order[Math.min(1, order.length - 1)];
};

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: oneForEachToken("scores") });
  let state = read();
  let [arcs, row, strip, badge, table] = [];
  let next = null; // what the badge asks for
  let arrived = null; // the scores and β with which the words came

  const voice = speaker();
  const kit = tools({ page, reset });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const changeOne = (key, i, x, jump) => change({ [key]: state[key].map((old, k) => (k === i ? x : old)) }, jump);

  const [stage, place] = [html("div"), html("div")]; // of the pictures, and of the table
  fill(el, stage, ...voice.parts, ...kit.parts);
  kit.panel.append(slider.root, kit.options(slider.typed, slider.flip), kit.status, place);

  // --- the parts that are built anew when the words change ------------------------------------------
  function build() {
    const { tokens, scores } = state;
    const first = runnerUp(scores);
    arrived = { scores, beta: model.get("beta") };
    arcs = askingArcs(tokens);
    strip = mixtureStrip(tokens);
    row = scoreRow({
      tokens, value: (i) => state.scores[i], set: (i, x, jump) => changeOne("scores", i, x, jump), height: ROW,
      first,
    });
    row.words.at(-1).classList.add("ws-from");
    badge = invitation(row.knobs);
    table = numbers(tokens, changeOne, kit.note, { bare: true });
    renew(place, table.root);
    const [plot, words] = row.parts;
    const called = (name, note) =>
      html("div", { class: "ws-head" }, html("span", { class: "ws-axis" }, name),
        html("span", { class: "ws-note" }, note));
    stage.replaceChildren(
      arcs.root, words,
      html("div", { class: "ws-stage" },
        called("score", `that “${tokens.at(-1)}” gives each word`), plot, badge.root),
      called("output", "the value of each word, as much as its weight"), ...strip.parts,
    );
    el.style.setProperty("--ws-n", tokens.length);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const [scores, weights] = [shown.slice(2, 2 + n), shown.slice(2 + n)];
    row.draw(scores, shown[0], shown[1]);
    if (next) badge.draw(row.depth(scores[next.i], shown.slice(0, 2)));
    arcs.draw(weights);
    strip.draw(weights);
  });

  function update(jump) {
    const before = state.tokens.join("\n");
    state = read();
    const rebuilt = !row || state.tokens.join("\n") !== before;
    if (rebuilt) build();
    const { scores, beta } = state;
    const begun = model.get("start").scores.length === scores.length ? model.get("start") : arrived;
    const still = String([begun.scores, begun.beta]) === String([scores, model.get("beta")]);
    const range = row.room(lastingRoom(model, roomForTwice));
    const weights = softmax(scores, beta);
    row.show(weights.map(() => 0)); // no shade: there are arcs
    badge.show((next = still ? { i: runnerUp(scores), text: "pull me up", under: false } : null));
    arcs.name(weights);
    strip.name(weights);
    table.show(state, weights);
    slider.show(beta);
    voice.say(mixtureSentence(state));
    motion.to([...range, ...scores, ...weights], jump || rebuilt);
  }

  update(true);
  return settle(el, model, { kind: "ws-mixture", traits: TRAITS, parts: [motion, voice], follow });
}
