// A figure's state in words: what a link, or a phrase of the text, says after the figure's name.

const toNumber = (text) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : NaN);
const toNumbers = (text) => text.split(",").map(toNumber);

// How a value of each kind is written in an address, read from one, and which values are taken from
// there. A figure says of each of its traits which kind it is and what limits it; `count` is how many
// numbers or flags there must be.
const ADDRESS_KINDS = {
  number: {
    write: (x) => String(x ?? "none"),
    read(text, { infinite, none }) {
      if (none && text === "none") return null;
      return infinite && /^-?inf$/.test(text) ? text : toNumber(text);
    },
    fits: (x, { low = -Infinity }) => x === null || Number(String(x).replace("inf", "Infinity")) >= low,
  },
  count: { write: String, read: toNumber, fits: (x) => Number.isInteger(x) && x >= 0 },
  letters: {
    write: String, read: String,
    fits: (x, { of, most }) => x.length <= most && [...x].every((letter) => of.includes(letter)),
  },
  // A space may be written as a plus sign.
  typed: {
    write: encodeURIComponent, read: (_, __, raw) => decoded(raw.replaceAll("+", " ")),
    fits: (x, { most }) => x.length <= most,
  },
  word: { write: String, read: String, fits: (x, { of }) => of.includes(x) },
  // Some of a few words, in the order of these.
  some: {
    write: (x) => x.join(",") || "none",
    read: (text, { of }) =>
      (text === "none" ? [] : text.split(",").sort((a, b) => of.indexOf(a) - of.indexOf(b))),
    fits: (x, { of }) => x.every((word) => of.includes(word)) && new Set(x).size === x.length,
  },
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

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What differs from the start, after the figure's name: #beta-weights?beta=inf&scores=1,2,3
export function toHash(name, model, { start, address }) {
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

// The trait and the value that each part of "beta=inf&scores=1,2,3" asks for, null where the figure has none such.
// What is typed may have any sign in it, so the text is parted first, unless a program has written all signs anew.
export function readParts(text, { start, address }) {
  return (text.includes("=") ? text : decoded(text)).split("&").map((part) => {
    const [name, ...after] = part.split("=");
    const [key, raw] = [decoded(name), after.join("=")];
    if (!Object.hasOwn(address, key)) return null;
    const { kind, per, ...limits } = address[key];
    const { read, fits } = ADDRESS_KINDS[kind];
    const value = read(decoded(raw), limits, raw);
    return fits(value, { ...limits, count: start[per]?.length }) ? [key, value] : null;
  });
}

// The whole state that is asked for, from the start on. What a damaged link has spoilt stays as at the start.
export function fromHash(hash, name, state) {
  if (!hash.startsWith(`#${name}?`)) return null;
  const asked = readParts(hash.slice(name.length + 2), state).filter(Boolean);
  return { ...structuredClone(state.start), ...Object.fromEntries(asked) };
}
