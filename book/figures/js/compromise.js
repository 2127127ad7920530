// The compromise: three tokens, every choice of weights a point of a triangle, and the best of these points.
import { betaSlider } from "./beta_slider.js";
import { budgetSlider } from "./budget_slider.js";
import { choice, shareTable } from "./choices.js";
import { glide, hint, html, readings, settle, speaker, svg, tools } from "./controls.js";
import { KINDS, compromise, route, solve } from "./compromise_answer.js";
import { bregman, dot, entmax } from "./math.js";
import { fromJson, traitsOf } from "./traits.js";
import { GRID, SIDE, TALL, contours, place, point, polyline, withShare } from "./triangle.js";
import { amount, fixed, percent, scoreText, steady } from "./words.js";

const TRAITS = ["tokens", "scores", "prior", "beta", "epsilon", "mode", "divergence"];
const LINES = ["edge", "level", "ball", "touch", "way", "gone", "best"];
const ROOM = 0.24; // for the name of a point beside it, as a share of the side
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const KEYS = { price: [["level", "equally good"]], budget: [["ball", "the budget"], ["touch", "equal score"]] };

const span = (kind, ...inside) => html("span", { class: kind }, ...inside);

// What a link may set here: no negative β, and no null with a share of 0, which lies on an edge.
render.fits = ({ beta, prior }) => !(fromJson(beta) < 0) && !(prior && prior.some((u) => u <= 0));

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  let state = read();
  let built = null;

  function setBeta(beta, jump) {
    if (beta >= 0) return change({ beta }, jump);
    kit.note("Divergence is paid for here, so β is 0 or more.");
    update(true);
  }
  // A change of mode keeps the best point: a price becomes the budget that it spends, a budget becomes its price.
  const pickMode = (mode) => {
    const { beta, spent } = solve(state);
    change(mode === "budget" ? { mode, epsilon: spent } : { mode, beta });
  };
  const pickDivergence = (divergence) => {
    const { beta, u } = solve(state);
    const { alpha } = KINDS[divergence];
    change({ divergence, epsilon: bregman(entmax(state.scores, beta, alpha, { prior: u }), u, alpha) });
  };

  // --- the parts -------------------------------------------------------------------------------
  const line = Object.fromEntries(LINES.map((kind) => [kind, svg("path", { class: `ws-${kind}` })]));
  line.edge.setAttribute("d", `${polyline([[1, 0, 0], [0, 1, 0], [0, 0, 1]])}Z`);
  const box = { class: "ws-svg", viewBox: `0 0 ${SIDE} ${TALL}`, role: "img" };
  const picture = svg("svg", box, ...Object.values(line));
  const plot = html("div", { class: "ws-plot ws-simplex" });
  const tag = (kind, word, symbol) =>
    html(
      "span", { class: `ws-tag ws-${kind}`, "aria-hidden": "true" }, span("ws-wide", word), html("i", {}, symbol),
    );
  const tags = { null: tag("of-null", "null ", "u"), best: tag("of-best", "best ", "π") };
  const key = span("ws-aside");
  const names = readings(["expected score", "price 1/β", "divergence", "what is left, J"]);
  const measure = names.root.children[2].firstChild;
  const voice = speaker();
  const kit = tools({ reset, page });
  const mode = choice("what is given", { price: "price 1/β", budget: "budget ε" }, pickMode);
  const kinds = Object.fromEntries(Object.entries(KINDS).map(([kind, { name }]) => [kind, name]));
  const divergence = choice("divergence", kinds, pickDivergence);
  const price = betaSlider(setBeta, kit.note, { inverse: "price" });
  const budget = budgetSlider((epsilon, jump) => change({ epsilon }, jump), kit.note);
  const moves = hint("move β");
  const inside = [
    html("div", { class: "ws-head" },
      span("ws-axis", "weights ", html("i", {}, "π")), span("ws-note", "each corner one token"),
      key, moves),
    plot, price.root, budget.root, ...voice.parts, ...kit.parts];

  function build({ tokens }) {
    const corners = tokens.map((token) => {
      const [score, weight] = [html("small"), html("b")];
      const root = html(
        "div", { class: "ws-corner", "aria-hidden": "true" }, span("ws-token", token), score, weight,
      );
      return { root, score, weight };
    });
    const u = point("null u", tokens, (prior, jump) => change({ prior }, jump));
    const setScore = (i, x) => change({ scores: state.scores.map((s, j) => (j === i ? x : s)) });
    const setShare = (i, x) => change({ prior: withShare(solve(state).u, i, x) });
    const numbers = shareTable(tokens, setScore, setShare, kit.note);
    plot.replaceChildren(picture, ...corners.map((corner) => corner.root), tags.null, tags.best, u.root);
    kit.panel.replaceChildren(
      mode.root, divergence.root, kit.options(price.typed, budget.typed), kit.status, names.root, numbers.root);
    return { corners, u, numbers };
  }

  // --- drawing -----------------------------------------------------------------------------------
  // The quantities that define the problem glide: null, scores, β/(1 + β), α and ε. So
  // each frame shows a true optimum.
  const motion = glide(([u0, u1, u2, s0, s1, s2, share, alpha, epsilon]) => {
    const [u, scores] = [[u0, u1, u2], [s0, s1, s2]];
    const beta = share === 1 ? Infinity : share / (1 - share);
    const pi = entmax(scores, beta, alpha, { prior: u });
    // Curves of equal J; of equal βJ for β < 1, since J is infinite at β = 0.
    const [gain, cost] = beta < 1 ? [beta, 1] : [1, 1 / beta];
    const costs = GRID.map((p) => bregman(p, u, alpha));
    const gains = GRID.map((p) => dot(p, scores));
    const steps = (values, best) => TENTHS.map((t) => best + t * (Math.min(...values) - best));
    const draw = (kind, path) => line[kind].setAttribute("d", path);
    moves.textContent = state.mode === "budget" ? "move ε" : "move β";
    if (state.mode === "budget") {
      draw("level", contours(gains, steps(gains, Math.max(...scores))));
      draw("touch", contours(gains, [dot(pi, scores)]));
      draw("ball", contours(costs, [epsilon]));
    } else {
      const left = gains.map((g, k) => gain * g - cost * costs[k]);
      draw("level", contours(left, steps(left, gain * dot(pi, scores) - cost * bregman(pi, u, alpha))));
      draw("touch", "");
      draw("ball", "");
    }
    const way = route(scores, alpha, u);
    draw("way", polyline(way.map((step) => step.pi)));
    draw("gone", polyline([...way.filter((step) => step.beta < beta).map((step) => step.pi), pi]));
    draw("best", `${polyline([pi])}h.1`);
    const put = (part, p) => {
      const [x, y] = place(p);
      part.style.left = `${(100 * x) / SIDE}%`;
      part.style.top = `${(100 * y) / TALL}%`;
    };
    put(built.u.root, u);
    put(tags.null, u);
    put(tags.best, pi);
    // Its name stands away from the null's, unless it would lie across a side and has room on the other.
    const away = place(pi)[0] < place(u)[0], [, right, left] = pi;
    const turned = (away ? left : right) < ROOM && (away ? right : left) >= ROOM;
    const leftwards = away !== turned;
    tags.best.classList.toggle("ws-left", leftwards);
    tags.null.classList.toggle("ws-left", !leftwards);
  });

  function update(jump) {
    const next = read();
    const renamed = !built || next.tokens.join("\n") !== state.tokens.join("\n");
    state = next;
    if (renamed) built = build(state);
    const kind = KINDS[state.divergence];
    const { u, beta, pi, spent, gain, limit, left } = solve(state);
    el.dataset.divergence = state.divergence;
    el.dataset.mode = state.mode;
    built.corners.forEach(({ score, weight }, i) => {
      score.textContent = `s = ${scoreText(state.scores[i])}`;
      weight.textContent = percent(pi[i]);
      weight.classList.toggle("ws-none", pi[i] === 0);
    });
    built.u.show(u);
    built.numbers.show(state.scores, u, pi);
    const said = (p) => state.tokens.map((token, i) => `${token} ${percent(p[i])}`).join(", ");
    picture.setAttribute("aria-label", `null: ${said(u)}; weights: ${said(pi)}`);
    key.replaceChildren(...KEYS[state.mode].flatMap(([name, text]) => [span(`ws-key ws-of-${name}`), text]));
    measure.textContent = kind.symbol;
    names.show([
      [amount(gain), "points"],
      [beta === 0 ? "∞" : steady(beta === Infinity ? 0 : 1 / beta), `points ${kind.one}`],
      [fixed(spent, 2), kind.unit],
      [amount(left), "points"],
    ]);
    voice.say(compromise(state));
    mode.show(state.mode);
    divergence.show(state.divergence);
    price.show(state.beta);
    budget.show({ ...state, beta, limit, unit: kind.unit, least: kind.top });
    const share = beta === Infinity ? 1 : beta / (1 + beta);
    motion.to([...u, ...state.scores, share, kind.alpha, Math.min(state.epsilon, 1e9)], jump);
  }

  await page?.pause(0);
  el.replaceChildren(...inside);
  const leave = settle(el, model, {
    kind: "ws-compromise", traits: TRAITS, parts: [motion, voice],
    follow,
  });
  update(true);
  return leave;
}
