// As much of a browser's document as the figures' views use to draw themselves: elements with attributes
// and children. Nothing happens in it: events, frames and timers never come.

const dashed = (name) =>
  name.startsWith("--") ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

class Text {
  nodeType = 3;
  constructor(data) {
    if (data === undefined || data === null || Number.isNaN(data)) throw new Error(`the view writes “${data}”`);
    this.data = this.textContent = String(data);
  }
}

export class Element {
  nodeType = 1;
  childNodes = [];
  parentElement = null;
  #attributes = new Map();
  constructor(localName, namespaceURI = "http://www.w3.org/1999/xhtml") {
    Object.assign(this, { localName, namespaceURI });
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
    return this.childNodes.filter((node) => node instanceof Element);
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [text]));
  }
  remove() {
    const among = this.parentElement?.childNodes;
    if (among) among.splice(among.indexOf(this), 1);
    this.parentElement = null;
  }
  #insert(place, nodes) {
    const made = nodes.map((node) => (node instanceof Element ? node : new Text(node)));
    for (const node of made) {
      node.remove?.();
      node.parentElement = this;
    }
    this.childNodes.splice(place(), 0, ...made);
  }
  append(...nodes) {
    this.#insert(() => this.childNodes.length, nodes);
  }
  replaceChildren(...nodes) {
    for (const child of this.children) child.remove();
    this.childNodes = [];
    this.append(...nodes);
  }
  before(...nodes) {
    const parent = this.parentElement;
    parent.#insert(() => parent.childNodes.indexOf(this), nodes);
  }
  // Knows .class and [attribute].
  querySelectorAll(selector) {
    const name = selector.match(/[\w-]+/)[0];
    const fits = (el) => (selector[0] === "." ? el.classList.contains(name) : el.hasAttribute(name));
    return this.children.flatMap((child) => [
      ...(fits(child) ? [child] : []), ...child.querySelectorAll(selector),
    ]);
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  addEventListener() {}
  removeEventListener() {}

  get classList() {
    const names = new Set((this.getAttribute("class") ?? "").split(/\s+/).filter(Boolean));
    const toggle = (name, on = !names.has(name)) => {
      if (on === names.has(name)) return;
      names[on ? "add" : "delete"](name);
      this.setAttribute("class", [...names].join(" "));
    };
    return {
      contains: (name) => names.has(name), add: (...all) => all.forEach((name) => toggle(name, true)), toggle,
    };
  }
  get dataset() {
    return new Proxy({}, {
      get: (_, name) => this.getAttribute(`data-${dashed(name)}`) ?? undefined,
      set: (_, name, value) => this.setAttribute(`data-${dashed(name)}`, value) ?? true,
    });
  }
  // `style.left = "10%"` and `style.setProperty("left", "10%")` write the attribute.
  get style() {
    const parts = (this.getAttribute("style") ?? "").split(";").filter((part) => part.trim());
    const all = new Map(parts.map((part) => part.split(/:(.*)/s, 2).map((text) => text.trim())));
    const set = (name, value) => {
      all.set(dashed(name), String(value));
      if (value === "") all.delete(dashed(name));
      this.setAttribute("style", [...all].map(([key, text]) => `${key}: ${text};`).join(" "));
      return true;
    };
    return new Proxy({ setProperty: set }, { set: (_, name, value) => set(name, value) });
  }
}

// What these properties say stands in the attribute of the same name.
for (const name of ["id", "href"]) {
  Object.defineProperty(Element.prototype, name, {
    get() {
      return this.getAttribute(name) ?? "";
    },
    set(value) {
      this.setAttribute(name, value);
    },
  });
}
Object.defineProperty(Element.prototype, "hidden", {
  get() {
    return this.hasAttribute("hidden");
  },
  set(hidden) {
    if (hidden) this.setAttribute("hidden", "");
    else this.removeAttribute("hidden");
  },
});
// A control begins with the value of its attribute; what is set later stays its own.
const values = new WeakMap();
Object.defineProperty(Element.prototype, "value", {
  get() {
    return values.get(this) ?? this.getAttribute("value") ?? "";
  },
  set(value) {
    values.set(this, String(value));
  },
});

// Gives the views what a page gives them: one whose reader wants no motion, so that everything is drawn at once.
export function standIn() {
  const never = () => 0;
  const asleep = [
    "requestAnimationFrame", "cancelAnimationFrame", "setTimeout", "clearTimeout", "addEventListener",
  ];
  Object.assign(globalThis, Object.fromEntries(asleep.map((name) => [name, never])), {
    document: {
      activeElement: null,
      hidden: false,
      createElement: (name) => new Element(name),
      createElementNS: (space, name) => new Element(name, space),
    },
    matchMedia: () => ({ matches: true }),
  });
}
