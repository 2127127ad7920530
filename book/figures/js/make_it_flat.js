// Make it flat: the reader bends the curve of a rule until the pen, which writes how many times “cat” gets the
// weight of “milk”, writes a flat line. What is left then is the slope of a straight line on log paper.
import { same } from "./address.js";
import { CHANGE, button, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { finding } from "./make_it_flat_finding.js";
import { bendKnob, combOf, digits, slopeKnob } from "./make_it_flat_handles.js";
import { factorAt, factorStyle, pullBadge, within } from "./make_it_flat_labels.js";
import {
  AT, FAR, SQUARES, alike, drawnLogs, factorsOf, judge, logCurve, logRatio, logsOf, penLine, slopeOf,
} from "./make_it_flat_math.js";
import { bending, sameRule } from "./make_it_flat_play.js";
import {
  GHOSTS, MIDDLE, PAPER, across, curvePaper, heightOf, penPaper, weightStrip,
} from "./make_it_flat_plots.js";
import {
  EQUAL, FOUND, LET_GO, NOTES, TASK, bendingSaid, factorTexts, goalSaid, slopeSaid, slopeText, stripSaid,
  timesText,
} from "./make_it_flat_words.js";
import { normalised, softmax } from "./math.js";
import { traitsOf } from "./traits.js";
import { short } from "./words.js";

const TRAITS = ["shares", "place", "beta"];
const RULES = {
  Squares: SQUARES, "A straight curve": [5, 10, 15, 20, 25], "A sudden step": [2.8, 3, 3.2, 24, 25],
};
const KNOBS = [1, 2, 3, 4];
const STEEPEST = 10;
const ENOUGH = 3; // tries, after which there is a way to give up

// What a link may set here.
render.fits = ({ shares, place, beta }) =>
  shares.every((share) => share > 0) && place >= 0 && place <= FAR &&
  (beta === null || (beta >= 0 && beta <= STEEPEST));

const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
const slopeEnd = (beta) => Math.min(5, MIDDLE + 2.6 / beta); // the score at which its knob is
const bentOf = (shares) => judge(penLine(logCurve(logsOf(shares)))) === "bent";

export function render({ model, el, page }) {
  const { read, change: put, reset, follow } = traitsOf(model, TRAITS, update);
  let state = read();
  let mine = false; // whether it is this view that changes the traits
  let turned = false; // whether the reader has turned the line, or the text has
  let heading = TASK; // null: found, and the paper says which
  const now = { logs: drawnLogs(state.shares), place: state.place, beta: 0, found: 0 };

  const voice = speaker();
  const kit = tools({ page, reset: start });
  const task = html("p", { class: "ws-ask" });
  const paper = curvePaper();
  const pen = penPaper();
  const strip = weightStrip();
  const factors = KNOBS.map(() => span("ws-factor"));
  const [pull, turnMe] = [pullBadge(), span("ws-call ws-turn-me", "turn me")];
  const [slopeLabel, times] = [span("ws-slope"), html("b", { class: "ws-value ws-times" })];
  const [axis, pin] = [span("ws-axis"), span("ws-pin")];
  const plot = html("div", { class: "ws-plot ws-curve-paper" });
  const size = () => plot.getBoundingClientRect();

  // --- what a reader does ------------------------------------------------------------------------
  function change(values, jump) {
    mine = true;
    put(values, jump);
    mine = false;
  }
  const play = bending({ state: () => state, change, pixels: () => size().height / 30 });
  function start() {
    play.forget();
    [turned, mine] = [false, true];
    reset();
    mine = false;
  }
  function pick(shares) {
    play.leave(shares);
    change({ shares, beta: null });
  }
  function giveUp() {
    const mean = (Math.log(state.shares[4]) - Math.log(state.shares[0])) / 4;
    change({ beta: Number((mean > 0.16 ? mean : Math.LN2).toFixed(3)) });
    slope.root.focus();
  }
  const slide = (to, jump) => change({ place: Number(within(to, 0, FAR).toFixed(2)) }, jump);
  const turn = (to, jump) => {
    turned = true;
    win.finish();
    change({ beta: Number(within(to, 0, STEEPEST).toFixed(2)) }, jump);
  };
  // The slope follows the pointer, as a lever that turns about the middle of the paper.
  function turnBy(from, dx, dy) {
    const { width, height } = size();
    const [point, unit] = [width * (across(1) - across(0)), height * (heightOf(0, 0, 1) - heightOf(1, 0, 1))];
    const points = slopeEnd(from) - MIDDLE;
    const [run, rise] = [Math.max(points + dx / point, 0.05), from * points - dy / unit];
    turn(Math.round((20 * rise) / run) / 20, true);
  }

  // --- the parts -----------------------------------------------------------------------------------
  const leave = (moved) => play.letGo(moved) || update(false);
  const knobs = KNOBS.map((k) => bendKnob(k, { take: play.take, move: play.bend, leave, step: play.step }));
  const slope = slopeKnob({
    take: () => (slope.from = now.beta), move: (dx, dy) => turnBy(slope.from, dx, dy), leave: () => {},
    set: (to) => turn(to, false), beta: () => slopeOf(state),
  });
  const comb = combOf({
    take: () => (comb.from = state.place), move: (dx) => slide(comb.from + (5 * dx) / size().width, true),
    leave: (moved, gone) => moved && gone && slide(comb.from, true), set: (to) => slide(to, false),
    place: () => state.place,
  });
  const showMe = button("Show me", giveUp);
  showMe.classList.add("ws-show-me");
  const boxes = [...knobs, slope].map(({ root }) => root);
  plot.append(...paper.parts, pin, ...factors, slopeLabel, ...boxes, pull.root);
  const left = html("div", { class: "ws-left" },
    html("div", { class: "ws-head" }, axis, span("ws-note", "that a word with this score gets")), plot,
    html("div", { class: "ws-rail" }, ...digits(), comb.root), strip.root);
  const right = html("div", { class: "ws-right" },
    html("div", { class: "ws-head" }, span("ws-writes", "“cat” gets ", times, " the weight of “milk”")),
    pen.root,
    html("div", { class: "ws-note ws-pen-note" }, ...["low", "high"].map((x) => span("", `row at ${x} scores`))),
    ...voice.parts);
  fill(el, task, html("div", { class: "ws-both" }, left, right), ...kit.parts);
  kit.parts[0].append(showMe);
  const rules = Object.entries(RULES).map(([name, shares]) => button(name, () => pick(shares)));
  kit.panel.append(
    html("div", { class: "ws-rules" }, ...rules), ...NOTES.map((note) => html("p", { class: "ws-small" }, note)),
    kit.options(), kit.status);

  // --- drawing -------------------------------------------------------------------------------------
  // The rules that stand behind in grey; on log paper also the one that was crooked to the last.
  function earlier() {
    const rule = state.shares;
    const all = [SQUARES, ...play.tries(), ...(now.found > 0 && bentOf(rule) ? [rule] : [])];
    const once = all.filter((one, i) => all.findIndex((other) => sameRule(one, other)) === i);
    const others = once.filter((one) => now.found > 0 || !sameRule(one, rule));
    return others.slice(-GHOSTS).map((shares) => logCurve(logsOf(shares)));
  }
  function draw() {
    const { logs, place, beta, found } = now;
    const [exact, log] = [within(found, 0, 1), within(found - 1, 0, 1)];
    const through = logCurve(logs);
    const curve = (s) => (exact < 1 ? (1 - exact) * through(s) : 0) + exact * beta * (s - 5);
    const ghosts = earlier();
    const height = paper.draw(curve, place, log, ghosts);
    pen.draw(curve, place, ghosts);
    strip.draw(normalised(AT.map((score) => Math.exp(curve(score + place) - curve(AT[2] + place)))));
    comb.at(place);
    KNOBS.forEach((k, i) => {
      const [y, at] = [height(k + 1), factorAt(height, k)];
      knobs[i].at(across(k + 1), within(y, -0.05, 1));
      knobs[i].root.classList.toggle("ws-off", y < -0.04);
      Object.assign(factors[i].style, factorStyle(at));
      factors[i].classList.toggle("ws-off", at.off);
    });
    const end = { x: across(slopeEnd(beta)), y: within(height(slopeEnd(beta)), 0, 1) };
    slope.at(end.x, end.y);
    Object.assign(slopeLabel.style, { left: `${100 * end.x}%`, top: `max(56px, ${100 * end.y}%)` });
    for (const one of [slope.root, slopeLabel, pin]) one.style.opacity = log;
    pin.style.top = `${100 * height(MIDDLE)}%`;
    axis.textContent = log > 0 ? "shares, on log paper" : "shares";
    task.textContent = heading ?? (log > 0 ? FOUND : EQUAL);
  }
  const motion = glide((shown) => {
    Object.assign(now, { logs: shown.slice(0, 5), place: shown[5], beta: shown[6] });
    draw();
  }, CHANGE);
  const win = finding((far) => {
    now.found = far;
    draw();
  });

  // What the knobs are called, and the factors between them.
  function tellFactors(shares, beta) {
    const found = beta !== null;
    const own = found ? KNOBS.map(() => Math.exp(beta)) : factorsOf(shares);
    const texts = factorTexts(own);
    own.forEach((x, i) => {
      factors[i].textContent = texts[i];
      factors[i].classList.toggle("ws-alike", own.some((other, j) => j !== i && alike(other, x)));
      knobs[i].show(0.125, 40, Number(x.toPrecision(3)), `${texts[i].slice(1)} times the share at ${i + 1}`);
      knobs[i].root.hidden = found;
    });
  }
  function tellSlope(beta) {
    const text = `β = ${slopeText(beta ?? 0)}`;
    for (const one of [slope.root, slopeLabel, pin]) one.hidden = beta === null;
    slope.show(0, STEEPEST, beta ?? 0, text);
    slopeLabel.replaceChildren(turnMe, html("b", {}, text));
  }
  // One badge at a time: at the knob that is furthest off, until the line is flat; then at the line's own.
  function tellNext(won, { shares }) {
    const k = won || play.holds() ? pull.hide() : pull.show(shares);
    turnMe.hidden = !won || turned;
    knobs.forEach((knob, i) => knob.call(KNOBS[i] === k));
    slope.call(!turnMe.hidden);
  }
  // The words and numbers of this state.
  function tell(beta, line) {
    const { shares, place } = state;
    const tries = play.tries().length;
    const curve = beta === null ? logCurve(logsOf(shares)) : (s) => beta * s;
    const ratio = Math.exp(logRatio(curve, place));
    const weights = softmax(AT.map((score) => curve(score + place)));
    const [found, flat] = [beta !== null, judge(line) === "flat"];
    heading = found ? null : flat ? LET_GO : TASK;
    el.classList.toggle("ws-found", found);
    el.classList.toggle("ws-level-now", found || flat);
    const touched = tries > 0 || play.holds() || !sameRule(shares, SQUARES);
    el.classList.toggle("ws-touched", touched);
    times.textContent = `${timesText(ratio)}×`;
    voice.say(found
      ? slopeSaid(beta, weights, ratio, Math.exp(PAPER.high))
      : bendingSaid(shares, line, touched));
    showMe.hidden = found || tries < ENOUGH;
    strip.name(stripSaid(weights), weights);
    comb.show(0, FAR, place, `“cat” at score ${short(AT[2] + place)}, ${timesText(ratio)} times “milk”`);
    tellFactors(shares, beta);
    tellSlope(beta);
    tellNext(found, state);
    const seen = drawnLogs(shares).map((y) => short(25 * Math.exp(y))).join(", ");
    const straight = `a straight line on log paper, of slope ${slopeText(beta ?? 0)}`;
    paper.name(found ? straight : `shares ${seen} at the scores 1 to 5`);
    const ends = [line[0], line.at(-1)].map((y) => timesText(Math.exp(y)));
    const level = `a flat line at ${timesText(ratio)}`;
    pen.name(found ? level : `“cat” : “milk”, from ${ends[0]} to ${ends[1]}`, goalSaid(found, ratio));
  }

  function update(jump) {
    state = read();
    const begun = model.get("start");
    if (begun && TRAITS.every((key) => same(begun[key], state[key]))) play.forget();
    const focused = boxes.includes(document.activeElement);
    const logs = logsOf(state.shares);
    const beta = play.holds() ? null : slopeOf(state);
    tell(beta, penLine(logCurve(logs)));
    if (beta !== null && focused) slope.root.focus();
    motion.to([...drawnLogs(state.shares, play.top()), state.place, beta ?? (logs[4] - logs[0]) / 4], jump);
    win.to(beta !== null, mine, jump);
  }
  // A phrase of the text, or a kernel: what has been there becomes an earlier try.
  function hear() {
    if (mine) return;
    play.leave(read().shares);
    if (slopeOf(state) !== null && read().beta !== null) turned = true;
    follow();
  }

  update(true);
  return settle(el, model, { kind: "ws-flat", traits: TRAITS, parts: [motion, win, voice], follow: hear });
}
