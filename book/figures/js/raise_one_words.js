// What *raise one score* says, and its table of numbers.
import { html } from "./controls.js";
import { fixed, percent, scoreText, short } from "./words.js";

// A change of weight in percentage points, with its sign.
export function change(x) {
  const text = fixed(100 * x, Math.abs(x) < 0.0995 ? 1 : 0);
  return Number(text.replace("−", "-")) > 0 ? `+${text}` : Number(text.replace("−", "-")) === 0 ? "0" : text;
}

export function raiseSentence({ tokens, token, by, beta, before, after, forecast }) {
  const word = `“${tokens[token]}”`;
  if (by === 0) return `${word} stays where it was, and so do all weights.\nDrag a score to move it.`;
  const way = by > 0 ? "raised" : "lowered";
  const size = `${short(Math.abs(by))} ${Math.abs(by) === 1 ? "point" : "points"}`;
  const opening = `${word} is ${way} by ${size} at β = ${short(beta)}: \
its weight goes from ${percent(before[token])} to \
${percent(after[token])}.`;
  if (Math.abs(beta) === Infinity) {
    return `${opening}\nAway from ties the hard choice has slopes of 0, so the forecast is no change.`;
  }
  if (beta === 0) return `${opening}\nAt β = 0 scores do not count.`;
  const foreseen = before[token] + forecast;
  const outside = foreseen < 0 || foreseen > 1;
  const whole = fixed(100 * foreseen, 0);
  const beyond = whole === "0" ? "below 0" : whole === "100" ? "above 100" : whole;
  const told = outside ? `${beyond}%, which no weight can be` : percent(foreseen);
  const verb = by * beta > 0 ? "lose what it gains" : "gain what it loses";
  return `${opening} The forecast was ${told}.\nThe others together ${verb}.`;
}

export function raiseTable(tokens) {
  const rows = tokens.map((token) => {
    const cells = ["", "", "", "", ""].map(() => html("td"));
    return { root: html("tr", {}, html("th", { scope: "row" }, token), ...cells), cells };
  });
  const heads = ["token", "score", "before", "after", "change", "forecast"].map((text) =>
    html("th", { scope: "col" }, text),
  );
  return {
    root: html("table", { class: "ws-table" },
      html("caption", {}, "weights in percent, changes in percentage points"),
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show(scores, before, after, gained, forecast) {
      rows.forEach(({ cells }, i) => {
        const texts = [
          scoreText(scores[i]), percent(before[i]), percent(after[i]), change(gained[i]), change(forecast[i]),
        ];
        texts.forEach((text, k) => (cells[k].textContent = text));
      });
    },
  };
}
