// A place to answer an exercise: type, choose or tick, then see at once whether it is right.
import { judge, readNumber } from "./answer_math.js";
import { button, html, inPieces, settle, uid } from "./controls.js";

const ACCEPTED = {
  number: "A number or a formula: 0.75, 3/4, 75%, √2 + 5 log 3, e^−1.",
  row: "In each a number or a formula: 0.75, 3/4, 75%, e^−1.",
  choice: "Choose one, then check.",
  words: "Tick all that belong, then check.",
};
const PLAIN = /^[-−–+]?\d*[.,]?\d*$/; // a number as it stands, which need not be said again
const digits = (x) => String(Number(x.toPrecision(5))).replace("-", "−");

// Fields to type in. What stands in them is read aloud beside a single one, if it is more than a number.
function typed({ names }, changed) {
  const one = !names;
  const equals = html("span", { class: "ws-equals" });
  const inputs = (names ?? ["your answer"]).map((name) => html("input", {
    type: "text", "aria-label": name, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    enterkeyhint: "done",
  }));
  const blanks = inputs.map((input, i) => html("label", { class: "ws-blank" },
    ...(one ? [] : [html("span", { class: "ws-blank-name" }, names[i])]),
    html("span", { class: "ws-to-write" }, input)));
  const say = () => {
    const value = one ? readNumber(inputs[0].value) : NaN;
    const clear = Number.isNaN(value) || PLAIN.test(inputs[0].value.trim());
    equals.textContent = clear ? "" : `= ${digits(value)}`;
  };
  inputs.forEach((input) => input.addEventListener("input", () => (say(), changed())));
  return {
    root: html("div", { class: "ws-blanks" }, ...blanks, ...(one ? [equals] : [])),
    value: () => inputs.map((input) => input.value.trim()).join(";"),
    show(given) {
      const texts = given.split(";");
      inputs.forEach((input, i) => (input.value = texts[i] ?? ""));
      say();
    },
  };
}

// Radio buttons, or boxes to tick.
function listed({ kind, options }, changed) {
  const type = kind === "choice" ? "radio" : "checkbox";
  const name = uid();
  const boxes = options.map((_, i) => html("input", { type, name, value: i }));
  for (const box of boxes) box.addEventListener("change", changed);
  const labels = options.map((option, i) => html("label", {}, boxes[i], html("span", {}, option)));
  return {
    root: html("div", { class: "ws-options-of" }, ...labels),
    value: () => options.filter((_, i) => boxes[i].checked).join(","),
    show(given) {
      const words = given.split(",");
      boxes.forEach((box, i) => (box.checked = words.includes(options[i])));
    },
  };
}

export function render({ model, el, page }) {
  const [asked, why, hint] = ["asked", "why", "hint"].map((name) => model.get(name));
  const part = (asked.options ? listed : typed)(asked, () => tell(null));
  const accepted = html("p", { class: "ws-accepted", "aria-hidden": "true" }, ACCEPTED[asked.kind]);
  const told = html("p", { class: "ws-told", role: "status" });
  // Room is kept from the start for all that may be said; of two texts the longer one may have fewer lines.
  const texts = [why, hint, ...Object.values(asked.wrong ?? {}), ...(asked.slips ?? []).map((slip) => slip[2])];
  const longest = Math.max(...texts.map((text) => text.length));
  const kept = texts.filter((text) => text.length > 0.8 * longest).map((text) =>
    html("p", { class: "ws-room", "aria-hidden": "true" }, ...inPieces(`Not yet. ${text}`)));

  function tell(verdict) {
    const { word, says } = verdict ?? {};
    told.replaceChildren(...(verdict ? [html("strong", {}, word), " ", ...inPieces(says)] : []));
    el.classList.toggle("ws-has-told", Boolean(verdict));
    el.classList.toggle("ws-is-right", word === "Right.");
  }
  const verdict = (given) => {
    const { word, says } = judge({ asked, why }, given);
    return { open: word === "Open", told: { word: word === "Open" ? "" : `${word}.`, says } };
  };
  function set(given) {
    model.set("given", given);
    model.save_changes();
    update();
  }
  function commit(event) {
    event.preventDefault();
    const given = part.value();
    const found = verdict(given);
    if (found.open) tell(found.told);
    else set(given);
  }
  function update() {
    const given = model.get("given");
    const found = verdict(given);
    part.show(found.open ? "" : given);
    tell(found.open ? null : found.told);
    el.classList.toggle("ws-has-given", !found.open);
  }

  const check = html("button", { type: "submit", class: "ws-button ws-check-it" }, "Check");
  const later = [button("Reset", () => set(""))];
  if (page) {
    later.push(button("Copy link", async () => {
      const says = (await page.copyLink()).replace("the figure as it is now", "this answer");
      tell({ word: "", says });
    }));
  }
  const help = button("Hint", () => tell({ word: "Hint:", says: hint }));
  const tools = html("div", { class: "ws-tools" }, check, help, html("span", { class: "ws-later" }, ...later));
  const form = html("form", { autocomplete: "off" },
    html("div", { class: "ws-given" }, part.root, tools),
    html("div", { class: "ws-outcome" }, accepted, ...kept, told));
  form.addEventListener("submit", commit);
  el.replaceChildren(form);
  el.dataset.kind = asked.kind;

  const leave = settle(el, model, { kind: "ws-exercise", traits: ["given"], follow: update });
  update();
  return leave;
}
