// Runs side by side: their figures, their percentiles as curves, and what differs between how they were made.

import { json, Refusal, type Comparison, type Run, type Summary } from "../api";
import { Chart, Cursor, type ChartPlan, type Line } from "../chart";
import { el, table, type Child } from "../elements";
import { address, keep, route } from "../route";
import { COMPARED_MAX, type Screen } from "../screen";
import { verdict } from "../verdict";
import { change, moment, rate, throughput, time } from "../words";

const INKS = ["blue", "vermillion", "green", "purple"];
const DASHES = [[], [9, 4], [2, 3]];
const QUANTILES = [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];
// Parts of a record that say how it was made.
const MADE_BY = ["workload", "target", "engine", "environment", "clock", "tool", "ceilings"];

type Flow = Run["summary"]["directions"][number];
type Compared = Run & Record<string, unknown>;

export async function compare(screen: Screen): Promise<HTMLElement> {
  const { query } = route();
  const [a, b] = [query.get("a"), query.get("b")];
  if (query.get("ids") === null && a !== null && b !== null) {
    const verdict = el("div", {});
    await judge(screen, verdict, [a], [b]);
    return el("section", {}, el("h1", {}, "Compare 2 campaigns"), verdict);
  }
  const ids = [...new Set((route().query.get("ids") ?? "").split(",").filter((id) => id !== ""))].slice(0, COMPARED_MAX);
  const root = el("section", {}, el("h1", {}, ids.length < 2 ? "Compare" : `Compare ${ids.length} runs`));
  if (ids.length < 2) {
    root.append(el("p", {}, "Choose 2 to 12 ", el("a", { href: address(["runs"], { store: screen.store || null }) }, "runs"), " in the list."));
    return root;
  }
  const runs = await Promise.all(ids.map((id) => json<Compared>(`runs/${encodeURIComponent(id)}`, { store: screen.store })));
  const directions = [...new Set(runs.flatMap((run) => run.summary.directions.map((flow) => flow.direction)))];
  root.append(
    await verdicts(screen, runs),
    el("h2", {}, "Run by run"),
    el("p", { class: "quiet prose" }, "Each column is one run, against the first."),
    figures(screen, runs, directions),
    ...directions.flatMap((direction) => curves(runs, direction)),
    differences(runs),
  );
  return root;
}

// Which runs are side B: what the address says, or those of another target than the first, or all but the first.
function sideB(runs: Compared[]): Set<string> {
  const chosen = route().query.get("b");
  const [first, ...others] = runs;
  const known = (chosen ?? "").split(",").filter((id) => runs.some((run) => run.id === id));
  if (known.length > 0 && known.length < runs.length) return new Set(known);
  const elsewhere = others.filter((run) => run.target.name !== first?.target.name);
  return new Set((elsewhere.length > 0 ? elsewhere : others).map((run) => run.id));
}

// Sets of runs beside each other, with what `fathom compare` says of them; each run's side can be chosen.
async function verdicts(screen: Screen, runs: Compared[]): Promise<HTMLElement> {
  const b = sideB(runs);
  const verdict = el("div", { "aria-live": "polite" });
  const draw = async (): Promise<void> => {
    const ids = (isB: boolean): string[] => runs.map((run) => run.id).filter((id) => b.has(id) === isB);
    if (ids(true).length === 0 || ids(false).length === 0) {
      verdict.replaceChildren(el("p", {}, "Each side needs at least one run."));
      return;
    }
    await judge(screen, verdict, ids(false), ids(true));
  };
  const choices = runs.map((run, at) => {
    const id = `side-${at}`;
    const options = ["A", "B"].map((side) => el("option", (side === "B") === b.has(run.id) ? { value: side, selected: true } : { value: side }, `side ${side}`));
    const select = el("select", { id }, ...options);
    select.addEventListener("change", () => {
      if (select.value === "B") b.add(run.id);
      else b.delete(run.id);
      keep({ b: [...b].join(",") });
      void draw();
    });
    return el("span", {}, el("label", { for: id }, `${name(runs, at)}, ${moment(run.started_at)} `), select);
  });
  await draw();
  return el("div", {}, el("h2", {}, "B against A"), runs.length > 2 ? el("div", { class: "controls" }, ...choices) : null, verdict);
}

