// Two sentences: two words in each, all the weight as an area, for KL and for another measure.
import { fill, glide, hint, html, settle, speaker, tools } from "./controls.js";
import { lineSlider } from "./line_slider.js";
import { swatch } from "./map_panel.js";
import { traitsOf } from "./traits.js";
import { ratiosOf, tableOf, tieOf } from "./two_sentences_math.js";
import { mosaic } from "./two_sentences_plots.js";
import { mapOf, measureOf, ratioText, tieText, twoSentence } from "./two_sentences_words.js";
import { fixed, percent, short } from "./words.js";

const TRAITS = ["words", "lead", "gap", "alpha", "beta"];

// What a link may set here.
render.fits = ({ lead, gap, alpha }) =>
  lead >= 0 && lead <= 1.5 && gap >= 0 && gap <= 1 && alpha >= 1 && alpha <= 2;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({ page, reset });
  const points = (name, note, ticks, key) => lineSlider({
    kind: `ws-${key}`, name, note, ticks, step: 0.05, ends: [], shown: (x) => `+${fixed(x, 2)}`,
    spoken: (x) => `${short(x)} points`, choose: (x) => change({ [key]: x }, true),
  });
  const lead = points(
    "points more in the first sentence", "points for the first sentence", [0, 0.5, 1, 1.5], "lead",
  );
  const gap = points("points more for the first word", "points for the first word", [0, 0.5, 1], "gap");
  const alpha = lineSlider({
    kind: "ws-alpha", name: "α of the measure", note: "the other measure", ticks: [1, 1.5, 2], step: 0.01,
    ends: ["KL", "squares"], shown: (x) => `α = ${fixed(x, 2)}`, spoken: (x) => `α = ${short(x)}`,
    choose: (x) => change({ alpha: x }, true),
  });
  const panels = [0, 1].map(() => {
    const [mark, title, paid, tie] = [span("ws-mark-of"), span("ws-axis"), span("ws-note"), span("ws-aside")];
    const plot = mosaic();
    const root = html(
      "div", { class: "ws-paid" }, html("div", { class: "ws-head ws-of-map" }, mark, title, paid), plot.root,
      html("div", { class: "ws-head" }, span("ws-note", "tied"), tie));
    return { root, mark, title, paid, tie, plot };
  });
  fill(el,
    html(
      "div", { class: "ws-head" }, span("ws-axis", "weight"), span("ws-note", "as area"),
      hint("move the first sentence"),
    ),
    html("div", { class: "ws-two-of" }, ...panels.map(({ root }) => root)),
    html("div", { class: "ws-two-of ws-sliders" }, lead.root, alpha.root), ...voice.parts, ...kit.parts);
  kit.panel.append(gap.root, kit.options(), kit.status);

  const motion = glide((shown) => panels.forEach(({ plot }, k) => plot.draw(shown.slice(4 * k, 4 * k + 4))));

  function update(jump) {
    const state = read();
    const alphas = [1, state.alpha];
    const tables = alphas.map((one) => tableOf(state, one));
    panels.forEach(({ root, mark, title, paid, tie, plot }, k) => {
      const [map, measure, table] = [mapOf(alphas[k]), measureOf(alphas[k]), tables[k]];
      root.setAttribute("class", `ws-paid ws-${map}`);
      mark.replaceChildren(swatch(map));
      title.setAttribute("class", `ws-axis ws-${map}`);
      title.textContent = map;
      paid.textContent = `pays for ${measure}`;
      tie.textContent = tieText(tieOf(table));
      const [a, b, c, d] = table.map(percent);
      const [one, other] = state.words;
      plot.name(
        `weights under ${map}: ${one} ${a} and ${other} ${b} in the first sentence, \
${one} ${c} and ${other} ${d} in the second`,
        state.words, ratiosOf(table).map(ratioText));
    });
    lead.show(state.lead);
    gap.show(state.gap);
    alpha.show(state.alpha);
    voice.say(twoSentence(state, tables));
    motion.to(tables.flat(), jump);
  }

  update(true);
  el.classList.add("ws-maps");
  return settle(el, model, { kind: "ws-two", traits: TRAITS, parts: [motion, voice], follow });
}
