// Raise one score: the scores above, all weights below, and what each gains or loses beside its forecast.
import { betaSlider } from "./beta_slider.js";
import { fill, glide, hint, html, settle, speaker, tools } from "./controls.js";
import { lastingRoom, roomFor } from "./grips.js";
import { softmax, softmaxJacobian } from "./math.js";
import { changePlot, weightPlot } from "./raise_one_plots.js";
import { raiseSentence, raiseTable } from "./raise_one_words.js";
import { scoreRow } from "./score_row.js";
import { traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "token", "by", "beta"];
const MOST = 3; // points
const RAISED_ROW = 176; // height of their row, in CSS pixels

// What a link may set here.
render.fits = ({ token, by, tokens }) => token < tokens.length && Math.abs(by) <= MOST;

const whole = ({ tokens, scores, token }) => scores.length === tokens.length && token < tokens.length;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole });
  let state = read();
  let [row, bars, changes, table] = [];

  const moved = (i) => state.scores[i] + (i === state.token ? state.by : 0);
  const tidy = (x) => Math.min(MOST, Math.max(-MOST, Math.round(x * 1e6) / 1e6));

  // --- the parts: built anew when the tokens change ------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (name, symbol, ...rest) =>
    html("div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), ...rest);

  function build() {
    const { tokens, scores } = state;
    row = scoreRow({
      tokens,
      value: moved,
      bounds: (i, [low, high]) => [Math.max(low, scores[i] - MOST), Math.min(high, scores[i] + MOST)],
      set: (i, x, jump) => change({ token: i, by: tidy(x - scores[i]) }, jump),
      was: scores,
      height: RAISED_ROW,
    });
    bars = weightPlot(tokens);
    changes = changePlot(tokens);
    table = raiseTable(tokens);
    // The words once more, for where the two lower plots stand side by side.
    const longest = Math.max(...tokens.map((token) => token.length));
    const below = () =>
      html(
        "ol", { class: "ws-tokens ws-below", "aria-hidden": "true", style: `--ws-longest:${longest}` },
        ...tokens.map((token) => html("li", { title: token }, token)),
      );
    const key = span("ws-aside", span("ws-key ws-mark-key"), "forecast");
    fill(el,
      head("score ", "s", span("ws-note", span("ws-key ws-was-key"), "before"), hint("drag one")),
      ...row.parts,
      html("div", { class: "ws-pair" },
        html(
          "div", {},
          head(
            "weight ", "π", span("ws-note", "with that score"), span("ws-aside", span("ws-key ws-full"), "100%"),
          ),
          bars.root, below(),
        ),
        html("div", {}, head("change", "", span("ws-note", "percentage points"), key), changes.root, below())),
      slider.root,
      ...voice.parts,
      ...kit.parts,
    );
    kit.panel.replaceChildren(kit.options(slider.typed, slider.flip), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const part = (k) => shown.slice(3 + k * n, 3 + (k + 1) * n);
    row.draw(part(0), shown[0], shown[1]);
    bars.draw(part(1));
    changes.draw(part(2), part(3), shown[2]);
  });

  function update(jump) {
    const next = read();
    const rebuilt = !row || String([next.tokens, next.scores]) !== String([state.tokens, state.scores]);
    state = next;
    const { scores, token, by, beta } = state;
    if (rebuilt) build();
    const range = row.room(lastingRoom(model, (all) => roomFor(all.flatMap((s) => [s - MOST, s + MOST]))));
    const before = softmax(scores, beta);
    const after = softmax(scores.map((_, i) => moved(i)), beta);
    const gained = after.map((w, i) => w - before[i]);
    const forecast = softmaxJacobian(before, beta).map((slopes) => by * slopes[token]);
    row.show(after);
    bars.name(state.tokens, after);
    changes.name(state.tokens, gained, forecast);
    voice.say(raiseSentence({ ...state, before, after, forecast: forecast[token] }));
    slider.show(beta);
    table.show(scores.map((_, i) => moved(i)), before, after, gained, forecast);
    const top = changes.scaleFor([...gained, ...forecast]);
    motion.to(
      [...range, top, ...scores.map((_, i) => moved(i)), ...after, ...gained, ...forecast], jump || rebuilt,
    );
  }

  update(true);
  return settle(el, model, {
    kind: "ws-raise", traits: TRAITS, parts: [motion, voice],
    follow,
  });
}
