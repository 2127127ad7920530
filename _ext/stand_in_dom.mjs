// As much of a browser's document as the figures' views use to draw themselves: elements with attributes
// and children. Nothing happens in it: events, frames and timers never come.

class Text {
  nodeType = 3;
  constructor(data) {
    if (data === undefined || data === null || Number.isNaN(data)) throw new Error(`the view writes “${data}”`);
    this.data = String(data);
  }
  get textContent() {
    return this.data;
  }
}

const dashed = (name) => (name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

// `element.style.left = "10%"` and `element.style.setProperty(...)` end up in the attribute, as in a browser.
function styleOf(element) {
  const read = () => {
    const declarations = (element.getAttribute("style") ?? "").split(";").filter((part) => part.trim());
    return new Map(declarations.map((part) => part.split(/:(.*)/s, 2).map((text) => text.trim())));
  };
  const set = (name, value) => {
    const all = read();
    if (String(value) === "") all.delete(dashed(name));
    else all.set(dashed(name), String(value));
    if (all.size) element.setAttribute("style", [...all].map(([key, text]) => `${key}: ${text};`).join(" "));
    else element.removeAttribute("style");
    return true;
  };
  const get = (name) => read().get(dashed(name)) ?? "";
  const methods = { setProperty: set, removeProperty: (name) => set(name, ""), getPropertyValue: get };
  return new Proxy({}, { get: (_, name) => methods[name] ?? get(name), set: (_, name, value) => set(name, value) });
}

const dataOf = (element) => new Proxy({}, {
  get: (_, name) => element.getAttribute(`data-${dashed(name)}`) ?? undefined,
  set: (_, name, value) => element.setAttribute(`data-${dashed(name)}`, value) ?? true,
});

function classesOf(element) {
  const read = () => new Set((element.getAttribute("class") ?? "").split(/\s+/).filter(Boolean));
  const write = (names) => element.setAttribute("class", [...names].join(" "));
  const toggle = (name, on = !read().has(name)) => {
    const names = read();
    if (on === names.has(name)) return on;
    names[on ? "add" : "delete"](name);
    write(names);
    return on;
  };
  return {
    add: (...names) => names.forEach((name) => toggle(name, true)),
    remove: (...names) => names.forEach((name) => toggle(name, false)),
    contains: (name) => read().has(name),
    toggle,
  };
}

export class Element {
  nodeType = 1;
  childNodes = [];
  parentElement = null;
  #attributes = new Map();
  constructor(localName, namespaceURI = "http://www.w3.org/1999/xhtml") {
    Object.assign(this, { localName, namespaceURI });
    this.style = styleOf(this);
    this.dataset = dataOf(this);
    this.classList = classesOf(this);
  }

  get attributes() {
    return [...this.#attributes].map(([name, value]) => ({ name, value }));
  }
  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }
  hasAttribute(name) {
    return this.#attributes.has(name);
  }
  setAttribute(name, value) {
    if (value === undefined || Number.isNaN(value)) throw new Error(`the view writes ${name}="${value}"`);
    this.#attributes.set(name, String(value));
  }
  removeAttribute(name) {
    this.#attributes.delete(name);
  }

  get children() {
    return this.childNodes.filter((node) => node.nodeType === 1);
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(...(String(text) === "" ? [] : [text]));
  }
  remove() {
    const among = this.parentElement?.childNodes;
    if (among) among.splice(among.indexOf(this), 1);
    this.parentElement = null;
  }
  #take(nodes) {
    return nodes.map((node) => {
      if (!(node instanceof Element)) return new Text(node);
      node.remove();
      node.parentElement = this;
      return node;
    });
  }
  append(...nodes) {
    this.childNodes.push(...this.#take(nodes));
  }
  replaceChildren(...nodes) {
    for (const child of this.children) child.parentElement = null;
    this.childNodes = [];
    this.append(...nodes);
  }
  before(...nodes) {
    const made = this.parentElement.#take(nodes);
    const among = this.parentElement.childNodes;
    among.splice(among.indexOf(this), 0, ...made);
  }
  // Knows one name, one .class or one [attribute].
  querySelectorAll(selector) {
    const [, sign, name] = /^([.[]?)([\w-]+)\]?$/.exec(selector);
    const fits = { "": (el) => el.localName === name, ".": (el) => el.classList.contains(name), "[": (el) => el.hasAttribute(name) };
    return this.children.flatMap((child) => [...(fits[sign](child) ? [child] : []), ...child.querySelectorAll(selector)]);
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  addEventListener() {}
  removeEventListener() {}
}

// What these properties say stands in the attribute of the same name.
for (const [property, attribute] of [["id", "id"], ["href", "href"], ["title", "title"], ["className", "class"]]) {
  Object.defineProperty(Element.prototype, property, {
    get() {
      return this.getAttribute(attribute) ?? "";
    },
    set(value) {
      this.setAttribute(attribute, value);
    },
  });
}
// As in a browser, a slider takes the step nearest to what is written to it.
function onStep(range, value) {
  const limit = (name, otherwise) => Number(range.getAttribute(name) ?? otherwise);
  const [low, high, step] = [limit("min", 0), limit("max", 100), limit("step", 1)];
  return low + Math.round((Math.min(high, Math.max(low, value)) - low) / step) * step;
}

// A control begins with the value of its attribute; what is set later stays its own.
const values = new WeakMap();
Object.defineProperty(Element.prototype, "value", {
  get() {
    return values.get(this) ?? this.getAttribute("value") ?? "";
  },
  set(value) {
    values.set(this, String(this.getAttribute("type") === "range" ? onStep(this, value) : value));
  },
});
Object.defineProperty(Element.prototype, "hidden", {
  get() {
    return this.hasAttribute("hidden");
  },
  set(hidden) {
    if (hidden) this.setAttribute("hidden", "");
    else this.removeAttribute("hidden");
  },
});

// Gives the views what a page gives them: one whose reader wants no motion, so that everything is drawn at once.
export function standIn() {
  const never = () => 0;
  Object.assign(globalThis, {
    document: {
      activeElement: null,
      hidden: false,
      createElement: (name) => new Element(name),
      createElementNS: (space, name) => new Element(name, space),
    },
    matchMedia: () => ({ matches: true, addEventListener() {}, removeEventListener() {} }),
    requestAnimationFrame: never,
    cancelAnimationFrame: never,
    setTimeout: never,
    clearTimeout: never,
    setInterval: never,
    clearInterval: never,
    addEventListener() {},
    removeEventListener() {},
  });
}
