// A mixture: the last word of a sentence looks at each word. Its scores can be dragged, arcs and shades are its
// weights, and the strip below is its output: the words' values, each as long as its weight.
import { betaSlider } from "./beta_slider.js";
import { fill, glide, html, settle, speaker, tools } from "./controls.js";
import { lastingRoom, roomForTwice } from "./grips.js";
import { softmax } from "./math.js";
import { askingLine, mixtureStrip } from "./mixture_plots.js";
import { mixtureSentence } from "./mixture_words.js";
import { scoreRow } from "./score_row.js";
import { numbers, renew } from "./table.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "beta"];
const ROW = 176; // height of the row of scores, in CSS pixels

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: oneForEachToken("scores") });
  let state = read();
  let [line, row, strip, table] = [];

  const voice = speaker();
  const kit = tools({ page, reset });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const changeOne = (key, i, x, jump) => change({ [key]: state[key].map((old, k) => (k === i ? x : old)) }, jump);
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (name, symbol, note, ...asides) =>
    html(
      "div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), span("ws-note", note), ...asides,
    );

  const [stage, place] = [html("div"), html("div")]; // of the pictures, and of the table
  fill(el, stage, slider.root, ...voice.parts, ...kit.parts);
  kit.panel.append(kit.options(slider.typed, slider.flip), kit.status, place);

  // --- the parts that are built anew when the words change ------------------------------------------
  function build() {
    const { tokens } = state;
    const last = `“${tokens.at(-1)}”`;
    line = askingLine(tokens);
    strip = mixtureStrip(tokens);
    row = scoreRow({
      tokens,
      value: (i) => state.scores[i],
      set: (i, x, jump) => changeOne("scores", i, x, jump),
      height: ROW,
    });
    table = numbers(tokens, changeOne, kit.note, { bare: true });
    renew(place, table.root);
    stage.replaceChildren(
      head("weight ", "π", `what ${last} gives each word`, span("ws-aside ws-hint", "drag a score")),
      line.root,
      head("score ", "s", `query of ${last} · key of each word`),
      ...row.parts,
      head("output ", "o", "the words’ values, mixed by the weights"),
      ...strip.parts,
    );
    el.style.setProperty("--ws-n", tokens.length);
    el.style.setProperty("--ws-longest", Math.max(...tokens.map((token) => token.length)));
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const [scores, weights] = [shown.slice(2, 2 + n), shown.slice(2 + n)];
    row.draw(scores, shown[0], shown[1]);
    line.draw(weights);
    strip.draw(weights);
  });

  function update(jump) {
    const next = read();
    const rebuilt = !row || next.tokens.join("\n") !== state.tokens.join("\n");
    state = next;
    if (rebuilt) build();
    const { scores, beta } = state;
    const range = row.room(lastingRoom(model, roomForTwice));
    const weights = softmax(scores, beta);
    row.show(weights);
    line.name(weights);
    strip.name(weights);
    table.show(state, weights);
    slider.show(beta);
    voice.say(mixtureSentence(state));
    motion.to([...range, ...scores, ...weights], jump || rebuilt);
  }

  update(true);
  return settle(el, model, { kind: "ws-mixture", traits: TRAITS, parts: [motion, voice], follow });
}
