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
for (const tick of document.querySelectorAll("a.ws-tick")) {
  tick.setAttribute("aria-expanded", "false");
  tick.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const again = tick === pressed;
    shut();
    if (again) return;
    const entry = document.getElementById(tick.hash.slice(1));
    panel = Object.assign(document.createElement("span"), { className: "ws-panel ws-claim", innerHTML: entry.innerHTML });
    (tick.closest(".table-wrapper") ?? tick).after(panel);
    pressed = tick;
    tick.setAttribute("aria-expanded", "true");
    spoken.textContent = [...entry.querySelectorAll("p")].map((line) => line.textContent).join(" ");
  });
}
addEventListener("keydown", (event) => { if (event.key === "Escape") shut(); });

// An address may lead into a list that is folded; on paper lists are open.
const reveal = () => {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folds = [];
  for (let fold = place && place.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
  for (const fold of folds.filter((fold) => !fold.open)) { fold.open = true; place.scrollIntoView(); }
};
addEventListener("hashchange", reveal);
reveal();
