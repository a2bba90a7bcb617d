// A target over weeks: each workload's runs in order of time, the levels they stand at, and where a level changed.

import uPlot from "uplot";

import { json, type Listing, type Marks, type Trends } from "../api";
import { Chart, Cursor, ink } from "../chart";
import { el, folded, table, type Child } from "../elements";
import { address, route } from "../route";
import type { Screen } from "../screen";
import { change, count, moment, percent, rate, time } from "../words";

const METRICS = [
  ["iops", "IOPS"],
  ["p50", "median latency (p50)"],
  ["p99", "p99 latency"],
] as const;

// Marks that are listed at most.
const MARKS_MAX = 500;
// Values from which on a level is told.
const NEEDED = 8;

type Workload = Trends["workloads"][number];

export async function trend(screen: Screen): Promise<HTMLElement> {
  const { query } = route();
  const listing = await json<Listing>("runs", { store: screen.store, q: "valid", limit: screen.hello.runs_max });
  const targets = [...(listing.words["target"] ?? [])].sort((a, b) => a.localeCompare(b));
  const target = query.get("target") ?? newest(listing) ?? "";
  const metric = METRICS.find(([name]) => name === query.get("metric")) ?? METRICS[0];
  const root = el("section", {}, el("h1", {}, "Trends"), controls(screen, targets, target, metric[0]));
  if (target === "") {
    root.append(el("p", {}, "There are no valid runs yet."));
    return root;
  }
  // How far what people say had come is asked for first.
  const marks = !SHARED && screen.hello.edit ? await json<Marks>("marks", { store: screen.store, target }) : null;
  const trends = await json<Trends>("trend", { store: screen.store, target, metric: metric[0], pattern: query.get("pattern") });
  if (!SHARED && marks !== null) root.append((await import("../edit")).editTrend(screen, trends, marks, metric[0]));
  if (trends.workloads.length === 0) {
    root.append(el("p", {}, `No valid run of ${target} is in this store.`));
    return root;
  }
  const least = percent(trends.least_difference);
  root.append(el("p", { class: "quiet prose" }, `Each point is a run, or all runs of a campaign as their geometric mean; runs with a failed self-check are left out. A change is shown where it is beyond chance and shown to be ${least} or more; from ${NEEDED} points on.`));
  // What changed comes first.
  const changes = (workload: Workload): number => (workload.levels ?? []).filter((level) => level.change).length;
  const sorted = [...trends.workloads].sort((a, b) => changes(b) - changes(a) || b.values.length - a.values.length);
  root.append(...sorted.map((workload) => one(screen, trends, workload)));
  if (trends.marks.length > 0) root.append(happened(trends));
  const text = [`fathom trend ${target} --metric ${metric[0]}: ${metric[1]}, ${count(sorted.length)} ${sorted.length === 1 ? "workload" : "workloads"}`, ...sorted.flatMap(lines)].join("\n");
  root.append(el("h2", {}, "For a ticket"), folded("What changed, as text", () => el("pre", { tabindex: 0 }, text)));
  return root;
}

// What is told of a workload, as lines of text.
function lines(workload: Workload): string[] {
  const { levels, values } = workload;
  const known = values.length === 1 ? "1 value" : `${values.length} values`;
  const title = `${titleOf(workload)}, ${known}`;
  if (levels === null) return [`${title}: too few to state a level`];
  const changes: string[] = [];
  let at = 0;
  for (const level of levels) {
    const before = values[at - 1];
    at += level.values;
    if (!level.change || !before) continue;
    const { ratio, low, high, slower, marks, acknowledged } = level.change;
    const between = marks.length === 0 ? "" : `; between them: ${marks.join("; ")}`;
    const seen = acknowledged === null ? "" : `; acknowledged: ${acknowledged.text}`;
    changes.push(`  ${moment(level.from_at)} UTC: ${slower ? "slower" : "faster"}, ${change(ratio)} (${change(low)} to ${change(high)}, 95 %), from ${before.run} to ${level.from_run}${between}${seen}`);
  }
  return [changes.length === 0 ? `${title}: no change of level` : `${title}:`, ...changes];
}

function titleOf({ pattern, jobs, depth, tool }: Workload): string {
  return `${pattern}, ${jobs} × ${depth}${tool === "fathom" ? "" : `, ${tool}`}`;
}

// All marks as a table: those on the charts have no names there.
function happened(trends: Trends): HTMLElement {
  const shown = trends.marks.slice(-MARKS_MAX);
  const rows = shown.map((mark) => [moment(mark.from_at), mark.until_at === null ? "" : moment(mark.until_at), mark.title, mark.automatic ? "seen between two runs" : "fathom mark"]);
  return el("div", {}, el("h2", {}, "What happened meanwhile"),
    el("p", { class: "quiet prose" }, "On the charts a moment is a dashed line, and a stretch a bar along the foot. Changes of kernel, driver, firmware and fathom are read from the runs themselves: they lie between the runs before and after."),
    shown.length < trends.marks.length ? el("p", {}, `The newest ${count(shown.length)} of ${count(trends.marks.length)} marks; those before them are on the charts, and in a terminal with: fathom mark`) : null,
    table("Marks", ["from (UTC)", "until (UTC)", "what", "made by"], rows, []));
}

function newest(listing: Listing): string | undefined {
  const place = listing.columns.target[0];
  return place === undefined ? undefined : listing.words["target"]?.[place];
}

