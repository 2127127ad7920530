// One price, one rule: the weights under a price that is turned, and a newcomer who bends the ratio of two of
// them, but for one price.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { newcomer } from "./newcomer.js";
import { bendOf, ratioOf, weightsOf } from "./one_price_math.js";
import { placeOf, priceDial, roadsInto, splitBar, WAY, weightRow } from "./one_price_plots.js";
import { priceSentence } from "./one_price_words.js";
import { priceTable } from "./one_price_table.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["price", "newcomer"];
const MOST_BENT = 2; // the price at which the ratio is greatest
const [AWAY, AT_END] = [1.3, 1.9]; // the prices from which on one has seen a ratio bend, and has been at the end

// What a link may set here.
render.fits = ({ price }) => price >= 1 && price <= MOST_BENT;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const row = model.get("row");
  const { tokens } = row;
  const last = tokens.length - 1;
  let far = 1; // the highest price that has been seen with the newcomer
  let met = false; // whether one has come back from there, and the roads have met

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      far = 1;
      met = false;
      reset();
    },
  });
  const bars = weightRow(row);
  const guest = newcomer({
    name: `newcomer: ${tokens[last]}, ${row.scores[last]} points`, inside: bars.newcomer, edge: WAY.row,
    home: (joins) => (joins ? placeOf(last, last + 1) : WAY.waits),
    turn: (joins) => change({ newcomer: joins ? "joins" : "waits" }),
  });
  const dial = priceDial((price) => change({ price }, true));
  const pair = splitBar(tokens, ratioOf(weightsOf(row, MOST_BENT, true)));
  const table = priceTable(row);
  const halves = html("div", { class: "ws-halves" },
    html("div", { class: "ws-shares" },
      html("div", { class: "ws-head" },
        html("span", { class: "ws-axis" }, "weight"),
        html("span", { class: "ws-note" }, "all words share 100%")),
      bars.plot,
      html("div", { class: "ws-words" },
        bars.cells, html("span", { class: "ws-place", style: `left:${WAY.waits}%` }), guest.root)),
    html("div", { class: "ws-compared" },
      html("p", { class: "ws-times-of" }, `How many times “${tokens[1]}” does “${tokens[0]}” get?`),
      pair.root),
    roadsInto(), dial.root, html("div", { class: "ws-outcome" }, ...voice.parts));
  fill(el, halves, ...kit.parts);
  kit.panel.append(kit.options(), kit.status, table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide(([price, was, now, there, ...shown]) => {
    bars.draw(shown.slice(0, last + 1), shown.slice(last + 1));
    dial.draw(price);
    pair.draw(was, now, there);
  }, CHANGE);
  const run = glide(([there]) => {
    halves.style.setProperty("--ws-met", there);
    halves.classList.toggle("ws-arrived", there > 0.95);
  }, 2 * CHANGE);

  function update(jump) {
    const state = read();
    const { price } = state;
    const joins = state.newcomer === "joins";
    const weights = weightsOf(row, price, joins);
    const alone = weightsOf(row, price, false);
    const [now, was, bend] = [ratioOf(weightsOf(row, price, true)), ratioOf(alone), bendOf(row, price)];
    const all = joins ? weights : [...weights, 0];
    const count = joins ? last + 1 : last;
    const places = tokens.map((_, i) => placeOf(i, i < last ? count : last + 1));
    if (joins) far = Math.max(far, price);
    met ||= joins && price === 1 && far >= AWAY;
    bars.name(all, joins);
    guest.show(joins, jump);
    dial.show(price, !joins || met ? "" : far < AT_END ? "slide me to the end" : "slide me back");
    pair.show({ was, now, bend, joins });
    el.dataset.newcomer = state.newcomer;
    table.show(price);
    voice.say(priceSentence({ tokens, price, joins, met, now: joins ? now : was, was, weights }));
    motion.to([price, was, now, Number(joins), ...all, ...places], jump);
    run.to([Number(met)], jump && !met);
  }

  update(true);
  const parts = [motion, run, guest.motion, voice];
  return settle(el, model, { kind: "ws-one-price", traits: TRAITS, parts, follow });
}
