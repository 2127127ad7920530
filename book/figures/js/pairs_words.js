// What *pairs* says.
import { MAPS_IN_HEADS } from "./encoder_words.js";

export const COIN = 1 / 4; // of the pairs: right in both, if each sentence is right or wrong by a coin
export const BETA_NAMES = { own: "its own β", half: "half its β", double: "twice its β" };
export const headName = (index) => `layer ${Math.floor(index / 12) + 1}, head ${(index % 12) + 1}`;
export const shareText = (w) => (w > 0 && w < 0.005 ? "<1%" : `${Math.round(100 * w)}%`);

export const verdictOf = ({ both, of }) => [`Right in both: ${both} of ${of}.`, ` A coin gets ${of * COIN}.`];

// What is put into all heads, or null if nothing is.
export function changeText({ score_map: map, beta }) {
  const parts = [map !== "softmax" && MAPS_IN_HEADS[map], beta !== "own" && BETA_NAMES[beta]].filter(Boolean);
  return parts.length ? parts.join(" at ") : null;
}

export function pairsSentence({ head, story, changed, needs, pair, filled }) {
  const who = headName(head).replace(/^l/, "L");
  const { nouns, words, text } = pair;
  if (needs) return `${needs} has to be computed: run the pairs here.`;
  if (!filled) {
    return `${text.replace(" {}.", " …")} “${words[0]}”: “it” is the ${nouns[0]}. “${words[1]}”: the ${nouns[1]}. \
For how many of such pairs is ${headName(head)} right in both? They are covered.`;
  }
  const { both, of, one, none } = story;
  const how = changed ? `, ${changed} in all heads,` : "";
  return `${who}${how} is right in both sentences of ${both} pairs of ${of}; a coin gets ${of * COIN}. \
In ${one} it is right in one, in ${none} in neither. It gives the two nouns ${shareText(story.share)} of the \
weight of “it”.`;
}
