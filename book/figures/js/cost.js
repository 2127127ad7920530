// The cost: products, bytes moved and bytes held of attention in five ways, for n tokens of width d.
import { choice } from "./choices.js";
import { glide, html, settle, speaker, tools } from "./controls.js";
import { costs, growsSquared, TOKENS, WAYS, WIDTHS } from "./cost_math.js";
import { costPanel, powerSlider } from "./cost_plots.js";
import { ASKS, costSentence, costTable, countText, COST_KINDS } from "./cost_words.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["n", "d", "asks"];
const NAMED = [[64, "64"], [1024, "1024"], [16384, "16\u202f384"], [262144, "262\u202f144"]];

// What a link may set here.
render.fits = ({ n, d }) => TOKENS.includes(n) && WIDTHS.includes(d);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const voice = speaker();
  const kit = tools({ page, reset });
  const which = choice("who asks", ASKS, (asks) => change({ asks }));
  const panels = COST_KINDS.map((_, kind) => costPanel(kind));
  const tokens = powerSlider({
    name: "words n", symbol: "n", values: TOKENS, marks: NAMED, choose: (n) => change({ n }),
  });
  const width = powerSlider({
    name: "width d", symbol: "d", values: WIDTHS, marks: WIDTHS.map((d) => [d, String(d)]),
    choose: (d) => change({ d }),
  });
  const table = costTable();
  el.replaceChildren(
    html("div", { class: "ws-rules" }, which.root, html("span", { class: "ws-aside ws-hint" }, "move n")),
    ...panels.map((panel) => panel.root),
    html("div", { class: "ws-sliders" }, tokens.root, width.root),
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(), kit.status, table.root);

  const motion = glide((shown) => panels.forEach((panel, kind) =>
    panel.draw(WAYS.map((_, i) => shown[i * COST_KINDS.length + kind]))));

  function update(jump) {
    const state = read();
    const all = costs(state);
    which.show(state.asks);
    tokens.show(state.n, countText(state.n));
    width.show(state.d, String(state.d));
    panels.forEach((panel) => panel.name(all, growsSquared(state.asks)));
    table.show(all);
    voice.say(costSentence(state, all));
    motion.to(all.flat().map(Math.log10), jump);
  }

  const leave = settle(el, model, { kind: "ws-cost", traits: TRAITS, parts: [motion, voice], follow });
  update(true);
  return leave;
}
