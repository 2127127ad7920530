// Which map breaks the model: a row for each thing that can be put into all heads, and in it a dot for each
// sentence, which goes as far as the sentence's vector turns.
import { button, CHANGE, fill, glide, html, settle, speaker, svg, tools } from "./controls.js";
import { modelOf } from "./encoder_of_page.js";
import { runThrough } from "./encoder_sentences.js";
import { inMegabytes, turnOf } from "./encoder_words.js";
import { traitsOf } from "./traits.js";
import { CHANGE_NAMES, heightsOf, medianOf, medianText, whichSentence } from "./which_map_words.js";

const TRAITS = ["tried"];
const MOST_DEGREES = 90;
const TALL = 40; // of a row, in CSS pixels

const dotsAt = (degrees, heights) =>
  degrees.map((x, i) => `M${x.toFixed(2)} ${(TALL / 2 + 14 * heights[i]).toFixed(1)}h0`).join("");

// Where a vector was, and where it is after this turn.
function turnedArrow(degrees) {
  return svg("svg", { class: "ws-turned-arrow", viewBox: "-3 -21 26 24", "aria-hidden": "true" },
    svg("path", { class: "ws-was-so", d: "M0 0H20" }),
    svg("path", { d: "M0 0H18M13 -4L18.5 0L13 4", transform: `rotate(${-degrees})` }));
}

