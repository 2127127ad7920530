// A real head: where "it" looks in a sentence, as its last word changes, in a head of a trained encoder.
import { betaSlider } from "./beta_slider.js";
import { choice } from "./choices.js";
import { glide, hint, html, readings, settle, speaker, tools } from "./controls.js";
import { headTable } from "./head_table.js";
import { dot, effectiveCount, entropy, klDivergence, nullWeights, softmax } from "./math.js";
import { sentenceLine } from "./real_head_plots.js";
import { realSentence } from "./real_head_words.js";
import { traitsOf } from "./traits.js";
import { amount, fixed } from "./words.js";

const TRAITS = ["last", "beta"];

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { own, rows, model: source } = model.get("head");
  const all = Object.values(rows);
  const n = all[0].tokens.length;

  // --- the parts -------------------------------------------------------------------------------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (name, symbol, ...rest) =>
    html("div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), ...rest);
  const voice = speaker();
  const kit = tools({ page, reset });
  const words = choice(
    "the last word", Object.fromEntries(Object.keys(rows).map((word) => [word, word])), (last) => change({ last }),
  );
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note, {
    mark: ["the model’s own, 1/√32", own],
  });
  const line = sentenceLine(all, "it");
  const table = headTable(n);
  const numbers = readings(["expected score", "entropy H", "effective tokens", "KL from the null"]);
  el.replaceChildren(
    head(
      "weight ", "π", span("ws-axis ws-narrow", "and score ", html("i", {}, "s")), span("ws-note", "from “it”"),
      hint("choose a word"),
    ),
    words.root,
    line.plot,
    html(
      "div", { class: "ws-head ws-of-scores" }, span("ws-axis", "score ", html("i", {}, "s")),
      span("ws-note", "query of “it” · key of each token"),
    ),
    line.below,
    slider.root,
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(slider.typed, slider.flip), kit.status, numbers.root, table.root,
    html(
      "p", { class: "ws-text" },
      `From ${source}. A score is the product of the query of “it” with the key of a token. \
[CLS] and [SEP] are marks that the model puts at the start and the end of a sentence.`,
    ),
  );

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => line.draw(shown.slice(0, n), shown.slice(n)));

  function update(jump) {
    const { last, beta } = read();
    const { tokens, nouns, scores } = rows[last];
    const weights = softmax(scores, beta);
    words.show(last);
    line.name(tokens, scores, weights);
    slider.show(beta);
    table.show(tokens, scores, weights);
    numbers.show([
      [amount(dot(weights, scores)), ""],
      [fixed(entropy(weights), 2), `of ${fixed(Math.log(n), 2)} nats`],
      [fixed(effectiveCount(weights), 1), `of ${n}`],
      [fixed(klDivergence(weights, nullWeights(scores)), 2), "nats"],
    ]);
    voice.say(realSentence({ tokens, nouns, weights, beta, own }));
    motion.to([...scores, ...weights], jump);
  }

  const leave = settle(el, model, { kind: "ws-real", traits: TRAITS, parts: [motion, voice], follow });
  update(true);
  return leave;
}
