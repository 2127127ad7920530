// What the tests come to, in words.
import { fixed, percent, short, steady } from "./words.js";

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const LEAST = { misses: "false alarms", "false alarms": "misses", neither: "their sum" };
export const LIMITS = { misses: "KL(π‖u)", "false alarms": "KL(u‖π)", neither: "Chernoff’s" };

// A chance from its logarithm, however small: 38.5%, 9.1%, 4.2·10⁻¹².
export function chance(log) {
  const p = Math.exp(log);
  if (p >= 0.995) return percent(p);
  if (log > Math.log(0.001)) return `${fixed(100 * p, 1)}%`;
  let power = Math.floor(log / Math.LN10);
  let digits = Math.exp(log - power * Math.LN10).toFixed(1);
  if (digits === "10.0") [power, digits] = [power + 1, "1.0"];
  return `${digits}·10⁻${[...String(-power)].map((d) => RAISED[d]).join("")}`;
}

export const logLeast = ({ exponent }, m) => -m * exponent;

export const wordsText = (m) => (m === 1 ? "1 word" : `${m} words`);

export const BEGUN = "Where the humps overlap, even the best guess is sometimes wrong. More words part them.";

// Without the limit nothing is said of exponents.
export function tellSentence({ m, beta, hold }, test, limit) {
  const [alarms, misses] = [chance(test.logFalseAlarm), chance(test.logMiss)];
  const free = limit === null ? "the sum of both errors as small as can be" : "neither held";
  const found = {
    misses: `misses held at 5%, the fewest false alarms are ${alarms}.`,
    "false alarms": `false alarms held at 5%, the fewest misses are ${misses}.`,
    neither: `${free}, false alarms are ${alarms} and misses ${misses}.`,
  };
  const told = (many) => `At β = ${short(beta)} and ${many}, with ${found[hold]}`;
  if (limit === null) return told(wordsText(m));
  const has = hold === "neither" ? "Their sum has" : "That is";
  return `${told(`m = ${m}`)}\n${has} an exponent of ${steady(test.exponent)} nats a word, \
on its way to ${LIMITS[hold]} ${hold === "neither" ? "" : "= "}${steady(limit)}.`;
}