// A row of dots, which stand at 0 until its change is made.
function turnRow(name, map, press) {
  const made = button(CHANGE_NAMES[name], press);
  made.classList.add("ws-puts");
  const printed = html("span", { class: "ws-puts-name" }, CHANGE_NAMES[name]); // in its place, on paper
  const dots = svg("path", { class: "ws-dots-of-turn" });
  const later = svg("path", { class: "ws-dots-of-turn ws-later" }); // where they would go, on paper
  const line = svg("path", { class: "ws-median-of-turn" });
  const plot = svg("svg", {
    class: "ws-svg ws-turns", viewBox: `0 0 ${MOST_DEGREES} ${TALL}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `48 sentences under ${CHANGE_NAMES[name]}`,
  }, dots, later, line);
  const median = html("b", { class: "ws-value ws-median-text" });
  const room = html("div", { class: "ws-turn-plot" }, plot);
  const root = html("div", { class: "ws-turn-row", "data-map": map }, made, printed, room, median);
  let heights = [];
  const motion = glide((now) => dots.setAttribute("d", dotsAt(now, heights)), CHANGE);
  return {
    root, made, room, stop: motion.stop,
    show(on, degrees, jump) {
      heights = heightsOf(degrees);
      made.setAttribute("aria-pressed", String(on));
      root.classList.toggle("ws-put-in", on);
      motion.to(on ? degrees : degrees.map(() => 0), jump);
      later.setAttribute("d", dotsAt(degrees, heights));
      line.setAttribute("d", `M${medianOf(degrees).toFixed(2)} 2V${TALL - 2}`);
      median.textContent = medianText(degrees);
    },
  };
}

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { degrees, changes, sentences, bytes, model: source } = model.get("about");
  const names = Object.keys(changes);
  const start = model.get("start").tried;
  const first = names.find((name) => !start.includes(name)) ?? names[0]; // what one presses first
  const made = {}; // what this page has computed
  let own = null; // the vectors of the model as it is
  let last = null; // what was put in last
  let job = null; // what is being computed, and how many sentences are done
  let wanted = false;

  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      stop();
      for (const name of names) delete made[name];
      reset();
    },
  });
  const rows = Object.fromEntries(names.map((name) => [name, turnRow(name, changes[name][0], () => {
    const { tried } = read();
    const on = !tried.includes(name);
    last = on ? name : null;
    change({ tried: names.filter((one) => (one === name ? on : tried.includes(one))) });
  })]));
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "put this into all heads");
  rows[first].room.append(badge);
  const here = button("", () => (job || wanted ? stop() || update() : load()));
  here.classList.add("ws-turns-here");
  const state = html("span", { class: "ws-note ws-turns-state" });
  const scale = [[0, "unchanged"], [45, "how far it turns"], [90, "unrelated"]].map(([at, name]) =>
    html("span", {}, turnedArrow(at), `${at}°`, html("small", {}, name)));
  fill(el,
    html("div", { class: "ws-head" }, html("span", { class: "ws-axis" }, "Which one breaks the model?"),
      html("span", { class: "ws-note" }, "a dot: the vector of one sentence")),
    html("div", { class: "ws-turn-rows" }, ...names.map((name) => rows[name].root)),
    html("div", { class: "ws-turn-scale", "aria-hidden": "true" }, ...scale),
    ...voice.parts, ...kit.parts);
  if (bytes) kit.parts[0].append(state, here);
  kit.panel.append(kit.options(), kit.status, html("p", { class: "ws-text" },
    `From ${source}. A dot is a sentence: by how many degrees its vector turns, when all heads do something else \
and all weights of the model stay as they are. A line is the median. The model was trained with softmax, so this \
says what it cannot do without, and not which map is best to train with. The sigmoid has a bias of −log n.`));

  // --- the model -----------------------------------------------------------------------------------
  const encoder = bytes ? modelOf(page, model, () => {
    if (encoder.state.stage === "failed") wanted = false;
    update();
  }) : null;
  function load() {
    wanted = true;
    if (encoder.state.stage !== "here") encoder.start();
    update();
  }
  function stop() {
    [job, wanted] = [null, false];
  }
  async function vectorsUnder(asked, mine) {
    const found = [];
    const take = ({ place, vector }) => {
      found[place] = vector;
      mine.done += 1;
      update();
    };
    const whole = await runThrough(encoder, sentences, asked, { take, ends: () => job !== mine });
    return whole ? found : null;
  }
  async function run() {
    const todo = read().tried.length ? read().tried : names;
    const mine = { done: own ? sentences.length : 0, of: (todo.length + 1) * sentences.length };
    [job, wanted] = [mine, false];
    own ??= await vectorsUnder({}, mine);
    for (const name of own ? todo : []) {
      const [map, beta] = changes[name];
      const found = job === mine ? await vectorsUnder({ map, beta, scope: "all" }, mine) : null;
      if (!found) break;
      made[name] = found.map((vector, i) => turnOf(vector, own[i]));
      last = name;
      const { tried } = read();
      if (!tried.includes(name)) change({ tried: names.filter((one) => one === name || tried.includes(one)) });
    }
    if (job === mine) job = null;
    update();
  }

  // --- drawing ----------------------------------------------------------------------------------------
  function update(jump) {
    const { tried } = read();
    if (wanted && !job && encoder.state.stage === "here") run();
    if (last && !tried.includes(last)) last = null;
    last ??= tried.at(-1) ?? null;
    const now = { ...degrees, ...made };
    for (const name of names) rows[name].show(tried.includes(name), now[name], jump);
    el.classList.toggle("ws-with-none", tried.includes("none"));
    el.style.setProperty("--ws-none", (medianOf(now.none) / MOST_DEGREES).toFixed(4));
    const untouched = tried.join() === start.join();
    badge.hidden = !untouched;
    rows[first].made.classList.toggle("ws-meant-first", untouched);
    voice.say(whichSentence({ last, degrees: now, tried, here: Boolean(made[last]) }));
    if (!encoder) return;
    const { stage, bytes: come } = encoder.state;
    const loading = stage === "loading" && wanted;
    here.textContent = job || loading ? "Stop"
      : stage === "here" ? "Run here"
        : stage === "failed" ? "Try again" : `Load the model, ${inMegabytes(bytes)} MB`;
    state.textContent = job ? `${job.done} of ${job.of}`
      : loading ? `${inMegabytes(Math.min(come, bytes), 1)} of ${inMegabytes(bytes)} MB` : "";
  }

  const leave = settle(el, model, {
    kind: "ws-which", traits: TRAITS, parts: [voice, ...Object.values(rows)], follow,
  });
  update(true);
  return () => {
    stop();
    encoder?.leave();
    leave();
  };
}
