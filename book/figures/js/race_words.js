// What the races have come to, in words.
import { standardError } from "./race_math.js";
import { fixed, grouped, short } from "./words.js";

export const racesText = (count) => (count === 1 ? "1 race" : `${grouped(count)} races`);

// By how many standard errors each share of wins is away from softmax.
export const errorsAway = (wins, races, softmax) =>
  wins.map((count, i) => {
    const error = standardError(softmax[i], races);
    return error === 0 ? 0 : (count / races - softmax[i]) / error;
  });

const tenths = (x) => `${fixed(100 * x, 1)}%`;

export function raceSentence({ tokens, scores, beta, noise, races }, wins, softmax) {
  const kind = noise === "none" ? "no noise" : `${noise} noise of size 1/β = ${short(1 / beta)}`;
  const most = Math.max(...scores);
  const i = scores.indexOf(most);
  const chance = tenths(softmax[i]);
  if (!races) return `No race has been run. Softmax at β = ${short(beta)} gives “${tokens[i]}” ${chance}.`;
  const away = errorsAway(wins, races, softmax).map(Math.abs);
  const k = away.indexOf(Math.max(...away));
  const error = standardError(softmax[i], races);
  return `In ${racesText(races)} with ${kind} “${tokens[i]}” has won \
${grouped(wins[i])}: ${tenths(wins[i] / races)}. \
Softmax gives it ${chance}, with a standard error of ${tenths(error)}.
Furthest from softmax is “${tokens[k]}”, by ${fixed(away[k], 1)} standard errors.`;
}
