// The page's furniture: drawers, columns, ticks; the theme's own script does the rest.

// The labels that open the drawers become buttons: they take the focus and say their state.
for (const label of document.querySelectorAll(
  "label:not(.overlay)[for=__navigation], label:not(.overlay)[for=__toc]",
)) {
  const box = document.getElementById(label.htmlFor);
  const button = document.createElement("button");
  button.type = "button";
  button.className = label.className;
  button.append(...label.childNodes);
  const say = () => button.setAttribute("aria-expanded", box.checked);
  box.addEventListener("change", say);
  button.addEventListener("click", () => box.click());
  addEventListener("keydown", (event) => { if (event.key === "Escape" && box.checked) box.click(); });
  say();
  label.replaceWith(button);
}

// A choice from the drawer "On this page" is made: the drawer goes, and what was chosen is seen.
const drawer = document.getElementById("__toc");
document.querySelector(".toc-drawer").addEventListener("click", ({ target }) => {
  if (target.closest("a") && drawer.checked) drawer.click();
});

// Both columns show where one is: they are scrolled to it, no further than it takes,
// and say it to a screen reader.
const into = (box, entry) => {
  const a = box.getBoundingClientRect(), b = entry.getBoundingClientRect();
  if (b.top < a.top || b.bottom > a.bottom) box.scrollTop += b.top + b.height / 2 - (a.top + a.height / 2);
};
const chapter = document.querySelector(".sidebar-tree .current-page > a");
chapter?.setAttribute("aria-current", "page");
const links = [...document.querySelectorAll(".toc-tree a[href^='#']")].filter((link) => link.hash);
const parts = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
let here, frame;
const follow = () => {
  frame = undefined;
  // The part that fills the screen below its upper third; at the end of the page the last, which may be short.
  const end = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const k = end
    ? parts.length - 1
    : parts.findLastIndex((part) => part.getBoundingClientRect().top <= innerHeight / 3);
  if (links[k] === here) return;
  here?.removeAttribute("aria-current");
  here = links[k];
  here?.setAttribute("aria-current", "true");
  if (here) into(here.closest(".ws-toc"), here);
};
const soonFollow = () => { frame ??= requestAnimationFrame(follow); };
addEventListener("scroll", soonFollow, { passive: true });
addEventListener("resize", soonFollow);
// In a frame, where the page is laid out anyway, before the first paint.
requestAnimationFrame(() => { if (chapter) into(chapter.closest(".sidebar-scroll"), chapter); });
soonFollow();

// What scrolls sideways can be scrolled by keyboard. Measured once all is loaded: it costs a layout.
const reach = () => {
  const boxes = document.querySelectorAll(".math-scroll, .table-wrapper, pre");
  const open = [...boxes].filter((box) => !box.closest("details:not([open])"));
  const wide = open.filter((box) => box.scrollWidth > box.clientWidth);
  for (const box of boxes) box.removeAttribute("tabindex");
  for (const box of wide) box.tabIndex = 0;
};
let rest;
const soon = () => { clearTimeout(rest); rest = setTimeout(reach, 300); };
addEventListener("load", reach);
addEventListener("resize", soon);
document.addEventListener("toggle", soon, true);

// A tick shows its check under the line that it stands in. Without this script it leads into the list.
const spoken = Object.assign(document.createElement("div"), { className: "ws-spoken", role: "status" });
document.body.append(spoken);
let pressed, panel;
const shut = () => {
  if (panel?.contains(document.activeElement)) pressed.focus();
  pressed?.setAttribute("aria-expanded", "false");
  panel?.remove();
  spoken.textContent = "";
  pressed = panel = undefined;
};
for (const tick of document.querySelectorAll("a.ws-tick[href^='#']")) {
  tick.setAttribute("aria-expanded", "false");
  tick.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const again = tick === pressed;
    shut();
    if (again) return;
    const entry = document.getElementById(tick.hash.slice(1));
    panel = Object.assign(document.createElement("span"), {
      className: "ws-panel ws-claim", innerHTML: entry.innerHTML,
    });
    (tick.closest(".table-wrapper") ?? tick).after(panel);
    pressed = tick;
    tick.setAttribute("aria-expanded", "true");
    spoken.textContent = [...entry.querySelectorAll("p")].map((line) => line.textContent).join(" ");
  });
}
addEventListener("keydown", (event) => { if (event.key === "Escape") shut(); });

// An address may lead into what is folded, or to a section that is. On paper all is open.
const reveal = () => {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place) return;
  const folds = [...place.querySelectorAll(":scope > details")];
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
  const closed = folds.filter((fold) => !fold.open);
  for (const fold of closed) fold.open = true;
  if (closed.length) place.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
