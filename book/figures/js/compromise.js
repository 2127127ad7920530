// The compromise: three tokens, every choice of weights a point of a triangle. What is kept there makes it a hill,
// which the reader climbs by dragging a point.
import { budgetSlider } from "./budget_slider.js";
import { choice, shareTable } from "./choices.js";
import {
  KINDS, betterPin, nearTop, pointOf, route, solve, standing, within, worthOf,
} from "./compromise_answer.js";
import { ledger } from "./compromise_bars.js";
import { hillMarks, put } from "./compromise_marks.js";
import { AT_REST, compromise, points } from "./compromise_words.js";
import { CHANGE, button, fill, glide, html, readings, settle, speaker, svg, tools, uid } from "./controls.js";
import { CORNERS, EDGE, LAYERS, hill, outlines, straight } from "./hill.js";
import { bregman, dot, entmax, normalised } from "./math.js";
import { priceSlider, priceText } from "./price_slider.js";
import { fromJson, traitsOf } from "./traits.js";
import { SIDE, TALL, knob, polyline, withShare } from "./triangle.js";
import { amount, fixed, percent, scoreText } from "./words.js";

const HILL = ["tokens", "scores", "prior", "beta", "epsilon", "mode", "divergence"];
const TRAITS = [...HILL, "point", "pin", "top"];
const LINES = ["spoke", "ball", "touch", "casing", "way", "gone", "edge", "lead", "best"];
const STALLED = 3; // tries without gain, after which the top is offered
const SPOKE = 13; // pixels: how thick the line to a corner is at a weight of 100%

const span = (kind, ...inside) => html("span", { class: kind }, ...inside);

