// All runs: search, facets with counts, and a table that any column sorts.

import { json, type Facets, type Listing } from "../api";
import { el, folded, type Child } from "../elements";
import { address, keep, route } from "../route";
import { COMPARED_MAX, type Screen } from "../screen";
import { Histories, spark } from "../spark";
import { VirtualTable, type Heading } from "../virtual";
import { change, count, moment, plain, rate, throughput, time } from "../words";

// Pause after the last key before a search is sent.
const TYPING_MS = 200;
// Values of a facet that are listed.
const VALUES_MAX = 12;

type Rows = Listing["columns"];

const HEADINGS: Heading[] = [
  { name: "chosen", text: "chosen", isNumber: false },
  { name: "started_at", text: "started (UTC)", isNumber: false },
  { name: "valid", text: "checks", isNumber: false },
  { name: "target", text: "target", isNumber: false },
  { name: "pattern", text: "workload", isNumber: false },
  { name: "jobs", text: "jobs", isNumber: true },
  { name: "depth", text: "depth", isNumber: true },
  { name: "operations_per_s", text: "IOPS", isNumber: true },
  { name: "throughput_bytes_per_s", text: "throughput", isNumber: true },
  { name: "p50_ns", text: "p50", isNumber: true },
  { name: "p99_ns", text: "p99", isNumber: true },
  { name: "history", text: "history", isNumber: false },
  { name: "tool", text: "tool", isNumber: false },
  { name: "tags", text: "tags", isNumber: false },
];

const FACETS = [
  { column: "target", text: "target" },
  { column: "pattern", text: "workload" },
  { column: "device", text: "device" },
  { column: "tool", text: "tool" },
  { column: "tags", text: "tag" },
  { column: "kernel", text: "kernel" },
  { column: "valid", text: "checks" },
] as const;

export async function runs(screen: Screen): Promise<HTMLElement> {
  return new Runs(screen).start();
}

class Runs {
  private listing: Listing | null = null;
  private histories: Histories | null = null;
  private order = new Uint32Array(0);
  private asked = 0;
  private timer = 0;
  private readonly search = el("input", { type: "search", id: "q", autocomplete: "off", spellcheck: "false", placeholder: 'e.g. target:nvme0 p99<2ms valid' });
  private readonly told = el("p", { role: "status", class: "quiet" });
  // Ids of the runs that are to be compared, in the order in which they were chosen.
  private readonly chosen = new Set<string>();
  private readonly compared = el("p", { class: "compared" });
  private readonly facets = el("div", { class: "facets" });
  private readonly table: VirtualTable;
  private readonly root: HTMLElement;

