// The figures of a page without a kernel: a small model, the state in the address, the same render.

const isNumber = (x) => typeof x === "number" && Number.isFinite(x);
const list = (text, read) => text.split(",").map(read);
const toNumber = (text) => (text.trim() === "" ? NaN : Number(text));
const word = (...allowed) => ({ write: String, read: String, fits: (x) => allowed.includes(x) });
const count = { write: String, read: toNumber, fits: (x) => Number.isInteger(x) && x >= 0 };

// How each trait is written in an address, and which values are taken from one.
const CODECS = {
  beta: {
    write: String,
    read: (text) => (/^-?inf$/.test(text) ? text : toNumber(text)),
    fits: (x) => typeof x === "string" || isNumber(x),
  },
  scores: {
    write: (x) => x.join(","),
    read: (text) => list(text, toNumber),
    fits: (x, n) => x.length === n && x.every(isNumber),
  },
  prior: {
    write: (x) => (x ? x.join(",") : "none"),
    read: (text) => (text === "none" ? null : list(text, toNumber)),
    fits: (x, n) => !x || (x.length === n && x.every((u) => isNumber(u) && u >= 0) && x.some((u) => u > 0)),
  },
  where: {
    write: (x) => (x ? x.map(Number).join("") : "all"),
    read: (text) => (text === "all" ? null : [...text].map((bit) => bit === "1")),
    fits: (x, n) => !x || x.length === n,
  },
  m: count,
  hold: word("neither", "misses", "false alarms"),
  sample: count,
  seed: count,
  mode: word("price", "budget"),
  divergence: word("kl", "tsallis", "euclidean"),
  epsilon: {
    write: String,
    read: (text) => (text === "inf" ? text : toNumber(text)),
    fits: (x) => x === "inf" || (isNumber(x) && x >= 0),
  },
};

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

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

// What differs from the start, after the figure's name: #beta-weights?beta=inf&scores=1,2,3
function toHash(name, model) {
  const start = model.get("start");
  const parts = Object.keys(CODECS)
    .filter((key) => key in start && !same(model.get(key), start[key]))
    .map((key) => `${key}=${CODECS[key].write(model.get(key))}`);
  return `#${name}?${parts.join("&")}`;
}

function decoded(text) {
  try {
    return decodeURIComponent(text); // mail programs write commas as %2C
  } catch {
    return text;
  }
}

function fromHash(hash, name, start) {
  if (!hash.startsWith(`#${name}?`)) return null;
  const values = structuredClone(start);
  for (const part of decoded(hash.slice(name.length + 2)).split("&")) {
    const [key, text = ""] = part.split("=");
    if (!(key in start) || !CODECS[key]) continue;
    const value = CODECS[key].read(text);
    // A damaged link changes nothing rather than something else.
    if (CODECS[key].fits(value, start.scores?.length)) values[key] = value;
  }
  return values;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or a browser that keeps the clipboard from file://
  }
}

// Lets the page draw and answer, if this has taken longer than a frame since the last time.
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
  const take = () => {
    const values = fromHash(location.hash, name, state.start);
    if (values && render.fits && !render.fits(values)) return false;
    for (const [key, value] of Object.entries(values ?? {})) model.set(key, value);
    return Boolean(values);
  };
  const linked = take();
  const page = {
    async copyLink() {
      history.replaceState(history.state, "", toHash(name, model));
      const copied = await copy(location.href);
      return copied
        ? "Link copied: it opens this page with the figure as it is now."
        : "The address bar now holds the link: it opens this page with the figure as it is now.";
    },
  };
  await render.prepare?.(model, pause);
  render({ model, el, page });
  const reveal = () => el.scrollIntoView({ block: "center" });
  addEventListener("hashchange", () => take() && reveal());
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
        console.error(`Figure ${el.id}: ${error.message}`); // the others still stand
      }
      await pause(0);
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", all);
  else all();
}
