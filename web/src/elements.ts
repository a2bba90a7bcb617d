// Elements from data. Text becomes text nodes and nothing else: no string is ever read as HTML.

export type Child = Node | string | null;

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

// What elements do before they are put on paper, kept by each of them: what has left the screen is kept by nobody.
const printing = new WeakMap<Element, () => void>();

export function beforePrint(element: Element, work: () => void): void {
  printing.set(element, work);
  element.setAttribute("data-print", "");
}

window.addEventListener("beforeprint", () => document.querySelectorAll("[data-print]").forEach((element) => printing.get(element)?.()));

// A table with its headings; cells that are numbers stand right.
export function table(caption: string, headings: string[], rows: Child[][], isNumber: boolean[]): HTMLElement {
  const kind = (at: number): Attributes => (isNumber[at] ? { class: "n" } : {});
  const head = headings.map((text, at) => el("th", { scope: "col", ...kind(at) }, text));
  const body = rows.map((row) => el("tr", {}, ...row.map((cell, at) => el("td", kind(at), cell))));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)),
  );
}

// What is made when it is opened first.
export function folded(summary: string, make: () => Node): HTMLDetailsElement {
  const details = el("details", { class: "behind" }, el("summary", {}, summary));
  const open = (): void => {
    if (details.open && details.childElementCount === 1) details.append(make());
  };
  details.addEventListener("toggle", open);
  // On paper everything is open.
  beforePrint(details, () => {
    details.open = true;
    open();
  });
  return details;
}
