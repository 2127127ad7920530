// Streaming: keys are read one after another with a running largest score and sum, in one part or in two.
import { button, glide, hint, html, settle, speaker, tick, tools } from "./controls.js";
import { lastStep, streamed } from "./stream_math.js";
import { countSlider, streamPlots } from "./stream_plots.js";
import { streamSentence, streamTable } from "./stream_words.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "values", "step", "cut", "direction"];

// What a link may set here.
render.fits = ({ step, cut, tokens }) => cut < tokens.length && step <= lastStep(tokens.length, cut);

const whole = ({ tokens, scores, values, cut }) =>
  scores.length === tokens.length && values.length === tokens.length && cut < tokens.length;

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole, once: ["tokens", "scores", "values"], render: () => render({ model, el, page }),
  });
  const { tokens, scores, values } = read();
  const n = tokens.length;

  // Another cut begins anew: what has been read is not the same.
  const split = (cut) => change({ cut, step: 0 });

  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (name, symbol, ...rest) =>
    html("div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), ...rest);
  const voice = speaker();
  const kit = tools({ page, reset });
  const plots = streamPlots(tokens, scores, values);
  const steps = countSlider({ name: "keys read", choose: (step) => change({ step }) });
  const cuts = countSlider({ name: "split after key", choose: split });
  const next = button("Read on", () =>
    change({ step: Math.min(model.get("step") + 1, lastStep(n, model.get("cut"))) }),
  );
  const back = tick("from the right", (right) => change({ direction: right ? "right" : "left" }));
  const [reading, splitting] = [span("ws-value"), span("ws-value")];
  const [whose, total] = [span(""), span("ws-note")];
  total.append(whose, html("i", {}, "b"));
  const table = streamTable();
  el.replaceChildren(
    html("div", { class: "ws-pair" },
      html("div", {},
        head(
          "score ", "s", span("ws-note ws-top-key", "line: the largest so far, "), html("i", {}, "a"),
          hint("read on"),
        ),
        plots.scorePlot, plots.words),
      html("div", {},
        html(
          "div", { class: "ws-head" },
          span("ws-axis", "term ", html("i", {}, "e"), html("sup", {}, html("i", {}, "s − a"))), total,
        ),
        plots.termPlot, plots.below)),
    html("div", { class: "ws-valued" }, reading, steps.root, next),
    html("div", { class: "ws-valued" }, splitting, cuts.root),
    table.root,
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(back.root), kit.status);

  const motion = glide((shown) => plots.draw(shown));

  function update(jump) {
    const cut = model.get("cut");
    const found = streamed({ scores, values, step: model.get("step"), cut, direction: model.get("direction") });
    const last = lastStep(n, cut);
    const marks = Array.from({ length: last + 1 }, (_, i) => (cut && i === last ? "all" : String(i)));
    const said = found.merged
      ? "both parts merged"
      : `${cut ? "each part has read up to " : "read "}${found.at} of ${cut ? Math.max(cut, n - cut) : n} keys`;
    whose.textContent = cut && !found.merged ? "each part has its own sum " : "their total is the sum ";
    // Of each part so many at most: the shorter one may have come to its end.
    reading.textContent = found.merged ? "merged" : cut && found.at ? `${found.at} of each` : `${found.at} read`;
    splitting.textContent = cut ? `split after ${cut}` : "not split";
    steps.show(found.at, marks, said);
    cuts.show(
      cut, ["none", ...Array.from({ length: n - 1 }, (_, i) => String(i + 1))],
      cut ? `split after key ${cut}` : "not split",
    );
    back.box.checked = model.get("direction") === "right";
    plots.name(found, cut);
    table.show(found, n, cut);
    voice.say(streamSentence(found, { tokens, cut }));
    motion.to(found.terms.map((term) => term ?? 0), jump);
  }

  const leave = ends(settle(el, model, { kind: "ws-streaming", traits: TRAITS, parts: [motion, voice], follow }));
  update(true);
  return leave;
}
