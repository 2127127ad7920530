// A press on a term shows, under its line, what the glossary says of it; a second press goes on to the glossary,
// and so does the link in the bubble. Escape, or a press elsewhere, closes it. A screen reader has the sentence as
// the link's description.
{ // names of its own: scripts of a page share theirs
  const GAP = 6; // pixels between the line and the bubble

  const home = document.querySelector(".article-container");
  const bubble = Object.assign(document.createElement("span"), { className: "ws-bubble", hidden: true });
  const says = document.createElement("span");
  const onward = Object.assign(document.createElement("a"), { textContent: "In the glossary" });
  bubble.append(says, onward);
  const spoken = document.querySelector(".ws-spoken"); // of page.js

  let shown;
  const close = () => {
    if (!shown) return;
    if (bubble.contains(document.activeElement)) shown.focus();
    bubble.hidden = true;
    spoken.textContent = "";
    shown = undefined;
  };

  const show = (term, x) => {
    close();
    says.textContent = document.getElementById(term.getAttribute("aria-describedby")).textContent;
    spoken.textContent = says.textContent;
    onward.href = term.href;
    bubble.hidden = false;
    term.after(bubble);
    const lines = [...term.getClientRects()]; // a term may run over the end of a line
    const line = lines.find((box) => x >= box.left && x <= box.right) ?? lines[0];
    const frame = bubble.offsetParent.getBoundingClientRect(), limits = home.getBoundingClientRect();
    const left = Math.max(limits.left, Math.min(line.left, limits.right - bubble.offsetWidth));
    bubble.style.left = `${left - frame.left}px`;
    bubble.style.top = `${lines.at(-1).bottom + GAP - frame.top}px`;
    shown = term;
  };

  for (const term of document.querySelectorAll("a.ws-term")) {
    term.addEventListener("click", (event) => {
      if (shown === term || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      show(term, event.clientX);
    });
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  addEventListener("pointerdown", (event) => { if (!event.target.closest?.(".ws-bubble, a.ws-term")) close(); });
  addEventListener("resize", close);
  addEventListener("pagehide", close); // who comes back finds the page as it was
}