async function judge(screen: Screen, into: HTMLElement, a: string[], b: string[]): Promise<void> {
  let found: Comparison;
  try {
    found = await json<Comparison>("compare", { store: screen.store, a: a.join(","), b: b.join(",") });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    into.replaceChildren(el("p", { role: "alert" }, `Not compared: ${error.message}.`));
    return;
  }
  into.replaceChildren(...verdict(screen, found));
}

function stands(run: Compared): boolean {
  return run.ending.reason === "complete" && run.checks.every((check) => check.outcome !== "fail");
}

function name(runs: Compared[], at: number): string {
  return `${String.fromCharCode(65 + at)}: ${runs[at]?.target.name ?? ""}`;
}

function latency(flow: Flow | undefined): Summary | null {
  return flow?.response ?? flow?.service ?? null;
}

function quantile(summary: Summary | null, q: number): number | undefined {
  return summary?.quantiles.find((entry) => entry.q === q)?.value_ns;
}

function figures(screen: Screen, runs: Compared[], directions: string[]): HTMLElement {
  const flow = (run: Compared, direction: string): Flow | undefined => run.summary.directions.find((one) => one.direction === direction);
  const figure = (title: string, read: (run: Compared) => number | null | undefined, write: (value: number | null | undefined) => string): Child[] => {
    const first = runs[0] ? read(runs[0]) : null;
    const cells = runs.map((run, at) => {
      const value = read(run);
      const isCompared = at > 0 && typeof value === "number" && typeof first === "number" && first > 0 && stands(run) && runs[0] !== undefined && stands(runs[0]);
      return isCompared ? `${write(value)} (${change(value / first)})` : write(value);
    });
    return [title, ...cells];
  };
  const rows: Child[][] = [
    ["run", ...runs.map((run) => el("a", { href: address(["run", run.id], { store: screen.store || null }) }, run.id))],
    ["started (UTC)", ...runs.map((run) => moment(run.started_at))],
    ["checks", ...runs.map((run) => (stands(run) ? "✔ passed" : el("span", { class: "failed" }, "✘ not compared: a self-check failed, or it did not end as planned")))],
  ];
  for (const direction of directions) {
    const of = (run: Compared): Flow | undefined => flow(run, direction);
    rows.push(
      figure(`${direction} IOPS`, (run) => of(run)?.operations_per_s, rate),
      figure(`${direction} throughput`, (run) => of(run)?.throughput_bytes_per_s, throughput),
      [`${direction} latency`, ...runs.map((run) => (of(run)?.response ? "response" : of(run)?.service ? "service" : ""))],
      ...[0.5, 0.99, 0.999].map((q) => figure(`${direction} p${q * 100}`, (run) => quantile(latency(of(run)), q), time)),
      figure(`${direction} max`, (run) => latency(of(run))?.max_ns, time),
    );
  }
  return table("Figures of the runs", ["", ...runs.map((_, at) => name(runs, at))].map((text) => text || "figure"), rows, []);
}

function curves(runs: Compared[], direction: string): HTMLElement[] {
  const lines = runs.map((run, at): Line => {
    const summary = latency(run.summary.directions.find((flow) => flow.direction === direction));
    return { name: name(runs, at), values: QUANTILES.map((q) => quantile(summary, q) ?? Number.NaN), ink: INKS[at % INKS.length] ?? "text", dash: DASHES[Math.floor(at / INKS.length)] ?? [] };
  });
  if (lines.every((line) => Array.from(line.values).every((value) => Number.isNaN(value)))) return [];
  const plan = { title: `Latency of ${direction}s by percentile`, quantity: "The share of I/Os that were faster; a percentile is missing where fewer than 10 I/Os lie beyond it.", xs: QUANTILES.map((_, at) => at), lines, cursor: new Cursor(), height: 280, isLog: true, isMain: true, write: time };
  const shared = { writeX: (x: number) => (Number.isInteger(x) && QUANTILES[x] !== undefined ? `p${Number((QUANTILES[x] * 100).toFixed(2))}` : ""), page: 3 };
  return [new Chart({ ...plan, ...shared }).root, ...shifts(runs, direction, lines, { ...shared, xs: plan.xs, cursor: plan.cursor })];
}

