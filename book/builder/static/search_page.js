// The search page: reads the question from the address or the box, and shows what `search` finds.

const SHOWN = 6; // of each group at first
const box = document.getElementById("search-words");
const status = document.getElementById("search-status");
const list = document.getElementById("search-results");
const places = document.getElementById("search-places");
const bookTitle = document.title;

const make = (tag, className, ...parts) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...parts);
  return element;
};

// A text with the words marked that were asked for.
function marked(text, words) {
  const parts = [];
  let last = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    if (!isMarked(piece, words)) continue;
    parts.push(text.slice(last, index), make("mark", "", piece));
    last = index + piece.length;
  }
  return [...parts, text.slice(last)];
}

// What stands under a title: where its section is.
const whereIs = ({ kind, pageTitle, part }) => {
  if (kind === "page") return part;
  return kind === "function" ? `Function · ${pageTitle}` : pageTitle;
};

function result(section, words) {
  const { kind, href, title, line } = section;
  const name = marked(kind === "verdict" ? `“${title}”` : title, words);
  const link = make("a", "", ...(kind === "function" ? [make("code", "", ...name)] : name));
  link.href = href;
  const where = whereIs(section);
  const entry = make("li", "", link);
  if (where) entry.append(make("span", "search-where", where));
  if (line) entry.append(make("p", "", ...marked(line, words)));
  return entry;
}

// A heading and its results; those beyond the first few wait behind a button.
function group(name, sections, words) {
  const entries = sections.map((section) => result(section, words));
  const results = make("ol", "search-list", ...entries.slice(0, SHOWN));
  const shown = make("section", "", make("h2", "", name), results);
  const more = entries.slice(SHOWN);
  if (more.length) {
    const button = make("button", "search-more", `Show ${more.length} more`);
    button.type = "button";
    button.addEventListener("click", () => {
      results.append(...more);
      more[0].querySelector("a").focus();
      button.remove();
    });
    shown.append(button);
  }
  return shown;
}

const sections = (count) => `${count} ${count === 1 ? "section" : "sections"}`;

// One sentence on what was found.
function sentence(question, { total, complete }) {
  if (!question) return "Or look it up:";
  const instead = "Try one word, its beginning, or another name for it; or look here:";
  if (!total) return `Nothing is found for “${question}”. ${instead}`;
  const which = complete ? "" : " None has all the words; these have some of them.";
  return `${sections(total)} for “${question}”.${which}`;
}

let later;
function show(question) {
  const found = question ? search(question) : { first: [], groups: [], total: 0, marked: [] };
  const groups = [["Start here", found.first], ...found.groups].filter(([, results]) => results.length);
  list.replaceChildren(...groups.map(([name, results]) => group(name, results, found.marked)));
  places.hidden = found.total > 0;
  document.title = question ? `${question} - ${bookTitle}` : bookTitle;
  clearTimeout(later); // said once the reader pauses, not at every letter
  later = setTimeout(() => { status.textContent = sentence(question, found); }, 300);
}

// The address keeps what is typed, so that it can be passed on and gone back to; some
// browsers refuse it on file://.
function keep(question) {
  const address = new URL(location.href);
  if (question) address.searchParams.set("q", question);
  else address.searchParams.delete("q");
  try { history.replaceState(null, "", address); } catch { /* the results stand all the same */ }
}

box.value = new URLSearchParams(location.search).get("q") ?? "";
show(box.value.trim());
box.addEventListener("input", () => {
  keep(box.value.trim());
  show(box.value.trim());
});
if (!box.value) box.focus({ preventScroll: true });