function controls(screen: Screen, targets: string[], target: string, metric: string): HTMLElement {
  const option = (value: string, text: string, chosen: string): HTMLElement =>
    el("option", value === chosen ? { value, selected: true } : { value }, text);
  const known = targets.includes(target) || target === "" ? targets : [target, ...targets];
  const of = el("select", { id: "target" }, ...known.map((name) => option(name, name, target)));
  const what = el("select", { id: "metric" }, ...METRICS.map(([name, text]) => option(name, text, metric)));
  const go = (): void => {
    location.hash = address(["trend"], { store: screen.store || null, target: of.value, metric: what.value });
  };
  of.addEventListener("change", go);
  what.addEventListener("change", go);
  return el("div", { class: "controls" }, el("span", {}, el("label", { for: "target" }, "Target "), of), el("span", {}, el("label", { for: "metric" }, "Followed "), what));
}

function one(screen: Screen, trends: Trends, workload: Workload): HTMLElement {
  const { values, levels } = workload;
  const write = trends.unit === "ns" ? time : rate;
  const title = titleOf(workload);
  const level = new Array<number>(values.length).fill(Number.NaN);
  let at = 0;
  for (const { values: length, value } of levels ?? []) level.fill(value, at, (at += length));
  const times = Float64Array.from(values, (value) => Date.parse(value.started_at) / 1000);
  const chart = new Chart({
    title,
    quantity: `${trends.unit === "ns" ? "latency" : "IOPS"} of ${count(values.length)} ${values.length === 1 ? "value" : "values"}${levels === null ? "" : "; shaded: a standard deviation around each level"}`,
    xs: times,
    lines: [
      { name: "value", values: values.map((value) => value.value), ink: "blue", points: true },
      { name: "level", values: level, ink: "text", dash: [7, 4], isStep: true },
    ],
    cursor: new Cursor(),
    height: 220,
    isCalendar: true,
    isMain: true,
    write,
    writeX: (x) => moment(new Date(x * 1000).toISOString()),
    over: (plot) => {
      bands(plot, workload, times);
      marks(plot, trends, workload, times);
    },
    choose: (place) => {
      const chosen = values[place];
      if (chosen) location.hash = address(["run", chosen.run], { store: screen.store || null });
    },
    more: { name: "run", cell: (place) => link(screen, values[place]?.run ?? "") },
  });
  chart.root.append(told(screen, workload));
  return chart.root;
}

function link(screen: Screen, run: string): HTMLElement {
  return el("a", { href: address(["run", run], { store: screen.store || null }) }, run);
}

// A standard deviation of its runs around each level, from its first to its last.
function bands(plot: uPlot, { levels }: Workload, times: Float64Array): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = 0.14;
  ctx.fillStyle = ink("text");
  let at = 0;
  for (const level of levels ?? []) {
    const [from, until] = [times[at], times[at + level.values - 1]];
    at += level.values;
    if (from === undefined || until === undefined) continue;
    const [left, right] = [plot.valToPos(from, "x", true), plot.valToPos(until, "x", true)];
    const [top, foot] = [plot.valToPos(level.value * (1 + level.deviation), "y", true), plot.valToPos(level.value * (1 - level.deviation), "y", true)];
    ctx.fillRect(left, top, Math.max(2, right - left), Math.max(1, foot - top));
  }
  ctx.restore();
}

// A line where a level begins, and what happened meanwhile: a stretch as a band along the foot, a moment as a dashed line.
function marks(plot: uPlot, trends: Trends, workload: Workload, times: Float64Array): void {
  const { ctx, bbox } = plot;
  const x = (seconds: number): number => Math.round(plot.valToPos(seconds, "x", true));
  const upright = (at: number): void => {
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
  };
  ctx.save();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.strokeStyle = ink("purple");
  ctx.fillStyle = ink("purple");
  ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
  const [low, high] = [bbox.left, bbox.left + bbox.width];
  for (const mark of trends.marks) {
    const from = x(Date.parse(mark.from_at) / 1000);
    const until = mark.until_at === null ? from : x(Date.parse(mark.until_at) / 1000);
    if (until < low || from > high) continue;
    const foot = 5 * devicePixelRatio;
    const left = Math.max(low, from);
    if (until - from > 2) ctx.fillRect(left, bbox.top + bbox.height - foot, Math.max(2, Math.min(high, until) - left), foot);
    else upright(from);
  }
  ctx.setLineDash([]);
  ctx.strokeStyle = ink("vermillion");
  let at = 0;
  for (const level of workload.levels ?? []) {
    const begin = times[at];
    at += level.values;
    if (level.change && begin !== undefined) upright(x(begin));
  }
  ctx.restore();
}

function told(screen: Screen, workload: Workload): HTMLElement {
  const { levels, values } = workload;
  if (levels === null) return el("p", {}, `Too few values to state a level: ${values.length} of ${NEEDED}.`);
  const found: HTMLElement[] = [];
  let at = 0;
  for (const level of levels) {
    const before = values[at - 1];
    at += level.values;
    if (!level.change || !before) continue;
    const { ratio, low, high, slower, marks, acknowledged } = level.change;
    const between = marks.length === 0 ? [] : [el("br"), "Between them: ", ...marks.flatMap((title, place): Child[] => [place === 0 ? "" : "; ", el("bdi", {}, title)]), "."];
    const seen = acknowledged === null ? [] : [el("br"), "Acknowledged: ", el("bdi", {}, acknowledged.text), ` (${moment(acknowledged.at)} UTC${acknowledged.author === null ? "" : `, ${acknowledged.author}`}).`];
    found.push(el("li", {}, el("strong", {}, `${moment(level.from_at)} UTC: ${slower ? "slower" : "faster"}`), `, ${change(ratio)} (${change(low)} to ${change(high)}, 95 %), from `, link(screen, before.run), " to ", link(screen, level.from_run), " ",
      el("a", { href: address(["compare"], { store: screen.store || null, ids: `${before.run},${level.from_run}` }) }, "side by side"), ...between, ...seen));
  }
  return found.length === 0 ? el("p", {}, "No change of level.") : el("ul", {}, ...found);
}
