// Lamps: one row of scores under three rules, and a lamp for each of four wishes, which goes out where what the
// reader does shows that a rule fails it.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { invitation } from "./invitation.js";
import { LAMPS, ROOM, RULES, beginning, failedBy, inOrder, ratioUnder, weightsUnder } from "./lamps_math.js";
import { board, comb, swapBracket } from "./lamps_plots.js";
import { lampsSentence, withoutWeight } from "./lamps_words.js";
import { mapTable } from "./map_panel.js";
import { scoreRow } from "./score_row.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { short, weightText } from "./words.js";

const TRAITS = ["tokens", "scores", "shift", "was", "out", "token", "against"];
const HEIGHT = 176; // of the row of scores, in CSS pixels: 122 for what the axis holds
const FAR = 9; // a ratio beyond this is drawn no longer, so that a glide to ∞ has an end
const TENTH = 0.1;
const LITTLE = [-0.65, -0.2]; // the scores from which a word is asked to rise a little

const tidy = (x) => Math.round(x * 1e6) / 1e6;
const withShift = ({ scores, shift }) => scores.map((s) => tidy(s + shift));
const inRoom = (x) => x >= ROOM[0] - 1e-6 && x <= ROOM[1] + 1e-6;
const whole = (state) =>
  oneForEachToken("scores", "was")(state) && Math.max(state.token, state.against) < state.tokens.length;
