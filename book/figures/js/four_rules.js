// Four rules: one row of scores under softmax, squares and sparsemax, and the ratio of two of the weights.
import { button, fill, glide, hint, html, settle, speaker, svg, tools } from "./controls.js";
import { NAMES, ratioText, rulesSentence, weightsUnder } from "./four_rules_words.js";
import { roomFor } from "./grips.js";
import { mapPanel, mapTable } from "./map_panel.js";
import { scoreRow } from "./score_row.js";
import { weightText } from "./side_by_side_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "token", "against"];
const fitting = oneForEachToken("scores");
const whole = (state) => fitting(state) && Math.max(state.token, state.against) < state.tokens.length;
const tidy = (x) => Math.round(x * 1e6) / 1e6;
const HEIGHT = 120; // of the row of scores, in CSS pixels

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole });
  let state = read();
  let [row, panels, levels, table] = [];

  // --- the parts: built anew when the tokens change ------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const add = (x) => change({ scores: state.scores.map((s) => tidy(s + x)) });
  const shift = html("div", { class: "ws-shift", role: "group", "aria-label": "all scores" },
    html("span", { class: "ws-note", "aria-hidden": "true" }, "all scores"),
    button("− 1 point", () => add(-1)), button("+ 1 point", () => add(1)));

  function build() {
    const { tokens } = state;
    row = scoreRow({
      tokens,
      value: (i) => state.scores[i],
      set: (i, x, jump) => change({ scores: state.scores.map((s, k) => (k === i ? x : s)) }, jump),
      left: () => update(false), // the scale grows only when a drag has ended
      height: HEIGHT,
    });
    panels = NAMES.map((name) => mapPanel(name, tokens));
    // The name of the dotted line in each panel, over one of its ends.
    levels = panels.map(({ parts: [, plot] }) => {
      const level = svg("text", { y: -5 }, "100%");
      plot.append(level);
      return level;
    });
    table = mapTable(tokens, NAMES);
    fill(el,
      html("div", { class: "ws-head" },
        html("span", { class: "ws-axis" }, "score ", html("i", {}, "s")),
        shift, hint("drag one, or move all")),
      ...row.parts,
      ...panels.flatMap((panel) => panel.parts),
      ...voice.parts,
      ...kit.parts,
    );
    kit.panel.replaceChildren(kit.options(), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const part = (k) => shown.slice(2 + k * n, 2 + (k + 1) * n);
    row.draw(part(0), shown[0], shown[1]);
    panels.forEach((panel, k) => panel.draw(part(k + 1)));
  });

  function update(jump) {
    const next = read();
    const rebuilt = !row || String(next.tokens) !== String(state.tokens);
    state = next;
    const { tokens, scores, token, against } = state;
    if (rebuilt) build();
    const begun = model.get("start").scores;
    const was = begun.length === scores.length ? begun : scores; // other tokens have come: no before
    const range = row.room(roomFor(scores));
    const weights = NAMES.map((name) => weightsUnder(name, scores));
    // No finite score is infinitely far behind, so softmax gives each some weight, whatever is left of it.
    const there = weights.map((all, k) => all.map((w) => NAMES[k] === "softmax" || w > 0));
    const texts = weights.map((all, k) => all.map((w, i) => (there[k][i] ? weightText(w, true) : "0")));
    row.show(weights[0]);
    panels.forEach((panel, k) => {
      const [before, now] = [was, scores].map((s) => ratioText(NAMES[k], s, token, against));
      const ratio = `${tokens[token]} / ${tokens[against]}   ${before === now ? now : `${before} → ${now}`}`;
      panel.name(NAMES[k], texts[k], there[k], "", ratio);
      // At the left, unless the first token's own label may come up there.
      const atStart = weights[k][0] <= 0.5;
      levels[k].setAttribute("x", atStart ? "0" : "100%");
      levels[k].setAttribute("class", `ws-label ws-level ${atStart ? "ws-start" : "ws-end"}`);
    });
    voice.say(rulesSentence({ ...state, was }));
    table.show(scores, texts);
    motion.to([...range, ...scores, ...weights.flat()], jump || rebuilt);
  }

  update(true);
  el.classList.add("ws-maps");
  return settle(el, model, { kind: "ws-rules", traits: TRAITS, parts: [motion, voice], follow });
}