  constructor(private readonly screen: Screen) {
    this.table = new VirtualTable("Runs", HEADINGS, (at) => this.row(at), (name) => this.sort(name));
    this.search.value = route().query.get("q") ?? "";
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.load(), TYPING_MS);
    });
    this.root = el(
      "section",
      {},
      el("h1", {}, "Runs"),
      ...(SHARED ? [] : [el("form", { class: "search", role: "search", submit: (event) => event.preventDefault() }, el("label", { for: "q" }, "Search"), this.search),
      folded("What a search can say", () => help())]),
      this.told,
      this.compared,
      el("div", { class: "aside" }, this.facets, this.table.root),
    );
  }

  async start(): Promise<HTMLElement> {
    await this.load();
    return this.root;
  }

  private async load(): Promise<void> {
    const [q, mine] = [this.search.value, (this.asked += 1)];
    keep({ q });
    let listing: Listing;
    try {
      listing = await json<Listing>("runs", { store: this.screen.store, q, limit: this.screen.hello.runs_max });
    } catch (error) {
      if (this.listing === null) throw error;
      // A search in the middle of being typed makes no sense yet.
      if (mine === this.asked) this.told.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    if (mine !== this.asked) return;
    this.listing = listing;
    this.histories = new Histories(listing);
    this.order = Uint32Array.from(listing.columns.id, (_, at) => at);
    const shown = listing.columns.id.length;
    const newest = shown < listing.total ? `; the newest ${count(shown)} are shown: narrow the search to see others` : "";
    this.told.textContent = `${count(listing.total)} ${listing.total === 1 ? "run" : "runs"}${newest}`;
    this.drawFacets(this.counted());
    this.arrange();
    if (!SHARED) void this.countAll(q, mine);
  }

  // What is not on screen counts too, and so do kernels.
  private async countAll(q: string, mine: number): Promise<void> {
    performance.mark("facets-asked");
    try {
      const { facets } = await json<Facets>("facets", { store: this.screen.store, q });
      if (mine === this.asked) this.drawFacets(facets);
    } catch (error) {
      if (mine === this.asked) this.told.append(`; the counts at the left are of these (${error instanceof Error ? error.message : String(error)})`);
    }
    performance.measure("facets", "facets-asked");
  }

  // Values of the runs on screen.
  private counted(): Facets["facets"] {
    const { columns, words } = this.listing as Listing;
    const found: Facets["facets"] = {};
    for (const { column } of FACETS) {
      const counts = new Map<string, number>();
      // A run's kernel is not in the list.
      if (column === "kernel") continue;
      const places: (number | null)[] = column === "valid" ? [] : columns[column].flat();
      const every = column === "valid" ? columns.valid.map((isValid) => (isValid ? "valid" : "invalid")) : places.map((place) => (place === null ? undefined : words[column]?.[place]));
      for (const word of every) if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
      found[column] = { values: counts.size, most: [...counts].sort((a, b) => b[1] - a[1]) };
    }
    return found;
  }

  private sort(name: string): void {
    const { query } = route();
    const isDown = query.get("sort") === name ? query.get("order") !== "down" : name !== "target";
    keep({ sort: name, order: isDown ? "down" : "up" });
    this.arrange();
  }

  // Puts rows in order. What was not measured comes last, whichever the direction.
  private arrange(): void {
    if (!this.listing) return;
    const { query } = route();
    const name = (query.get("sort") ?? "started_at") as keyof Rows | "chosen" | "history";
    const isDown = query.get("sort") === null || query.get("order") === "down";
    const places = this.places(name, isDown);
    this.order.sort((one, other) => (places[one] ?? 0) - (places[other] ?? 0) || one - other);
    this.table.show(this.order.length, name, isDown);
  }

  // Where each run belongs, as a number. What others are compared with stays at the top.
  private places(name: keyof Rows | "chosen" | "history", isDown: boolean): Float64Array {
    const values = this.keys(name);
    const pinned = (this.listing as Listing).columns.baseline;
    const texts = [...new Set(values.filter((value) => typeof value === "string"))].sort();
    const ranks = new Map(texts.map((text, rank) => [text, rank]));
    return Float64Array.from(values, (value, at) => {
      if (pinned[at]) return -Infinity;
      if (value === null) return Infinity;
      const number = typeof value === "string" ? (ranks.get(value) ?? 0) : value;
      return isDown ? -number : number;
    });
  }

  // What a column is sorted by: words by their place in the alphabet.
  private keys(name: keyof Rows | "chosen" | "history"): (number | string | null)[] {
    const { columns, words } = this.listing as Listing;
    if (name === "chosen") return columns.id.map((id) => Number(this.chosen.has(id)));
    if (name === "history") return columns.id.map((_, at) => this.histories?.againstBaseline(at)?.ratio ?? null);
    if (name === "tags") return columns.id.map((_, at) => this.said(at).join(" ") || null);
    const column = (columns[name] ?? columns.started_at) as (number | string | boolean | null)[];
    const dictionary = words[name];
    if (!dictionary) return column.map((value) => (typeof value === "boolean" ? Number(value) : value));
    const alphabet = dictionary.map((_, at) => at).sort((a, b) => (dictionary[a] ?? "").localeCompare(dictionary[b] ?? ""));
    const places = new Array<number>(dictionary.length);
    alphabet.forEach((word, place) => (places[word] = place));
    return column.map((value) => (typeof value === "number" ? (places[value] ?? null) : null));
  }

  private word(name: keyof Rows, at: number): string {
    const { columns, words } = this.listing as Listing;
    const place = columns[name][at];
    return typeof place === "number" ? (words[name]?.[place] ?? "") : "";
  }

  // What people say of a run: that it is a baseline, its tags, and how many notes it has.
  private said(run: number): string[] {
    const { columns, words } = this.listing as Listing;
    const notes = columns.notes[run] ?? 0;
    const tags = (columns.tags[run] ?? []).map((place) => words["tags"]?.[place] ?? "");
    return [...(columns.baseline[run] ? ["★ baseline"] : []), ...tags, ...(notes > 0 ? [`${notes} ${notes === 1 ? "note" : "notes"}`] : [])];
  }

  private row(at: number): Child[] {
    const { columns } = this.listing as Listing;
    const run = this.order[at] ?? 0;
    const id = columns.id[run] ?? "";
    const latency = (ns: number | null | undefined): Child =>
      typeof ns === "number" ? el("span", { title: `${this.word("latency", run)} latency` }, time(ns)) : "";
    const target = this.word("target", run);
    return [
      this.choice(id),
      el("a", { href: address(["run", id], { store: this.screen.store || null }), title: id }, moment(columns.started_at[run] ?? "")),
      this.checks(run),
      el("span", { class: "cut", title: `${target} ${this.word("device", run)}`.trim() }, target),
      el("span", { class: "cut", title: this.word("pattern", run) }, this.word("pattern", run)),
      plain(columns.jobs[run]),
      plain(columns.depth[run]),
      rate(columns.operations_per_s[run]),
      throughput(columns.throughput_bytes_per_s[run]),
      latency(columns.p50_ns[run]),
      latency(columns.p99_ns[run]),
      this.history(run),
      this.word("tool", run),
      el("span", { class: "cut", title: this.said(run).join(", ") }, this.said(run).join(", ")),
    ];
  }

  // The runs of its workload up to it, and how it stands to their baseline.
  private history(run: number): Child {
    const { columns } = this.listing as Listing;
    const drawn = spark(this.histories?.upTo(run) ?? []);
    if (!columns.valid[run]) return el("span", { class: "quiet", title: "A self-check failed, or the run did not end as planned" }, "not compared");
    const against = this.histories?.againstBaseline(run) ?? null;
    if (against === null) return drawn;
    const ids = `${columns.id[against.baseline] ?? ""},${columns.id[run] ?? ""}`;
    const link = el("a", { href: address(["compare"], { store: this.screen.store || null, ids }), title: "IOPS against the baseline; the comparison says whether that is beyond chance" }, change(against.ratio));
    return el("span", {}, drawn, " ", link);
  }

  private choice(id: string): Child {
    const box = el("input", { type: "checkbox", "aria-label": `Choose ${id}`, checked: this.chosen.has(id) });
    box.addEventListener("change", () => {
      if (!box.checked) this.chosen.delete(id);
      else if (this.chosen.size < COMPARED_MAX) this.chosen.add(id);
      else box.checked = false;
      this.offer();
    });
    return box;
  }

  // What can be done with the chosen runs.
  private offer(): void {
    const { size } = this.chosen;
    const href = address(["compare"], { store: this.screen.store || null, ids: [...this.chosen].join(",") });
    const link = el("a", { href }, `Compare ${size} runs`);
    this.compared.replaceChildren(...(size === 0 ? [] : size === 1 ? ["1 run chosen: choose others to compare it with"] : [link]));
    if (size === COMPARED_MAX) this.compared.append(`, the most that are compared`);
  }

  private checks(run: number): Child {
    const { columns } = this.listing as Listing;
    if (columns.valid[run]) return "✔ passed";
    const ending = this.word("ending", run);
    return el("span", { class: "failed" }, ending === "complete" ? "✘ a check failed" : `✘ ${ending}`);
  }

  private drawFacets(facets: Facets["facets"]): void {
    // What a shared file holds is not searched.
    if (SHARED) return;
    const groups: Node[] = [];
    for (const { column, text } of FACETS) {
      const { values: all, most } = facets[column] ?? { values: 0, most: [] };
      const isAsked = column === "valid" ? this.search.value.split(/\s+/).some((word) => word === "valid" || word === "invalid") : this.search.value.includes(`${text}:`);
      if (all < (column === "tags" ? 1 : 2) && !isAsked) continue;
      const name = column === "valid" ? "" : `${text}:`;
      const values = most.slice(0, VALUES_MAX).map(([word, runs]) =>
        el("li", {}, el("button", { type: "button", class: "facet", click: () => this.narrow(name, word) }, el("span", {}, word), el("span", { class: "n" }, count(runs)))),
      );
      const rest = all - values.length;
      groups.push(el("details", { open: true }, el("summary", {}, `${text} (${count(all)})`), el("ul", {}, ...values, rest > 0 ? el("li", { class: "quiet" }, `and ${count(rest)} more`) : null)));
    }
    if (innerWidth < 900) groups.forEach((group) => (group as HTMLDetailsElement).removeAttribute("open"));
    this.facets.replaceChildren(...groups);
  }

  // Adds a condition, or takes it out again.
  private narrow(name: string, word: string): void {
    const condition = /\s/.test(word) ? `${name}"${word}"` : `${name}${word}`;
    // A word within another is another.
    const padded = ` ${this.search.value.replace(/\s+/g, " ").trim()} `;
    this.search.value = (padded.includes(` ${condition} `) ? padded.replace(` ${condition} `, " ") : `${padded}${condition}`).trim();
    void this.load();
  }
}

function help(): HTMLElement {
  const rows: [string, string][] = [
    ["words", "in the target, device, workload, tool, campaign, id or tags"],
    ['target:nvme0 workload:"random read" device: tool: campaign: id: tag: kernel:', "in that column alone"],
    ["p99<2ms p50>100us iops>=20k throughput>100MB/s depth=4 jobs=1", "a figure against a value"],
    ["valid, invalid", "whether the run ended as planned and no self-check failed"],
    ["baseline", "the runs that others are compared with, as fathom baseline chooses them"],
    ["since:2026-11-01 before:2026-12-01", "by the day it started (UTC)"],
  ];
  return el("dl", {}, ...rows.flatMap(([words, meaning]) => [el("dt", {}, el("code", {}, words)), el("dd", {}, meaning)]));
}
