// The page's furniture for people who use a keyboard; the theme's own script does the rest.

// The labels that open the drawers become buttons: they take the focus and say their state.
for (const label of document.querySelectorAll("label:not(.overlay)[for=__navigation], label:not(.overlay)[for=__toc]")) {
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

// What scrolls sideways can be scrolled by keyboard. Measured once all is loaded: it costs a layout.
const boxes = document.querySelectorAll(".math-scroll, .table-wrapper, pre");
const reach = () => {
  const open = [...boxes].filter((box) => !box.closest("details:not([open])"));
  const wide = open.filter((box) => box.scrollWidth > box.clientWidth);
  for (const box of boxes) box.removeAttribute("tabindex");
  for (const box of wide) box.tabIndex = 0;
};
let rest;
const soon = () => { clearTimeout(rest); rest = setTimeout(reach, 300); };
addEventListener("load", reach);
addEventListener("resize", soon);
for (const fold of document.querySelectorAll("details")) fold.addEventListener("toggle", soon);
