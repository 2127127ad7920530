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

// What scrolls sideways can be scrolled by keyboard.
const boxes = document.querySelectorAll(".math-scroll, .table-wrapper, pre");
const reach = () => {
  const wide = [...boxes].map((box) => box.scrollWidth > box.clientWidth);
  boxes.forEach((box, i) => { if (wide[i]) box.tabIndex = 0; else box.removeAttribute("tabindex"); });
};
new ResizeObserver(reach).observe(document.body);