// How far each percentile of the others is from that of the first; runs that do not stand have none.
function shifts(runs: Compared[], direction: string, lines: Line[], shared: Pick<ChartPlan, "xs" | "cursor" | "writeX" | "page">): HTMLElement[] {
  const isSound = (at: number): boolean => {
    const run = runs[at];
    return run !== undefined && stands(run);
  };
  const [first, ...others] = lines.filter((_, at) => isSound(at));
  if (first === undefined || first !== lines[0]) return [];
  const shifted = others.map((line): Line => ({ ...line, values: Array.from(line.values, (value, at) => value / (first.values[at] ?? Number.NaN)) }));
  const ratios = shifted.flatMap((line) => Array.from(line.values)).filter((ratio) => Number.isFinite(ratio));
  if (ratios.length === 0) return [];
  const range: [number, number] = [Math.min(0.95, ...ratios) * 0.99, Math.max(1.05, ...ratios) * 1.01];
  return [new Chart({ ...shared, title: `Shift of the latency of ${direction}s`, quantity: `Against ${first.name}: above +0.0 % is slower. The verdict above says what of it is beyond chance.`, lines: shifted, height: 220, range, isMain: true, write: change }).root];
}

// The name of an entry of a list, which says more than its number.
function named(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { group, label, name, setting } = entry as Record<string, unknown>;
  const words = [group, label, name, setting].filter((word) => typeof word === "string" && word !== "");
  return words.length === 0 ? null : words.join(" ");
}

// Every value of a part of a record by its place: `workload.sizes.read.bytes`.
function leaves(value: unknown, place: string, found: Map<string, string>): Map<string, string> {
  if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) leaves(inner, `${place}.${named(inner) ?? key}`, found);
  } else if (value !== null && value !== undefined) {
    found.set(place, String(value));
  }
  return found;
}

function differences(runs: Compared[]): HTMLElement {
  const all = runs.map((run) => {
    const found = new Map<string, string>();
    MADE_BY.forEach((part) => leaves(run[part], part, found));
    return found;
  });
  const places = [...new Set(all.flatMap((found) => [...found.keys()]))].sort();
  const differing = places.filter((place) => new Set(all.map((found) => found.get(place))).size > 1);
  const root = el("div", {}, el("h2", {}, "What differs"));
  if (differing.length === 0) {
    root.append(el("p", {}, "Nothing in plan, target, engine and machine differs."));
    return root;
  }
  const search = el("input", { type: "search", id: "differs", autocomplete: "off", spellcheck: "false" });
  const told = el("p", { role: "status", class: "quiet" });
  const body = el("div", { class: "differing" });
  const draw = (): void => {
    const wanted = search.value.toLowerCase();
    const shown = differing.filter((place) => place.toLowerCase().includes(wanted) || all.some((found) => (found.get(place) ?? "").toLowerCase().includes(wanted)));
    told.textContent = `${shown.length} of ${differing.length} values of plan, target, engine and machine that differ; ${places.length - differing.length} are the same.`;
    body.replaceChildren(table("What differs", ["place", ...runs.map((_, at) => name(runs, at))], shown.map((place) => [el("code", {}, place), ...all.map((found) => found.get(place) ?? "absent")]), []));
  };
  search.addEventListener("input", draw);
  draw();
  root.append(el("div", { class: "search" }, el("label", { for: "differs" }, "Search in it"), search), told, body);
  return root;
}
