// One run: what was measured, its self-checks, latency over its seconds, and any second by itself.

import type uPlot from "uplot";

import { columns, json, type Analysis, type Columns, type HeatHeader, type Listing, type Marks, type Run, type Said, type Second, type SeriesHeader, type Summary } from "../api";
import { missing, plan as besidePlan, titleOf, written } from "../beside";
import { Chart, Cursor, ink, type ChartPlan, type Line } from "../chart";
import { el, folded, table } from "../elements";
import { paint, range } from "../heat";
import { histogram } from "../histogram";
import { notes } from "../notes";
import { address, keep, route } from "../route";
import type { Screen } from "../screen";
import { clock, count, moment, percent, plain, rate, spelt, throughput, time } from "../words";

const INKS = ["blue", "vermillion", "green", "purple"];
const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3]];

export async function run(screen: Screen, id: string): Promise<HTMLElement> {
  const path = `runs/${encodeURIComponent(id)}`;
  const { query } = route();
  columns(`${path}/series`, { store: screen.store, from: query.get("from"), until: query.get("until") }).catch(() => undefined);
  const [record, said, listing] = await Promise.all([
    json<Run>(path, { store: screen.store }),
    json<Said>(`${path}/said`, { store: screen.store }),
    // The list has the workload in words.
    json<Listing>("runs", { store: screen.store, q: `id:${id}`, limit: 1 }),
  ]);
  const workload = listing.words["pattern"]?.[listing.columns.pattern[0] ?? -1] ?? "";
  const over = el("div", { class: "charts" });
  const editing = !SHARED && screen.hello.edit ? [(await import("../edit")).editRun(screen, id, said)] : [];
  const root = el("section", {}, ...head(record, workload), ...people(screen, record, said), ...editing, over, ...foot(record));
  await new OverTime(screen, path, record, over).load();
  return root;
}

function head(record: Run, workload: string): HTMLElement[] {
  const failed = record.checks.filter((check) => check.outcome === "fail");
  const device = record.target.devices[record.target.devices.length - 1];
  const under = device ? `, on ${device.name}${device.model ? ` (${device.model.trim()})` : ""}` : "";
  const parts: HTMLElement[] = [
    el("h1", {}, `${record.target.name}: ${workload}`),
    el("p", { class: "meta" }, `Run ${record.id}, started ${moment(record.started_at)} UTC by ${record.tool.name} ${record.tool.version}, engine ${record.engine.name}${under}, ${record.workload.jobs} ${record.workload.jobs === 1 ? "job" : "jobs"} × depth ${record.workload.depth}, ${plain(record.summary.duration_ns / 1e9)} s measured`),
  ];
  if (failed.length > 0 || record.ending.reason !== "complete") {
    const ended = record.ending.reason === "complete" ? [] : [`The run was ${record.ending.reason}${record.ending.error ? `: ${record.ending.error}` : ""}. The figures cover what was measured until then.`];
    const reasons = [...ended, ...failed.map((check) => `${spelt(check.name)}: ${check.explanation}`)];
    parts.push(el("div", { class: "alarm" }, el("h2", {}, "These figures do not stand"), el("ul", {}, ...reasons.map((text) => el("li", {}, text)))));
  }
  parts.push(figures(record), checks(record));
  return parts;
}

// What people say of it, and the run that it is held against.
function people(screen: Screen, record: Run, said: Said): HTMLElement[] {
  const store = screen.store || null;
  const parts: HTMLElement[] = [];
  if (said.tags.length > 0) {
    const links = said.tags.map((tag) => el("li", {}, el("a", { class: "tag", href: address(["runs"], { store, q: `tag:${tag}` }) }, tag)));
    parts.push(el("ul", { class: "tags", "aria-label": "Tags" }, ...links));
  }
  if (said.baseline === record.id) parts.push(el("p", {}, "★ The baseline of its workload on its target."));
  else if (said.baseline !== null) parts.push(el("p", {}, el("a", { href: address(["compare"], { store, ids: `${said.baseline},${record.id}` }) }, "Compare with the baseline")));
  if (record.campaign) parts.push(el("p", {}, "A test point of ", el("a", { href: address(["campaign", record.campaign.id], { store }) }, `campaign ${record.campaign.id}`), "."));
  return [...parts, ...notes(said.notes)];
}

