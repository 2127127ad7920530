// Pairs of sentences: which of two nouns each head looks at, and in how many pairs it is right in both. Recorded
// results are covered until a reader runs the pairs; then the loaded encoder can compute them anew.
import { tellFigure } from "./answers.js";
import { button, fill, html, settle, speaker, tools } from "./controls.js";
import { modelOf } from "./encoder_of_page.js";
import { runThrough } from "./encoder_sentences.js";
import { inMegabytes, MAPS_IN_HEADS } from "./encoder_words.js";
import { pairsBoard } from "./pairs_board.js";
import { pairCard } from "./pairs_card.js";
import { countsGrid } from "./pairs_grid.js";
import { bothCounts, groupsOf, isRight, onNouns, placeIn, storyOf, writeNouns } from "./pairs_math.js";
import { recordedPairs } from "./pairs_recorded.js";
import { BETA_NAMES, changeText, COIN, headName, pairsSentence, shareText, verdictOf } from "./pairs_words.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["layer", "head", "pair", "filled", "score_map", "beta", "shown"];
const EACH = 110; // milliseconds from one pair to the next, while they fill
const HEADS_OF_A_LAYER = 12;
const RECORDED = "softmax own";
const PAIR_MAPS = Object.fromEntries(Object.entries(MAPS_IN_HEADS).filter(([map]) => map !== "none"));
const indexOf = ({ layer, head }) => HEADS_OF_A_LAYER * (layer - 1) + head - 1;

render.fits = ({ layer, head, pair, about }) =>
  layer >= 1 && layer <= 6 && head >= 1 && head <= HEADS_OF_A_LAYER && pair >= 1 && pair <= about.pairs.length;

