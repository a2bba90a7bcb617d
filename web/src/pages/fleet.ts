// A fleet: what its volumes add up to, what could be saved at which risk, and every volume to sort and search.

import { json } from "../api";
import { decades, Density, squeezed, unsqueezed, type Axis, type Bounds } from "../density";
import { el, table, type Child } from "../elements";
import { FleetRows } from "../fleet_rows";
import { address, keep, route } from "../route";
import type { Screen } from "../screen";
import { VirtualTable, type Heading } from "../virtual";
import { count, percent, plain, rate, spelt, throughput } from "../words";

interface Summary {
  name: string;
  volumes: number;
  sized: number;
  throttled: number;
  // Of all amounts, as USD; absent where the file does not say.
  currency: string | null;
  not_judged: { reason: string; volumes: number; examples: string[] }[];
  money: { chosen_month: number; compared: number; current_month: number; compared_month: number; waste_month: number; cheaper: number; more_month: number; dearer: number };
  risk: { chosen: number; chosen_expected: number | null; current: number; current_expected: number | null; current_failed: number };
  notes: string[];
}

interface Column extends Heading {
  write: (rows: FleetRows, row: number) => string;
  isAmount?: boolean;
}

function figure(name: string, text: string, write: (value: number | null) => string): Column {
  return { name, text, isNumber: true, write: (rows, row) => (rows.figure(name, row) === null ? "" : write(rows.figure(name, row))) };
}

function money(name: string, text: string): Column {
  return { ...figure(name, text, amount), isAmount: true };
}

function words(name: string, text: string): Column {
  return { name, text, isNumber: false, write: (rows, row) => rows.word(name, row) ?? "" };
}

const COLUMNS: Column[] = [
  { name: "volume", text: "volume", isNumber: false, write: (rows, row) => rows.name(row) },
  { ...words("status", "status"), write: (rows, row) => spelt(rows.word("status", row) ?? "") },
  words("current", "today"),
  words("offer", "buy"),
  money("current_month", "a month today"),
  money("offer_month", "a month then"),
  money("saves_month", "saves a month"),
  figure("offer_headroom", "headroom", (value) => `${plain(value)} ×`),
  figure("offer_risk", "risk", percent),
  figure("current_risk", "risk today", percent),
  figure("needs_iops", "needs IOPS", rate),
];

// An amount of the price list's currency.
function amount(value: number | null): string {
  if (value === null) return "";
  const size = Math.abs(value);
  const text = size >= 1000 ? count(Math.round(size)) : size.toFixed(2);
  return value < 0 ? `−${text}` : text;
}

// The same with its currency behind it, where that is known.
function priced(value: number | null, currency: string | null): string {
  return value === null || currency === null ? amount(value) : `${amount(value)} ${currency}`;
}

export async function fleet(screen: Screen, number: number): Promise<HTMLElement> {
  const summary = await json<Summary>(`fleets/${number}`);
  const rows = await FleetRows.load(number);
  return new Fleet(screen, number, summary, rows).root;
}

class Fleet {
  readonly root: HTMLElement;
  private shown = new Uint32Array(0);
  private readonly told = el("p", { role: "status", class: "quiet" });
  private readonly search = el("input", { type: "search", id: "volume", autocomplete: "off", spellcheck: "false" });
  private readonly status = el("select", { id: "status" });
  private readonly whole = el("section", { "aria-label": "One volume" });
  private readonly columns: Column[];
  private readonly table: VirtualTable;
  private readonly density: Density;
  private readonly bounds: Record<"saves_min" | "saves_max" | "risk_min" | "risk_max", HTMLInputElement>;
  private readonly saves: Float32Array;
  private readonly risks: Float32Array;

