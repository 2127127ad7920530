// What *dispersion* says, and its table of numbers.
import { html } from "./controls.js";
import { betaAmong, DISPERSED, FEWEST, halfAt, leadAmong, MOST, topAmong } from "./dispersion_math.js";
import { grouped, percent, short, steady } from "./words.js";

export const RULES = { fixed: "β = 1", grows: "β grows with log n" };
export const TRENDS = { stays: "lead stays", shrinks: "lead shrinks as 1/n" };
const SHOWN = [FEWEST, 100, 1000, 1e4, 1e5, MOST]; // in the table

// On the slider's scale 10⁴ from there on.
export const tokensText = (n) => grouped(Math.round(n));
export const tickText = (n) => (n < 1e4 ? tokensText(n) : `10${"⁴⁵⁶"[Math.log10(n) - 4]}`);
export const betaText = (n, rule) => `β = ${rule === "grows" ? steady(betaAmong(n, rule)) : 1}`;
const points = (x) => `${short(x)} ${x === 1 ? "point" : "points"}`;

// Why it is so, and where it ends.
function why({ rule, trend, lead }) {
  if (lead === 0) return "Without a lead every token has the same weight.";
  const enough = Math.log(FEWEST);
  if (trend === "shrinks") {
    return rule === "grows"
      ? "A lead that shrinks as 1/n is lost under all three: log n grows too slowly to make up for it."
      : "A lead that shrinks as 1/n is lost under all three maps.";
  }
  if (rule === "grows") {
    return lead > enough
      ? `A lead above log 8 = ${steady(enough)} points is enough: β grows faster than the crowd of rivals.`
      : `A lead of at most log 8 = ${steady(enough)} points is too small: rivals outgrow even this β.`;
  }
  const half = halfAt(lead);
  return half < FEWEST
    ? `Softmax leaves it less than half among any ${FEWEST} tokens or more.`
    : `Softmax leaves it half among ${tokensText(half)} tokens: \
this lead is worth exp(${short(lead)}) ≈ ${tokensText(half - 1)} rivals.`;
}

export function dispersionSentence(state) {
  const { crowd: n, rule, trend, lead } = state;
  const [soft, ent, sparse] = topAmong(n, state).map(percent);
  const ahead = `${points(leadAmong(n, trend, lead))} ahead at ${betaText(n, rule)}`;
  const others =
    ent === sparse ? `${ent} under entmax and sparsemax` : `${ent} under entmax, ${sparse} under sparsemax`;
  const has = soft === ent && ent === sparse ? `${soft} under all three maps` : `${soft} under softmax, ${others}`;
  return `Among ${tokensText(n)} tokens the best, ${ahead}, has ${has}.
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
      html("tbody", {}, ...SHOWN.map((n, i) => html("tr", {}, title(tokensText(n), "row"), ...cells[i])))),
    show(state) {
      SHOWN.forEach((n, i) => {
        const numbers = [steady(betaAmong(n, state.rule)), short(leadAmong(n, state.trend, state.lead))];
        [...numbers, ...topAmong(n, state).map(percent)].forEach((text, k) => (cells[i][k].textContent = text));
      });
    },
  };
}
