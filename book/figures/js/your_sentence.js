// Your sentence: who looks at whom in every head of a pretrained encoder. Some sentences are recorded; once a
// reader loads the model, it runs in the page, on any sentence and under any change.
import { betaSlider } from "./beta_slider.js";
import { choice } from "./choices.js";
import { button, fill, glide, html, readings, settle, speaker, tools } from "./controls.js";
import { modelOf } from "./encoder_of_page.js";
import { MAPS_IN_HEADS } from "./encoder_words.js";
import { sentenceField } from "./your_sentence_field.js";
import { liveSentence } from "./your_sentence_live.js";
import { distanceOf, HEADS, nearestOf, sharesOf, spreadOf, weightsOf, workOf } from "./your_sentence_math.js";
import { modelPanel, NEAREST } from "./your_sentence_panel.js";
import { headMap } from "./your_sentence_plots.js";
import { recordedSentences } from "./your_sentence_recorded.js";
import { tokenRow } from "./your_sentence_row.js";
import { countsOf, headSentence, measured, neededFor, rowTable } from "./your_sentence_words.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["layer", "head", "sentence", "text", "query", "beta", "score_map", "scope", "shown"];
const LAYERS = 6;
const ALPHAS = { softmax: 1, entmax: 1.5, sparsemax: 2 };
const HIGHEST = 100; // β
const SLOW = 150; // milliseconds: a run that takes longer waits until the slider is let go

// What a link may set here.
render.fits = ({ layer, head, sentence, text, query, beta, about }) =>
  layer >= 1 && layer <= LAYERS && head >= 1 && head <= HEADS && beta >= 0 && beta <= HIGHEST &&
  (query === "it" || Number(query) < (text ? about.most : about.sentences[sentence].n));