function picked(label, names, change) {
  const root = html("select", { class: "ws-pick", "aria-label": label },
    ...Object.entries(names).map(([value, name]) => html("option", { value }, name)));
  root.addEventListener("change", () => change(root.value));
  return root;
}

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { pairs, counts, bytes, betas, model: source } = model.get("about");
  const other = model.get("sentence_figure");
  const made = new Map(); // what this page has computed, by map and β
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = 0; // how many pairs are uncovered
  let timer = 0;
  let job = null; // what is being computed: {key, table, done}
  let wanted = false; // whether to run once the model is here
  let declined = ""; // what a reader has stopped, and is not run again by itself

  // --- the parts -------------------------------------------------------------------------------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      stop();
      made.clear();
      reset();
    },
  });
  const choose = (index) =>
    change({ layer: Math.floor(index / HEADS_OF_A_LAYER) + 1, head: (index % HEADS_OF_A_LAYER) + 1 });
  const card = pairCard(Boolean(other && bytes), tryIt);
  const grid = countsGrid(choose);
  const board = pairsBoard(pairs, (pair) => change({ pair: pair + 1 }));
  const badge = span("ws-call", "press one");
  badge.setAttribute("aria-hidden", "true");
  const whence = span("ws-note ws-whence");
  const [right, coin] = [html("b"), html("span")];
  const who = span("ws-who");
  const guess = span("ws-guess", who, `how many of ${pairs.length} will be right in both?`);
  const share = span("ws-note ws-share-of-nouns");
  const go = button(`Run the ${pairs.length} pairs`, () => change({ filled: "yes" }));
  go.classList.add("ws-go", "ws-meant");
  const maps = picked("the map, in all heads", PAIR_MAPS, (map) => change({ score_map: map }));
  const times = picked("β, in all heads", BETA_NAMES, (beta) => change({ beta }));
  const here = button("", () => (job || wanted ? stop() || update() : start()));
  here.classList.add("ws-go", "ws-here");
  const [told, spoken] = voice.parts;
  told.classList.add("ws-unseen");
  fill(el,
    html("div", { class: "ws-nouns-parts" },
      card.root,
      html("div", { class: "ws-all-heads" },
        html("div", { class: "ws-head" },
          span("ws-axis", `right in both, of ${pairs.length}: all heads`), badge, whence),
        grid.root),
      html("div", { class: "ws-of-board" },
        html("div", { class: "ws-result-line" },
          html("p", { class: "ws-judgement" }, span("ws-of-verdict", right, coin), share, guess), go),
        board.root)),
    told, spoken, ...kit.parts);
  if (bytes) kit.parts[0].append(maps, times, here);
  kit.panel.append(kit.options(), kit.status, html("p", { class: "ws-text" },
    `From ${source}. The pairs were written before they were measured, and none was left out. A head is right \
in a sentence if it gives the noun that is meant more of the weight of “it” than the other one. Recorded \
results are those of the model as it is; the page computes with 8 bits a weight, so that a near tie may turn \
round. entmax has α = 1.5, sigmoid a bias of −log n.`));

  const recorded = recordedPairs({
    model, page, sentences: 2 * pairs.length,
    came: () => draw(),
    fail() {
      kit.note("This head could not be loaded.");
      choose(model.get("shown").head);
    },
  });

  // The sentence in which the head is wrong; or else the second.
  function tryIt() {
    const { layer, head, pair } = read();
    const { text, words } = pairs[pair - 1];
    const which = isRight(recorded.table, pair - 1, 0, indexOf(read())) ? 1 : 0;
    const sentence = encodeURIComponent(text.replace("{}", words[which]));
    tellFigure(`${other}?text=${sentence}&layer=${layer}&head=${head}`);
    document.getElementById(other)?.scrollIntoView({ block: "start" });
  }

  // --- the model ----------------------------------------------------------------------------------
  const encoder = bytes ? modelOf(page, model, () => {
    if (encoder.state.stage === "failed") wanted = false;
    update();
  }) : null;
  function start() {
    [wanted, declined] = [true, ""];
    if (encoder.state.stage !== "here") encoder.start();
    update();
  }
  function stop() {
    [job, wanted, declined] = [null, false, keyOf(read())];
  }
  const keyOf = ({ score_map: map, beta }) => `${map} ${beta}`;
  async function run() {
    wanted = false;
    const now = read();
    const mine = { key: keyOf(now), table: new Float64Array(recorded.table.length), done: 0 };
    job = mine;
    const texts = pairs.flatMap(({ text, words }) => words.map((word) => text.replace("{}", word)));
    const asked = mine.key === RECORDED ? {} : { map: now.score_map, beta: betas[now.beta], scope: "all" };
    const take = (found) => {
      writeNouns(mine.table, found, pairs[Math.floor(found.place / 2)].nouns);
      mine.done += 1;
      update();
    };
    const whole = await runThrough(encoder, texts, asked, { take, ends: () => job !== mine });
    if (job !== mine) return;
    job = null;
    if (whole) {
      made.set(mine.key, mine.table);
      shown = pairs.length; // they have been uncovered one by one
      change({ filled: "yes" });
    } else {
      declined = mine.key;
      update();
    }
  }

  // --- drawing -----------------------------------------------------------------------------------
  // One pair after another is uncovered; then they stand in their groups.
  function uncover(jump) {
    clearTimeout(timer);
    shown = jump || calm.matches || document.hidden ? pairs.length : shown + 1;
    if (shown < pairs.length) timer = setTimeout(() => uncover(), EACH);
    else if (!jump && !calm.matches) timer = setTimeout(() => draw(), 5 * EACH);
    draw(shown >= pairs.length && !jump && !calm.matches);
  }
  function update(jump) {
    const now = read();
    const key = keyOf(now);
    if (job?.key !== key) job = null;
    if (declined !== key) declined = "";
    const missing = now.filled === "yes" && !declined && key !== RECORDED && !made.has(key);
    if (encoder?.state.stage === "here" && !job && (wanted || missing)) run();
    if (now.filled === "no") {
      clearTimeout(timer);
      shown = 0;
    } else if (shown === 0) return uncover(jump);
    draw();
  }
  function draw(still) {
    const { layer, head, pair, filled, score_map: map, beta } = read();
    const key = `${map} ${beta}`;
    const chosen = indexOf({ layer, head });
    const table = job?.table ?? made.get(key) ?? (key === RECORDED ? recorded.table : null);
    // The head that the page has stays until another one has come.
    const index = recorded.has(chosen) || table !== recorded.table ? chosen : model.get("shown").head;
    const many = job ? Math.floor(job.done / 2) : shown;
    const whole = Boolean(table) && !job && many >= pairs.length && !still;
    const isSeen = (one) => (job ? one < many : Boolean(table) && (one < many || one === pair - 1));
    const open = table && isSeen(pair - 1);
    const both = [0, 1];
    el.dataset.map = map;
    el.classList.toggle("ws-to-guess", filled === "no" && !job);
    el.classList.toggle("ws-grouped", whole);
    el.classList.toggle("ws-unknown", !table);
    card.show(pairs[pair - 1], open ? both.map((which) => onNouns(table, pair - 1, which, index)) : null,
      both.map((which) => open && isRight(table, pair - 1, which, index)));
    board.show(pair - 1);
    board.draw(table, index, whole ? groupsOf(table, index) : null, isSeen);
    grid.show(chosen, whole ? (table === recorded.table ? counts : bothCounts(table)) : null, COIN * pairs.length);
    const all = whole || (Boolean(table) && filled === "no" && !job); // without a script nothing is covered
    const story = table && storyOf(all ? table : table.subarray(0, placeIn(2 * many, 0)), index);
    who.textContent = `${headName(index)}: `;
    const needs = table ? null : changeText({ score_map: map, beta });
    const soFar = needs ? "not yet known" : `${story?.both ?? 0} of ${many}`;
    const [says, against] = all ? verdictOf(story) : [soFar, ""];
    right.textContent = says;
    coin.textContent = against;
    share.textContent = [
      whole ? `${headName(index)}: ${shareText(story.share)} of the weight is on the nouns` : headName(index),
      ...stateOf(needs),
    ].join("; ");
    const start_ = model.get("start");
    badge.hidden = !whole || layer !== start_.layer || head !== start_.head || made.size > 0;
    whence.textContent = whole && made.has(key) ? "computed here" : "";
    showRun(needs);
    if (whole || filled === "no" || needs) {
      voice.say(pairsSentence({
        head: index, story, changed: changeText({ score_map: map, beta }), needs, pair: pairs[pair - 1],
        filled: whole,
      }));
    }
  }
  // How far the page is with what it computes.
  function stateOf(needs) {
    const { stage, bytes: come } = encoder?.state ?? {};
    if (job) return [`${job.done} of ${2 * pairs.length} sentences`];
    if (stage === "loading" && wanted) {
      return [`loading: ${inMegabytes(Math.min(come, bytes), 1)} of ${inMegabytes(bytes)} MB`];
    }
    if (stage === "failed" && (needs || wanted)) return ["loading has stopped"];
    return needs ? [needs] : [];
  }
  function showRun(needs) {
    if (!encoder) return;
    const { stage } = encoder.state;
    const { score_map: map, beta } = read();
    [maps.value, times.value] = [map, beta];
    el.dataset.stage = stage;
    const loading = stage === "loading" && wanted;
    here.textContent = job || loading ? "Stop"
      : stage === "here" ? "Run here"
        : stage === "failed" ? "Try again" : `Load the model, ${inMegabytes(bytes)} MB`;
    here.classList.toggle("ws-meant", Boolean(needs) && !job && !loading);
  }

  const leave = settle(el, model, { kind: "ws-nouns", traits: TRAITS, parts: [voice], follow });
  update(true);
  await recorded.coming(); // a link may ask for another head than the page has
  return () => {
    clearTimeout(timer);
    stop();
    encoder?.leave();
    leave();
  };
}
