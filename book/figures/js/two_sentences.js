// Two sentences: the scores of two words in each, and all the weight as an area, for KL and for another measure.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { lineSlider } from "./line_slider.js";
import { traitsOf } from "./traits.js";
import { ratiosOf, scoresOf, tableOf, tieOf } from "./two_sentences_math.js";
import { MOST, mosaic, scoreSteps } from "./two_sentences_plots.js";
import { mapOf, measureOf, ratioText, tieText, twoSentence } from "./two_sentences_words.js";
import { fixed, percent, short } from "./words.js";

const TRAITS = ["words", "lead", "gap", "alpha", "beta"];
const TENTH = 0.11; // a key that brings no more is followed at once, as a pointer is

// What a link may set here.
render.fits = ({ lead, alpha }) => lead >= 0 && lead <= MOST && alpha >= 1 && alpha <= 2;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const dial = model.get("dial");
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({ page, reset });
  let [state, steps, panels, built] = [read()];

  const alpha = lineSlider({
    kind: "ws-alpha", name: "α of the measure", note: "the other measure", ticks: [1, 1.5, 2], step: 0.01,
    ends: ["KL", "squares"], shown: (x) => `α = ${fixed(x, 2)}`, spoken: (x) => `α = ${short(x)}`,
    choose: (x) => change({ alpha: x }, true),
  });
  const badge = span("ws-call", "move me to KL");
  badge.setAttribute("aria-hidden", "true");
  alpha.root.firstChild.append(badge);

  // --- the parts: built anew when the words change -----------------------------------------------------
  function build() {
    const move = {
      value: () => state.lead, bounds: () => [0, MOST], hold() {},
      set(x, jump) {
        const lead = Math.min(MOST, Math.max(0, x));
        if (lead !== state.lead) change({ lead }, jump || Math.abs(lead - state.lead) < TENTH);
      },
    };
    steps = scoreSteps(state.words, move);
    panels = [0, 1].map(() => {
      const [title, paid, tie] = [span("ws-axis"), span("ws-paid-for"), span("ws-tie")];
      const note = span("ws-note", span("ws-long", "pays "), paid);
      const plot = mosaic(state.words);
      const below = dial ? [html("div", { class: "ws-tied" }, span("ws-note", "tied "), tie)] : [];
      const root = html("div", { class: "ws-paid" },
        html("div", { class: "ws-head ws-of-map" }, title, note), plot.root, ...below);
      return { root, title, paid, tie, plot };
    });
    fill(el,
      html("div", { class: "ws-two-of" },
        html("div", { class: "ws-scored" },
          html("div", { class: "ws-head" }, span("ws-axis", "scores"),
            span("ws-note", span("ws-long", "in two sentences, "), `β = ${short(state.beta)}`)),
          steps.root),
        ...panels.map(({ root }) => root)),
      ...(dial ? [alpha.root] : []), ...voice.parts, ...kit.parts);
    kit.panel.replaceChildren(kit.options(), kit.status);
    built = String(state.words);
  }

  const motion = glide((shown) => {
    steps.draw(shown[0], shown.slice(1, 5));
    panels.forEach(({ plot }, k) => plot.draw(shown.slice(5 + 4 * k, 9 + 4 * k)));
  }, CHANGE);

  function update(jump) {
    state = read();
    const other = built !== String(state.words);
    if (other) build();
    const alphas = [1, state.alpha];
    const tables = alphas.map((one) => tableOf(state, one));
    const start = model.get("start");
    panels.forEach(({ root, title, paid, tie, plot }, k) => {
      const [map, measure, table] = [mapOf(alphas[k]), measureOf(alphas[k]), tables[k]];
      root.setAttribute("class", `ws-paid ws-${map}`);
      title.textContent = map;
      paid.textContent = `for ${measure}`;
      tie.textContent = tieText(tieOf(table));
      const [a, b, c, d] = table.map(percent);
      const [one, another] = state.words;
      plot.name(
        `weights under ${map}: ${one} ${a} and ${another} ${b} in the first sentence, \
${one} ${c} and ${another} ${d} in the second`,
        ratiosOf(table).map(ratioText));
    });
    steps.show(state.lead, !dial && state.lead === 0 && start.lead === 0);
    alpha.show(state.alpha);
    badge.hidden = state.alpha !== start.alpha;
    voice.say(twoSentence(state, tables));
    motion.to([state.lead, ...scoresOf(state), ...tables.flat()], jump || other);
  }

  update(true);
  el.classList.add("ws-maps");
  el.classList.toggle("ws-dialled", dial);
  return settle(el, model, { kind: "ws-two", traits: TRAITS, parts: [motion, voice], follow });
}
