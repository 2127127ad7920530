// What *a real head* says.
import { callToken, markName } from "./marks.js";
import { percent, short } from "./words.js";

const upper = (text) => text[0].toUpperCase() + text.slice(1);

// Which of these places has the most, by `of`.
const most = (places, of) => places.reduce((best, i) => (of[i] > of[best] ? i : best));

export function realSentence({ tokens, nouns, weights, beta, own }) {
  const all = tokens.map((_, i) => i);
  if (beta === 0) {
    return `At β = 0 the scores do not count: \
each of the ${tokens.length} tokens, marks included, gets ${percent(weights[0])}.`;
  }
  if (Math.abs(beta) === Infinity) {
    const end = all.filter((i) => weights[i] > 0).map((i) => callToken(tokens[i]));
    const which = beta > 0 ? "highest" : "lowest";
    return `At β = ${short(beta)} all the weight is on the ${which} score: ${end.join(" and ")}.`;
  }
  const [first, second] = nouns.map((noun) => tokens.indexOf(noun)).sort((i, j) => weights[j] - weights[i]);
  const where =
    beta === own ? "At the model’s own β" : `At β = ${short(beta)}${beta < 0 ? " low scores win" : ""}`;
  const opening = `${where}${beta < 0 ? ":" : ","} \
“it” gives ${callToken(tokens[first])} ${percent(weights[first])} of its weight and \
${callToken(tokens[second])} ${percent(weights[second])}.`;
  const rest = most(all.filter((i) => i !== first && i !== second), weights);
  const [who, much] = [callToken(tokens[rest]), percent(weights[rest])];
  if (weights[rest] < weights[first]) {
    return `${opening}\nOf the other ${all.length - 2} tokens ${who} gets the most, ${much}.`;
  }
  const though = markName(tokens[rest]) ? ", though it is no word" : "";
  return `${opening}\n${upper(who)} gets ${much}, the most of all${though}.`;
}
