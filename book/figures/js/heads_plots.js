// What *heads* draws: the text, over each symbol what it gets of the weights of one query, and under it what the
// model had expected there; and who looks at whom in each head.
import { html, svg } from "./controls.js";
import { shadedSquare } from "./square_map.js";

const PER_ROW = { wide: [14, 44, 32], narrow: [12, 24, 24] }; // symbols: least, most, and where nothing repeats
const LEGIBLE = 11; // px, of a letter at the side of a square
const ROOMY = 20; // px, of a cell that has room for the name of the start
const AHEAD = 8; // the most letters that are shown before they are typed
const ROWS = { usual: 2, most: 3 }; // there is room for the usual ones; more share it

// How many symbols stand in a row: whole rounds of what repeats, so that a symbol stands under itself.
function perRow([least, most, usual], length, period) {
  let wide = period;
  while (wide + period <= most && (wide < least || length > ROWS.usual * wide)) wide += period;
  return wide <= most && length <= ROWS.most * wide ? wide : length <= least ? least : usual;
}

// `pick(place)` is called for the symbol that is pressed; 0 is the mark of the beginning.
export function symbolRows(room, pick) {
  const cell = (kind, letter) => {
    const [bar, guess] = [html("i"), html("span", { class: "ws-guess" })];
    const pile = html("span", { class: "ws-pile" }, bar);
    const root = html("span", { class: `ws-symbol${kind}` }, pile, letter, guess);
    return { root, letter, bar, guess };
  };
  const cells = Array.from({ length: room }, (_, place) => {
    const made = cell(place ? "" : " ws-begin", html("b"));
    made.root.dataset.place = place;
    return made;
  });
  cells[0].letter.textContent = "start";
  cells[0].guess.textContent = "guess";
  // The places after the text: of the first there is a guess, of the others at most what is to be typed there.
  const toCome = Array.from({ length: AHEAD }, () => cell(" ws-to-come", html("b")));
  const line = html(
    "div", { class: "ws-symbols", role: "img" }, ...[...cells.slice(1), ...toCome].map(({ root }) => root),
  );
  const slider = html("div", {
    class: "ws-place", role: "slider", tabindex: 0, "aria-label": "the symbol that looks", "aria-valuemin": 0,
  });
  const root = html("div", { class: "ws-text-read" }, cells[0].root, line, slider);
  let [here, last] = [0, 0];

  const press = (event) => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest(".ws-symbol[data-place]");
    if (found && root.contains(found)) pick(Number(found.dataset.place));
  };
  root.addEventListener("pointerdown", press);
  root.addEventListener("pointermove", (event) => event.buttons && press(event));
  slider.addEventListener("keydown", (event) => {
    const steps = {
      ArrowRight: 1, ArrowLeft: -1, ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10, Home: -room, End: room,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    pick(Math.min(last, Math.max(0, here + steps[event.key])));
  });
  return {
    root,
    // `guesses` has what the model expects at each place of the text, and after it; `ahead` what is to be typed.
    name({ text, place, ahead, guesses, repeat, spoken, told }) {
      [here, last] = [place, text.length];
      for (const [name, sizes] of Object.entries(PER_ROW)) {
        const wide = perRow(sizes, last, repeat?.period ?? Infinity);
        root.style.setProperty(`--ws-${name}`, wide);
        root.classList.toggle(`ws-one-${name}`, last < wide);
        root.classList.toggle(`ws-many-${name}`, last > ROWS.usual * wide);
        root.classList.toggle(`ws-ends-${name}`, last > 0 && last % wide === 0 && last >= ROWS.usual * wide);
      }
      cells.forEach(({ root: part, letter, guess }, at) => {
        part.hidden = at > last;
        const hit = at > 0 && at <= last && guesses[at - 1] === text[at - 1];
        const kinds = [at ? "" : " ws-begin", at === place ? " ws-from" : "", hit ? " ws-hit" : ""];
        part.setAttribute("class", `ws-symbol${kinds.join("")}`);
        if (at === 0) return;
        letter.textContent = text[at - 1] ?? "";
        guess.textContent = at > last ? "" : guesses[at - 1];
      });
      toCome.forEach(({ root: part, letter, guess }, k) => {
        part.hidden = last + 1 + k >= room || k >= Math.max(1, ahead.length);
        letter.textContent = ahead[k] ?? "";
        guess.textContent = k ? "" : guesses[last];
      });
      line.setAttribute("aria-label", told);
      slider.setAttribute("aria-valuemax", last);
      slider.setAttribute("aria-valuenow", place);
      slider.setAttribute("aria-valuetext", spoken);
    },
    draw: (weights) => weights.forEach((w, at) => cells[at].bar.style.setProperty("--ws-size", w.toFixed(4))),
  };
}

// The shade of each cell, in even steps of the root of the weight; less than half a step is none.
export const shadeIn = (square, t, shades) => (i, j) => Math.round(shades * Math.sqrt(square[i * t + j]));

// The letters at two sides of a square as long as they are legible.
export function sideLetters(side) {
  const root = html("div", { class: "ws-letters-of", "aria-hidden": "true" });
  return {
    root,
    show(text) {
      const cell = side / (text.length + 1);
      root.style.fontSize = `${Math.min(14, cell)}px`;
      const names = cell < LEGIBLE ? [] : [cell < ROOMY ? "·" : "start", ...text];
      root.replaceChildren(...names.flatMap((letter, i) =>
        ["left", "top"].map((to) => {
          const kind = letter === "start" ? `ws-start-${to}` : "";
          return html("span", { class: kind, style: `${to}:${cell * (i + 0.5)}px` }, letter);
        })));
    },
  };
}

// Who looks at whom, with a mark for one who looks.
export function squareMap(shades) {
  const { root, show } = shadedSquare(shades);
  const row = svg("rect", { x: 0, height: 1, class: "ws-asks" });
  root.setAttribute("aria-hidden", "true");
  root.append(row);
  return {
    root,
    show: (square, t) => show(shadeIn(square, t, shades), t),
    mark(place, label) {
      row.setAttribute("y", place);
      row.setAttribute("width", place + 1);
      if (!label) return;
      root.removeAttribute("aria-hidden");
      root.setAttribute("role", "img");
      root.setAttribute("aria-label", label);
    },
  };
}
