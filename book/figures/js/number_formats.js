// Number formats: a row of scores is moved over the land where a format has room for their exponentials.
import { choice } from "./choices.js";
import { button, glide, html, settle, speaker, tools } from "./controls.js";
import { FORMATS, stepByStep } from "./formats_math.js";
import { columns, landscape, reaches, ROOM } from "./formats_plots.js";
import { fate, formatsSentence, formatsTable, numberText, shiftText } from "./formats_words.js";
import { softmax } from "./math.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "shift", "way", "format"];
const FALL = 350; // milliseconds

// What a link may set here.
render.fits = ({ shift }) => shift >= ROOM[0] && shift <= ROOM[1];

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["tokens", "scores"], render: () => render({ model, el, page }),
  });
  const { tokens, scores } = read();
  const n = tokens.length;
  const voice = speaker();
  const kit = tools({ page, reset });
  const range = html("input", { type: "range", class: "ws-range", min: ROOM[0], max: ROOM[1], step: 0.25 });
  let held = false; // by a pointer, which the row follows at once
  range.addEventListener("pointerdown", () => (held = true));
  for (const end of ["pointerup", "pointercancel", "change", "blur"]) {
    range.addEventListener(end, () => (held = false));
  }
  range.addEventListener("input", () => change({ shift: Number(range.value) }));
  const scene = landscape(tokens, scores, range);
  const bars = columns(tokens);
  const press = html("span", {}, "subtract the largest score");
  const subtract = button("", () => change({ way: model.get("way") === "plain" ? "shifted" : "plain" }));
  subtract.append(press);
  const sum = html("span", { class: "ws-value" });
  const names = Object.fromEntries(reaches().map((name, i) => [FORMATS[i].name, name]));
  const which = choice("number format", names, (format) => change({ format }));
  const table = formatsTable(tokens);
  el.replaceChildren(
    scene.root,
    html("div", { class: "ws-rules" },
      html("span", { class: "ws-axis" }, "weights"),
      html("span", { class: "ws-note ws-sum" }, "sum of eˢ ", sum),
      html("span", { class: "ws-press" }, subtract)),
    bars.root,
    html(
      "ol", { class: "ws-tokens", "aria-hidden": "true", style: `--ws-n:${n}` },
      ...tokens.map((token) => html("li", {}, token)),
    ),
    which.root,
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(), kit.status, table.root);

  const slices = (all, ...sizes) => sizes.map((size) => all.splice(0, size));
  const motion = glide((all) => {
    const [[shift, moved], at, powers, heights, wanted] = slices([...all], 2, n, n, n, n);
    place = { shift, moved, held: at, powers };
    paint();
    bars.draw(heights, wanted);
  });
  const falling = glide((all) => {
    falls = all;
    paint();
  }, FALL);
  let [place, falls] = [];
  const paint = () => place && falls && scene.draw({ ...place, falls });

  function update(jump) {
    const state = read();
    const { shift, way } = state;
    const row = scores.map((s) => s + shift);
    const exact = softmax(row);
    const results = FORMATS.map((format) => stepByStep(row, format, way === "shifted"));
    const k = FORMATS.findIndex(({ name }) => name === state.format);
    const result = results[k];
    const fails = fate(result, exact) !== "right";
    const atRest = ["shift", "way", "format"].every((key) => model.get("start")[key] === state[key]);
    const says = formatsSentence({ tokens, way, result, exact });
    range.value = shift;
    range.setAttribute("aria-valuetext", shiftText(shift));
    scene.show({ format: FORMATS[k], grown: result.grown, says, calls: atRest && !fails && way === "plain" });
    subtract.setAttribute("aria-pressed", String(way === "shifted"));
    subtract.classList.toggle("ws-meant", fails && way === "plain");
    press.classList.toggle("ws-call", fails && way === "plain");
    which.show(state.format);
    sum.textContent = numberText(result.total);
    el.classList.toggle("ws-failed", fails);
    bars.name(result.weights);
    table.show(results);
    voice.say(says);
    const drawn = result.weights.map((w) => w || 0);
    const most = Math.max(...exact, ...drawn);
    const parts = [result.held, result.powers, drawn.map((w) => w / most), exact.map((w) => w / most)];
    motion.to([shift, Number(way === "shifted"), ...parts.flat()], jump || held);
    falling.to(result.grown.map((e) => Number(e === 0 || e === Infinity)), jump);
  }

  const parts = [motion, falling, voice];
  const leave = ends(settle(el, model, { kind: "ws-formats", traits: TRAITS, parts, follow }));
  update(true);
  return leave;
}