  constructor(
    screen: Screen,
    private readonly number: number,
    private readonly summary: Summary,
    private readonly rows: FleetRows,
  ) {
    const { query } = route();
    const { currency } = summary;
    this.columns = COLUMNS.filter(({ name }) => rows.has(name)).map((column) => (column.isAmount && currency !== null ? { ...column, text: `${column.text}, ${currency}` } : column));
    this.table = new VirtualTable("Volumes", this.columns, (at) => this.row(at), (name) => this.sort(name));
    this.saves = this.figures("saves_month");
    this.risks = this.figures("offer_risk");
    const bound = (id: string): HTMLInputElement => el("input", { id, type: "number", step: "any", value: query.get(id) ?? "" });
    this.bounds = { saves_min: bound("saves_min"), saves_max: bound("saves_max"), risk_min: bound("risk_min"), risk_max: bound("risk_max") };
    this.density = new Density("Volumes by what they save and at which risk, the darker the more (on dark paper: the lighter)", this.savings(), this.chances(), (bounds) => this.brush(bounds));
    this.search.value = query.get("q") ?? "";
    const values = ["", ...(rows.words["status"] ?? [])];
    this.status.append(...values.map((value) => el("option", value === (query.get("status") ?? "") ? { value, selected: true } : { value }, value === "" ? "any" : spelt(value))));
    for (const field of [this.search, ...Object.values(this.bounds)]) field.addEventListener("input", () => this.arrange());
    this.status.addEventListener("change", () => this.arrange());
    this.root = el("section", {}, el("h1", {}, `Fleet ${summary.name}`), this.picker(screen), ...sums(summary), ...this.picture(),
      el("h2", {}, "Volumes"),
      el("form", { class: "search", role: "search", submit: (event) => event.preventDefault() }, el("label", { for: "volume" }, "Search by name"), this.search, el("label", { for: "status" }, "Status"), this.status),
      this.told, this.whole, this.table.root);
    this.arrange();
    const row = Number(query.get("row"));
    if (query.get("row") !== null && Number.isInteger(row) && row >= 0 && row < rows.length) void this.open(row, false);
  }

  private figures(name: string): Float32Array {
    return Float32Array.from({ length: this.rows.length }, (_, row) => this.rows.figure(name, row) ?? Number.NaN);
  }

  // Other fleets that are served.
  private picker(screen: Screen): HTMLElement | null {
    const { fleets } = screen.hello;
    if (fleets.length < 2) return null;
    const select = el("select", { id: "fleet" }, ...fleets.map(({ number, name }) => el("option", number === this.number ? { value: number, selected: true } : { value: number }, name)));
    select.addEventListener("change", () => {
      location.hash = address(["fleet", select.value]);
    });
    return el("p", { class: "controls" }, el("label", { for: "fleet" }, "Fleet "), select);
  }

  private savings(): Axis {
    let [low, high] = [0, 1];
    for (const value of this.saves) if (!Number.isNaN(value)) [low, high] = [Math.min(low, squeezed(value)), Math.max(high, squeezed(value))];
    const unit = this.summary.currency === null ? "" : ` in ${this.summary.currency}`;
    return { title: `saves a month${unit} (below 0: costs more), on a logarithmic scale`, low, high, ticks: decades(unsqueezed(low), unsqueezed(high)), place: squeezed, value: unsqueezed, write: (value) => amount(Math.abs(value) < 1e-9 ? 0 : value) };
  }

  private chances(): Axis {
    let high = 0.01;
    for (const value of this.risks) if (value > high) high = value;
    return { title: "risk that it needs more than what is to be bought", low: 0, high, place: (value) => value, value: (place) => place, write: percent };
  }

  private picture(): HTMLElement[] {
    let known = 0;
    for (let row = 0; row < this.rows.length; row += 1) known += Number(!Number.isNaN(this.saves[row]) && !Number.isNaN(this.risks[row]));
    const field = (name: keyof typeof this.bounds, text: string): HTMLElement => el("span", {}, el("label", { for: name }, `${text} `), this.bounds[name]);
    const all = el("button", { type: "button", click: () => this.brush(null) }, "all of them");
    return [
      el("h2", {}, "What is saved, and at which risk"),
      el("p", { class: "quiet prose" }, `${count(known)} of ${count(this.rows.length)} volumes have both figures. Draw up a stretch with the pointer, or type its ends, to see its volumes alone below.`),
      el("div", { class: "plot" }, this.density.root),
      el("div", { class: "controls" }, field("saves_min", "saves at least"), field("saves_max", "saves at most"), field("risk_min", "risk at least"), field("risk_max", "risk at most"), all),
    ];
  }

