// Mounts the figures of a page without a kernel: each gets a small model, and its state can stand in the address.

const toNumber = (text) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : NaN);
const toNumbers = (text) => text.split(",").map(toNumber);

// How a value of each kind is written in an address, read from one, and which values are taken from there. A figure
// says of each of its traits which kind it is and what limits it; `count` is how many numbers or flags there must be.
const ADDRESS_KINDS = {
  number: {
    write: String,
    read: (text, { infinite }) => (infinite && /^-?inf$/.test(text) ? text : toNumber(text)),
    fits: (x, { low = -Infinity }) => Number(String(x).replace("inf", "Infinity")) >= low,
  },
  count: { write: String, read: toNumber, fits: (x) => Number.isInteger(x) && x >= 0 },
  word: { write: String, read: String, fits: (x, { of }) => of.includes(x) },
  numbers: { write: String, read: toNumbers, fits: (x, { count }) => x.length === count && !x.some(Number.isNaN) },
  shares: {
    write: (x) => String(x ?? "none"),
    read: (text) => (text === "none" ? null : toNumbers(text)),
    fits: (x, { count }) => !x || (x.length === count && x.every((u) => u >= 0) && x.some((u) => u > 0)),
  },
  flags: {
    write: (x) => (x ? x.map(Number).join("") : "all"),
    read: (text) => (text === "all" ? null : [...text].map((bit) => bit === "1")),
    fits: (x, { count }) => !x || x.length === count,
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
function toHash(name, model, { start, address }) {
  const parts = Object.keys(address)
    .filter((key) => !same(model.get(key), start[key]))
    .map((key) => `${key}=${ADDRESS_KINDS[address[key].kind].write(model.get(key))}`);
  return `#${name}?${parts.join("&")}`;
}

function decoded(text) {
  try {
    return decodeURIComponent(text); // mail programs write commas as %2C
  } catch {
    return text;
  }
}

function fromHash(hash, name, { start, address }) {
  if (!hash.startsWith(`#${name}?`)) return null;
  const values = structuredClone(start);
  for (const part of decoded(hash.slice(name.length + 2)).split("&")) {
    const [key, text = ""] = part.split("=");
    if (!Object.hasOwn(address, key)) continue;
    const { kind, per, ...limits } = address[key];
    const { read, fits } = ADDRESS_KINDS[kind];
    const value = read(text, limits);
    // A value that a damaged link has spoilt stays as at the start.
    if (fits(value, { ...limits, count: start[per]?.length })) values[key] = value;
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

// Lets the page draw and answer, if the script has run for `frame` milliseconds or more since it last did. With 0 it
// always does: what takes 15 milliseconds here takes a phone 60, which is felt.
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
    const values = fromHash(location.hash, name, state);
    if (values && render.fits && !render.fits({ ...state, ...values })) return false;
    for (const [key, value] of Object.entries(values ?? {})) model.set(key, value);
    return Boolean(values);
  };
  const linked = take();
  const page = {
    pause,
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