// What a link may set here: no negative β, and no null with a share of 0, which lies on an edge.
render.fits = ({ beta, prior }) => !(fromJson(beta) < 0) && !(prior && prior.some((u) => u <= 0));

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  let state = read();
  let built = null;
  let drawn = ""; // the hill that is drawn
  let [hasBegun, isPending] = [false, false]; // the climb; and the price waits to be changed
  let priced = false; // whether the reader has changed the price
  let tries = { best: -Infinity, idle: 0 }; // the best at the last try, and how many since have found no better

  // What was found at one price says nothing at another: with the hill the pin goes.
  const move = (values, jump) => {
    tries = { best: -Infinity, idle: 0 };
    change({ pin: null, ...values }, jump);
  };
  const bestKept = (beta) => standing(normalised(betterPin(state, beta) ?? pointOf(state)), state, beta).kept;
  // The point has been let go.
  function tried() {
    const best = bestKept(solve(state).beta);
    tries = { best, idle: best > tries.best + 1e-9 ? 0 : tries.idle + 1 };
    offerTop();
  }
  // The top is offered to whoever is near it, or stuck.
  function offerTop() {
    const answer = solve(state);
    const ready = tries.idle >= STALLED || nearTop(state, bestKept(answer.beta), answer);
    summit.classList.toggle("ws-meant", isPending && hasBegun && state.top !== "shown" && ready);
  }
  function setBeta(beta, jump) {
    priced ||= beta >= 0;
    if (beta >= 0) return move({ beta }, jump);
    kit.note("A claim has a price here, so β is 0 or more.");
    update(true);
  }
  // A change of mode keeps the top: a price becomes the budget that it spends, a budget becomes its price.
  const pickMode = (mode) => {
    const { beta, spent } = solve(state);
    move(mode === "budget" ? { mode, epsilon: spent } : { mode, beta });
  };
  const pickDivergence = (divergence) => {
    const { beta, u } = solve(state);
    const { alpha } = KINDS[divergence];
    move({ divergence, epsilon: bregman(entmax(state.scores, beta, alpha, { prior: u }), u, alpha) });
  };
  // The pin stays at the best of all points that were visited, this one included.
  function goTo(point, jump) {
    const { beta } = solve(state);
    const left = betterPin(state, beta) ?? pointOf(state);
    change({ point, pin: betterPin({ ...state, point, pin: left }, beta) }, jump);
  }

  // --- the parts -------------------------------------------------------------------------------
  const bands = Array.from({ length: LAYERS + 1 }, (_, k) =>
    svg("path", { class: "ws-band", style: `--ws-up:${k / LAYERS}` }));
  bands[0].setAttribute("d", EDGE);
  const line = Object.fromEntries(LINES.map((kind) => [kind, svg("path", { class: `ws-${kind}` })]));
  line.edge.setAttribute("d", EDGE);
  const spokes = CORNERS.map(() => svg("path", { class: "ws-arc" }));
  // Neither a thick line nor the shadow of a band goes beyond the triangle.
  const inside_ = uid();
  const clip = svg("clipPath", { id: inside_ }, svg("path", { d: EDGE }));
  const clipped = { "clip-path": `url(#${inside_})` };
  for (const kind of ["casing", "way", "gone"]) line[kind].setAttribute("clip-path", clipped["clip-path"]);
  line.spoke = svg("g", { class: "ws-spokes", ...clipped }, ...spokes);
  const box = { class: "ws-svg", viewBox: `0 0 ${SIDE} ${TALL}`, role: "img" };
  const picture = svg("svg", box, clip, svg("g", clipped, ...bands), ...LINES.map((kind) => line[kind]));
  const plot = html("div", { class: "ws-plot ws-simplex" });
  const wayName = html("span", { class: "ws-way-name", "aria-hidden": "true" });
  const marks = hillMarks();
  const bars = ledger();
  const names = readings(["expected score", "price 1/β", "divergence", "what is left, J"]);
  const measure = names.root.children[2].firstChild;
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      tries = { best: -Infinity, idle: 0 };
      reset();
    },
  });
  const mode = choice("what is given", { price: "price 1/β", budget: "budget ε" }, pickMode);
  const kinds = Object.fromEntries(Object.entries(KINDS).map(([kind, { name }]) => [kind, name]));
  const divergence = choice("divergence", kinds, pickDivergence);
  const price = priceSlider(setBeta, kit.note);
  const priceMe = html("span", { class: "ws-call ws-price-me", "aria-hidden": "true" }, "change the price");
  price.root.firstChild.append(priceMe);
  const budget = budgetSlider((epsilon, jump) => move({ epsilon }, jump), kit.note);
  const summit = button("show the top", () => change({ top: state.top === "shown" ? "hidden" : "shown" }));
  summit.classList.add("ws-summit");
  kit.parts[0].replaceChildren(summit, ...kit.parts[0].children);
  const beside = html("div", { class: "ws-beside" },
    bars.root, price.root, budget.root, ...voice.parts);
  const inside = [html("div", { class: "ws-climb" }, plot, beside), ...kit.parts];

  function build({ tokens }) {
    const corners = tokens.map((token) => {
      const [score, weight] = [html("small"), html("b")];
      const root = html(
        "div", { class: "ws-corner", "aria-hidden": "true" }, span("ws-token", token), score, weight,
      );
      return { root, score, weight };
    });
    const mine = knob("your weights", goTo);
    for (const end of ["pointerup", "keyup"]) mine.root.addEventListener(end, tried);
    const setScore = (i, x) => move({ scores: state.scores.map((s, j) => (j === i ? x : s)) });
    const setShare = (i, x) => move({ prior: withShare(solve(state).u, i, x) });
    const numbers = shareTable(tokens, setScore, setShare, kit.note);
    plot.replaceChildren(
      picture, ...corners.map((corner) => corner.root), wayName, marks.root, mine.root);
    kit.panel.replaceChildren(
      mode.root, divergence.root, kit.options(price.typed, budget.typed), kit.status, names.root, numbers.root);
    return { corners, mine, numbers };
  }

  // --- drawing -----------------------------------------------------------------------------------
  const draw = (kind, path) => line[kind].setAttribute("d", path);

  function drawHill(u, scores, beta, alpha, epsilon) {
    const pi = entmax(scores, beta, alpha, { prior: u });
    const given = state.mode === "budget";
    const worth = worthOf({ ...state, scores }, beta, u);
    const peak = given ? entmax(scores, Infinity, alpha, { prior: u }) : pi;
    hill(peak, worth).forEach((path, k) => bands[k + 1].setAttribute("d", path));
    const cost = (p) => -bregman(p, u, alpha);
    draw("ball", given ? outlines(u, cost, [-epsilon])[0] : "");
    const shown = state.top === "shown";
    draw("touch", given && shown ? straight(scores, dot(pi, scores)) : "");
    const way = shown ? route(scores, alpha, u) : [];
    draw("way", shown ? polyline(way.map((step) => step.pi)) : "");
    draw("casing", shown ? polyline(way.map((step) => step.pi)) : "");
    draw("gone", shown ? polyline([...way.filter((step) => step.beta < beta).map((step) => step.pi), pi]) : "");
    draw("best", shown ? `${polyline([pi])}h.1` : "");
    const lead = marks.atTop(pi);
    draw("lead", shown ? lead : "");
  }

  // The point glides, and what defines the hill: null, scores, β/(1 + β), α and ε. So each frame shows a true top.
  const motion = glide((shown) => {
    const [p, u, scores] = [shown.slice(0, 3), shown.slice(3, 6), shown.slice(6, 9)];
    const [share, alpha, epsilon] = shown.slice(9);
    const beta = share === 1 ? Infinity : share / (1 - share);
    const same = [...shown.slice(3), state.mode, state.top].join();
    if (same !== drawn) drawHill(u, scores, beta, alpha, epsilon);
    drawn = same;
    spokes.forEach((spoke, i) => {
      spoke.setAttribute("d", polyline([p, CORNERS[i]]));
      spoke.setAttribute("stroke-width", SPOKE * p[i]);
    });
    put(built.mine.root, p);
    marks.atPoint(p);
    const { gain, left, beta: at } = solve(state);
    const given = state.mode === "budget";
    const pin = betterPin(state, at);
    const best = standing(pin ? normalised(pin) : p, state, at);
    bars.draw({
      ...state, now: standing(p, { ...state, scores, prior: u }, beta), epsilon,
      best: within(state, best) ? (given ? best.earned : best.kept) : null,
      top: state.top === "shown" ? (given ? gain : left) : null,
      room: Math.max(...CORNERS.map((corner) => bregman(corner, u, alpha))),
    });
  }, CHANGE);

  function update(jump) {
    const next = read();
    const renamed = !built || next.tokens.join("\n") !== state.tokens.join("\n");
    state = next;
    if (renamed) built = build(state);
    const kind = KINDS[state.divergence];
    const { u, beta, pi, spent, gain, limit, left } = solve(state);
    const [p, pin, given] = [pointOf(state), betterPin(state, beta), state.mode === "budget"];
    const now = standing(p, state, beta);
    const found = pin ? standing(normalised(pin), state, beta) : now;
    el.dataset.divergence = state.divergence;
    el.dataset.mode = state.mode;
    built.corners.forEach(({ score, weight }, i) => {
      score.textContent = `${scoreText(state.scores[i])} points`;
      weight.textContent = percent(p[i]);
      weight.classList.toggle("ws-none", p[i] === 0);
    });
    const texts = [
      points(now.earned), given ? fixed(now.spent, 3) : points(now.paid),
      given ? (state.epsilon === Infinity ? "∞" : fixed(state.epsilon, 3)) : points(now.kept),
      within(state, found) ? points(given ? found.earned : found.kept) : null,
      state.top === "shown" ? points(given ? gain : left) : null,
    ];
    const start = model.get("start");
    const still = JSON.stringify([state.point, state.pin]) === JSON.stringify([start.point, start.pin]);
    hasBegun = !still || state.pin !== null || state.top === "shown";
    el.classList.toggle("ws-begun", hasBegun);
    bars.show(state.mode, texts);
    marks.show({ state, still, p, u, pi, pin, texts });
    // What is next: to see the top, and then what another price does.
    const shown = state.top === "shown";
    isPending = !given && !priced && state.beta === fromJson(start.beta);
    offerTop();
    priceMe.hidden = !(isPending && shown);
    wayName.textContent = state.top === "shown" ? `the top at other ${given ? "budgets" : "prices"}` : "";
    summit.textContent = state.top === "shown" ? "hide the top" : "show the top";
    const said = (weights) => state.tokens.map((token, i) => `${token} ${percent(weights[i])}`).join(", ");
    built.mine.show(p, u, `${said(p)}: ${given ? "earns" : "keeps"} ${texts[given ? 0 : 2]}`);
    built.numbers.show(state.scores, u, pi);
    picture.setAttribute("aria-label", `your weights: ${said(p)}`);
    measure.textContent = kind.symbol;
    names.show([
      [amount(gain), "points"], [priceText(beta), `points a ${kind.one}`], [fixed(spent, 2), kind.unit],
      [amount(left), "points"],
    ]);
    voice.say(hasBegun || given || state.point === null ? compromise(state) : AT_REST);
    mode.show(state.mode);
    divergence.show(state.divergence);
    price.show(state.beta);
    budget.show({ ...state, beta, limit, unit: kind.unit, least: kind.top });
    const share = beta === Infinity ? 1 : beta / (1 + beta);
    motion.to([...p, ...u, ...state.scores, share, kind.alpha, Math.min(state.epsilon, 1e9)], jump || renamed);
  }

  await page?.pause(0);
  fill(el, ...inside);
  const leave = settle(el, model, { kind: "ws-compromise", traits: TRAITS, parts: [motion, voice], follow });
  update(true);
  return leave;
}
