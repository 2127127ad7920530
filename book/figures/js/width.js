// The width: scores and weights of a query, and its largest possible pull against d, divided by √d or not.
import { choice } from "./choices.js";
import { glide, hint, html, settle, speaker, tools } from "./controls.js";
import { softmax } from "./math.js";
import { traitsOf } from "./traits.js";
import { columns, pullCurves, widthSlider, widthTicks } from "./width_plots.js";
import { isWidth, SCALES, widthSentence, widthTable } from "./width_words.js";
import { fixed, percent, steady } from "./words.js";

const TRAITS = ["d", "scale", "rows"];

// What a link may set here.
render.fits = ({ d }) => isWidth(d);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  let state = read();
  const plain = model.get("plain"); // the pulls are behind “More”

  // --- the parts -------------------------------------------------------------------------------
  const { widths } = state.rows;
  const n = state.rows.divided.scores[0].length;
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const [spread, largest, pull, beta] = [1, 2, 3, 4].map(() => span("ws-aside"));
  const width = span("ws-value");
  const head = (name, symbol, note, aside) =>
    html("div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), span("ws-note", note), aside);
  const voice = speaker();
  const kit = tools({ page, reset });
  const which = choice("scores", SCALES, (scale) => change({ scale }));
  const bars = columns(n);
  const curve = pullCurves(state.rows, !plain);
  const slider = widthSlider(widths, (d) => change({ d }));
  const pulled = [
    head("largest possible pull", "", "weights moved per step of the query", pull),
    html("div", { class: "ws-rise" }, curve.root),
  ];
  el.classList.toggle("ws-plain", Boolean(plain));
  el.replaceChildren(
    html("div", { class: "ws-rules" }, which.root, hint("move d")),
    head("score ", "s", `${n} keys, the best first; square-root scale`, spread),
    bars.scorePlot,
    head("weight ", "π", "of the same keys", largest),
    bars.weightPlot,
    ...(plain ? [] : pulled),
    slider.root,
    html("div", { class: "ws-head ws-of-width" }, width, span("ws-note", "width of queries and keys"), beta),
    ...voice.parts,
    ...kit.parts,
  );
  const behind = plain ? [...pulled, widthTicks(widths)] : [];
  kit.panel.replaceChildren(kit.options(), kit.status, ...behind, widthTable(state.rows));

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    bars.draw(shown.slice(0, n), shown.slice(n, 2 * n));
    curve.draw(...shown.slice(2 * n));
  });

  function update(jump) {
    state = read();
    const { d, scale, rows } = state;
    const at = rows.widths.indexOf(d);
    const scores = rows[scale].scores[at];
    const weights = softmax(scores);
    const pulls = Object.fromEntries(Object.keys(SCALES).map((one) => [one, rows[one].pull[at]]));
    which.show(scale);
    slider.show(d);
    spread.textContent = `spread of all scores ${steady(rows[scale].spread[at])}`;
    largest.textContent = `largest ${percent(weights[0])}`;
    pull.textContent = `median of all ${steady(pulls[scale])}`;
    width.textContent = `d = ${d}`;
    beta.textContent = scale === "divided" ? `β = 1/√d = ${fixed(d ** -0.5, 3)}` : "β = 1";
    bars.name(scores, weights);
    curve.name(scale, d, pulls);
    voice.say(widthSentence({ d, scale, spread: rows[scale].spread[at], largest: weights[0], pulls }, plain));
    motion.to([...scores, ...weights, at / (widths.length - 1), pulls.divided, pulls.undivided], jump);
  }

  const leave = settle(el, model, {
    kind: "ws-width", traits: TRAITS, parts: [motion, voice],
    follow,
  });
  update(true);
  return leave;
}
