// A drawn figure as HTML that needs no script. Works alike on a browser's elements and on the stand-in's.
//
// What only a script can move is left out, but its room is kept, so that nothing on the page shifts when the
// live figure takes the picture's place: a button becomes a span that the style sheet hides (but for the answers
// to a question, which are read before they can be pressed), a radio button or a check box a mark, a slider for β
// the place of its thumb, which only pictures of widgets show (`widget_pictures.py`). A slider of the figure's own
// making says its value to a screen reader. What is hidden, such as all that is behind “More”, goes.

const INPUTS = new Set(["input", "select", "textarea"]);
// Forms, labels and buttons have nothing left to control.
const PLAIN = { form: "div", label: "span", button: "span" };
const WORDS = /^(?:aria-|data-|title$|alt$|class$|id$)/; // attributes in which a number is not a length
const SVG = "http://www.w3.org/2000/svg";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]);
// Six digits leave no error above a thousandth of a pixel.
const sixDigits = (number) => String(Number(Number(number).toPrecision(6)));
const rounded = (text) => text.replace(/-?\d+\.\d{4,}(?:e[+-]?\d+)?/g, sixDigits);

// Browsers write a style their own way once a script has touched it.
function neatStyle(text) {
  const declarations = text.split(";").map((part) => part.trim()).filter(Boolean);
  return declarations.map((part) => part.replace(/\s*:\s*/, ":").replace(/url\("([^"]*)"\)/, "url($1)")).join(";");
}

function attribute({ name, value }) {
  if (name === "tabindex" || (name === "style" && !value.trim())) return "";
  let neat = value;
  if (name === "role" && value === "radiogroup") neat = "group"; // there are no radio buttons in it any more
  if (name === "style") neat = neatStyle(value);
  return ` ${name}="${escaped(WORDS.test(name) ? neat : rounded(neat))}"`;
}

// The style last, since a browser and the stand-in make it at different times.
function attributesOf(node) {
  const all = [...node.attributes];
  return [...all.filter(({ name }) => name !== "style"), ...all.filter(({ name }) => name === "style")];
}

function written(node) {
  if (node.nodeType === 3) return escaped(node.data);
  if (node.nodeType !== 1 || node.hidden) return "";
  const kind = node.localName;
  const role = node.getAttribute("role");
  if (INPUTS.has(kind)) {
    const at = /--ws-at:\s*([\d.]+)/.exec(node.getAttribute("style") ?? "");
    if (at) return `<span class="ws-thumb" style="--ws-at:${rounded(at[1])}"></span>`;
    const marked = ["radio", "checkbox"].includes(node.getAttribute("type"));
    return marked ? `<span class="ws-mark${node.checked ? " ws-chosen" : ""}"></span>` : "";
  }
  if (role === "slider") {
    return `<span class="ws-unseen">${escaped(node.getAttribute("aria-valuetext") ?? "")}</span>`;
  }
  const name = PLAIN[kind] ?? kind;
  let attributes = attributesOf(node);
  if (kind === "button" && node.className !== "ws-guess") {
    attributes = [...attributes.filter((one) => one.name === "class"), { name: "aria-hidden", value: "true" }];
  }
  const inside = [...node.childNodes].map(written).join("");
  const opening = `<${name}${attributes.map(attribute).join("")}`;
  if (node.namespaceURI === SVG && !inside) return `${opening}/>`;
  return ["br", "hr", "img"].includes(name) ? `${opening}>` : `${opening}>${inside}</${name}>`;
}

// Ids made at random become the figure's own name and a number, the same in every build.
export function stillPicture(figure) {
  let html = written(figure);
  const ids = [...figure.querySelectorAll("[id]")].filter((node) => html.includes(node.id)).map((node) => node.id);
  ids.forEach((id, i) => (html = html.replaceAll(id, `${figure.id}-${i + 1}`)));
  return html;
}
