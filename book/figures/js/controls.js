// What every figure is made of: elements, motion, the spoken sentence, typed fields, the tools below.
import { followAnswers } from "./answers.js";

function make(name, space, attributes, children) {
  const made = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}
export const html = (name, attributes = {}, ...children) => make(name, null, attributes, children);
export const svg = (name, attributes = {}, ...children) =>
  make(name, "http://www.w3.org/2000/svg", attributes, children);

// Random, so that two figures on one page, or two views of one widget, never share an id.
export const uid = () => "ws" + Math.random().toString(36).slice(2, 9);

const GLIDE = 180; // milliseconds: long enough to see what became of what, too short to wait for

// Draws a list of numbers; `to` moves smoothly from those drawn to the next ones, unless told to jump. `lasts` is
// in milliseconds: CHANGE where something becomes something else and the eye has to follow it.
export const CHANGE = 600;
export function glide(draw, lasts = GLIDE) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = null;
  let frame = 0;
  return {
    to(goal, jump) {
      cancelAnimationFrame(frame);
      if (jump || !shown || shown.length !== goal.length || calm.matches || document.hidden) {
        draw((shown = goal));
        return;
      }
      const from = shown;
      const start = performance.now();
      const step = (now) => {
        const t = Math.min(1, Math.max(0, (now - start) / lasts));
        const eased = 1 - (1 - t) ** 3;
        shown = t === 1 ? goal : goal.map((g, i) => from[i] + (g - from[i]) * eased);
        draw(shown);
        if (t < 1) frame = requestAnimationFrame(step);
      };
      frame = requestAnimationFrame(step);
    },
    stop: () => cancelAnimationFrame(frame),
  };
}

// A text for the page, in pieces: short formulas such as β = 0.1, T = 1/β or (α = 1.5) stay on one line.
const FORMULA = /(\S+ [=≈≠<>≤≥→] \S+|[^\s/]{1,6}\/[^\s/]{1,6}(?=\s|$))/;
const LONGEST = 18; // characters that are kept together, as in the text of the pages
const kept = (text, i) => (i % 2 && text.length <= LONGEST ? html("span", { class: "ws-whole" }, text) : text);
export const inPieces = (text) => text.split(FORMULA).map(kept).filter((piece) => piece !== "");

// The sentence is seen at once, but spoken only when the figure has come to rest; what is
// not for the ear, not at all.
export function speaker() {
  const seen = html("p", { class: "ws-say", "aria-hidden": "true" });
  const spoken = html("p", { class: "ws-unseen", "aria-live": "polite" });
  let timer = 0;
  return {
    parts: [seen, spoken],
    say(text, aloud = true) {
      seen.replaceChildren(...inPieces(text));
      if (!aloud) return;
      clearTimeout(timer);
      if (!spoken.textContent) spoken.textContent = text;
      else timer = setTimeout(() => (spoken.textContent = text), 600);
    },
    stop: () => clearTimeout(timer),
  };
}

// What moves the figure, in a verb: it stands at the figure's top right, whatever it is put into.
export const hint = (...words) => html("span", { class: "ws-hint" }, ...words);

// A row of numbers with words; `show` takes a [value, unit] for each name.
export function readings(names) {
  const values = names.map(() => html("dd"));
  const pairs = names.map((name, i) => html("div", {}, html("dt", {}, name), values[i]));
  return {
    root: html("dl", { class: "ws-read" }, ...pairs),
    show(all) {
      all.forEach(([value, unit], i) => values[i].replaceChildren(value, html("small", {}, unit)));
    },
  };
}

const INFINITY = /^([+-]?)(inf|infinity|∞)$/i;

export function parseNumber(text) {
  const plain = text.trim().replace(/[−–]/, "-").replace(",", ".");
  const word = INFINITY.exec(plain);
  if (word) return word[1] === "-" ? -Infinity : Infinity;
  return plain === "" ? NaN : Number(plain);
}