render.fits = (state) => whole(state) && [...withShift(state), ...state.was].every(inRoom);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole });
  let state = read();
  let [row, rig, rules, badge, table] = [];
  let next = null; // what the badge asks for
  let grabbed = null; // the scores when a pointer took a knob, until it lets go

  const voice = speaker();
  const kit = tools({ page, reset });
  const pair = () => [state.token, state.against];

  // --- moves ----------------------------------------------------------------------------------------- A move
  // is measured against the beginning of its act and, where a knob is held, against the scores when it was
  // taken. The fourth wish is asked when a knob is let go: on its way a word may pass places where a tenth
  // brings nothing.
  function move(values, jump) {
    const now = withShift({ ...state, ...values });
    const here = grabbed ?? withShift(state);
    const was = beginning(state.was, here, now);
    const failed = [...failedBy(was, now, pair()), ...failedBy(here, now, pair())];
    const lasting = failed.filter((lamp) => !(grabbed && lamp.endsWith("-4")));
    change({ ...values, was, out: inOrder([...state.out, ...lasting]) }, jump);
  }

  function hold(taken) {
    if (taken) return (grabbed = withShift(state));
    const [now, from] = [withShift(state), grabbed];
    grabbed = null;
    const failed = failedBy(from, now, pair());
    // What this pull alone has shown begins with it, or the sentence could not tell it.
    const was = failed.every((lamp) => failedBy(state.was, now, pair()).includes(lamp)) ? state.was : from;
    change({ was, out: inOrder([...state.out, ...failed]) }, true);
  }

  // A press of an arrow key is followed at once, as a pointer is.
  const small = (by) => Math.abs(by) < 1.5 * TENTH;
  const moveOne = (i, x, jump) => {
    const to = Math.min(ROOM[1], Math.max(ROOM[0], x));
    const by = to - withShift(state)[i];
    move({ scores: state.scores.map((s, k) => (k === i ? tidy(to - state.shift) : s)) }, jump || small(by));
  };
  const shiftRoom = () => [
    tidy(ROOM[0] - Math.min(...state.scores)), tidy(ROOM[1] - Math.max(...state.scores)),
  ];
  const moveAll = (x, jump) => {
    const [low, high] = shiftRoom();
    const to = tidy(Math.min(high, Math.max(low, x)));
    if (to !== state.shift) move({ shift: to }, jump || small(to - state.shift));
  };
  const swapPair = () => {
    const [i, j] = pair();
    move({ scores: state.scores.map((s, k) => state.scores[k === i ? j : k === j ? i : k]) }, false);
  };

  // --- the parts: built anew when the tokens change ------------------------------------------------
  function build() {
    const { tokens } = state;
    const names = pair().map((k) => tokens[k]);
    row = scoreRow({
      tokens, value: (i) => withShift(state)[i], set: moveOne, height: HEIGHT,
      took: () => hold(true), left: () => hold(false),
    });
    rig = comb({
      ends: ROOM, depth: (s) => row.depth(s, ROOM), height: HEIGHT,
      move: {
        value: () => state.shift, bounds: shiftRoom, unit: () => row.depth(0, ROOM) - row.depth(1, ROOM),
        set: moveAll, hold,
      },
    });
    rules = board(names);
    table = mapTable(tokens, RULES);
    const [plot, words] = row.parts;
    badge = invitation([...plot.querySelectorAll(".ws-knob")]);
    fill(el,
      html("div", { class: "ws-comb" },
        html("div", { class: "ws-stage" }, rig.behind, plot, badge.root), words,
        swapBracket(pair(), tokens, swapPair), rig.handle),
      html("div", { class: "ws-board" }, ...rules.parts),
      ...voice.parts, ...kit.parts,
    );
    kit.panel.replaceChildren(kit.options(), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
    row.room(ROOM);
  }

  // At first everybody is asked for, who costs squares a lamp; then the best word besides the pair, which costs
  // sparsemax one when it comes up to the pair; then the worst one: a little more leaves it without weight under
  // both. What has been seen is not asked for.
  function nextOf(now, out) {
    if (grabbed) return null;
    const { tokens, scores, shift } = state;
    const begun = model.get("start");
    const renamed = String(begun.tokens) !== String(tokens); // other words have come
    const still = renamed ? String(state.was) === String(now)
      : String([begun.scores, begun.shift, begun.out]) === String([scores, shift, state.out]);
    if (still && !out.includes("squares-3")) return { all: true };
    const others = tokens.map((_, k) => k).filter((k) => !pair().includes(k)).sort((i, j) => now[j] - now[i]);
    if (!out.includes("sparsemax-1")) {
      const room = now[others[0]] <= ROOM[1] - 0.8; // or a badge would lie above the figure
      return room ? { i: others[0], text: "pull me up", under: false } : null;
    }
    const low = now[others.at(-1)] >= LITTLE[0] && now[others.at(-1)] <= LITTLE[1]; // there is room under it
    const done = ["squares-4", "sparsemax-4"].every((lamp) => out.includes(lamp));
    return low && !done ? { i: others.at(-1), text: "up a little", under: true } : null;
  }

  // --- drawing -----------------------------------------------------------------------------------
  const bars = glide((shown) => {
    const n = state.tokens.length;
    const [shift, now] = [shown[0], shown.slice(1, 1 + n)];
    row.draw(now, ...ROOM, shift);
    rig.draw(shift);
    if (next) badge.draw(row.depth(now[next.i], ROOM), next.under);
    rules.drawBars(shown.slice(1 + n, 4 + n), shown.slice(4 + n));
  }, CHANGE);
  const lights = glide((shown) => rules.drawLamps(shown), 1.5 * CHANGE);
  let lit = "";

  function update(jump) {
    const before = JSON.stringify([state.tokens, pair()]);
    state = read();
    const rebuilt = !row || JSON.stringify([state.tokens, pair()]) !== before;
    if (rebuilt) build();
    const { tokens, shift, was } = state;
    const now = withShift(state);
    const held = grabbed !== null;
    const failed = failedBy(was, now, pair()).filter((lamp) => !(held && lamp.endsWith("-4")));
    const out = inOrder([...state.out, ...failed]);
    const eachOf = (has) => RULES.map((rule) => LAMPS.filter((lamp) => lamp.startsWith(`${rule}-`)).map(has));
    const on = eachOf((lamp) => !out.includes(lamp));
    const [ratios, were] = [now, was].map((scores) => RULES.map((rule) => ratioUnder(rule, scores, pair())));
    const weights = RULES.map((rule) => weightsUnder(rule, now));
    row.show(tokens.map(() => 0)); // no shade: there are three rules
    rig.show(`${shift > 0 ? "+" : ""}${short(shift)} points for everybody`);
    const just = eachOf((lamp) => failed.includes(lamp));
    rules.show({ on, just, without: weights.map(withoutWeight), ratios, were });
    next = nextOf(now, out);
    rig.invite(Boolean(next?.all));
    badge.show(next?.all ? (next = null) : next);
    const told = (w, rule) => (w > 0 || rule === "softmax" ? weightText(w, true) : "0");
    table.show(now, weights.map((all, r) => all.map((w) => told(w, RULES[r]))));
    voice.say(lampsSentence({ tokens, was, now, out, pair: pair(), held }));
    const drawn = (ratio) => (Number.isNaN(ratio) ? 0 : Math.min(ratio, FAR));
    bars.to([shift, ...now, ...ratios.map(drawn), ...were.map(drawn)], jump || rebuilt);
    const goal = on.flat().map(Number);
    if (String(goal) !== lit || rebuilt) lights.to(goal, rebuilt);
    lit = String(goal);
  }

  update(true);
  return settle(el, model, { kind: "ws-lamps", traits: TRAITS, parts: [bars, lights, voice], follow });
}
