// Seventy-two heads: who looks at whom in every head of a trained encoder, and one of them open.
import { betaSlider } from "./beta_slider.js";
import { choice } from "./choices.js";
import { button, fill, glide, html, readings, settle, speaker, tools } from "./controls.js";
import { distanceOf, HEADS, scoresOf, sharesOf, spreadOf, weightsOf, workOf } from "./seventy_two_math.js";
import { headMap, largeMap, wordRow } from "./seventy_two_plots.js";
import { countsOf, headSentence, MAP_NAMES, measured, rowTable } from "./seventy_two_words.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["layer", "head", "sentence", "query", "beta", "score_map", "shown"];
const LAYERS = 6;
const ALPHAS = { softmax: 1, entmax: 1.5, sparsemax: 2 };

// What a link may set here.
render.fits = ({ layer, head, sentence, query, about }) =>
  layer >= 1 && layer <= LAYERS && head >= 1 && head <= HEADS &&
  placeOf(query, about.sentences[sentence]) < about.sentences[sentence].n;

// Which token looks, counted from 0.
const placeOf = (query, { it }) => (query === "it" ? it : Number(query));

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { own, sentences, model: source, off } = model.get("about");
  const known = {}; // the sentences that have come, by their names
  let drawn = null; // the one that is seen, and what its heads do
  let asked = null; // the one that is being loaded, and
  let coming = null; // when it has come
  let [rows, large, table] = [];

  // --- the parts: those with a place for each token are built anew when the sentence changes -----------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({ page, reset });
  const choose = (index) => change({ layer: Math.floor(index / HEADS) + 1, head: (index % HEADS) + 1 });
  const pick = (place) => change({ query: String(place) });
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
  const setBeta = (beta, jump) => {
    if (beta >= 0) return change({ beta }, jump);
    kit.note("β: here it is at least 0, so the old value stays.");
    slider.show(read().beta);
  };
  const slider = betaSlider(setBeta, kit.note, { mark: ["the model’s own, 1/√32", own] });
  const maps = choice("what makes weights of the scores", MAP_NAMES, (name) => change({ score_map: name }));
  const texts = Object.entries(sentences).map(([name, { text }]) => html("option", { value: name }, text));
  const list = html("select", { class: "ws-select", "aria-label": "sentence" }, ...texts);
  list.addEventListener("change", () => change({ sentence: list.value, query: "it" }));
  const numbers = readings(["effective tokens", "distance", "start mark gets", "previous token gets"]);
  const head = (...inside) => html("div", { class: "ws-head" }, ...inside);
  const open = html("div", { class: "ws-opened" });
  const again = html("div", { class: "ws-again" }); // on a phone the words stand behind “More”
  const sentence = html("div", { class: "ws-of-words" });
  const call = span("ws-call", "press one");
  call.setAttribute("aria-hidden", "true");
  const places = html("div", { class: "ws-table-of" });
  const [seen, spoken] = voice.parts;
  fill(el,
    html("div", { class: "ws-parts" },
      html("div", { class: "ws-of-all" },
        head(
          span("ws-axis", "72 heads"), span("ws-note", "a row for each layer"), call,
        ),
        over.root, key),
      html("div", { class: "ws-of-one" },
        html("div", { class: "ws-title" }, step(-1, "‹", "previous head"), title, step(1, "›", "next head")), open,
      ),
      seen, sentence),
    spoken, ...kit.parts);
  kit.panel.append(again, slider.root,
    html("div", { class: "ws-options" }, span("ws-note", "map of the open head"), maps.root),
    html("label", { class: "ws-choose" }, span("ws-note", "sentence"), list),
    kit.options(slider.typed), kit.status, numbers.root, places,
    html("p", { class: "ws-text" }, `From ${source}, run with the book’s own attention in every layer. \
What a head does is told by its weights on this sentence, at the model’s own β: \
by what gets half of them or more, or as broad, where it spreads over half of the tokens or more. \
A byte is kept for each score, so a weight may be off by ${(100 * off).toFixed(1)} points. \
Shades go with the root of a weight.`));

  function build(data) {
    const scores = scoresOf(data);
    const all = scores.map((one) => weightsOf(one, own));
    drawn = { name: data.name, tokens: data.tokens, scores, works: all.map(workOf) };
    rows = [sentence, again].map((place) => {
      const made = wordRow(data.tokens, pick);
      place.replaceChildren(made.root);
      return made;
    });
    large = largeMap(data.tokens, pick);
    open.replaceChildren(large.root);
    table = rowTable(data.tokens);
    places.replaceChildren(table.root);
    over.name(all, drawn.works);
    key.replaceChildren(...countsOf(drawn.works).map(({ letter, name, count }) =>
      span("ws-count", html("b", {}, letter), span("ws-many", `${count}`), name)));
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = drawn.tokens.length;
    large.draw(shown.slice(n));
    for (const words of rows) words.draw(shown.slice(0, n));
  });

  // What is kept of a sentence, or null while it is on its way: in a notebook Python sends it, a page loads it.
  function data(name) {
    const here = model.get("shown");
    known[here.name] = here;
    if (known[name] || !page?.loadData || asked === name) return known[name] ?? null;
    asked = name;
    coming = page.loadData(`seventy_two-${name}`).then(
      (value) => model.set("shown", value),
      () => {
        kit.note("This sentence could not be loaded.");
        change({ sentence: drawn.name, query: "it" });
      },
    ).finally(() => (asked = null));
    return null;
  }

  function update(jump) {
    const state = read();
    const { layer, beta, score_map: map } = state;
    const found = data(state.sentence);
    list.value = state.sentence;
    if (!found && drawn) return; // what is seen stays until the other sentence has come
    const fresh = drawn?.name !== (found ?? model.get("shown")).name;
    if (fresh) build(found ?? model.get("shown"));
    const { name, tokens, scores, works } = drawn;
    const place = placeOf(state.query, sentences[name]);
    const query = place < tokens.length ? place : sentences[name].it;
    const chosen = HEADS * (layer - 1) + state.head - 1;
    const weights = weightsOf(scores[chosen], beta, ALPHAS[map]);
    const row = weights[query];
    el.dataset.map = map;
    over.show(chosen);
    title.textContent = `layer ${layer}, head ${state.head}`;
    large.name(
      `weights of layer ${layer}, head ${state.head}: \
a row for each token that looks, a column for each that is seen`,
      query,
    );
    for (const words of rows) words.show(query, row);
    const start = model.get("start");
    call.hidden = layer !== start.layer || state.head !== start.head;
    slider.show(beta);
    maps.show(map);
    table.show(scores[chosen][query], row);
    numbers.show(
      measured({
        shares: sharesOf(weights), spread: spreadOf(weights), distance: distanceOf(weights), n: tokens.length,
      }),
    );
    voice.say(headSentence({ layer, head: state.head, work: works[chosen], tokens, query, row, beta, own, map }));
    motion.to([...row, ...weights.flat()], jump || fresh);
  }

  const leave = settle(el, model, { kind: "ws-seventy", traits: TRAITS, parts: [motion, voice], follow });
  update(true);
  await coming; // a link may ask for another sentence than the page has
  return leave;
}
