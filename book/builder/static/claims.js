// The page of claims: its counts become filters. Without this script, and on paper, everything is shown.
{ // a scope of its own: the scripts of a page share one
  const kinds = ["verdict", "text"]; // as in the page's address: claims.html?verdict=does-not-hold,holds&text=B
  const board = document.querySelector(".ws-scores");
  const claims = [...document.querySelectorAll("[data-verdict][data-text]")];
  const parts = [...document.querySelectorAll("section section, .ws-open-claims")];
  const groups = parts.filter((part) => part.querySelector("[data-text]"));
  const folds = [...document.querySelectorAll(".ws-verdict-more")];
  const make = (tag, ...content) => {
    const element = document.createElement(tag);
    if (tag === "button") element.type = "button";
    element.append(...content);
    return element;
  };

  const within = (item, kind) => {
    const button = make("button", ...item.childNodes);
    button.value = item.dataset[kind];
    item.append(button);
    return button;
  };
  const items = (kind) => [...board.querySelectorAll(`li[data-${kind}]`)];
  const buttons = Object.fromEntries(kinds.map((kind) => [kind, items(kind).map((item) => within(item, kind))]));
  const every = kinds.flatMap((kind) => buttons[kind]);
  const status = make("p");
  status.setAttribute("role", "status");
  const all = make("button", "Show all");
  const unfold = make("button");
  const foot = make("div", status, all, unfold);
  foot.className = "ws-scores-foot";
  board.append(foot);

  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
  const pressed = (kind) => buttons[kind].filter(isPressed).map((button) => button.value);
  const fits = (claim, kind, values) => !values.length || values.includes(claim.dataset[kind]);

  // Each count is of what its button would show beside the choice of the other kind.
  const count = (verdicts, texts) => {
    for (const [kind, other, values] of [["verdict", "text", texts], ["text", "verdict", verdicts]]) {
      const beside = claims.filter((claim) => fits(claim, other, values));
      for (const button of buttons[kind]) {
        const own = beside.filter((claim) => claim.dataset[kind] === button.value);
        button.querySelector("b").textContent = own.length;
      }
    }
  };
  const show = () => {
    const [verdicts, texts] = kinds.map(pressed);
    const shown = claims.filter((claim) => fits(claim, "verdict", verdicts) && fits(claim, "text", texts));
    for (const claim of claims) claim.classList.toggle("ws-left-out", !shown.includes(claim));
    const empty = (group) => !shown.some((claim) => group.contains(claim));
    for (const group of groups) group.classList.toggle("ws-left-out", empty(group));
    count(verdicts, texts);
    all.hidden = !verdicts.length && !texts.length;
    status.textContent = `${all.hidden ? "All" : `${shown.length} of`} ${claims.length} claims shown`;
  };
  addEventListener("beforeprint", () => count([], [])); // on paper are all claims
  addEventListener("afterprint", show);
  const choose = (wanted) => {
    for (const button of every) button.setAttribute("aria-pressed", wanted(button));
    show();
  };

  // The choice stands in the page's address; the address of an entry stays behind it.
  const keep = () => {
    const chosen = kinds.filter((kind) => pressed(kind).length);
    const asked = chosen.map((kind) => `${kind}=${pressed(kind).join(",")}`).join("&");
    const address = `${location.pathname}${asked && `?${asked}`}${location.hash}`;
    try { history.replaceState(history.state, "", address); } catch { /* the choice stands all the same */ }
  };
  for (const button of every) {
    button.addEventListener("click", () => {
      choose((other) => isPressed(other) !== (other === button));
      keep();
    });
  }
  all.addEventListener("click", () => {
    every.find(isPressed).focus(); // this button goes
    choose(() => false);
    keep();
  });

  // One button opens all folds, and says what it would do now.
  const areOpen = () => folds.every((fold) => fold.open);
  const name = () => { unfold.textContent = areOpen() ? "Fold all reasons" : "Open all reasons"; };
  unfold.addEventListener("click", () => {
    const open = !areOpen();
    for (const fold of folds) fold.open = open;
  });
  document.addEventListener("toggle", name, true);
  name();

  // An address that leads to something left out shows everything; one of an entry opens its reasons.
  const lead = (hash) => {
    const place = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!place) return;
    const fold = place.querySelector(":scope > .ws-verdict-more");
    if (fold) fold.open = true;
    if (!place.closest(".ws-left-out")) return;
    choose(() => false);
    keep();
    place.scrollIntoView();
  };
  const asked = new URLSearchParams(location.search);
  const wanted = kinds.flatMap((kind) => asked.get(kind)?.split(",") ?? []); // no verdict is named as a text
  choose((button) => wanted.includes(button.value));
  lead(location.hash);
  addEventListener("hashchange", () => lead(location.hash));
  document.addEventListener("click", ({ target }) => {
    const link = target.closest("a[href^='#']"); // also one to where one is: then the address does not change
    if (link) lead(link.hash);
  });
}
