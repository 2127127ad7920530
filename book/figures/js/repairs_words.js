// What *repairs* says.
import { NEWCOMER, alike, inSituation, lampsOf, passed, repaired, total, usedScores } from "./repairs_math.js";
import { fixed, percent, scoreText, short } from "./words.js";

export const NAMES = {
  none: "plain softmax", sink: "sink", gate: "gate", cap: "cap", norm: "QK-norm", length: "log n",
};
const WITH = { sink: "the sink", gate: "the gate", cap: "the cap", norm: "QK-norm", length: "log n" };
export const PRESSES = {
  shift: "+2 points for all", join: "one word joins", long: "4 times the text", times: "3 times the query",
};

const points = (x) => `${short(x)} ${Math.abs(x) === 1 ? "point" : "points"}`;

// The slider of each repair: its trait, and what stands beside it.
export const KNOBS = {
  sink: { trait: "sink", name: "score of the empty place", note: "for the empty place", ticks: [-4, 8], step: 0.1,
    shown: points },
  gate: { trait: "gate", name: "gate", note: "is let through", ticks: [-6, 6], step: 0.1,
    shown: (x) => `σ(${short(x)}) = ${percent(passed(x))}` },
  cap: { trait: "cap", name: "bound of the scores", note: "c · tanh(s / c)", ticks: [0.5, 10], step: 0.1,
    shown: (x) => `c = ${short(x)}` },
  norm: { trait: "gain", name: "gain", note: "times the cosine", ticks: [0.5, 10], step: 0.1,
    shown: (x) => `g = ${short(x)}` },
  length: { trait: "typical", name: "usual length", note: "is the usual length", ticks: [2, 30], step: 1,
    shown: (x) => `n₀ = ${x} words` },
};

export const best = (scores) => scores.map((_, i) => i).sort((i, j) => scores[j] - scores[i]);
const quoted = (text) => `“${text}”`;
const large = (text) => text.replace(/[^“]/, (letter) => letter.toUpperCase());

// The name of what the situation brings.
export const moreName = ({ situation }, more) => (situation === "long" ? `${more} more` : NEWCOMER);

// The score as it is given and, where the repair changes it, what it counts for.
export const scored = (given, used) =>
  (scoreText(given) === scoreText(used) ? scoreText(given) : `${scoreText(given)} → ${fixed(used, 2)}`);

// What is watched: what words share where something may go to no word and all scores move, the best word's weight,
// or how many times it has the weight of the second where a word joins.
function watched({ tokens, scores, repair, situation }) {
  const [i, j] = best(scores);
  const shares = situation === "shift" && ["sink", "gate"].includes(repair);
  if (shares) return { what: "the words’ share", of: total, text: percent };
  if (situation !== "join") return { what: quoted(tokens[i]), of: (w) => w[i], text: percent };
  return { what: `${quoted(tokens[i])} over ${quoted(tokens[j])}`, of: (w) => w[i] / w[j], text: short };
}

const became = ([from, to], text) => {
  const [a, b] = [from, to].map(text);
  if (a === b) return alike(from, to) ? `stays at ${a}` : `hardly moves from ${a}`;
  return `${to > from ? "rises" : "falls"} from ${a} to ${b}`;
};

function atRest(state) {
  const { tokens, scores, repair } = state;
  const { row } = inSituation(state);
  const [i] = best(scores);
  const [softmax, now] = ["none", repair].map((one) => repaired(one, state, { row }));
  const more = `${quoted(tokens[i])} has ${percent(now[i])}, under plain softmax ${percent(softmax[i])}.`;
  const empty = percent(1 - total(now));
  const factor = usedScores("length", state, { row: [1], words: row.length })[0];
  return {
    none: () => "Plain softmax: the words share 100%, whatever happens.",
    sink: () => `An empty place takes part, with ${points(state.sink)}: ${empty} goes to no word.`,
    gate: () => `Each weight is multiplied by ${percent(passed(state.gate))}; the scores have no say in that.`,
    cap: () => `No score counts for more than ${short(state.cap)}, or less than −${short(state.cap)}: ${more}`,
    norm: () => `Only directions count, so scores stay within ±${short(state.gain)}: ${more}`,
    length: () => (factor === 1 ? `With ${row.length} words nothing changes; with more, each score counts more.`
      : `With ${row.length} words each score counts ${short(factor)} times; with more words, more.`),
  }[repair]();
}

const HAPPENED = {
  shift: () => "2 points more for all.",
  join: () => `${quoted("Was")} joins, with 1 point.`,
  long: (more) => `${more} more words join, with 0.2 points each.`,
  times: () => "All scores are 3 times as large.",
};

export function repairsSentence(state) {
  const { scores, repair, situation } = state;
  if (situation === "none") return atRest(state);
  const [then, now] = [{ row: scores }, inSituation(state)];
  const { what, of, text } = watched(state);
  const pair = (one) => [then, now].map((how) => of(repaired(one, state, how)));
  const [plain, own] = [pair("none"), pair(repair)];
  const told = became(plain, text);
  const opening = `${HAPPENED[situation](now.more)} ${large(what)} ${told}`;
  if (repair === "none") return `${opening}.`;
  const under = `${opening} under plain softmax`;
  if (became(own, text) === told) return `${under}, and with ${WITH[repair]}.`;
  const wish = { shift: 2, join: 0 }[situation];
  const gone = wish !== undefined && !alike(own[1], own[0]) && !lampsOf(repair, state)[wish];
  return `${under}; with ${WITH[repair]} it ${became(own, text)}${gone ? `: wish ${wish + 1} is gone` : ""}.`;
}