// A field to type a number in. One that is not `allowed` is replaced by the last one, and `complain` says so.
export function field(name, attributes, allowed, commit, complain) {
  const input = html("input", { "aria-label": name, autocomplete: "off", ...attributes });
  let kept = "";
  input.addEventListener("change", () => {
    const value = parseNumber(input.value);
    if (allowed(value)) {
      kept = input.value;
      commit(value);
    } else {
      complain(`${name}: that is not a number it can take, so ${kept || "the old value"} stays.`);
      input.value = kept;
    }
  });
  return {
    input,
    show(text) {
      // A half-typed number is left alone until it is committed.
      if (document.activeElement !== input || input.value === kept) input.value = text;
      kept = text;
    },
  };
}

export const tick = (label, change) => {
  const box = html("input", { type: "checkbox" });
  box.addEventListener("change", () => change(box.checked));
  const name = html("span", {}, label);
  return { root: html("label", { class: "ws-tick" }, box, name), box, name };
};

export function button(text, press) {
  const made = html("button", { type: "button", class: "ws-button" }, text);
  made.addEventListener("click", press);
  return made;
}

// The buttons under a figure: Reset in view, everything else behind “More”.
export function tools({ reset, page }) {
  const panel = html("div", { class: "ws-more", id: uid(), hidden: true });
  const status = html("p", { class: "ws-status", role: "status" });
  const note = (text) => (status.textContent = text);
  const more = button("More", () => {
    panel.hidden = !panel.hidden;
    more.setAttribute("aria-expanded", String(!panel.hidden));
  });
  more.classList.add("ws-disclose");
  more.setAttribute("aria-expanded", "false");
  more.setAttribute("aria-controls", panel.id);
  const again = button("Reset", () => {
    reset();
    note("");
  });
  const row = html("div", { class: "ws-tools" }, more, again);
  // In Jupyter there is no address that could hold the state, so there is no button.
  const link = page && button("Copy link", async () => note(await page.copyLink()));
  // These settings, and the link, in a line for the panel.
  const options = (...settings) => html("div", { class: "ws-options" }, ...settings, ...(link ? [link] : []));
  return { parts: [row, panel], panel, options, status, note };
}

// The caption stands over the buttons: what More opens moves none of the figure.
function captionOverButtons(el) {
  const caption = el.querySelector(".ws-caption");
  const row = [...el.children].find((part) => part.classList.contains("ws-tools"));
  if (caption && row) row.before(caption);
}

// Puts these parts into a figure, in place of what stands there, but for the caption.
export function fill(el, ...parts) {
  el.replaceChildren(...parts, ...el.querySelectorAll(".ws-caption"));
  captionOverButtons(el);
}

// Who scrolls the page, and begins on a slider, has moved it before the browser knows: it goes back.
function swipesGoBack(el) {
  let held = null;
  const take = ({ target }) => (held = target.type === "range" ? { target, value: target.value } : null);
  const back = () => {
    if (!held || held.target.value === held.value) return;
    held.target.value = held.value;
    held.target.dispatchEvent(new Event("input", { bubbles: true }));
  };
  el.addEventListener("pointerdown", take);
  el.addEventListener("pointercancel", back);
  return () => {
    el.removeEventListener("pointerdown", take);
    el.removeEventListener("pointercancel", back);
  };
}

// Finishes a figure that its view has filled: gives it a name and a caption, keeps its key presses to itself,
// calls `follow` when one of the `traits` changes, and lets predictions move it. Returns a function that ends all
// this and stops the `parts`.
export function settle(el, model, { kind, traits, follow, parts = [] }) {
  el.classList.add("ws-figure", kind);
  el.dataset.lmSuppressShortcuts = "true";
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", model.get("alt"));
  if (model.get("caption") && !el.querySelector(".ws-caption")) {
    el.append(html("p", { class: "ws-caption" }, ...inPieces(model.get("caption"))));
    captionOverButtons(el);
  }
  // JupyterLab's notebook shortcuts would take the arrow keys and the letters away.
  const keep = (event) => event.stopPropagation();
  el.addEventListener("keydown", keep);
  for (const trait of traits) model.on(`change:${trait}`, follow);
  const ends = [followAnswers(el, model), swipesGoBack(el)];
  return () => {
    for (const end of ends) end();
    for (const part of parts) part.stop();
    el.removeEventListener("keydown", keep);
    for (const trait of traits) model.off(`change:${trait}`, follow);
  };
}
