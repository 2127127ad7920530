// What *dispersion* says, and its table of numbers.
import { html } from "./controls.js";
import { betaAmong, DISPERSED, FEWEST, halfAt, leadAmong, MOST, topAmong } from "./dispersion_math.js";
import { grouped, percent, short, steady } from "./words.js";

export const RULES = { fixed: "β = 1", grows: "β grows with log n" };
export const TRENDS = { stays: "lead stays", shrinks: "lead shrinks as 1/n" };
const SHOWN = [FEWEST, 100, 1000, 1e4, 1e5, MOST]; // in the table

// On the slider's scale 10⁴ from there on.
export const countOf = (n) => grouped(Math.round(n));
export const tickText = (n) => (n < 1e4 ? countOf(n) : `10${"⁴⁵⁶"[Math.log10(n) - 4]}`);
export const betaText = (n, rule) => `β = ${rule === "grows" ? steady(betaAmong(n, rule)) : 1}`;

// Where it ends.
function why({ rule, trend, lead }) {
  if (lead === 0) return "Without a lead every word has the same weight.";
  const enough = `${steady(Math.log(FEWEST))} points`;
  if (trend === "shrinks") {
    const even = rule === "grows" ? ": log n is too slow" : "";
    return `A lead that shrinks as 1/n is lost under all three${even}.`;
  }
  if (rule === "grows") {
    return lead > Math.log(FEWEST)
      ? `A lead above ${enough} is enough: this β outgrows the crowd.`
      : `A lead of at most ${enough} is too small: the crowd outgrows even this β.`;
  }
  const half = halfAt(lead);
  return half < FEWEST
    ? `Softmax leaves it less than half among any ${FEWEST} words or more.`
    : `Softmax leaves it half among ${countOf(half)} words.`;
}

export function dispersionSentence(state) {
  const { crowd: n } = state;
  const [soft, ent, sparse] = topAmong(n, state).map(percent);
  const others = ent === sparse ? `${ent} (entmax and sparsemax)` : `${ent} (entmax), ${sparse} (sparsemax)`;
  const has = soft === ent && ent === sparse ? `${soft} under all three maps` : `${soft} (softmax), ${others}`;
  return `Among ${countOf(n)} words the leader keeps ${has}.
${why(state)}`;
}

export function dispersionTable() {
  const cells = SHOWN.map(() => Array.from({ length: 5 }, () => html("td")));
  const title = (text, scope) => html("th", { scope }, text);
  return {
    root: html("table", { class: "ws-table" },
      html(
        "thead", {}, html("tr", {}, ...["tokens", "β", "lead", ...DISPERSED].map((text) => title(text, "col"))),
      ),
      html("tbody", {}, ...SHOWN.map((n, i) => html("tr", {}, title(countOf(n), "row"), ...cells[i])))),
    show(state) {
      SHOWN.forEach((n, i) => {
        const numbers = [steady(betaAmong(n, state.rule)), short(leadAmong(n, state.trend, state.lead))];
        [...numbers, ...topAmong(n, state).map(percent)].forEach((text, k) => (cells[i][k].textContent = text));
      });
    },
  };
}
