// The trained model of *heads*: its weights unpacked, run on a text, and what of the text it could have known.
import { forward, named, predictions, sizeOf } from "./transformer_math.js";

// Whole numbers from −31 to 31, a letter for each, times a scale for each row: see book/models/shipped.py.
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function parametersIn({ scale, letters }) {
  const wide = letters.length / scale.length;
  return Float64Array.from(letters, (letter, i) => (LETTERS.indexOf(letter) - 31) * scale[Math.floor(i / wide)]);
}

// `copier` is what book/models/copying.json holds. Returned is a function that reads a text: `maps`, `times` and
// `off` are lists with an entry for each head.
export function reader({ symbols, room, width, heads, layers, beta, weights }) {
  const shape = { symbols: symbols.length, room, width, heads, layers };
  const parameters = named(shape, new Float64Array(sizeOf(shape)));
  for (const [name, packed] of Object.entries(weights)) {
    const [first, layer, kind] = name.split(".");
    (kind ? parameters.layers[layer][kind] : parameters[first]).set(parametersIn(packed));
  }
  parameters.logBeta.set(beta.flat().map(Math.log));
  const begin = symbols.length - 1;

  return (text, { maps, times, off }) => {
    const tokens = [begin, ...[...text].map((letter) => symbols.indexOf(letter))];
    const t = tokens.length;
    const found = forward(shape, parameters, tokens, { maps, times, off });
    const { chances, surprise } = predictions(found.logits, symbols.length, [...tokens.slice(1), -1]);
    const square = (head) => {
      const at = (head % heads) * t * t;
      return found.layers[Math.floor(head / heads)].weights.subarray(at, at + t * t);
    };
    return {
      t,
      surprise: surprise.slice(0, -1), // of each symbol of the text
      row: (head, place) => Array.from(square(head).subarray(place * t, place * t + place + 1)),
      square,
      // The weights of the symbols that may follow the one at this place: [letter, weight], the largest first.
      next: (place) => [...symbols]
        .map((letter, i) => [letter, chances[place * symbols.length + i]])
        .sort((a, b) => b[1] - a[1]),
    };
  };
}

// The end of a text that has stood in it before, as long as it can be: its period and where it begins; null for
// one symbol alone. The first symbol of it cannot be known, the rest can.
export function repeatOf(text) {
  let best = null;
  for (let period = 1; period < text.length; period++) {
    let from = text.length;
    while (from > period && text[from - 1] === text[from - 1 - period]) from -= 1;
    if (text.length - from >= 2 && (!best || from < best.from)) best = { period, from };
  }
  return best;
}

// What is left of a second round of `word`, while a text goes on with it letter by letter.
export function roundAhead(text, word) {
  const done = text.slice(word.length);
  return !repeatOf(word) && text.startsWith(word) && word.startsWith(done) ? word.slice(done.length) : "";
}
