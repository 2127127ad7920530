// The numbers of a figure, to read and to type: one row per token.
import { field, html } from "./controls.js";
import { percent } from "./words.js";

const ALL_HEADS = ["word", "takes part", "score", "null", "weight"];
const BARE_HEADS = ["word", "score", "weight"];

const MOST_LETTERS = 12; // that a word typed here has at most

// A field for one word; what is empty is no word, and the old one comes back. A new word counts once the focus is
// where the key leads that ended it, since then the fields are made anew.
function wordField(token, name, commit) {
  const input = html("input", {
    type: "text", value: token, maxlength: MOST_LETTERS, "aria-label": name, autocomplete: "off",
    spellcheck: "false",
  });
  input.addEventListener("change", () => {
    const word = input.value.trim();
    if (word && word !== token) setTimeout(() => commit(word));
    else input.value = token;
  });
  return input;
}

// Puts a table in the place of the last one. The focus stays where it is.
export function renew(place, table) {
  const fields = () => [...place.querySelectorAll("input")];
  const at = fields().indexOf(document.activeElement);
  place.replaceChildren(table);
  fields()[at]?.focus();
}

// `change(key, i, value)` is called for what was ticked or typed. One that is `bare` has no column for who takes
// part and none for the null.
export function numbers(tokens, change, complain, { bare = false } = {}) {
  const rows = tokens.map((token, i) => {
    const of = `of ${token} (token ${i + 1})`;
    const number = { type: "number", step: "any" };
    const box = html("input", { type: "checkbox", "aria-label": `${token} (token ${i + 1}) takes part` });
    box.addEventListener("change", () => change("where", i, box.checked));
    const score = field(`score ${of}`, number, Number.isFinite, (x) => change("scores", i, x), complain);
    const share = (x) => Number.isFinite(x) && x >= 0;
    const prior = field(`null ${of}`, { ...number, min: 0 }, share, (x) => change("prior", i, x), complain);
    const weight = html("td", { class: "ws-number" });
    const cell = (input) => html("td", {}, input);
    const word = wordField(token, `word ${i + 1}`, (typed) => change("tokens", i, typed));
    const head = html("th", { scope: "row" }, word);
    const whole = html("label", { class: "ws-tick" }, box);
    const middle = bare ? [cell(score.input)] : [cell(whole), cell(score.input), cell(prior.input)];
    const root = html("tr", {}, head, ...middle, weight);
    return { root, box, score, prior, weight };
  });
  const heads = (bare ? BARE_HEADS : ALL_HEADS).map((text) => html("th", { scope: "col" }, text));
  const root = html("table", { class: "ws-table" },
    html("thead", {}, html("tr", {}, ...heads)),
    html("tbody", {}, ...rows.map((row) => row.root)));
  return {
    root,
    show({ scores, prior, where }, weights) {
      rows.forEach((row, i) => {
        row.box.checked = !where || where[i];
        row.score.show(String(scores[i]));
        row.prior.show(String(prior ? prior[i] : 1));
        row.weight.textContent = percent(weights[i]);
      });
    },
  };
}
