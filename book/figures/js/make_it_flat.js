// Make it flat: the reader bends the curve of a rule until the pen, which writes “cat” : “milk”, writes a flat line.
// What is left then is the slope of a straight line on log paper.
import { CHANGE, button, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { bendKnob, combOf, digits, slopeKnob } from "./make_it_flat_handles.js";
import {
  AT, FAR, SQUARES, bent, caught, drawnLogs, factorsOf, judge, logCurve, logRatio, logsOf, penLine, scaled, slopeOf,
  stepped,
} from "./make_it_flat_math.js";
import { GHOSTS, MIDDLE, PAPER, across, curvePaper, heightOf, penPaper, weightStrip } from "./make_it_flat_plots.js";
import {
  FOUND, LET_GO, NOTES, TASK, bendingSaid, factorText, slopeSaid, slopeText, stripSaid, timesText,
} from "./make_it_flat_words.js";
import { normalised, softmax } from "./math.js";
import { traitsOf } from "./traits.js";
import { short } from "./words.js";

const TRAITS = ["shares", "place", "beta"];
const RULES = { Squares: SQUARES, "A straight curve": [5, 10, 15, 20, 25], "A sudden step": [2.8, 3, 3.2, 24, 25] };
const KNOBS = [1, 2, 3, 4];
const STEEPEST = 10;
const REACH = 9; // pixels, within which a knob snaps to the factor of another step
const FOUND_IN = 1500; // milliseconds: the curve becomes the exponential, then log paper comes on
const HIGHEST = 25 / 29; // the highest share at rest, over that of a knob that is pulled above the paper
const ENOUGH = 3; // tries, after which there is a hint, and a way to give up

// What a link may set here.
render.fits = ({ shares, place, beta }) =>
  shares.every((share) => share > 0) && place >= 0 && place <= FAR && (beta === null || (beta >= 0 && beta <= STEEPEST));

const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
const within = (x, low, high) => Math.min(high, Math.max(low, x));
const part = (p, from, to) => within((p - from) / (to - from), 0, 1);
const sameRule = (a, b) => factorsOf(a).every((x, i) => Math.abs(Math.log(x / factorsOf(b)[i])) < 1e-4);

export function render({ model, el, page }) {
  const { read, change: put, reset, follow } = traitsOf(model, TRAITS, update);
  let state = read();
  let held = null; // of the knob that a pointer holds: the shares where it was taken, and the height of the paper
  let series = null; // the knob that keys are bending: many presses are one try
  let tries = []; // earlier shares
  let turned = false;
  let mine = false; // whether it is this view that changes the traits
  const now = { logs: drawnLogs(state.shares), place: state.place, beta: 0, found: 0 };

  const voice = speaker();
  const kit = tools({ page, reset: () => forget(reset) });
  const task = html("p", { class: "ws-ask" });
  const paper = curvePaper();
  const pen = penPaper();
  const strip = weightStrip();
  const factors = KNOBS.map(() => span("ws-factor"));
  const [dragMe, slideMe] = [span("ws-hint ws-drag-me", "drag me"), span("ws-hint ws-slide-me", "slide me")];
  const [slopeLabel, times] = [span("ws-slope"), html("b", { class: "ws-times" })];
  const [axis, pin, squares] = [span("ws-axis"), span("ws-pin"), span("ws-of-squares", "squares")];
  const plot = html("div", { class: "ws-plot ws-curve-paper" });
  const size = () => plot.getBoundingClientRect();

  // --- what a reader does ------------------------------------------------------------------------
  function change(values, jump) {
    mine = true;
    put(values, jump);
    mine = false;
  }
  const remember = (shares) => {
    tries = [...tries.filter((one) => !sameRule(one, shares)), shares].slice(-GHOSTS);
  };
  function forget(go) {
    [tries, series, turned, mine] = [[], null, false, true];
    go();
    mine = false;
  }
  function take(k) {
    const { shares } = state;
    held = { shares, top: Math.max(...shares), seen: Math.max(...shares), k };
    series = null;
  }
  function bend(k, dy) {
    const { shares, top } = held;
    const [own, before] = [shares[k], shares[k - 1]].map((one) => (25 * one) / top);
    const pixels = size().height / 30; // of a share
    const wanted = within((own - dy / pixels) / before, 1 / 8, 40);
    const factor = caught(shares, k, wanted, (a, b) => Math.abs(a - b) * before * pixels, REACH);
    const next = bent(shares, k, (factor * before) / own);
    held.seen = Math.max(top, next[k] * HIGHEST); // what is held stays on the paper, and the rest sinks
    change({ shares: next }, true);
  }
  function letGo(moved) {
    const { shares } = held;
    held = null;
    if (!moved) return update(false);
    remember(shares);
    settled(scaled(state.shares));
  }
  // The curve is let go: either its line is flat, or it waits for the next try.
  function settled(shares) {
    const beta = slopeOf({ shares, beta: null });
    const focused = knobs.some(({ root }) => root === document.activeElement);
    change(beta === null ? { shares } : { shares, beta: Number(beta.toFixed(3)) });
    if (beta !== null && focused) slope.root.focus();
  }
  function step(k, by) {
    if (series !== k) remember(state.shares);
    series = k;
    const factor = stepped(state.shares, k, by);
    settled(scaled(bent(state.shares, k, within(factor, 1 / 8, 40) / factorsOf(state.shares)[k - 1])));
  }
  function giveUp() {
    const mean = (Math.log(state.shares[4]) - Math.log(state.shares[0])) / 4;
    change({ beta: Number((mean > 0.16 ? mean : Math.LN2).toFixed(3)) });
    slope.root.focus();
  }
  function pick(shares) {
    if (!sameRule(shares, state.shares)) remember(state.shares);
    series = null;
    change({ shares, beta: null });
  }
  const slide = (to, jump) => {
    slideMe.hidden = true;
    change({ place: Number(within(to, 0, FAR).toFixed(2)) }, jump);
  };
  const turn = (to, jump) => {
    turned = true;
    change({ beta: Number(within(to, 0, STEEPEST).toFixed(2)) }, jump);
  };
  // The slope follows the pointer as a lever that turns about the middle of the paper.
  const lever = { beta: 0 };
  function turnBy(dx, dy) {
    const { width, height } = size();
    const [point, unit] = [width * (across(1) - across(0)), height * (heightOf(0, 0, 1) - heightOf(1, 0, 1))];
    const points = slopeEnd(lever.beta) - MIDDLE;
    const [run, rise] = [Math.max(points + dx / point, 0.05), lever.beta * points - dy / unit];
    turn(Math.round((20 * rise) / run) / 20, true);
  }

  // --- the parts -----------------------------------------------------------------------------------
  const knobs = KNOBS.map((k) => bendKnob(k, { take, move: bend, leave: letGo, step }));
  const slope = slopeKnob({
    take: () => (lever.beta = now.beta), move: turnBy, leave: () => {}, set: (to) => turn(to, false),
    beta: () => slopeOf(state),
  });
  const comb = combOf({
    take: () => (comb.from = state.place), move: (dx) => slide(comb.from + (5 * dx) / size().width, true),
    leave: (moved, gone) => moved && gone && slide(comb.from, true), set: (to) => slide(to, false), place: () => state.place,
  });
  const showMe = button("Show me", giveUp);
  showMe.classList.add("ws-show-me");
  plot.append(
    ...paper.parts, pin, squares, ...factors, dragMe, slopeLabel, ...knobs.map(({ root }) => root), slope.root,
  );
  const left = html("div", { class: "ws-left" },
    html("div", { class: "ws-head" }, axis, span("ws-note", "that a word with this score gets")),
    plot,
    html("div", { class: "ws-rail" }, ...digits(), comb.root, slideMe), strip.root);
  const right = html("div", { class: "ws-right" },
    html("div", { class: "ws-head" }, span("ws-writes", "“cat” gets ", times, " the weight of “milk”")),
    pen.root, html("div", { class: "ws-pen-note" }, "where the row stands →"), ...voice.parts);
  fill(el, task, html("div", { class: "ws-both" }, left, right), ...kit.parts);
  kit.parts[0].append(showMe);
  const rules = Object.entries(RULES).map(([name, shares]) => button(name, () => pick(shares)));
  kit.panel.append(
    html("div", { class: "ws-rules" }, ...rules), ...NOTES.map((note) => html("p", { class: "ws-small" }, note)),
    kit.options(), kit.status);

  // --- drawing -------------------------------------------------------------------------------------
  const slopeEnd = (beta) => Math.min(5, MIDDLE + 2.6 / beta); // the score at which its knob is
  function draw() {
    const { logs, place, beta, found } = now;
    const [exact, log] = [part(found, 0, 0.4), part(found, 0.35, 1)];
    const through = logCurve(logs);
    const curve = exact === 0 ? through : (s) =>
      (exact < 1 ? (1 - exact) * through(s) : 0) + exact * beta * (s - 5);
    const rule = state.shares;
    const last = found > 0 && judge(penLine(logCurve(logsOf(rule)))) === "bent" ? [rule] : [];
    const ghosts = [SQUARES, ...tries, ...last].filter(
      (one, i, all) => all.findIndex((other) => sameRule(one, other)) === i && (found > 0 || !sameRule(one, rule)));
    const earlier = ghosts.slice(0, GHOSTS).map((shares) => logCurve(logsOf(shares)));
    const height = paper.draw(curve, place, log, earlier);
    pen.draw(curve, place, earlier);
    strip.draw(normalised(AT.map((score) => Math.exp(curve(score + place) - curve(AT[2] + place)))));
    comb.at(place);
    slideMe.style.left = `${20 * place + 39}%`;
    KNOBS.forEach((k, i) => {
      const [y, half] = [height(k + 1), height(k + 0.5)];
      knobs[i].at(across(k + 1), within(y, -0.05, 1));
      knobs[i].root.classList.toggle("ws-off", y < -0.04);
      factors[i].style.left = `${100 * across(k + 0.5)}%`;
      factors[i].style.top = `${100 * within(half, 0.06, 1)}%`;
      const steep = within((height(k) - y) / 0.12, -1, 1); // over the curve, or beside it, where it is steep
      factors[i].style.transform =
        `translate(calc(-50% - ${50 * steep}% - ${6 * steep}px), calc(-100% - ${9 - 6 * Math.abs(steep)}px))`;
      factors[i].classList.toggle("ws-off", half < 0);
    });
    const end = slopeEnd(beta);
    const [x, y] = [across(end), within(height(end), 0, 1)];
    slope.at(x, y);
    slopeLabel.style.left = `${100 * x}%`;
    slopeLabel.style.top = `${100 * y}%`;
    pin.style.top = `${100 * height(MIDDLE)}%`;
    squares.style.opacity = log;
  }
  const motion = glide((shown) => {
    Object.assign(now, { logs: shown.slice(0, 5), place: shown[5], beta: shown[6] });
    draw();
  }, CHANGE);
  const finding = glide(([found]) => {
    now.found = found;
    draw();
  }, FOUND_IN);

  // The words and numbers of this state.
  function tell(beta, line) {
    const { shares, place } = state;
    const curve = beta === null ? logCurve(logsOf(shares)) : (s) => beta * s;
    const ratio = Math.exp(logRatio(curve, place));
    const weights = softmax(AT.map((score) => curve(score + place)));
    const [found, verdict] = [beta !== null, judge(line)];
    task.textContent = found ? FOUND : verdict === "flat" ? LET_GO : TASK;
    el.classList.toggle("ws-found", found);
    el.classList.toggle("ws-level-now", found || verdict === "flat");
    el.classList.toggle("ws-touched", tries.length > 0 || held !== null || !sameRule(shares, SQUARES));
    times.textContent = `${timesText(ratio)} ×`;
    voice.say(found
      ? slopeSaid(beta, weights, ratio, Math.exp(PAPER.high))
      : bendingSaid(shares, line, tries.length >= ENOUGH));
    showMe.hidden = found || tries.length < ENOUGH;
    strip.name(stripSaid(weights), weights);
    comb.show(0, FAR, place, `“cat” at score ${short(AT[2] + place)}, ${timesText(ratio)} times “milk”`);
    const own = factorsOf(shares);
    factors.forEach((label, i) => {
      label.textContent = factorText(own[i]);
      label.classList.toggle("ws-alike", own.some((x, j) => j !== i && Math.abs(Math.log(x / own[i])) < 0.005));
      knobs[i].show(0.125, 40, Number(own[i].toPrecision(3)), `${factorText(own[i]).slice(1)} times the share at ${i + 1}`);
      knobs[i].root.hidden = found;
    });
    slope.root.hidden = slopeLabel.hidden = pin.hidden = squares.hidden = !found;
    axis.textContent = found ? "shares, on log paper" : "shares";
    slope.show(0, STEEPEST, beta ?? 0, `β = ${slopeText(beta ?? 0)}`);
    slopeLabel.replaceChildren(...(turned ? [] : [span("ws-turn-me", "turn me")]), html("b", {}, `β = ${slopeText(beta ?? 0)}`));
    const seen = drawnLogs(shares).map((y) => short(25 * Math.exp(y))).join(", ");
    paper.name(found ? `a straight line on log paper, of slope ${slopeText(beta)}` : `shares ${seen} at the scores 1 to 5`);
    const ends = [line[0], line.at(-1)].map((y) => timesText(Math.exp(y)));
    pen.name(found ? `a flat line at ${timesText(ratio)}` : `“cat” : “milk”, from ${ends[0]} to ${ends[1]}`);
  }

  function update(jump) {
    state = read();
    const start = model.get("start");
    if (start && TRAITS.every((key) => JSON.stringify(start[key]) === JSON.stringify(state[key]))) tries = [];
    const logs = logsOf(state.shares);
    const beta = held ? null : slopeOf(state);
    tell(beta, penLine(logCurve(logs)));
    motion.to([...drawnLogs(state.shares, held?.seen), state.place, beta ?? (logs[4] - logs[0]) / 4], jump);
    const goal = Number(beta !== null);
    if (goal !== finding.goal) finding.to([goal], finding.goal === undefined);
    finding.goal = goal;
  }
  // A phrase of the text, or a kernel: what has been there becomes an earlier try.
  function hear() {
    if (mine) return;
    if (!sameRule(state.shares, read().shares)) remember(state.shares);
    series = null;
    follow();
  }

  update(true);
  return settle(el, model, { kind: "ws-flat", traits: TRAITS, parts: [motion, finding, voice], follow: hear });
}