// Which token looks, counted from 0: "it", or else the last word.
function placeOf(query, tokens) {
  if (query !== "it" && Number(query) < tokens.length) return Number(query);
  const place = tokens.indexOf("it");
  return place > 0 ? place : Math.max(0, tokens.length - 2);
}

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { own, sentences, model: source, off, bytes, most, ten } = model.get("about");
  let seen = null; // what is drawn: {text, tokens, weights, scores, works, and live, if the model has made it}
  let held = false; // whether the slider is
  let [row, table] = [];
  let others = ten; // the sentences among which the nearest are sought
  let vector = null; // of the sentence that is seen, under its change

  // --- the parts: those with a place for each token are built anew when the sentence changes -----------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      others = ten;
      editor.value = ten.join("\n");
      reset();
    },
  });
  const choose = (index) => change({ layer: Math.floor(index / HEADS) + 1, head: (index % HEADS) + 1 });
  const pick = (place) => change({ query: String(place) });
  const field = sentenceField({
    sentences, most: 250, typing: bytes > 0,
    choose: (sentence) => change({ sentence, text: "", query: "it" }),
    type(text) {
      const same = Object.keys(sentences).find((name) => sentences[name].text === text);
      change(same ? { sentence: same, text: "", query: "it" } : { text });
    },
  });
  const over = headMap(LAYERS, choose);
  const key = html("p", { class: "ws-counts" });
  const title = span("ws-axis");
  const step = (by, sign, label) => {
    const made = button(sign, () => {
      const { layer, head } = read();
      choose((HEADS * (layer - 1) + head - 1 + by + LAYERS * HEADS) % (LAYERS * HEADS));
    });
    made.setAttribute("aria-label", label);
    return made;
  };
  const setBeta = (beta, jump = false) => {
    held = jump;
    if (beta >= 0 && beta <= HIGHEST) return change({ beta }, jump);
    kit.note(`β: here it is at least 0 and at most ${HIGHEST}, so the old value stays.`);
    slider.show(read().beta);
  };
  const slider = betaSlider(setBeta, kit.note, { mark: ["the model’s own", own], finite: true });
  slider.root.addEventListener("change", () => {
    held = false;
    update();
  });
  const maps = choice("what makes weights of the scores", MAPS_IN_HEADS, (name) => change({ score_map: name }));
  const scopes = choice("where", { head: "this head", all: "all heads" }, (scope) => change({ scope }));
  const numbers = readings(["effective tokens", "distance", "start mark gets", "previous token gets"]);
  const panel = modelPanel({
    whole: bytes, load: () => encoder.start(),
    note: page ? "from this site; nothing you type leaves this page" : "from Python; what you type stays there",
  });
  const first = span("ws-call", "press one");
  first.setAttribute("aria-hidden", "true");
  const cut = html("p", { class: "ws-note ws-cut" });
  const words = html("div", { class: "ws-of-words" });
  const places = html("div", { class: "ws-table-of" });
  const editor = html("textarea", { class: "ws-ten", rows: ten.length, "aria-label": "ten sentences" });
  editor.value = ten.join("\n");
  editor.addEventListener("change", () => {
    others = editor.value.split("\n").map((one) => one.trim()).filter(Boolean).slice(0, ten.length);
    findNearest();
  });
  const [told, spoken] = voice.parts;
  told.classList.add("ws-unseen"); // the picture says it
  fill(el,
    field.root,
    html("div", { class: "ws-parts" },
      html("div", { class: "ws-of-sentence" }, words, cut),
      html("div", { class: "ws-of-all" },
        html("div", { class: "ws-head" },
          span("ws-axis", "72 heads"), span("ws-note", "in each, rows look at columns"), first),
        over.root, key),
      html("div", { class: "ws-of-one" },
        html("div", { class: "ws-title" },
          step(-1, "‹", "previous head"), title, step(1, "›", "next head"), scopes.root),
        maps.root, slider.root, panel.root)),
    told, spoken, ...kit.parts);
  kit.panel.append(kit.options(slider.typed), kit.status, numbers.root, places,
    ...(bytes ? [html("label", { class: "ws-edit" }, span("ws-note", "ten sentences, to edit"), editor)] : []),
    html("p", { class: "ws-text" }, `From ${source}, run with the book’s own attention in every layer. \
A letter tells what a head does in this sentence, in the model as it is: by what gets half of its weight or more; \
or b, where it spreads over half of the tokens or more. A byte is kept for each score of a recorded sentence, \
so a weight may be off by ${(100 * off).toFixed(1)} points. entmax has α = 1.5, sigmoid a bias of −log n. \
Shades go with the root of a weight.`));

  const recorded = recordedSentences({
    model, page, sentences, own,
    fail() {
      kit.note("This sentence could not be loaded.");
      change({ sentence: seen.name, query: "it" });
    },
  });

  // --- the model, once a reader wants it ----------------------------------------------------------------
  const encoder = bytes ? modelOf(page, model, () => update()) : null;
  const runs = () => ["loading", "here", "failed"].includes(encoder?.state.stage);
  const live = encoder && liveSentence(encoder, own, { came, done });
  let last = {}; // what the last run was made of

  // A layer has come: weights that are not there yet stay as they were, if the sentence is the same.
  function came(now) {
    const { layer, head } = read();
    const there = now.weights[HEADS * (layer - 1) + head - 1];
    const same = seen.tokens.join(" ") === now.tokens.join(" ");
    const tokens = same ? seen.tokens : now.tokens; // for the same ones no parts are made
    const late = encoder.state.stage !== "here" && !same;
    if (!there && !late && now.weights.length < HEADS * LAYERS) return;
    const merged = (kind) => (same ? seen[kind].map((one, i) => now[kind][i] ?? one) : [...now[kind]]);
    seen = {
      ...now, tokens, weights: merged("weights"), scores: merged("scores"), live: true,
      works: same ? seen.works : null,
    };
    draw();
  }
  function done(now, base, turned, made) {
    seen = { ...now, tokens: seen.tokens, works: base.weights.map(workOf), live: true };
    [vector, last] = [now.vector, made];
    panel.turned(turned);
    draw();
    findNearest();
  }
  async function findNearest() {
    const [mine, among] = [vector, others];
    if (!mine) return;
    panel.nearest(null);
    const found = await encoder.vectors(among, last);
    if (!found || mine !== vector) return;
    panel.nearest(nearestOf(mine, found, NEAREST).map(({ place, cosine }) => ({ text: among[place], cosine })));
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => row.draw(shown));

  function update(jump) {
    const state = read();
    if (!state.text && !(seen?.live && runs())) {
      const found = recorded.get(state.sentence);
      if (found && (seen?.live || seen?.name !== found.name)) seen = found;
    }
    seen ??= recorded.here();
    if (runs() && encoder.state.stage !== "failed" && !(held && live.lasted() > SLOW)) {
      live.ask(state, state.text || sentences[state.sentence].text);
    }
    draw(jump);
  }
  function draw(jump) {
    const state = read();
    const { layer, head, beta, score_map: map, scope } = state;
    const { tokens, scores, weights: all, works } = seen;
    const needs = runs() ? null : neededFor(state, Object.keys(ALPHAS));
    if (row?.of !== tokens) {
      row = Object.assign(tokenRow(tokens, pick), { of: tokens });
      words.replaceChildren(row.root);
      table = rowTable(tokens);
      places.replaceChildren(table.root);
    }
    const chosen = HEADS * (layer - 1) + head - 1;
    const weights = seen.live || needs ? all[chosen] : weightsOf(scores[chosen], beta, ALPHAS[map]);
    const query = placeOf(state.query, tokens);
    const now = weights?.[query];
    Object.assign(el.dataset, { map, scope });
    el.classList.toggle("ws-waits", Boolean(needs));
    field.show(state.text || sentences[state.sentence].text, state.sentence);
    over.draw(all);
    over.name(works);
    over.show(chosen);
    key.replaceChildren(...(works ? countsOf(works) : []).map(({ letter, name, count }) =>
      span("ws-count", html("b", {}, letter), span("ws-many", `${count}`), name)));
    title.textContent = `layer ${layer}, head ${head}`;
    cut.textContent = seen.cut ? `cut after ${most - 2} tokens: the model takes no more` : "";
    row.show(query, now, `weights from ${tokens[query]}`);
    slider.show(beta);
    maps.show(map);
    scopes.show(scope);
    point(state, needs);
    panel.show(encoder?.state ?? { stage: "none", bytes: 0 }, needs, vector);
    if (now) {
      table.show(scores[chosen][query], now);
      numbers.show(measured({
        shares: sharesOf(weights), spread: spreadOf(weights), distance: distanceOf(weights), n: tokens.length,
      }));
    }
    voice.say(headSentence({
      layer, head, work: works?.[chosen], tokens, query, row: now, beta, own, map, scope,
      needs: needs && (bytes ? `Load the model to see ${needs}.` : `Only the model could show ${needs}.`),
    }));
    motion.to(now ?? tokens.map(() => 0), jump || row.drawn !== true);
    row.drawn = true;
  }
  // What only the model can do is not to be chosen until it comes; and what to press next is the button, if it is
  // waited for, or else what nobody has tried yet.
  function point(state, needs) {
    for (const box of [...maps.boxes, ...scopes.boxes]) {
      box.disabled = !runs() && !(box.value in ALPHAS || box.value === "head");
    }
    const start = model.get("start");
    const untouched = ["layer", "head", "text", "sentence"].every((name) => state[name] === start[name]);
    field.call.hidden = !untouched && !needs;
    // On a phone the button is far off. Of a recorded sentence another one differs in a word, which can be typed.
    const other = state.sentence === "thirsty" ? "make it “sweet”" : "type your own";
    field.call.textContent = needs ? "load the model below" : other;
    first.hidden = !untouched || bytes > 0;
    panel.press.classList.toggle("ws-meant", Boolean(needs));
  }

  const parts = [motion, voice, field, panel];
  const leave = settle(el, model, { kind: "ws-yours", traits: TRAITS, parts, follow });
  update(true);
  await recorded.coming(); // a link may ask for another sentence than the page has
  return () => {
    encoder?.leave();
    leave();
  };
}