function quantile(summary: Summary | null, q: number): number | undefined {
  return summary?.quantiles.find((entry) => entry.q === q)?.value_ns;
}

function figures(record: Run): HTMLElement {
  const rows = record.summary.directions.map((flow) => {
    const latency = flow.response ?? flow.service;
    return [
      flow.direction,
      rate(flow.operations_per_s),
      throughput(flow.throughput_bytes_per_s),
      latency === null ? "" : flow.response ? "response" : "service",
      time(quantile(latency, 0.5)),
      time(quantile(latency, 0.99)),
      time(quantile(latency, 0.999)),
      time(latency?.max_ns),
      count(flow.errors),
    ];
  });
  const headings = ["direction", "IOPS", "throughput", "latency", "p50", "p99", "p99.9", "max", "errors"];
  return table("Figures of the measured window", headings, rows, headings.map((_, at) => at > 0 && at !== 3));
}

const MARKS: Record<string, string> = { pass: "✔ pass", caution: "! caution", fail: "✘ failed", not_applicable: "– does not apply" };

function checks(record: Run): HTMLElement {
  const tally = (outcome: string): number => record.checks.filter((check) => check.outcome === outcome).length;
  const [passed, cautions, failed] = [tally("pass"), tally("caution"), tally("fail")];
  const said = `Self-checks: ${passed} passed${cautions > 0 ? `, ${cautions} with a caution` : ""}${failed > 0 ? `, ${failed} failed` : ""}`;
  const rows = record.checks.map((check) => [
    el("span", { class: check.outcome === "fail" ? "failed" : "" }, MARKS[check.outcome] ?? check.outcome),
    spelt(check.name),
    check.explanation,
  ]);
  if (record.checks.length === 0) return el("p", { class: "quiet" }, "The run has no self-checks: another tool measured it.");
  return folded(said, () => table("Self-checks", ["outcome", "check", "what was found"], rows, []));
}

function foot(record: Run): HTMLElement[] {
  const notes = record.notes.length === 0 ? [] : [el("h2", {}, "Notes"), el("ul", {}, ...record.notes.map((note) => el("li", {}, note)))];
  const commands = [`fathom show ${record.id}`, `fathom report ${record.id} --html report.html`];
  if (record.command) commands.unshift(record.command);
  return [...notes, el("h2", {}, "In a terminal"), el("pre", {}, commands.join("\n"))];
}

// The charts of a run: the stretch that its address names, all with one cursor.
class OverTime {
  private cursor = new Cursor();
  private series: Columns<SeriesHeader> | null = null;
  private drawn: Chart[] = [];
  private analysis: Analysis | null = null;
  // What people say happened while it ran: its second, and what.
  private marks: [number, string][] = [];
  private readonly said = el("div", {});
  private readonly second = el("div", { class: "second" });

  constructor(
    private readonly screen: Screen,
    private readonly path: string,
    private readonly record: Run,
    private readonly root: HTMLElement,
  ) {}

