// Mounts the figures of a page without a kernel: each gets a small model, and its state can stand in the address.

import { fromHash, same, toHash } from "./address.js";
import { loadData } from "./page_data.js";
import { awaken } from "./phrases.js";

function pageModel(values) {
  const listeners = {};
  return {
    get: (key) => values[key],
    set(key, value) {
      if (same(values[key], value)) return;
      values[key] = value;
      for (const call of listeners[`change:${key}`] ?? []) call();
    },
    save_changes() {},
    on: (event, call) => (listeners[event] ??= new Set()).add(call),
    off: (event, call) => listeners[event]?.delete(call),
  };
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or a browser that keeps the clipboard from file://
  }
}

// Lets the page draw and answer, if the script has run for `frame` milliseconds or more since it last did. With 0
// it always does: what takes 15 milliseconds here takes a phone 60, which is felt.
let since = 0;
async function pause(frame = 8) {
  if (performance.now() - since < frame) return;
  await new Promise((next) => setTimeout(next));
  since = performance.now();
}

async function mountOne(el, render) {
  const state = JSON.parse(el.dataset.state);
  const name = el.id;
  const model = pageModel({ ...structuredClone(state.start), ...state });
  const put = (values) => Object.entries(values).forEach(([key, value]) => model.set(key, value));
  const asked = (hash) => {
    const values = fromHash(hash, name, state);
    return values && (!render.fits || render.fits({ ...state, ...values })) ? values : null;
  };
  const take = () => {
    const values = asked(location.hash);
    if (values) put(values);
    return Boolean(values);
  };
  const linked = take();
  const page = {
    pause,
    loadData,
    async copyLink() {
      history.replaceState(history.state, "", toHash(name, model, state));
      const copied = await copy(location.href);
      return copied
        ? "Link copied: it opens this page with the figure as it is now."
        : "The address bar now holds the link: it opens this page with the figure as it is now.";
    },
  };
  await render({ model, el, page });
  const reveal = () => el.scrollIntoView({ block: "center" });
  addEventListener("hashchange", () => take() && reveal());
  awaken(el, { model, put, asked, traits: Object.keys(state.address) });
  el.dataset.ready = "";
  if (linked) reveal();
}

export function mount(views) {
  // One after another, from the top, each in a task of its own.
  const all = async () => {
    since = performance.now();
    for (const el of document.querySelectorAll(".ws-figure[data-figure]:not([data-ready])")) {
      try {
        await mountOne(el, views[el.dataset.figure]);
      } catch (error) {
        console.error(`Figure ${el.id}: ${error.message}`); // the next figure is mounted all the same
      }
      await pause(0);
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", all);
  else all();
}
