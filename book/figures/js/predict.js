// A question to answer before reading on: a press commits, then the truth is told, and the figure that is named
// moves to the answer.
import { forgetAnswer, tellFigure } from "./answers.js";
import { button, html, settle } from "./controls.js";
import { short } from "./words.js";

const STEPS = 200; // places on the line of a question about a number
// px of that line on the narrowest phone, of a digit under it, and of what is kept free between two numbers
const [NARROW, DIGIT, APART] = [272, 7, 8];

// 10 000
const spaced = (x) => short(x).replace(/^\d{5,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
// In quotation marks, those within them single: “NaN, ‘not a number’”
const quoted = (text) => `“${text.replace(/“([^”]*)”/g, "‘$1’")}”`;
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
    chosen === answer ? `Right: ${quoted(answer)}.` : `No: ${quoted(answer)}.`;
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
  const written = (x) => spaced(x) + (unit === "%" ? unit : unit && ` ${unit}`);
  const range = html("input", { type: "range", min: 0, max: STEPS, class: "ws-range", "aria-label": "your mark" });
  const value = html("span", { class: "ws-value", "aria-hidden": "true" });
  const truth = html("span", { class: "ws-truth", hidden: true });
  const ticks = html("div", { class: "ws-ticks", "aria-hidden": "true" });
  const marks = scaleMarks(low, high, log);
  // the last says the unit, where there is room
  const names = marks.map((x, i) => (i === marks.length - 1 && unit.length <= 3 ? written(x) : spaced(x)));
  const crowded = crowdedMarks(marks.map(share), names);
  marks.forEach((x, i) => {
    const place = { style: `left:${100 * share(x)}%`, class: crowded.has(i) && "ws-crowded" };
    ticks.append(html("span", place, names[i]));
  });
  const check = button("Check my guess", () => commit(mark));
  check.classList.add("ws-commit");
  let mark = null;
  const put = (x) => {
    mark = x;
    range.value = x === null ? 0 : STEPS * share(x); // at the end, which hints at nothing
    range.classList.toggle("ws-unset", x === null);
    range.setAttribute("aria-valuetext", x === null ? "no mark yet" : written(x));
    value.textContent = x === null ? "drag the mark" : written(x);
    check.disabled = x === null;
  };
  const follow = () => put(number(range.value / STEPS));
  range.addEventListener("input", follow);
  // The end where it waits can be meant, too, though nothing changes there.
  range.addEventListener("click", () => mark === null && follow());
  range.addEventListener("keydown", ({ key }) => key === "Home" && mark === null && follow());
  const verdict = (chosen, answer) => {
    if (Math.abs(share(chosen) - share(answer)) * STEPS < 2) return `Right: it is ${written(answer)}.`;
    return `You said ${spaced(chosen)}; it is ${written(answer)}.`;
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
    verdicts: (answer) => Array.from({ length: STEPS + 1 }, (_, i) => verdict(number(i / STEPS), answer)),
  };
}

// Where the line has a number under it: the powers of ten, or five even steps.
function scaleMarks(low, high, log) {
  if (!log) return [0, 1, 2, 3, 4].map((k) => low + (k * (high - low)) / 4);
  const powers = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * (1 + 1e-9); k++) powers.push(10 ** k);
  return powers;
}

// Which numbers a phone has no room for: the last one, which ends with the line, stays, and from there on those
// that stand clear of the one kept before.
function crowdedMarks(places, names) {
  const crowded = new Set();
  let edge = NARROW + 12 - DIGIT * names.at(-1).length;
  for (let i = names.length - 2; i >= 0; i--) {
    const half = (DIGIT * names[i].length) / 2;
    if (NARROW * places[i] + half + APART > edge) crowded.add(i);
    else edge = NARROW * places[i] - half;
  }
  return crowded;
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
    html("div", { class: "ws-reply" }, ...part.above, asked, room, told));
  // On paper, and where no script runs, the answer is folded up here.
  const fold = html("details", { class: "ws-answer" }, html("summary", {}, "The answer"),
    html("p", {}, ...rich(`${part.written(answer)}. ${why}`)));
  el.replaceChildren(form, fold);

  const leave = settle(el, model, { kind: "ws-predict", traits: ["chosen"], follow: update });
  update();
  return leave;
}
