// The pair of *pairs* that is open.
import { button, html } from "./controls.js";
import { leanBar } from "./pairs_board.js";
import { shareText } from "./pairs_words.js";

// For each of the two words what “it” gives both nouns. `tries` is called if one is to be tried.
export function pairCard(trying, tries) {
  const text = html("p", { class: "ws-open-pair" });
  const nouns = [0, 1].map(() => html("b", { class: "ws-value" }));
  const lines = [0, 1].map(() => {
    const [word, bar] = [html("b"), leanBar()];
    const shares = [0, 1].map(() => html("span", { class: "ws-value" }));
    return { word, bar, shares, root: html("div", { class: "ws-of-word" }, word, shares[0], bar.root, shares[1]) };
  });
  const press = button("try it", tries);
  return {
    root: html("div", { class: "ws-card-of-pair" },
      html("div", { class: "ws-pair-line" }, text, ...(trying ? [press] : [])),
      html("div", { class: "ws-of-word ws-of-nouns" }, html("span"), ...nouns), ...lines.map((one) => one.root)),
    show({ text: sentence, nouns: names, words }, weights, right) {
      text.textContent = sentence.replace(" {}.", " …");
      nouns.forEach((noun, i) => (noun.textContent = names[i]));
      lines.forEach(({ word, shares, bar }, which) => {
        word.textContent = words[which];
        bar.show(weights?.[which] ?? null, right[which]);
        shares.forEach((share, noun) => {
          share.textContent = weights ? shareText(weights[which][noun]) : "";
          share.classList.toggle("ws-meant-noun", noun === which);
        });
      });
    },
  };
}