  async load(): Promise<void> {
    const { query } = route();
    const wanted = { store: this.screen.store, from: query.get("from"), until: query.get("until") };
    const heatOf = (direction: string, kind: string): Promise<Columns<HeatHeader>> => columns<HeatHeader>(`${this.path}/heat`, { ...wanted, direction, kind });
    // What the record lets expect is asked for beside the seconds, and is the same answer below.
    const flows = this.record.summary.directions.filter((flow) => flow.direction !== "flush");
    const expected = flows.find((flow) => flow.direction === query.get("direction")) ?? flows[0];
    const asked = columns<SeriesHeader>(`${this.path}/series`, wanted);
    if (expected) heatOf(expected.direction, expected.response ? "response" : "service").catch(() => undefined);
    const series = await asked;
    this.series = series;
    if (series.header.width === 0) {
      this.root.replaceChildren(el("p", { class: "quiet" }, "This run has no seconds to show: its record holds totals alone."));
      return;
    }
    const directions = series.header.directions.filter((name) => name !== "flush");
    const chosen = directions.find((name) => name === query.get("direction")) ?? directions[0] ?? null;
    const kind = chosen !== null && series.get(`${chosen}.response_p50_ns`) ? "response" : "service";
    const heat = chosen === null ? null : await heatOf(chosen, kind);
    this.cursor = new Cursor();
    this.cursor.tell((at) => {
      if (at !== null) keep({ at: this.number(series, at) });
    });
    const cut = series.header.is_cut || heat?.header.is_cut === true ? [el("p", { class: "care" }, "A count is larger than 4 294 967 295, and is drawn as that. The figures above and fathom show have it in full.")] : [];
    this.drawn = this.charts(series, chosen, kind, heat);
    this.root.replaceChildren(this.controls(series, directions, chosen), ...cut, this.said, ...this.drawn.map((chart) => chart.root), ...missing(series.header.beside), this.second);
    void this.analyse();
    const at = Number(query.get("at"));
    if (query.get("at") !== null && Number.isInteger(at)) {
      const place = Math.floor((at - series.header.from) / series.header.per_column);
      if (place >= 0 && place < series.header.width) this.cursor.set(place);
      if (query.get("open") !== null) await this.open(at);
    }
  }

  // What the seconds say comes after they are drawn.
  private async analyse(): Promise<void> {
    if (this.analysis !== null) return;
    try {
      this.analysis = await json<Analysis>(`${this.path}/analysis`, { store: this.screen.store });
    } catch (error) {
      this.said.replaceChildren(el("p", { class: "quiet" }, `What the seconds say is not known: ${error instanceof Error ? error.message : String(error)}`));
      return;
    }
    this.marks = await this.marked();
    const { verdict, findings, levels } = this.analysis;
    const stretches = levels.length < 2 ? [] : [`Its rate was at ${levels.length} levels, from where the charts have an upright line: ${levels.map((level) => `${rate(level.rate_per_s)} IOPS from ${clock(level.from_s)}`).join(", ")}.`];
    const happened = this.marks.map(([second, title]) => `Mark at ${clock(second)}, a dashed line: ${title}`);
    // The finding that is the verdict with its reason stands for it.
    const reason = findings.find((text) => text.startsWith(`${verdict}:`));
    const sentences = [...stretches, ...findings.filter((text) => text !== reason), ...happened];
    const first = el("p", {}, `Its seconds, read again: ${reason ?? verdict}${sentences.length === 0 ? "." : ";"}`);
    this.said.replaceChildren(first, ...(sentences.length === 0 ? [] : [el("ul", { class: "prose" }, ...sentences.map((text) => el("li", {}, text)))]));
    this.drawn.forEach((chart) => chart.redraw());
  }

  private async marked(): Promise<[number, string][]> {
    const { target, started_at, engine } = this.record;
    // Simulated seconds are not those of people.
    if (engine.name === "sim") return [];
    const { marks } = await json<Marks>("marks", { store: this.screen.store, target: target.name }).catch(() => ({ marks: [] as Marks["marks"] }));
    const of = this.series?.header.of ?? 0;
    const second = (at: string): number => (Date.parse(at) - Date.parse(started_at)) / 1000;
    const during = marks.filter((mark) => second(mark.from_at) >= 0 && second(mark.from_at) <= of);
    return during.map((mark) => [second(mark.from_at), mark.title]);
  }

