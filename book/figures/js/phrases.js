// Phrases of the text that set a figure: <span class="ws-set" data-set="beta-weights?beta=4">at β = 4</span>.
import { same } from "./address.js";

// Whether the reader sees less than half of what a screen could show of the figure.
function outOfView(el) {
  const { top, bottom, height } = el.getBoundingClientRect();
  return Math.min(bottom, innerHeight) - Math.max(top, 0) < Math.min(height, innerHeight) / 2;
}

let end = () => {}; // takes the way back away

// Shows the figure, and a button that leads back to the phrase, which keeps the focus, until it is in view again.
function goTo(el, phrase) {
  const { top } = phrase.getBoundingClientRect();
  history.pushState(history.state, ""); // so the browser's own Back, too, leads to the phrase and not off the page
  el.scrollIntoView({ block: el.offsetHeight > 0.8 * innerHeight ? "start" : "center", behavior: "instant" });
  const back = Object.assign(document.createElement("button"), {
    type: "button", className: "ws-back", textContent: "Back to the text",
  });
  const watch = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && end());
  end = () => {
    if (back === document.activeElement) phrase.focus({ preventScroll: true });
    watch.disconnect();
    back.remove();
  };
  back.addEventListener("click", () => {
    scrollBy({ top: phrase.getBoundingClientRect().top - top, behavior: "instant" });
    phrase.focus({ preventScroll: true });
    end();
  });
  phrase.after(back); // the next stop of the keyboard
  watch.observe(phrase);
}

// Where nothing in the sentence changes, it is said all the same: a figure speaks once it has come to rest.
function sayAgain(el) {
  const spoken = el.querySelector("[aria-live]");
  const said = spoken?.textContent;
  const again = () => {
    if (spoken.textContent !== said) return;
    spoken.textContent = "";
    setTimeout(() => (spoken.textContent ||= said), 100);
  };
  if (said) setTimeout(again, 700);
}

// Makes buttons of the phrases that set the figure `el`: its `model` has these `traits`, `asked` reads a state,
// and `put` takes one. A span can be broken between two lines; a button element cannot.
export function awaken(el, { model, traits, asked, put }) {
  for (const phrase of document.querySelectorAll(`.ws-set[data-set^="${el.id}?"]`)) {
    const values = asked(`#${phrase.dataset.set}`);
    if (!values) continue;
    const isShown = () => traits.every((key) => same(model.get(key), values[key]));
    const mark = () => phrase.setAttribute("aria-current", isShown());
    const press = () => {
      end();
      sayAgain(el);
      put(structuredClone(values));
      if (outOfView(el)) goTo(el, phrase);
    };
    const attributes = { role: "button", tabindex: 0, "aria-controls": el.id, title: "Moves the figure" };
    for (const [name, value] of Object.entries(attributes)) phrase.setAttribute(name, value);
    phrase.addEventListener("click", press);
    phrase.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault(); // the space bar would turn the page
      if (!event.repeat) press();
    });
    for (const key of traits) model.on(`change:${key}`, mark);
    mark();
  }
}
