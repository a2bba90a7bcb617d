// A table of many rows, of which only those on screen are in the document.

import { el, type Child } from "./elements";

const ROW = 34;
// Rows above and below the visible ones, so that scrolling shows no gaps.
const MORE = 20;

export interface Heading {
  name: string;
  text: string;
  isNumber: boolean;
}

export class VirtualTable {
  readonly root: HTMLElement;
  private readonly body = el("tbody");
  private readonly grid: HTMLTableElement;
  private readonly cells = new Map<string, HTMLTableCellElement>();
  private length = 0;
  private shown = "";

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
    this.grid = el("table", { class: "virtual" }, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...head)), this.body);
    this.root = el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": caption }, this.grid);
    this.root.addEventListener("scroll", () => requestAnimationFrame(() => this.draw(false)));
    window.addEventListener("beforeprint", () => this.draw(true));
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
    this.root.scrollTop = 0;
    this.draw(false);
  }

  private draw(all: boolean): void {
    const first = all ? 0 : Math.max(0, Math.floor(this.root.scrollTop / ROW) - MORE);
    const visible = Math.ceil(this.root.clientHeight / ROW) + 2 * MORE;
    const last = all ? Math.min(this.length, 2000) : Math.min(this.length, first + visible);
    const range = `${first}-${last}`;
    if (range === this.shown) return;
    this.shown = range;
    const rows: HTMLTableRowElement[] = [];
    for (let at = first; at < last; at += 1) {
      const cells = this.row(at).map((cell, column) =>
        el("td", { class: this.headings[column]?.isNumber ? "n" : "" }, cell),
      );
      rows.push(el("tr", { "aria-rowindex": at + 2 }, ...cells));
    }
    this.body.replaceChildren(this.space(first), ...rows, this.space(this.length - last));
  }

  private space(rows: number): Node {
    const space = el("tr", { "aria-hidden": "true", class: "space" }, el("td", { colspan: this.headings.length }));
    space.style.height = `${rows * ROW}px`;
    return space;
  }
}
