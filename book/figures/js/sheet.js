// The sheet: the tables of scores and weights grow with the square of the text; or they are never written down.
import { button, CHANGE, glide, html, settle, speaker, tools } from "./controls.js";
import { costs } from "./cost_math.js";
import { MOST_WORDS, sheetStage } from "./sheet_plots.js";
import { FACTS, facts, sheetSentence, sheetTable } from "./sheet_words.js";
import { traitsOf } from "./traits.js";
import { grouped } from "./words.js";

const TRAITS = ["n", "way"];
const LONG = 65_536; // words, from which on the sheets ask to be left out
const ROWS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, MOST_WORDS];

// What a link may set here.
render.fits = ({ n }) => Number.isInteger(n) && n >= 64 && n <= MOST_WORDS;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const d = model.get("d");
  const voice = speaker();
  const kit = tools({ page, reset });
  const count = (n) => {
    const [stored, fused] = costs({ n, d, asks: "all" });
    return { stored: stored[2], fused: fused[2], products: fused[0], lists: fused[1] };
  };
  const stage = sheetStage({
    d, marks: model.get("marks"), value: () => model.get("n"), move: (n, jump) => change({ n }, jump),
  });
  const values = FACTS.map(() => html("b", { class: "ws-value" }));
  const twice = button("twice the text", () => change({ n: Math.min(MOST_WORDS, 2 * model.get("n")) }));
  const never = button("never write the sheets", () =>
    change({ way: model.get("way") === "stored" ? "blocks" : "stored" }));
  const press = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  const names = FACTS.map((name) => html("span", { class: "ws-note" }, name));
  el.replaceChildren(
    html("div", { class: "ws-facts" },
      ...values.map((value, i) => html("div", { class: "ws-fact" }, value, names[i]))),
    ...stage.parts,
    html("div", { class: "ws-rules" }, twice, html("span", { class: "ws-press" }, never, press)),
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(), kit.status, sheetTable(ROWS.map((n) => {
    const { stored, fused, products } = count(n);
    return [n, stored, fused, products];
  })));

  let before = null; // the way that was shown
  const motion = glide(([root, written]) => stage.draw(root ** 2, written), CHANGE);

  function update(jump) {
    const { n, way } = read();
    const counted = count(n);
    const held = way === "stored" ? counted.stored : counted.fused;
    const calls = n === model.get("start").n && n < LONG && way === "stored";
    const asks = n >= LONG && way === "stored";
    const says = sheetSentence({ n, way, ...counted });
    facts({ n, held, products: counted.products }).forEach((text, i) => (values[i].textContent = text));
    stage.show({ n, held, says, spoken: `${grouped(n)} words`, calls });
    twice.disabled = n === MOST_WORDS;
    el.dataset.way = way;
    never.setAttribute("aria-pressed", String(way === "blocks"));
    never.classList.toggle("ws-meant", asks);
    press.classList.toggle("ws-gone", !asks);
    voice.say(says);
    motion.to([Math.sqrt(n), Number(way === "stored")], jump);
    if (way !== before) stage.stop();
    if (way === "blocks" && before === "stored") stage.sweep(n);
    before = way;
  }

  update(true);
  return settle(el, model, { kind: "ws-sheet", traits: TRAITS, parts: [motion, voice, stage], follow });
}
