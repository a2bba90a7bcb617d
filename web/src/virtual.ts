// A table of many rows, of which only those on screen are in the document.

import { beforePrint, el, type Child } from "./elements";

const ROW = 34;
// Rows above and below the visible ones, so that scrolling shows no gaps; fewer where all are new, which are to be seen soon.
const [MORE, FEW] = [8, 2];
// Pause after which the others are put around them.
const REST_MS = 120;

export interface Heading {
  name: string;
  text: string;
  isNumber: boolean;
}

export class VirtualTable {
  readonly root: HTMLElement;
  private readonly body: HTMLTableSectionElement;
  private readonly above: HTMLTableRowElement;
  private readonly below: HTMLTableRowElement;
  private readonly grid: HTMLTableElement;
  private readonly cells = new Map<string, HTMLTableCellElement>();
  private length = 0;
  private rows = new Map<number, HTMLTableRowElement>();
  private shown = "";
  private resting = 0;

  constructor(
    caption: string,
    private readonly headings: Heading[],
    private readonly row: (at: number) => Child[],
    sort: (name: string) => void,
  ) {
    const head = headings.map((heading) => {
      const cell = el(
        "th",
        { scope: "col", class: heading.isNumber ? "n" : "" },
        el("button", { type: "button", class: "sort", click: () => sort(heading.name) }, heading.text),
      );
      this.cells.set(heading.name, cell);
      return cell;
    });
    [this.above, this.below] = [space(headings.length), space(headings.length)];
    this.body = el("tbody", {}, this.above, this.below);
    this.grid = el("table", { class: "virtual" }, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...head)), this.body);
    this.root = el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": caption }, this.grid);
    this.root.addEventListener("scroll", () => requestAnimationFrame(() => this.draw(false)));
    beforePrint(this.root, () => this.draw(true));
    new ResizeObserver(() => this.draw(false)).observe(this.root);
  }

  show(length: number, sorted: string, isDown: boolean): void {
    this.length = length;
    this.grid.setAttribute("aria-rowcount", String(length + 1));
    for (const [name, cell] of this.cells) {
      if (name === sorted) cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    this.shown = "";
    this.rows.clear();
    this.body.replaceChildren(this.above, this.below);
    this.root.scrollTop = 0;
    this.draw(false);
  }

  private draw(all: boolean): void {
    const top = Math.floor(this.root.scrollTop / ROW);
    const visible = Math.ceil(this.root.clientHeight / ROW);
    const more = this.rows.has(top) || this.rows.has(top + visible) ? MORE : FEW;
    const first = all ? 0 : Math.max(0, top - more);
    const last = all ? Math.min(this.length, 2000) : Math.min(this.length, first + visible + 2 * more);
    const range = `${first}-${last}`;
    if (range === this.shown) return;
    this.shown = range;
    const before = this.rows;
    this.rows = new Map();
    for (let at = first; at < last; at += 1) this.rows.set(at, before.get(at) ?? this.made(at));
    for (const [at, row] of before) if (!this.rows.has(at)) row.remove();
    // What stays is not touched: it may have the focus.
    let next = this.above.nextSibling;
    for (const row of this.rows.values()) {
      if (row === next) next = row.nextSibling;
      else this.body.insertBefore(row, next);
    }
    this.above.style.height = `${first * ROW}px`;
    this.below.style.height = `${(this.length - last) * ROW}px`;
    clearTimeout(this.resting);
    if (more === FEW) this.resting = window.setTimeout(() => this.draw(false), REST_MS);
  }

  private made(at: number): HTMLTableRowElement {
    const cells = this.row(at).map((cell, column) => el("td", { class: this.headings[column]?.isNumber ? "n" : "" }, cell));
    return el("tr", { "aria-rowindex": at + 2 }, ...cells);
  }
}

// Stands for the rows that are not in the document.
function space(columns: number): HTMLTableRowElement {
  return el("tr", { "aria-hidden": "true", class: "space" }, el("td", { colspan: columns }));
}
