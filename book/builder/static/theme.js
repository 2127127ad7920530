// The theme stands on the root element, always resolved to light or dark, before anything is painted.
(() => {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const preferred = () => (system.matches ? "dark" : "light");
  const resolve = (choice) => (choice === "light" || choice === "dark" ? choice : preferred());
  root.dataset.theme = resolve(stored());
  root.classList.remove("no-js"); // the theme's script would, after everything has been styled once
  system.addEventListener("change", () => { root.dataset.theme = resolve(document.body.dataset.theme); });
  const arrival = new MutationObserver(() => {
    if (!document.body) return;
    arrival.disconnect();
    document.body.dataset.theme = stored() || "auto";
  });
  arrival.observe(root, { childList: true });
  addEventListener("DOMContentLoaded", () => {
    const body = document.body; // the toggle sets the body's; another tool may set the root's
    new MutationObserver(() => {
      const theme = resolve(body.dataset.theme);
      if (root.dataset.theme !== theme) root.dataset.theme = theme;
    }).observe(body, { attributes: true, attributeFilter: ["data-theme"] });
    new MutationObserver(() => {
      if (resolve(body.dataset.theme) !== root.dataset.theme) body.dataset.theme = root.dataset.theme;
    }).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  });
})();
