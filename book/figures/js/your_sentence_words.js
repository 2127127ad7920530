// What *your sentence* says of a head and of a row of its weights, and its table.
import { html } from "./controls.js";
import { MAPS_IN_HEADS } from "./encoder_words.js";
import { callToken, markName } from "./marks.js";
import { fixed, percent, short, steady } from "./words.js";

// What a head does: its letter in the map of all heads, its name in the key, and how a sentence says it.
export const ROLES = {
  start: { letter: "s", name: "rest on the start mark", says: "rests on the start mark" },
  end: { letter: "e", name: "rest on the end mark", says: "rests on the end mark" },
  previous: { letter: "p", name: "previous token", says: "looks at the previous token" },
  next: { letter: "n", name: "next token", says: "looks at the next token" },
  itself: { letter: "i", name: "the token itself", says: "looks at the token itself" },
  broad: { letter: "b", name: "broad", says: "looks about" },
  mixed: { letter: "", name: "mixed", says: "does none of this for most of its weight" },
};
const WHERE = {
  start: "the start mark", end: "the end mark", previous: "the previous token", next: "the next token",
  itself: "the token itself",
};
const upperFirst = (text) => text[0].toUpperCase() + text.slice(1);

export function workText({ role, share, spread, most }) {
  if (role === "broad") return `looks about: ${fixed(spread, 1)} effective tokens`;
  if (role === "mixed") return `mixed: ${percent(share)} to ${WHERE[most]}`;
  return `${ROLES[role].says}: ${percent(share)}`;
}

// How many heads do what, the commonest first; those that do none of it last.
export function countsOf(works) {
  const found = Object.keys(ROLES).map((role) => ({
    role, ...ROLES[role], count: works.filter((one) => one.role === role).length,
  }));
  const last = ({ role }) => (role === "mixed" ? 1 : 0);
  return found.filter(({ count }) => count).sort((a, b) => last(a) - last(b) || b.count - a.count);
}

function workSentence({ layer, head, work, n }) {
  const who = `Layer ${layer}, head ${head}`;
  const { role, share, spread, most } = work;
  if (role === "broad") return `${who} looks about: as over ${fixed(spread, 1)} of the ${n} tokens.`;
  if (role === "mixed") {
    return `${who} has no single habit: most of all, ${percent(share)}, goes to ${WHERE[most]}.`;
  }
  return `${who} ${ROLES[role].says}: ${percent(share)} of its weight goes there.`;
}

function rowSentence({ tokens, query, row, beta, own, map, scope }) {
  const n = tokens.length;
  const from = callToken(tokens[query]);
  if (map === "none") {
    return scope === "all" ? "All heads are off: they put out nothing." : "It is off: it puts out nothing.";
  }
  if (beta === 0 && row.every((w) => w === row[0])) {
    return `At β = 0 the scores do not count: each of the ${n} tokens gets ${percent(row[0])}.`;
  }
  const changed = [
    ...(beta === own ? [] : [`at β = ${short(beta)}`]),
    ...(map === "softmax" ? [] : [`with ${MAPS_IN_HEADS[map]}`]),
    ...(scope === "all" && !(beta === own && map === "softmax") ? ["in all heads"] : []),
  ];
  const best = row.indexOf(Math.max(...row));
  const none = row.filter((w) => w === 0).length;
  const first = upperFirst([...changed, from].join(", "));
  if (none === n) return `${first} gives no token anything.`;
  return `${first} gives ${best === query ? "itself" : callToken(tokens[best])} ${percent(row[best])}\
${row[best] === 1 ? "" : ", the most"}${none ? `, and ${none} of ${n} tokens nothing` : ""}.`;
}

// What a head does is known once the model has run as it is; its row, once its layer has come.
export function headSentence(state) {
  const { layer, head, work, row, tokens, needs } = state;
  const known = work ? workSentence({ ...state, n: tokens.length }) : `Layer ${layer}, head ${head}.`;
  if (needs) return `${known}\n${needs}`;
  return row ? `${known}\n${rowSentence(state)}` : known;
}

// In a word what can be seen only once the model is loaded, or null.
export function neededFor({ text, score_map: map, scope }, recorded) {
  if (text) return "this sentence";
  if (!recorded.includes(map)) return map === "none" ? "what is left without it" : `${MAPS_IN_HEADS[map]} in it`;
  return scope === "all" ? "a change in all heads" : null;
}

// What is measured of the open head, as `readings` takes it.
export const measured = ({ shares, spread, distance, n }) => [
  [fixed(spread, 1), `of ${n}`],
  [fixed(distance, 1), "tokens"],
  [percent(shares.start), ""],
  [percent(shares.previous), ""],
];

// The scores and the weights from the word that looks.
export function rowTable(tokens) {
  const rows = tokens.map((token) => {
    const cells = [html("td"), html("td", { class: "ws-number" })];
    const name = markName(token) ? `${token}, ${callToken(token)}` : token;
    return { root: html("tr", {}, html("th", { scope: "row" }, name), ...cells), cells };
  });
  const heads = ["token", "score, below the highest", "weight π"].map((text) =>
    html("th", { scope: "col" }, text),
  );
  return {
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show: (scores, row) => rows.forEach(({ cells }, i) => {
      cells[0].textContent = steady(scores[i] - Math.max(...scores));
      cells[1].textContent = percent(row[i]);
    }),
  };
}