  private brush(bounds: Bounds | null): void {
    const { saves_min, saves_max, risk_min, risk_max } = this.bounds;
    const text = (value: number | undefined): string => (value === undefined ? "" : String(Number(value.toPrecision(4))));
    [saves_min.value, saves_max.value, risk_min.value, risk_max.value] = [text(bounds?.x[0]), text(bounds?.x[1]), text(bounds?.y[0]), text(bounds?.y[1])];
    this.arrange();
  }

  // The stretch that is chosen; open ends reach as far as there is anything.
  private chosen(): Bounds | null {
    const end = (field: HTMLInputElement, open: number): number => (field.value === "" || Number.isNaN(field.valueAsNumber) ? open : field.valueAsNumber);
    const { saves_min, saves_max, risk_min, risk_max } = this.bounds;
    if ([saves_min, saves_max, risk_min, risk_max].every((field) => field.value === "")) return null;
    return { x: [end(saves_min, -Infinity), end(saves_max, Infinity)], y: [end(risk_min, -Infinity), end(risk_max, Infinity)] };
  }

  private sort(name: string): void {
    const { query } = route();
    const isDown = query.get("sort") === name ? query.get("order") !== "down" : this.columns.find((column) => column.name === name)?.isNumber === true;
    keep({ sort: name, order: isDown ? "down" : "up" });
    this.arrange();
  }

  // Finds what is asked for, and shows it in order.
  private arrange(): void {
    performance.mark("fleet-asked");
    const { query } = route();
    const asked = query.get("sort");
    const name = asked !== null && this.rows.has(asked) ? asked : "saves_month";
    const isDown = asked === null || query.get("order") === "down";
    const chosen = this.chosen();
    const bounds = Object.fromEntries(Object.entries(this.bounds).map(([key, field]) => [key, field.value]));
    keep({ q: this.search.value, status: this.status.value, ...bounds });
    const kept = new Uint8Array(this.rows.length).fill(1);
    this.rows.search(this.search.value, kept);
    this.narrow(kept, chosen);
    const order = this.rows.order(name, isDown);
    let found = 0;
    const shown = new Uint32Array(order.length);
    for (const row of order) {
      if (kept[row] === 1) {
        shown[found] = row;
        found += 1;
      }
    }
    this.shown = shown.subarray(0, found);
    this.told.textContent = found === this.rows.length ? `${count(found)} volumes` : `${count(found)} of ${count(this.rows.length)} volumes`;
    this.table.show(found, name, isDown);
    performance.measure("fleet", "fleet-asked");
    this.density.draw(this.saves, this.risks, this.shown);
    this.density.show(chosen);
    performance.measure("fleet-drawn", "fleet-asked");
  }

  private narrow(kept: Uint8Array, chosen: Bounds | null): void {
    const status = this.status.value;
    if (status !== "") for (let row = 0; row < kept.length; row += 1) if (this.rows.word("status", row) !== status) kept[row] = 0;
    if (chosen === null) return;
    const [saves, risks] = [this.saves, this.risks];
    const within = (value: number | undefined, [low, high]: [number, number]): boolean => value !== undefined && value >= low && value <= high;
    const [everySave, everyRisk] = [chosen.x, chosen.y].map(([low, high]) => low === -Infinity && high === Infinity);
    for (let row = 0; row < kept.length; row += 1) {
      if (!(everySave || within(saves[row], chosen.x)) || !(everyRisk || within(risks[row], chosen.y))) kept[row] = 0;
    }
  }

  private row(at: number): Child[] {
    const row = this.shown[at] ?? 0;
    return this.columns.map((column): Child => {
      const text = column.write(this.rows, row);
      if (column.name !== "volume") return column.isNumber ? text : el("span", { class: "cut", title: text }, text);
      return el("button", { type: "button", class: "facet cut", title: text, click: () => void this.open(row, true) }, text === "" ? "(no name)" : text);
    });
  }

