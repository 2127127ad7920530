// What *heads* draws: the text, shaded by the weights of one query, with what surprised the model; who looks at
// whom in each head; and what may come next.
import { html, svg } from "./controls.js";
import { shadedSquare } from "./square_map.js";
import { percent } from "./words.js";

const SHADE = 0.55; // how far down the shade of all the weight is
const MOST = 14; // nats: the tallest bar of surprise
const PER_ROW = { wide: [20, 44, 32], narrow: [12, 24, 24] }; // symbols: least, most, and where nothing repeats
const ROWS = 3; // more only where there is no other way

// The root makes small weights visible beside large ones.
const depth = (w) => SHADE * Math.sqrt(w);

// How many symbols stand in a row: whole rounds of what repeats, so that a symbol stands under itself.
function perRow([least, most, usual], length, period) {
  let wide = period;
  while (wide + period <= most && (wide < least || length > ROWS * wide)) wide += period;
  return wide <= most ? wide : usual;
}

// `pick(place)` is called for the symbol that is pressed; 0 is the mark of the beginning.
export function symbolRows(room, pick) {
  const cells = Array.from({ length: room }, (_, place) => {
    const [letter, bar] = [html("b"), html("i")];
    const root = html(
      "span", { class: place ? "ws-symbol" : "ws-symbol ws-begin", "data-place": place }, letter, bar,
    );
    return { root, letter, bar };
  });
  cells[0].letter.textContent = "start";
  const line = html("div", { class: "ws-symbols", role: "img" }, ...cells.slice(1).map((cell) => cell.root));
  const slider = html("div", {
    class: "ws-place", role: "slider", tabindex: 0, "aria-label": "the symbol that looks", "aria-valuemin": 0,
  });
  const root = html("div", { class: "ws-text-read" }, cells[0].root, line, slider);
  let [here, last] = [0, 0];

  const press = (event) => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest(".ws-symbol");
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
    name({ text, place, surprise, repeat, spoken, told }) {
      [here, last] = [place, text.length];
      for (const [name, sizes] of Object.entries(PER_ROW)) {
        root.style.setProperty(`--ws-${name}`, perRow(sizes, text.length, repeat?.period ?? Infinity));
      }
      cells.forEach(({ root: cell, letter, bar }, at) => {
        cell.hidden = at > last;
        cell.classList.toggle("ws-from", at === place);
        if (at === 0) return;
        letter.textContent = text[at - 1] ?? "";
        if (at > last) return;
        const size = Math.min(1, surprise[at - 1] / MOST);
        bar.style.setProperty("--ws-size", size.toFixed(3));
      });
      line.setAttribute("aria-label", told);
      slider.setAttribute("aria-valuemax", last);
      slider.setAttribute("aria-valuenow", place);
      slider.setAttribute("aria-valuetext", spoken);
    },
    draw: (weights) => weights.forEach((w, at) => {
      cells[at].root.style.setProperty("--ws-shade", `${(100 * depth(w)).toFixed(1)}%`);
    }),
  };
}

// The shade of each cell, in even steps of the root of the weight; less than half a step is none.
export const shadeIn = (square, t, shades) => (i, j) => Math.round(shades * Math.sqrt(square[i * t + j]));

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

// What may come next: the largest weights, and that of what does come.
export function nextBars(count) {
  const rows = Array.from({ length: count }, () => {
    const [name, bar, value, note] = [
      html("b"), html("i"), html("span", { class: "ws-part" }), html("small", {}, "comes"),
    ];
    return {
      root: html("li", {}, name, html("span", { class: "ws-track-of" }, bar), value, note), name, bar, value,
    };
  });
  return {
    root: html("ol", { class: "ws-next" }, ...rows.map((row) => row.root)),
    show(all, comes) {
      const at = all.findIndex(([letter]) => letter === comes);
      const shown = at < count ? all.slice(0, count) : [...all.slice(0, count - 1), all[at]];
      shown.forEach(([letter, weight], i) => {
        const { root, name, bar, value } = rows[i];
        name.textContent = letter === "^" ? "start" : letter;
        bar.style.setProperty("--ws-size", weight.toFixed(4));
        value.textContent = percent(weight);
        root.classList.toggle("ws-comes", letter === comes);
      });
    },
  };
}