  // A line where the rate came to another level, and a dashed one where something happened.
  private bends(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const upright = (seconds: number): void => {
      const x = Math.round(plot.valToPos(seconds, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    };
    ctx.save();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    // The line that was drawn last may have been dashed.
    ctx.setLineDash([]);
    ctx.strokeStyle = ink("vermillion");
    this.analysis?.levels.slice(1).forEach((level) => upright(level.from_s));
    ctx.strokeStyle = ink("purple");
    ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
    this.marks.forEach(([seconds]) => upright(seconds));
    ctx.restore();
  }

  // The number of the first second of a column.
  private number(series: Columns<SeriesHeader>, at: number): number {
    return series.header.from + at * series.header.per_column;
  }

  private controls(series: Columns<SeriesHeader>, directions: string[], chosen: string | null): HTMLElement {
    const { from, of, per_column, width } = series.header;
    const last = Math.min(of, from + width * per_column);
    const part = from > 0 || last < of ? `Seconds ${count(from)} to ${count(last - 1)} of ${count(of)}` : `All ${count(of)} seconds`;
    const merged = per_column > 1 ? `, ${per_column} added up in each column` : "";
    const whole = el("button", { type: "button", click: () => void this.zoom(null, null) }, "whole run");
    if (from === 0 && last >= of) whole.disabled = true;
    const choices = directions.map((name) => el("option", name === chosen ? { value: name, selected: true } : { value: name }, name));
    const select = el("select", { id: "direction" }, ...choices);
    select.addEventListener("change", () => {
      keep({ direction: select.value });
      void this.load();
    });
    const picker = directions.length < 2 ? null : el("span", {}, el("label", { for: "direction" }, "Latency of "), select);
    return el("div", { class: "controls" }, el("h2", {}, "Over time"), el("p", { role: "status" }, `${part}${merged}.`), picker, whole,
      el("p", { class: "quiet" }, "←/→ a column, Page Up/Down a minute, + and − or a stretch drawn with the pointer to zoom, Enter for the second under the cursor."));
  }

  private charts(series: Columns<SeriesHeader>, chosen: string | null, kind: string, heat: Columns<HeatHeader> | null): Chart[] {
    const starts = series.get("start_s") ?? new Float32Array(0);
    const durations = series.get("duration_s") ?? new Float32Array(0);
    const shared = {
      xs: starts,
      lengths: durations,
      cursor: this.cursor,
      writeX: clock,
      page: Math.max(1, Math.round(60 / series.header.per_column)),
      zoom: (from: number, until: number) => void this.zoom(...this.seconds(series, from, until)),
      choose: (at: number) => void this.open(this.number(series, at)),
      over: (plot: uPlot) => this.bends(plot),
    };
    const plans: ChartPlan[] = [];
    if (chosen !== null && heat !== null) {
      const lines = (["p50", "p99", "p999"] as const).map((name, at): Line => ({
        name: name === "p999" ? "p99.9" : name,
        values: series.get(`${chosen}.${kind}_${name}_ns`) ?? new Float32Array(starts.length).fill(Number.NaN),
        ink: ["text", "vermillion", "purple"][at] ?? "text",
        dash: DASHES[at] ?? [],
      }));
      const bounds = range(heat);
      plans.push({ ...shared, title: `${kind === "response" ? "Response" : "Service"} latency of ${chosen}s`, quantity: "The darker, the more I/Os (on dark paper: the lighter); a percentile is missing where fewer than 10 I/Os lie beyond it.", lines, isLog: true, write: time, height: 340, ...(bounds ? { range: bounds } : {}), under: (plot) => paint(plot, heat, starts, durations) });
    }
    const flows = (column: string): Line[] =>
      series.header.directions.map((name, at) => ({ name, values: series.get(`${name}.${column}`) ?? [], ink: INKS[at] ?? "text", dash: DASHES[at] ?? [] }));
    plans.push({ ...shared, title: "IOPS", quantity: "I/Os that ended well, per second", lines: flows("operations_per_s"), write: rate, height: 180 });
    plans.push({ ...shared, title: "Throughput", quantity: "bytes per second", lines: flows("bytes_per_s"), write: throughput, height: 180 });
    plans.push({ ...shared, title: "In flight", quantity: "I/Os in flight on average", lines: [{ name: "in flight", values: series.get("in_flight") ?? [], ink: "green" }], write: plain, height: 150 });
    for (const beside of series.header.beside) {
      const plan = besidePlan(beside, series, INKS, DASHES);
      if (plan !== null) plans.push({ ...shared, ...plan, height: 150 });
    }
    return plans.map((plan) => new Chart(plan));
  }

  // Numbers of the seconds between two places on the axis.
  private seconds(series: Columns<SeriesHeader>, from: number, until: number): [number, number] {
    const starts = series.get("start_s") ?? new Float32Array(0);
    let [first, last] = [0, starts.length];
    while (first + 1 < starts.length && (starts[first + 1] ?? 0) <= from) first += 1;
    while (last > first + 1 && (starts[last - 1] ?? 0) >= until) last -= 1;
    const span = (until - from) / Math.max(1e-9, (starts[starts.length - 1] ?? 0) - (starts[0] ?? 0));
    // Further away than what is on screen: as much again on both sides.
    const more = span > 1.01 ? Math.ceil(((last - first) * (span - 1)) / 2) : 0;
    const begin = Math.max(0, this.number(series, first - more));
    return [begin, Math.min(series.header.of, Math.max(begin + 2, this.number(series, last + more)))];
  }

  private async zoom(from: number | null, until: number | null): Promise<void> {
    keep({ from, until });
    await this.load();
    this.root.querySelector<HTMLElement>(".plot")?.focus();
  }

  private async open(number: number): Promise<void> {
    keep({ at: number, open: 1 });
    const second = await json<Second>(`${this.path}/second/${number}`, { store: this.screen.store });
    this.second.replaceChildren(
      el("h2", { tabindex: -1, id: "second" }, `Second ${count(number)}, from ${clock(second.start_ns / 1e9)}${second.warmup ? " (warm-up)" : ""}`),
      el("p", {}, `${plain(second.in_flight)} I/Os in flight on average over ${plain(second.duration_ns / 1e9)} s of the run's ${plain(this.record.summary.duration_ns / 1e9)} s.`),
      ...this.besideSecond(number),
      ...second.directions.map((flow) => this.flow(second, flow)),
    );
    this.second.querySelector<HTMLElement>("h2")?.focus();
  }

  // What the machine did in the column that a second is of.
  private besideSecond(number: number): HTMLElement[] {
    if (this.series === null) return [];
    const { from, per_column, width, beside } = this.series.header;
    const at = Math.floor((number - from) / per_column);
    if (at < 0 || at >= width) return [];
    const told = beside.flatMap(({ name, lines }) => {
      const values = lines.map((line) => ({ of: line.name, value: this.series?.get(line.column)?.[at] ?? Number.NaN })).filter(({ value }) => Number.isFinite(value));
      return values.length === 0 ? [] : [`${titleOf(name)}: ${values.map(({ of, value }) => `${of} ${written(name, value)}`).join(", ")}`];
    });
    const over = per_column === 1 ? "Meanwhile" : `Over the ${per_column} seconds of its column`;
    return told.length === 0 ? [] : [el("p", {}, `${over}: ${told.join("; ")}.`)];
  }

  private flow(second: Second, flow: Second["directions"][number]): HTMLElement {
    const all = flow.rows.reduce((sum, row) => sum + row.count, 0);
    const ofRun = flow.rows.reduce((sum, row) => sum + (row.run_count ?? 0), 0);
    const rows = flow.rows.filter((row) => row.count > 0 || (row.run_count ?? 0) > 0).map((row) => [
      `${time(row.low_ns)} to ${time(row.high_ns)}`, count(row.count), percent(row.count / Math.max(1, all)), percent(row.run_count === null ? null : row.run_count / Math.max(1, ofRun)),
    ]);
    const latency = [0.5, 0.99, 0.999].map((q) => `p${q * 100} ${time(quantile(flow.service, q))}`).join(", ");
    const title = `Service latency of ${flow.direction}s in second ${second.number}`;
    return el("figure", {}, el("figcaption", {}, el("h3", {}, title),
      el("p", { class: "quiet" }, `${count(flow.operations)} I/Os, ${count(flow.errors)} failed; ${latency}. Bars are this second, the line is the whole run.`)),
      histogram(title, flow.rows), folded(`Table: ${title}`, () => table(title, ["latency", "I/Os", "share", "share of the run"], rows, [false, true, true, true])));
  }
}