  // One volume in whole.
  private async open(row: number, isAsked: boolean): Promise<void> {
    keep({ row });
    const name = this.rows.name(row);
    const heading = el("h3", { tabindex: -1 }, name);
    try {
      const { volume } = await json<{ volume: Record<string, unknown> }>(`fleets/${this.number}/volumes/${row}`, { stamp: this.rows.stamp });
      const facts = Object.entries(volume).filter(([key, value]) => key !== "volume" && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0));
      const list = el("dl", {}, ...facts.flatMap(([key, value]) => [el("dt", {}, spelt(key)), el("dd", {}, written(key, value, this.summary.currency))]));
      const close = (): void => {
        keep({ row: null });
        this.whole.replaceChildren();
        this.search.focus();
      };
      this.whole.replaceChildren(heading, list, ...series(name), el("button", { type: "button", click: close }, "close"));
    } catch (error) {
      this.whole.replaceChildren(heading, el("p", { role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
    if (isAsked) heading.focus();
  }
}

// Rows keep what was concluded of a volume and not its hours; how those are looked at.
function series(name: string): HTMLElement[] {
  const where = name.replaceAll("'", "''").replaceAll('"', '\\"').replaceAll("$", "\\$").replaceAll("`", "\\`");
  return [
    el("p", { class: "quiet prose" }, "This file keeps what was concluded of each volume, and not its hours. They are in the table that fathom size read; to see those of this volume, what they need, and when that is more than it has:"),
    el("pre", {}, `duckdb -c "COPY (SELECT * FROM 'volumes.csv' WHERE volume = '${where}') TO 'one.csv'"\nfathom size one.csv --values per-row --size SIZE --region REGION --report one.html`),
  ];
}

// A fact of a volume with its unit.
function written(key: string, value: unknown, currency: string | null): string {
  if (Array.isArray(value)) return value.map(String).join(" ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (key.endsWith("_month")) return priced(value, currency);
  if (key.endsWith("_risk") || key.endsWith("_share")) return percent(value);
  if (key.endsWith("bytes_per_s")) return throughput(value);
  if (key.endsWith("headroom")) return `${plain(value)} ×`;
  return count(value);
}

function sums(summary: Summary): HTMLElement[] {
  const { money, risk, currency } = summary;
  const paid = (value: number): string => priced(value, currency);
  const unjudged = summary.volumes - summary.sized;
  const expected = (volumes: number | null): string => (volumes === null ? "no history" : `${count(volumes)} expected to need more`);
  const tile = (figure: string, what: string): HTMLElement => el("li", {}, el("strong", {}, figure), el("span", { class: "quiet" }, what));
  const tiles = el("ul", { class: "tiles", "aria-label": "Sums" },
    tile(paid(money.waste_month), `a month wasted by ${count(money.cheaper)} volumes`),
    tile(count(risk.current_failed), `of ${count(risk.current)} are too small today; ${expected(risk.current_expected)}`),
    tile(count(summary.throttled), "are throttled: their series show supply"),
    tile(count(unjudged), `of ${count(summary.volumes)} not judged`),
    tile(paid(money.chosen_month), `a month for all choices; of ${count(risk.chosen)}, ${expected(risk.chosen_expected)}`),
  );
  const rows = summary.not_judged.map(({ reason, volumes, examples }): Child[] => [reason, count(volumes), examples.join(", ")]);
  const reasons = rows.length === 0 ? [] : [el("h2", {}, "Not judged"), table("Volumes that are not judged", ["why", "volumes", "as"], rows, [false, true, false])];
  const unnamed = currency === null ? " Amounts are in the currency of the prices that fathom size was given, which this file does not name." : "";
  const compared = `Of ${count(money.compared)} volumes it is known what they are today: ${paid(money.current_month)} a month, and ${paid(money.compared_month)} for what holds them; ${count(money.dearer)} of them would cost ${paid(money.more_month)} more.${unnamed}`;
  const notes = summary.notes.length === 0 ? [] : [el("h2", {}, "Notes"), el("ul", { class: "prose" }, ...summary.notes.map((note) => el("li", {}, note)))];
  return [tiles, el("p", { class: "quiet prose" }, compared), ...reasons, ...notes];
}
