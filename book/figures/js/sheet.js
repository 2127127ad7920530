// The sheet: the tables of scores and weights grow with the square of the text; or they are never written down.
import { button, CHANGE, glide, html, settle, speaker, tools } from "./controls.js";
import { costs } from "./cost_math.js";
import { bytesText } from "./cost_words.js";
import { FEWEST_WORDS, MOST_WORDS, sheetStage } from "./sheet_plots.js";
import { sheetSentence, sheetTable } from "./sheet_words.js";
import { traitsOf } from "./traits.js";
import { grouped } from "./words.js";

const TRAITS = ["n", "way"];
const ROWS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, MOST_WORDS];

// What a link may set here.
render.fits = ({ n }) => Number.isInteger(n) && n >= FEWEST_WORDS && n <= MOST_WORDS;

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
  const held = html("b", { class: "ws-value" });
  const length = html("span", { class: "ws-note" });
  const pressed = (name, act) => {
    const control = button(name, act);
    const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
    return {
      control, root: html("span", { class: "ws-press" }, control, call),
      // Whether this is what comes next.
      ask(asked) {
        control.classList.toggle("ws-meant", asked);
        call.classList.toggle("ws-gone", !asked);
      },
    };
  };
  const twice = pressed("twice the text", () => change({ n: Math.min(MOST_WORDS, 2 * model.get("n")) }));
  const never = pressed("never store the tables", () =>
    change({ way: model.get("way") === "stored" ? "blocks" : "stored" }));
  el.replaceChildren(
    html("div", { class: "ws-head" }, html("div", { class: "ws-held" }, held, length), twice.root),
    stage.legend,
    ...stage.parts,
    html("div", { class: "ws-foot" }, never.root),
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
    const bytes = way === "stored" ? counted.stored : counted.fused;
    const says = sheetSentence({ n, d, way, ...counted });
    held.textContent = bytesText(bytes);
    length.textContent = `for ${grouped(n)} words`;
    const begins = way === "stored" && n === model.get("start").n && n < MOST_WORDS;
    stage.show({ n, held: bytes, says, begins, spoken: `${grouped(n)} words` });
    twice.control.disabled = n === MOST_WORDS;
    twice.ask(way === "stored" && n < MOST_WORDS);
    never.ask(way === "stored" && n === MOST_WORDS);
    el.dataset.way = way;
    never.control.setAttribute("aria-pressed", String(way === "blocks"));
    voice.say(says);
    motion.to([Math.sqrt(n), Number(way === "stored")], jump);
    if (way !== before) stage.stop();
    if (way === "blocks" && before === "stored") stage.sweep(n);
    before = way;
  }

  update(true);
  return settle(el, model, { kind: "ws-sheet", traits: TRAITS, parts: [motion, voice, stage], follow });
}
