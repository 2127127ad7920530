// The field of *your sentence*, and beside it the list of recorded sentences; without the model the list alone.
import { html } from "./controls.js";

const AFTER = 150; // milliseconds after the last key
export const tidy = (text) => text.replace(/\s+/g, " ").trim();

// `type` is called with a text, `choose` with the name of a recorded sentence.
export function sentenceField({ sentences, most, typing, type, choose }) {
  const options = Object.entries(sentences).map(([name, { text }]) => html("option", { value: name }, text));
  const prompt = typing ? [html("option", { value: "" }, "examples")] : [];
  const called = "examples, which are recorded";
  const list = html("select", { class: "ws-select", "aria-label": called }, ...prompt, ...options);
  const input = html("textarea", {
    class: "ws-typing", rows: 1, maxlength: most, "aria-label": "your sentence", spellcheck: "false",
    autocomplete: "off", autocapitalize: "off", placeholder: "type a sentence",
  });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" });
  let timer = 0;
  let shown = "";
  function commit() {
    clearTimeout(timer);
    const text = tidy(input.value);
    if (text && text !== shown) type(text);
  }
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(commit, AFTER);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // a sentence is one line
    commit();
  });
  input.addEventListener("blur", () => {
    commit();
    input.value = shown;
  });
  list.addEventListener("change", () => list.value && choose(list.value));
  return {
    root: html("div", { class: typing ? "ws-field" : "ws-field ws-list-alone" },
      ...(typing ? [html("div", { class: "ws-paper" }, input, call)] : []), list),
    call,
    show(text, name) {
      list.value = typing ? "" : name;
      if (text === shown) return;
      shown = text;
      if (document.activeElement !== input || tidy(input.value) !== text) input.value = text;
    },
    stop: () => clearTimeout(timer),
  };
}
