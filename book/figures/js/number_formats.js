// Number formats: where e to the power of the scores ends in each of four, and what weights come out.
import { choice } from "./choices.js";
import { glide, hint, html, settle, speaker, tick, tools } from "./controls.js";
import { FORMATS, magnified, stepByStep } from "./formats_math.js";
import { strips } from "./formats_plots.js";
import { fate, formatsSentence, formatsTable, numberText, WAYS } from "./formats_words.js";
import { logSlider } from "./log_slider.js";
import { softmax } from "./math.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { short } from "./words.js";

const TRAITS = ["tokens", "scores", "size", "way", "side"];

// What a link may set here.
render.fits = ({ size }) => size >= 1 && size <= 10_000;

export function render({ model, el, page }) {
  const { change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["tokens"], render: () => render({ model, el, page }),
  });
  const [tokens, n] = [model.get("tokens"), model.get("tokens").length];
  const best = () => (model.get("side") === "below" ? -1 : 1) * model.get("size");
  const voice = speaker();
  const kit = tools({ page, reset });
  const which = choice("what the exponential is taken of: scores", WAYS, (way) => change({ way }));
  const lower = html("span");
  const lowered = tick(lower, (below) => change({ side: below ? "below" : "above" }));
  const all = strips(tokens);
  const slider = logSlider({
    name: "best score", low: 1, high: 10_000, choose: (size, held) => change({ size }, held),
    spoken: (size) => `best score ${short(model.get("side") === "below" ? -size : size)}`,
  });
  const [value, legend] = ["ws-value", "ws-note"].map((kind) => html("span", { class: kind }));
  // What becomes of the exponential outside the bands, on their left and on their right.
  const end = (limit) =>
    html("span", { class: "ws-note" }, html("i", {}, "e"), html("sup", {}, html("i", {}, "s")), ` = ${limit}`);
  const table = formatsTable(tokens);
  el.replaceChildren(
    html("div", { class: "ws-head ws-legend" },
      html("div", {}, end("0"), legend, end("∞")), html("span", { class: "ws-note" }, "weight π"),
      hint("move the best score"),
    ),
    ...all.map((strip) => strip.root),
    html("div", { class: "ws-rules" }, which.root, lowered.root),
    html("div", { class: "ws-best" }, value, slider.root),
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(), kit.status, table.root);

  const motion = glide((shown) => all.forEach((strip, i) => {
    strip.ruler.draw(shown.slice(2 * n * i, 2 * n * i + n));
    strip.columns.draw(shown.slice(2 * n * i + n, 2 * n * (i + 1)));
  }));

  function update(jump) {
    const [way, side, size] = ["way", "side", "size"].map((key) => model.get(key));
    const scores = magnified(model.get("scores"), size, side);
    const exact = softmax(scores);
    const results = FORMATS.map((format) => stepByStep(scores, format, way === "shifted"));
    which.show(way);
    legend.textContent = `dots: ${way === "plain" ? "scores" : "scores less the largest"} s`;
    slider.show(size);
    lowered.box.checked = side === "below";
    lower.textContent = `make all scores negative (best ${short(-size)})`;
    value.textContent = `best score ${short(best())}`;
    all.forEach((strip, i) => {
      const failed = fate(results[i], exact);
      strip.ruler.name(results[i]);
      strip.columns.name(results[i]);
      strip.aside.textContent = `sum of exponentials ${numberText(results[i].total)}`;
      strip.root.classList.toggle("ws-failed", failed !== "right");
    });
    table.show(results);
    voice.say(formatsSentence({ best: best(), way, results, exact }));
    // The largest weight of all has the highest bar: a format that fails differs from the others all the same.
    const drawn = results.map(({ weights }) => weights.map((w) => w || 0));
    const most = Math.max(...exact, ...drawn.flat());
    motion.to(results.flatMap(({ powers }, i) => [...powers, ...drawn[i].map((w) => w / most)]), jump);
  }

  const leave = ends(settle(el, model, { kind: "ws-formats", traits: TRAITS, parts: [motion, voice], follow }));
  update(true);
  return leave;
}
