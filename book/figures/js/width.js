// The width: the score of each word is a walk of d terms, and the walks spread like √d unless that divides them.
import { choice } from "./choices.js";
import { button, CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { softmax } from "./math.js";
import { traitsOf } from "./traits.js";
import { dividedBy, placeAt, walksOf, WIDEST } from "./width_math.js";
import { termSlider, walkPlot } from "./width_plots.js";
import { nextStep, SCALES, widthSentence } from "./width_words.js";

const TRAITS = ["d", "scale", "query", "tokens"];
const QUERIES = 999;

// What a link may set here.
render.fits = ({ d, query }) => d >= 1 && d <= WIDEST && query >= 1 && query <= QUERIES;

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    once: ["tokens"], render: () => render({ model, el, page }),
  });
  const tokens = model.get("tokens");
  let state = null;
  let walks = [];

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const plot = walkPlot(tokens);
  const which = choice("scores", SCALES, (scale) => change({ scale }));
  const slider = termSlider((d) => change({ d }, true));
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  const divide = which.root.children[1];
  const another = button("Another query", () => change({ query: (state.query % QUERIES) + 1 }));
  fill(el,
    html("div", { class: "ws-walks" }, slider.root, plot.root, plot.words),
    html("div", { class: "ws-rules" }, html("span", { class: "ws-axis" }, "scores"), which.root),
    ...voice.parts, ...kit.parts,
  );
  kit.parts[0].append(another);
  kit.panel.replaceChildren(kit.options(), kit.status);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide(([d, far]) => {
    const scores = walks.map((walk) => placeAt(walk, d) * dividedBy(far, d));
    plot.draw(walks, d, far, softmax(scores));
  }, CHANGE);

  function update(jump) {
    const next = read();
    const other = state?.query !== next.query;
    if (other) walks = walksOf(next.query, tokens.length);
    const { d, scale } = next;
    const far = scale === "divided" ? 1 : 0;
    if (state && other) motion.to([0, far], true); // the walks begin anew
    state = next;
    const scores = walks.map((walk) => walk[d] * dividedBy(far, d));
    const weights = softmax(scores);
    const step = nextStep(state);
    which.show(scale);
    slider.show(d, step === "widen");
    divide.classList.toggle("ws-meant", step === "divide");
    if (step === "divide") divide.append(badge);
    else badge.remove();
    plot.name(scores, weights);
    voice.say(widthSentence({ tokens, d, scale, weights }));
    motion.to([d, far], jump);
  }

  update(true);
  return ends(settle(el, model, { kind: "ws-width", traits: TRAITS, parts: [motion, voice], follow }));
}
