// Heads: a small trained model reads what the reader types, and each of its eight heads shows where it looks.
import { choice } from "./choices.js";
import { fill, glide, html, readings, settle, speaker, tick, tools, uid } from "./controls.js";
import { effectiveCount, entropy } from "./math.js";
import { reader, repeatOf, roundAhead } from "./heads_model.js";
import { sideLetters, squareMap, symbolRows } from "./heads_plots.js";
import { distanceOf, headsOf, headsTables, hitsSentence, largest, looksSentence } from "./heads_words.js";
import { timesSlider } from "./times_slider.js";
import { traitsOf } from "./traits.js";
import { fixed } from "./words.js";

const TRAITS = ["sequence", "place", "head", "times", "mapping", "only", "silent"];
const MAPS = { softmax: "softmax", entmax: "entmax 1.5", sparsemax: "sparsemax" };
const SHADES = { large: 6, small: 3 };
const KEYS = 8; // of the table
const SIDE = 150; // px, of the large square at its smallest

// What a link may set here.
render.fits = ({ sequence, place, silent }) => silent && place <= sequence.length; // “all” in a link is no list

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, {
    whole: (state) => render.fits(state),
  });
  const copier = model.get("copier");
  const [heads, readText] = [headsOf(copier), reader(copier)];
  const letters = copier.symbols.slice(0, -1);
  const at = (key) => heads.findIndex((head) => head.key === key);
  let state = read();

  // --- the parts -------------------------------------------------------------------------------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({ page, reset });
  const told = html("span", { class: "ws-note", role: "status" });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" });
  const input = html("input", {
    type: "text", class: "ws-typing", maxlength: copier.room - 1, "aria-label": "text", spellcheck: "false",
    autocomplete: "off", autocapitalize: "none" });
  input.addEventListener("input", () => {
    const typed = [...input.value.toLowerCase()];
    const text = typed.filter((letter) => letters.includes(letter)).join("");
    const caret = Math.max(0, input.selectionStart - (input.value.length - text.length));
    if (input.value !== text) {
      input.value = text;
      input.setSelectionRange(caret, caret);
    }
    told.textContent = text.length < typed.length ? "Only a to z and full stops." : "";
    change({ sequence: text, place: caret }, true);
  });

  const line = symbolRows(copier.room, (place) => change({ place }));
  const group = uid();
  const picks = heads.map(({ key, name, label, long }) => {
    const [box, map] = [
      html("input", { type: "radio", name: group, value: key, "aria-label": `${name}, ${long}` }),
      squareMap(SHADES.small),
    ];
    box.addEventListener("change", () => change({ head: key }));
    return {
      box, map,
      root: html("label", { class: "ws-pick", title: `${name}, ${long}` }, box, map.root, span("", label)),
    };
  });
  const layer = (l) => html("div", { class: "ws-layer" }, span("ws-note", `layer ${l + 1}`),
    ...picks.slice(l * copier.heads, (l + 1) * copier.heads).map((pick) => pick.root));
  // The head that is chosen, at large.
  const grid = squareMap(SHADES.large);
  const sides = sideLetters(SIDE);
  grid.root.addEventListener("pointerdown", (event) => {
    const { top, height } = grid.root.getBoundingClientRect();
    const row = Math.floor(((event.clientY - top) / height) * (state.sequence.length + 1));
    change({ place: Math.min(state.sequence.length, row) });
  });
  const looking = span("ws-axis");
  const slider = timesSlider({ own: copier.beta[0][0], choose: (times) => change({ times }, true) });
  const maps = choice("the map from scores to weights", MAPS, (mapping) => change({ mapping }));
  const whose = html("select", { "aria-label": "β and the map of" }, html("option", { value: "all" }, "all heads"),
    ...heads.map(({ key, name, label }) => html("option", { value: key }, `${name}: ${label}`)));
  whose.addEventListener("change", () => change({ only: whose.value }));
  const on = tick("", (is) =>
    change({ silent: state.silent.map((was, h) => (h === at(state.head) ? !is : was)) }),
  );
  const numbers = readings(["entropy H", "effective tokens", "distance", "loss"]);
  const tables = headsTables(heads, KEYS);
  const [seen, spoken] = voice.parts;
  const keyHit = span("ws-aside", span("ws-key-hit", "a"), "guessed right"); // as soon as one is
  fill(el,
    html("div", { class: "ws-box" }, input, told, call),
    html("div", { class: "ws-head ws-keys-of" }, span("ws-key-bar"), looking,
      keyHit),
    line.root,
    html("div", { class: "ws-middle" },
      html(
        "div", { class: "ws-picks", role: "radiogroup", "aria-label": "head" },
        ...Array.from({ length: copier.layers }, (_, l) => layer(l)),
      ),
      html("div", { class: "ws-grid" },
        html("div", { class: "ws-head" }, span("ws-note", "row looks at column")), grid.root, sides.root),
      seen,
    ),
    spoken, ...kit.parts,
  );
  kit.panel.append(
    slider.root,
    kit.options(maps.root, html("label", { class: "ws-typed" }, span("", "β and map of"), whose), on.root),
    kit.status, numbers.root, ...tables.parts);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((weights) => line.draw(weights));
  let [found, made] = [null, ""];

  const touched = (h) => state.only === "all" || state.only === heads[h].key;
  const mapOf = (h) => (touched(h) ? state.mapping : "softmax");

  // Runs the model, and draws all heads, if anything but the eye has moved.
  function run() {
    const { sequence: text, times, mapping, only, silent } = state;
    const key = JSON.stringify([text, String(times), mapping, only, silent]);
    if (key === made) return;
    made = key;
    found = readText(text, {
      maps: heads.map((_, h) => mapOf(h)), times: heads.map((_, h) => (touched(h) ? times : 1)), off: silent,
    });
    picks.forEach((pick, h) => {
      pick.map.show(found.square(h), found.t);
      pick.root.classList.toggle("ws-off", silent[h]);
      pick.root.dataset.map = mapOf(h);
    });
  }

  function update(jump) {
    state = read();
    run();
    const { sequence: text, place, times, mapping, only, silent } = state;
    const h = at(state.head);
    const row = found.row(h, place);
    const repeat = repeatOf(text);
    const guesses = Array.from({ length: text.length + 1 }, (_, i) => found.next(i)[0][0]);
    const who = place ? `“${text[place - 1]}”` : "the start";
    if (input.value !== text) input.value = text;
    const spoken = place ? `${who}, symbol ${place} of ${text.length}` : who;
    const hits = [...text].some((letter, i) => guesses[i] === letter);
    keyHit.classList.toggle("ws-not-yet", !hits);
    line.name({
      text, place, ahead: roundAhead(text, model.get("start").sequence),
      guesses: guesses.map((letter) => (letter === "^" ? "·" : letter)), repeat, spoken,
      told: `${text || "no text"}; ${largest(text, row, 3)}`,
    });
    looking.textContent = `where ${who} looks`;
    const begun = text === model.get("start").sequence && !repeat;
    call.textContent = text ? "type it again" : "type a word twice";
    call.hidden = !begun;
    input.classList.toggle("ws-meant", begun);
    picks.forEach((pick, i) => {
      pick.box.checked = i === h;
      pick.root.classList.toggle("ws-chosen", i === h);
      pick.map.mark(place);
    });
    grid.show(found.square(h), found.t);
    sides.show(text);
    grid.mark(
      place, `who looks at whom in ${heads[h].name}: a row for each symbol, a column for each that it sees`,
    );
    for (const part of [line, grid]) part.root.dataset.map = mapOf(h);
    slider.show(times, only === "all" ? "in all heads" : `in ${heads[at(only)].name}`);
    maps.show(mapping);
    whose.value = only;
    on.box.checked = !silent[h];
    on.name.textContent = `${heads[h].name} is on`;
    const surprise = Array.from(found.surprise);
    const counted = repeat ? surprise.slice(repeat.from + 1) : surprise;
    numbers.show([
      [fixed(entropy(row), 2), `of ${fixed(Math.log(row.length), 2)} nats`],
      [fixed(effectiveCount(row), 1), `of ${row.length}`],
      [fixed(distanceOf(row, place), 1), "symbols"],
      [counted.length ? fixed(counted.reduce((sum, x) => sum + x, 0) / counted.length, 3) : "–", "nats"],
    ]);
    tables.show(text, place, row, (head) => Array.from({ length: found.t }, (_, i) => found.row(head, i)));
    voice.say(
      `${looksSentence({ text, place, row, head: heads[h], off: silent[h] })}\n\
${hitsSentence({ text, guesses, repeat })}`,
    );
    motion.to([...row, ...Array(copier.room - row.length).fill(0)], jump);
  }

  const leave = settle(el, model, { kind: "ws-copier", traits: TRAITS, parts: [motion, voice], follow });
  update(true);
  return leave;
}
