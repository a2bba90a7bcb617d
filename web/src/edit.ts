// What people say of runs, campaigns and trends, changed on the page: where the server was started with --edit.

import { Refusal, refusal, type Campaign, type Marks, type Note, type Said, type Trends } from "./api";
import { el, type Child } from "./elements";
import type { Screen } from "./screen";
import { change, moment } from "./words";

type Field = HTMLInputElement | HTMLTextAreaElement;

async function post(path: string, body: object): Promise<void> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Fathom": "1" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, "fathom serve does not answer", "start it again with: fathom serve --edit");
  }
  if (!response.ok) throw await refusal(response);
}

// The controls of one screen: each sends one change, and shows the screen anew.
class Desk {
  private readonly said = el("p", { role: "alert", class: "failed" });

  constructor(
    private readonly screen: Screen,
    private readonly seq: number,
  ) {}

  root(...parts: Child[]): HTMLElement {
    return el("section", { class: "edit", "aria-label": "Edit" }, el("h2", {}, "Edit"), ...parts, this.said);
  }

  // The focus goes back to where it was, or to the field that takes the next of the same kind.
  private async change(path: string, body: object, focus: string): Promise<void> {
    this.said.replaceChildren();
    try {
      await post(path, { seq: this.seq, store: this.screen.store, ...body });
    } catch (error) {
      const { status, message, remedy } = error instanceof Refusal ? error : new Refusal(0, String(error), "");
      this.said.replaceChildren(`Nothing was changed: ${message}.${remedy === "" ? "" : ` To do: ${remedy}.`} `);
      if (status === 409) this.said.append(el("button", { type: "button", click: () => void this.screen.again() }, "Show it anew"));
      return;
    }
    await this.screen.again();
    document.getElementById(focus)?.focus();
  }

  button(text: string, path: string, body: object, focus: string): HTMLElement {
    return el("button", { type: "button", id: focus, click: () => void this.change(path, body, focus) }, text);
  }

  // Takes one thing back; the field that puts such a thing on has the focus then.
  back(text: string, path: string, body: object, focus: string): HTMLElement {
    return el("button", { type: "button", click: () => void this.change(path, body, focus) }, text);
  }

  form(fields: { label: string; field: Field }[], text: string, path: string, body: () => object): HTMLElement {
    const focus = fields[0]?.field.id ?? "";
    const labelled = fields.map(({ label, field }) => el("span", {}, el("label", { for: field.id }, `${label} `), field));
    const submit = (event: Event): void => {
      event.preventDefault();
      void this.change(path, body(), focus);
    };
    return el("form", { class: "controls", submit }, ...labelled, el("button", { type: "submit" }, text));
  }
}

function line(id: string, most: number): HTMLInputElement {
  return el("input", { id, type: "text", required: true, maxlength: most, autocomplete: "off" });
}

function tags(desk: Desk, object: string, words: string[]): HTMLElement[] {
  const field = line("edit-tag", 400);
  const put = (): string[] => field.value.split(/\s+/).filter((word) => word !== "");
  const back = words.map((word) => desk.back(`Take off ${word}`, "labels", { object, words: [word], remove: true }, field.id));
  return [desk.form([{ label: "Tags", field }], "Put on", "labels", () => ({ object, words: put() })), el("p", { class: "controls" }, ...back)];
}

function notes(desk: Desk, object: string, written: Note[]): HTMLElement[] {
  const field = el("textarea", { id: "edit-note", required: true, rows: 2, cols: 50, maxlength: 4096 });
  const back = written.map(({ number, text }) => desk.back(`Take back note ${number}: ${text.slice(0, 30)}${text.length > 30 ? "…" : ""}`, "notes", { object, remove: number }, field.id));
  return [desk.form([{ label: "Note", field }], "Write", "notes", () => ({ object, text: field.value })), el("p", { class: "controls" }, ...back)];
}

export function editRun(screen: Screen, id: string, said: Said): HTMLElement {
  const desk = new Desk(screen, said.seq);
  const isBaseline = said.baseline === id;
  const baseline = desk.button(isBaseline ? "Give it up as the baseline" : "Make it the baseline", "baselines", { run: id, remove: isBaseline }, "edit-baseline");
  return desk.root(...tags(desk, id, said.tags), ...notes(desk, id, said.notes), el("p", {}, baseline));
}

export function editCampaign(screen: Screen, campaign: Campaign): HTMLElement {
  const desk = new Desk(screen, campaign.seq);
  return desk.root(...tags(desk, campaign.id, campaign.tags), ...notes(desk, campaign.id, campaign.notes));
}

// Marks, and the changes of level that nobody has taken as they are yet.
export function editTrend(screen: Screen, trends: Trends, { seq, marks }: Marks, metric: string): HTMLElement {
  const desk = new Desk(screen, seq);
  const title = line("edit-mark", 200);
  const [from, until] = ["edit-from", "edit-until"].map((id) => el("input", { id, type: "datetime-local", step: 1 }));
  const only = el("input", { id: "edit-only", type: "checkbox" });
  // What is typed is UTC, as everything that is shown.
  const time = (field: HTMLInputElement | undefined): string | null => (field === undefined || field.value === "" ? null : `${field.value.length === 16 ? `${field.value}:00` : field.value}Z`);
  const fields = [{ label: "Mark", field: title }, ...[{ label: "from (UTC, now where empty)", field: from }, { label: "until", field: until }].flatMap(({ label, field }) => (field ? [{ label, field }] : [])), { label: `about ${trends.target} alone`, field: only }];
  const body = (): object => ({ title: title.value, from: time(from), until: time(until), target: only.checked ? trends.target : null });
  const back = marks.map((mark) => desk.back(`Take back mark ${mark.number}: ${mark.title}`, "marks", { remove: mark.number }, title.id));
  return desk.root(desk.form(fields, "Make", "marks", body), el("p", { class: "controls" }, ...back), ...open(desk, trends, metric));
}

function open(desk: Desk, trends: Trends, metric: string): HTMLElement[] {
  const changes = trends.workloads.flatMap((workload) => (workload.levels ?? []).flatMap((level) => (level.change === null || level.change.acknowledged !== null ? [] : [{ workload, level, ratio: level.change.ratio }])));
  return changes.map(({ workload, level, ratio }, at) => {
    const because = line(`edit-because-${at}`, 4096);
    const label = `${workload.pattern}, ${workload.jobs} × ${workload.depth}: ${change(ratio)} since ${moment(level.from_at)} UTC is as it should be, because`;
    return desk.form([{ label, field: because }], "Acknowledge", "findings", () => ({ target: trends.target, metric, run: level.from_run, because: because.value, least: trends.least_difference }));
  });
}
