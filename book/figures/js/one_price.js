// One price, one rule: the weights under a price that is turned, and a newcomer who bends the ratio of two of
// them, but for one price.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { newcomer } from "./newcomer.js";
import { bendOf, ratioOf, weightsOf } from "./one_price_math.js";
import { placeOf, priceDial, roadsInto, WAY, weightRow } from "./one_price_plots.js";
import { priceSentence, timesText } from "./one_price_words.js";
import { priceTable } from "./one_price_table.js";
import { pairBar } from "./pair_bar.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["price", "newcomer"];

// What a link may set here.
render.fits = ({ price }) => price >= 1 && price <= 2;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const row = model.get("row");
  const { tokens } = row;
  const last = tokens.length - 1;
  let before = null; // the state that was shown last

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      reset();
      dial.clean();
    },
  });
  const bars = weightRow(row);
  const guest = newcomer({
    name: `newcomer: ${tokens[last]}, ${row.scores[last]} points`, inside: bars.newcomer, edge: WAY.row,
    home: (joins) => (joins ? placeOf(last, last + 1) : WAY.waits),
    turn: (joins) => change({ newcomer: joins ? "joins" : "waits" }),
  });
  const dial = priceDial(row, (price) => change({ price }, true));
  const pair = pairBar({
    names: tokens.slice(0, 2), most: 4.2, high: 26, text: timesText, before: "before",
  });
  const table = priceTable(row);
  const note = (...words) => html("div", { class: "ws-head" }, html("span", { class: "ws-note" }, ...words));
  fill(el,
    html("div", { class: "ws-halves" },
      html("div", { class: "ws-shares" },
        html("div", { class: "ws-head" },
          html("span", { class: "ws-axis" }, "weight"),
          html("span", { class: "ws-note" }, "all words share 100%")),
        bars.plot,
        html("div", { class: "ws-words" },
          bars.cells, html("span", { class: "ws-place", style: `left:${WAY.waits}%` }), guest.root)),
      html("div", { class: "ws-compared" },
        html("p", { class: "ws-times-of" },
          `“${tokens[0]}” gets `, pair.value, ` the weight of “${tokens[1]}”`), pair.root),
      roadsInto(),
      html("div", { class: "ws-priced" },
        note(`how “${tokens[last]}” bends the ratio`), dial.root),
      html("div", { class: "ws-outcome" }, ...voice.parts)),
    ...kit.parts);
  kit.panel.append(kit.options(), kit.status, table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide(([price, bend, there, now, was, ...shown]) => {
    bars.draw(shown.slice(0, last + 1), shown.slice(last + 1));
    dial.draw(price, bend, there);
    pair.draw(now, was);
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { price } = state;
    const joins = state.newcomer === "joins";
    const weights = weightsOf(row, price, joins);
    const alone = weightsOf(row, price, false);
    const [now, was, bend] = [ratioOf(weights), ratioOf(alone), bendOf(row, price)];
    const all = joins ? weights : [...weights, 0];
    const count = joins ? last + 1 : last;
    const places = tokens.map((_, i) => placeOf(i, i < last ? count : last + 1));
    if (joins && before?.joins) dial.pass(before.price, price);
    before = { price, joins };
    bars.name(all, joins);
    guest.show(joins, jump);
    dial.show(price, joins, bend);
    pair.show(now, was);
    el.dataset.newcomer = state.newcomer;
    table.show(price);
    voice.say(priceSentence({ tokens, price, joins, now, was, weights }));
    motion.to([price, bend, Number(joins), now, was, ...all, ...places], jump);
  }

  update(true);
  return settle(el, model, { kind: "ws-one-price", traits: TRAITS, parts: [motion, guest.motion, voice], follow });
}
