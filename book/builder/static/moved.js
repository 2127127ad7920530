// On a page that has moved: leads on at once, and keeps what follows # (an id, and
// perhaps a figure's state after ?).

const link = document.querySelector("a[data-ids]");
const [id, ...state] = location.hash.slice(1).split("?");
const ids = JSON.parse(link.dataset.ids);
const place = Object.hasOwn(ids, id) ? ids[id] : link.getAttribute("href") + (id && `#${id}`);
link.href = [place, ...state].join("?");
location.replace(link.href);
