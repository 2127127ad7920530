// Twice: the scores of a network, softmax of them, and below it softmax of these weights, which can be left out.
import { CHANGE, fill, glide, html, settle, speaker, tick, tools } from "./controls.js";
import { mapTable } from "./map_panel.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { ceilingOf, REVEALED, once, ROOM, SURE, twice, twiceSentence } from "./twice_math.js";
import { scoreBars, weightBars } from "./twice_plots.js";
import { percent } from "./words.js";

const LITTLE = 0.15; // a key that brings no more is followed at once, as a pointer is
const TRAITS = ["tokens", "scores", "right", "score", "again"];

// What a link may set here.
render.fits = ({ score }) => score >= ROOM[0] && score <= ROOM[1];

const whole = (state) => oneForEachToken("scores")(state) && state.right < state.tokens.length;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole });
  let state = read();
  let [top, first, second, table, built] = [];

  const voice = speaker();
  const kit = tools({ page, reset });
  const taken = tick("softmax again", (on) => change({ again: on ? "taken" : "left out" }));
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "take it away");
  taken.root.append(badge);

  // --- the parts: built anew when the tokens change ------------------------------------------------
  function build() {
    const { tokens, right } = state;
    top = scoreBars({
      tokens, right,
      move: {
        value: () => state.score,
        set: (x, jump) => {
          const score = Math.min(ROOM[1], Math.max(ROOM[0], x));
          if (score !== state.score) change({ score }, jump || Math.abs(score - state.score) < LITTLE);
        },
        hold() {},
      },
    });
    [first, second] = ["ws-once", "ws-second"].map((kind) => weightBars({ tokens, right, kind }));
    table = mapTable(tokens, ["softmax", "softmax again"], "class");
    const floor = (kind, name, plot) => html("div", { class: `ws-floor ${kind}` }, plot, name);
    const title = (text) => html("span", { class: "ws-axis" }, text);
    const names = tokens.map((token, i) => html("li", { class: i === right ? "ws-right" : "" }, token));
    fill(el,
      html("div", { class: "ws-floors" }, html("span", { class: "ws-column" }),
        floor("ws-of-scores", title("scores"), top.root),
        html("ol", { class: "ws-tokens", "aria-hidden": "true" }, ...names),
        floor("ws-of-first", title("softmax"), first.root),
        floor("ws-of-second", taken.root, second.root)),
      ...voice.parts, ...kit.parts,
    );
    kit.panel.replaceChildren(kit.options(), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
    el.style.setProperty("--ws-right", right);
    built = JSON.stringify([tokens, right]);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    top.draw(shown.slice(0, n));
    first.draw(shown.slice(n, 2 * n));
    second.draw(shown.slice(2 * n), shown.slice(n, 2 * n));
  }, CHANGE);

  function update(jump) {
    state = read();
    const { tokens, right, score, again } = state;
    const other = built !== JSON.stringify([tokens, right]);
    if (other) build();
    const [one, two] = [once(state), twice(state)];
    const isTaken = again === "taken";
    const [near, sure] = [REVEALED, SURE].map((least) => one[right] >= least);
    const scores = state.scores.map((s, i) => (i === right ? score : s));
    top.show(score, isTaken && !sure);
    first.show("softmax", one);
    second.show(isTaken ? "softmax again" : "left as it is", isTaken ? two : one,
      isTaken && near ? ceilingOf(tokens.length) : null);
    taken.box.checked = isTaken;
    badge.hidden = !(isTaken && sure);
    taken.root.classList.toggle("ws-meant", isTaken && sure);
    table.show(scores, [one, two].map((weights) => weights.map(percent)));
    voice.say(twiceSentence(state));
    motion.to([...scores, ...one, ...(isTaken ? two : one)], jump || other);
  }

  update(true);
  return settle(el, model, { kind: "ws-twice", traits: TRAITS, parts: [motion, voice], follow });
}
