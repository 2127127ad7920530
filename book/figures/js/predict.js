// A question to answer before reading on: a press commits, then the truth is told, and the figure that is named
// moves to the answer.
import { forgetAnswer, tellFigure } from "./answers.js";
import { button, html, settle } from "./controls.js";
import { short } from "./words.js";

const STEPS = 200; // places on the line of a question about a number

// 10 000
const spaced = (x) => short(x).replace(/^\d{5,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
// *Stars* around a word are its emphasis.
const rich = (text) => text.split("*").map((part, i) => (i % 2 ? html("em", {}, part) : part));

// One answer of several: a press on it commits.
function choices(options, commit) {
  const pressed = (option) => {
    const made = html("button", { type: "button", class: "ws-guess" }, ...rich(option));
    made.addEventListener("click", () => commit(option));
    return made;
  };
  const list = options.map((option) => html("li", {}, pressed(option)));
  const verdict = (chosen, answer) =>
    chosen === answer ? `Right: “${answer}”.` : `“${chosen}”? No: “${answer}”.`;
  return {
    above: [],
    parts: [html("ul", { class: "ws-choices" }, ...list)],
    written: String,
    show() {},
    verdict,
    verdicts: (answer) => options.map((option) => verdict(option, answer)),
  };
}

// A mark on a line from `low` to `high`.
function line({ low, high, log, unit }, commit) {
  const share = (x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  const number = (at) => Number((log ? low * (high / low) ** at : low + at * (high - low)).toPrecision(3));
  const written = (x) => spaced(x) + (unit && ` ${unit}`);
  // How far one percentage is from another is told in points: "30% too low" would be a share of it.
  const apart = (x) => (unit === "%" ? `${spaced(x)} percentage points` : written(x));
  const range = html("input", { type: "range", min: 0, max: STEPS, class: "ws-range", "aria-label": "your mark" });
  const value = html("span", { class: "ws-value", "aria-hidden": "true" });
  const truth = html("span", { class: "ws-truth", hidden: true });
  const ticks = html("div", { class: "ws-ticks", "aria-hidden": "true" });
  const marks = scaleMarks(low, high, log);
  marks.forEach((x, i) => {
    const short = i === marks.length - 1 && unit.length <= 3; // the last says the unit, where there is room
    ticks.append(html("span", { style: `left:${100 * share(x)}%` }, short ? written(x) : spaced(x)));
  });
  const check = button("Check my guess", () => commit(mark));
  check.classList.add("ws-commit");
  let mark = null;
  const put = (x) => {
    mark = x;
    range.value = STEPS * (x === null ? 0.5 : share(x));
    range.classList.toggle("ws-unset", x === null);
    range.setAttribute("aria-valuetext", x === null ? "no mark yet" : written(x));
    value.textContent = x === null ? "drag the mark" : `your mark: ${written(x)}`;
    check.disabled = x === null;
  };
  range.addEventListener("input", () => put(number(range.value / STEPS)));
  const verdict = (chosen, answer) => {
    if (Math.abs(share(chosen) - share(answer)) * STEPS < 2) return `Right: it is ${written(answer)}.`;
    const far = log
      ? `${spaced(Math.max(chosen / answer, answer / chosen))} times`
      : apart(Math.abs(chosen - answer));
    const way = chosen > answer ? "high" : "low";
    return `It is ${written(answer)}: yours is ${far} too ${way}.`;
  };
  const ends = html("p", { class: "ws-span" }, `A number from ${spaced(low)} to ${written(high)}.`);
  return {
    above: [html("div", { class: "ws-line" }, ends, html("div", { class: "ws-rail" }, range, truth), ticks)],
    parts: [value, check],
    written,
    show(chosen, answer) {
      put(chosen);
      range.disabled = chosen !== null;
      truth.hidden = chosen === null;
      truth.style.left = `calc(12px + ${share(answer)} * (100% - 24px))`;
      truth.textContent = spaced(answer);
    },
    verdict,
    verdicts: (answer) => [number(0.003), number(0.997)].map((chosen) => verdict(chosen, answer)),
  };
}

// Where the line has a number under it: the powers of ten, or five even steps.
function scaleMarks(low, high, log) {
  if (!log) return [0, 1, 2, 3, 4].map((k) => low + (k * (high - low)) / 4);
  const powers = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * (1 + 1e-9); k++) powers.push(10 ** k);
  return powers;
}

export function render({ model, el }) {
  const options = model.get("options");
  const [answer, figure, why] = ["answer", "figure", "why"].map((key) => model.get(key));
  const asked = html("div", { class: "ws-asked" });
  const part = options ? choices(options, commit) : line(Object.fromEntries(
    ["low", "high", "log", "unit"].map((key) => [key, model.get(key)])), commit);
  asked.append(...part.parts);
  // The longest that can be said keeps the room, so that nothing moves when the answer comes.
  const longest = part.verdicts(answer).reduce((a, b) => (b.length > a.length ? b : a));
  const room = html("p", { class: "ws-room", "aria-hidden": "true" },
    html("strong", {}, ...rich(longest)), ...rich(` ${why} `), html("span", { class: "ws-button" }, "Ask again"));
  const again = button("Ask again", () => {
    set(null);
    asked.querySelector("button").focus({ preventScroll: true });
  });
  const said = html("strong", { class: "ws-said" });
  const told = html("p", { class: "ws-told", role: "status" });

  function set(chosen) {
    model.set("chosen", chosen);
    model.save_changes();
    update();
  }
  function commit(chosen) {
    const here = el.contains(document.activeElement);
    set(chosen);
    if (here) again.focus({ preventScroll: true });
    if (figure) tellFigure(figure);
  }
  function update() {
    const chosen = model.get("chosen");
    part.show(chosen, answer);
    el.classList.toggle("ws-answered", chosen !== null);
    said.replaceChildren(...(chosen === null ? [] : rich(part.verdict(chosen, answer))));
    told.replaceChildren(...(chosen === null ? [] : [said, " ", ...rich(why), " ", again]));
    if (figure && chosen === null) forgetAnswer(figure);
  }

  const form = html("fieldset", {}, html("legend", { class: "ws-question" }, ...rich(model.get("question"))),
    ...part.above, html("div", { class: "ws-reply" }, asked, room, told));
  // On paper, and where no script runs, the answer is folded up here.
  const fold = html("details", { class: "ws-answer" }, html("summary", {}, "The answer"),
    html("p", {}, ...rich(`${part.written(answer)}. ${why}`)));
  el.replaceChildren(form, fold);

  const leave = settle(el, model, { kind: "ws-predict", traits: ["chosen"], follow: update });
  update();
  return leave;
}
