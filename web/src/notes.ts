// What people wrote about a run or a campaign.

import type { Note } from "./api";
import { el } from "./elements";
import { moment } from "./words";

export function notes(written: Note[]): HTMLElement[] {
  if (written.length === 0) return [];
  const lines = written.map((note) => el("li", {}, el("bdi", {}, note.text), el("span", { class: "quiet" }, ` (${moment(note.at)} UTC${note.author === null ? "" : `, ${note.author}`})`)));
  return [el("h2", {}, "Notes of people"), el("ul", { class: "prose" }, ...lines)];
}
