// A term shows what the glossary says of it, in a bubble at the term, and leads on to the glossary.
//
// Under a mouse it shows while the pointer rests on the term or in the bubble. The first press, by finger or
// mouse, only shows it and holds it there; the second goes on, and so does the link in the bubble. By keyboard
// it shows with the focus, and Enter follows the link as any other: the sentence is the link's description,
// which a screen reader reads.
{ // names of its own: scripts of a page share theirs
  const GAP = 6; // pixels between the line and the bubble
  const REST = 200; // milliseconds: a pointer that only passes opens nothing
  const LEAVE = 250; // and has this long to reach the bubble

  const home = document.querySelector(".article-container");
  const bubble = Object.assign(document.createElement("div"), { className: "ws-bubble", hidden: true });
  const says = document.createElement("p");
  // The keyboard and the screen reader have the term itself, which leads to the same place.
  const onward = Object.assign(document.createElement("a"), { textContent: "In the glossary", tabIndex: -1 });
  bubble.append(says, onward);
  home.querySelector("main").append(bubble);
  const spoken = document.querySelector(".ws-spoken"); // of page.js

  let shown, held, timer;
  const later = (wait, act) => { clearTimeout(timer); timer = setTimeout(act, wait); };

  const close = () => {
    clearTimeout(timer);
    bubble.hidden = true;
    if (held) spoken.textContent = "";
    shown = held = undefined;
  };

  // Above the term, so that the lines that come next stay free; below it where there is no room.
  const place = (term, x) => {
    const lines = [...term.getClientRects()]; // a term may run over the end of a line
    const line = lines.find((box) => x >= box.left && x <= box.right) ?? lines[0];
    const frame = home.getBoundingClientRect(),
      head = document.querySelector(".mobile-header").getBoundingClientRect();
    const top = lines[0].top - bubble.offsetHeight - GAP;
    const left = Math.min(line.left, frame.right - bubble.offsetWidth);
    bubble.style.left = `${Math.max(left - frame.left, 0)}px`;
    bubble.style.top = `${(top > head.bottom ? top : lines.at(-1).bottom + GAP) - frame.top}px`;
  };

  const show = (term, x) => {
    clearTimeout(timer);
    if (shown === term) return;
    close();
    says.textContent = document.getElementById(term.getAttribute("aria-describedby")).textContent;
    onward.href = term.href;
    bubble.hidden = false;
    place(term, x);
    shown = term;
  };

  for (const term of document.querySelectorAll("a.ws-term")) {
    term.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse" && !held) {
        later(shown === term ? 0 : REST, () => show(term, event.clientX));
      }
    });
    term.addEventListener("pointerleave", () => { if (!held) later(LEAVE, close); });
    term.addEventListener("focus", () => { if (term.matches(":focus-visible")) show(term); });
    term.addEventListener("blur", ({ relatedTarget: next }) => {
      if (shown === term && next !== onward && (next || !held)) close();
    });
    term.addEventListener("click", (event) => {
      const byKey = event.detail === 0;
      if (byKey || held === term || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      show(term, event.clientX);
      held = term;
      spoken.textContent = says.textContent;
    });
  }
  bubble.addEventListener("pointerenter", () => clearTimeout(timer));
  bubble.addEventListener("pointerleave", (event) => {
    if (!held && event.pointerType === "mouse") later(LEAVE, close);
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  addEventListener("pointerdown", (event) => { if (!event.target.closest?.(".ws-bubble, a.ws-term")) close(); });
  addEventListener("resize", close);
  addEventListener("pagehide", close); // who comes back finds the page as it was
}
