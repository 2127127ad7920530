// A question to answer before reading on: choose, commit, then see: the figure that is named moves to the answer.
import { forgetAnswer, tellFigure } from "./answers.js";
import { button, html, settle, uid } from "./controls.js";
import { short } from "./words.js";

const STEPS = 200; // places on the line of a question about a number

// 10 000
const spaced = (x) => short(x).replace(/^\d{5,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
// *Stars* around a word are its emphasis.
const rich = (text) => text.split("*").map((part, i) => (i % 2 ? html("em", {}, part) : part));

// One answer of several.
function choices(options, name) {
  const boxes = options.map((_, i) => html("input", { type: "radio", name, value: i }));
  const labels = options.map((option, i) => html("label", {}, boxes[i], html("span", {}, ...rich(option))));
  return {
    root: html("div", { class: "ws-choices" }, ...labels),
    value: () => options[boxes.findIndex((box) => box.checked)] ?? null,
    written: String,
    ask: "Choose an answer first.",
    show(chosen, answer) {
      boxes.forEach((box, i) => (box.checked = options[i] === chosen));
      labels.forEach((label, i) => label.classList.toggle("ws-right", chosen !== null && options[i] === answer));
    },
    verdict: (chosen, answer) =>
      chosen === answer ? `Right: “${answer}”.` : `You said “${chosen}”. The answer is “${answer}”.`,
  };
}

// A mark on a line from `low` to `high`.
function line({ low, high, log, unit }) {
  const share = (x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  const number = (at) => Number((log ? low * (high / low) ** at : low + at * (high - low)).toPrecision(3));
  const written = (x) => spaced(x) + (unit && ` ${unit}`);
  // How far one percentage is from another is told in points: "30% too low" would be a share of it.
  const apart = (x) => (unit === "%" ? `${spaced(x)} percentage points` : written(x));
  const range = html("input", { type: "range", min: 0, max: STEPS, class: "ws-range", "aria-label": "your mark" });
  const value = html("span", { class: "ws-value", "aria-hidden": "true" });
  const truth = html("span", { class: "ws-truth", hidden: true });
  const ticks = html("div", { class: "ws-ticks", "aria-hidden": "true" });
  for (const x of scaleMarks(low, high, log)) {
    ticks.append(html("span", { style: `left:${100 * share(x)}%` }, spaced(x)));
  }
  let mark = null;
  const put = (x) => {
    mark = x;
    range.value = STEPS * (x === null ? 0.5 : share(x));
    range.classList.toggle("ws-unset", x === null);
    range.setAttribute("aria-valuetext", x === null ? "no mark yet" : written(x));
    value.textContent = x === null ? "drag the mark" : `your mark: ${written(x)}`;
  };
  range.addEventListener("input", () => put(number(range.value / STEPS)));
  return {
    root: html("div", { class: "ws-line" },
      html("p", { class: "ws-span" }, `A number from ${spaced(low)} to ${written(high)}.`),
      html("div", { class: "ws-head" }, value), html("div", { class: "ws-rail" }, range, truth), ticks),
    value: () => mark,
    written,
    ask: "Set a mark on the line first.",
    show(chosen, answer) {
      put(chosen);
      truth.hidden = chosen === null;
      truth.style.left = `calc(12px + ${share(answer)} * (100% - 24px))`;
      truth.textContent = spaced(answer);
    },
    verdict(chosen, answer) {
      if (Math.abs(share(chosen) - share(answer)) * STEPS < 2) return `Right: it is ${written(answer)}.`;
      const far = log
        ? `${spaced(Math.max(chosen / answer, answer / chosen))} times`
        : apart(Math.abs(chosen - answer));
      const way = chosen > answer ? "high" : "low";
      return `You said ${written(chosen)}. It is ${written(answer)}: yours is ${far} too ${way}.`;
    },
  };
}

// Where the line has a number under it: the powers of ten, or five even steps.
function scaleMarks(low, high, log) {
  if (!log) return [0, 1, 2, 3, 4].map((k) => low + (k * (high - low)) / 4);
  const powers = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * (1 + 1e-9); k++) powers.push(10 ** k);
  return powers;
}

export function render({ model, el, page }) {
  const options = model.get("options");
  const answer = model.get("answer");
  const figure = model.get("figure");
  const part = options ? choices(options, uid()) : line(Object.fromEntries(
    ["low", "high", "log", "unit"].map((key) => [key, model.get(key)])));
  const said = html("p", { class: "ws-said" });
  const why = html("p", { class: "ws-why" });
  const seen = html("a", { class: "ws-seen" }, "See it in the figure");
  const outcome = html("div", { class: "ws-told", role: "status" }, said, why);

  function set(chosen) {
    model.set("chosen", chosen);
    model.save_changes();
    update();
  }
  function commit(event) {
    event.preventDefault();
    if (part.value() === null) said.textContent = part.ask;
    else {
      set(part.value());
      if (figure) tellFigure(figure);
    }
  }
  function update() {
    const chosen = model.get("chosen");
    part.show(chosen, answer);
    said.replaceChildren(...(chosen === null ? [] : rich(part.verdict(chosen, answer))));
    why.replaceChildren(...(chosen === null ? [] : rich(model.get("why"))));
    seen.hidden = chosen === null;
    if (figure && chosen === null) forgetAnswer(figure);
  }

  const press = html("button", { type: "submit", class: "ws-button ws-commit" }, "Commit");
  const form = html("form", {},
    html("fieldset", {}, html("legend", { class: "ws-question" }, ...rich(model.get("question"))), part.root),
    html("div", { class: "ws-tools" }, press, button("Reset", () => set(null))), outcome);
  form.addEventListener("submit", commit);
  // On paper, and where no script runs, the answer is folded up here.
  const fold = html("details", { class: "ws-answer" }, html("summary", {}, "The answer"),
    html("p", {}, ...rich(`${part.written(answer)}. ${model.get("why")}`)));
  el.replaceChildren(form, fold);
  // A link to a state of a figure on this page; in Jupyter there is no address.
  if (page && figure) {
    seen.href = `#${figure}`;
    seen.addEventListener("click", () => setTimeout(() => dispatchEvent(new Event("hashchange"))));
    form.append(seen);
  }

  const leave = settle(el, model, { kind: "ws-predict", traits: ["chosen"], follow: update });
  update();
  return leave;
}
