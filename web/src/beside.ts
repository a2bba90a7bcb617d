// Charts of what was sampled beside a run, on the columns of its seconds.

import type { Beside, Columns, SeriesHeader } from "./api";
import type { ChartPlan, Line } from "./chart";
import { el } from "./elements";
import { percent, plain } from "./words";

interface Look {
  title: string;
  quantity: string;
  write: (value: number) => string;
  range?: (values: number[]) => [number, number];
}

const LOOKS: Record<Beside["name"], Look> = {
  processors: { title: "CPUs of the machine", quantity: "share of the time in use", write: percent, range: () => [0, 1] },
  process: { title: "CPU of the measuring process", quantity: "CPU time in cores: 1 is one core in full", write: plain },
  device: { title: "Device", quantity: "I/Os queued or in the device on average, as its system counts them", write: plain },
  // What is warm is not near 0; small steps shall not look large either.
  temperature: { title: "Temperature", quantity: "degrees Celsius; most sensors are asked every 10 s", write: (value) => `${value.toFixed(0)} °C`, range: (values) => [Math.min(...values) - 5, Math.max(...values) + 5] },
  balance: { title: "Burst balance", quantity: "share that is left, as the cloud reports it", write: percent, range: () => [0, 1] },
};

// A value with its unit.
export function written(name: Beside["name"], value: number): string {
  return LOOKS[name].write(value);
}

export function titleOf(name: Beside["name"]): string {
  return LOOKS[name].title;
}

// One chart; none where nothing was sampled.
export function plan(beside: Beside, series: Columns<SeriesHeader>, inks: readonly string[], dashes: readonly number[][]): Pick<ChartPlan, "title" | "quantity" | "lines" | "write" | "range"> | null {
  if (beside.lines.length === 0) return null;
  const { title, quantity, write, range } = LOOKS[beside.name];
  const lines = beside.lines.map(({ name, column }, at): Line => ({ name, values: series.get(column) ?? [], ink: inks[at] ?? "text", dash: dashes[at] ?? [] }));
  const values = lines.flatMap((line) => Array.from(line.values)).filter((value) => Number.isFinite(value));
  const more = beside.more === 0 ? "" : `; ${beside.more} more stayed lower and are not drawn`;
  return { title, quantity: quantity + more, lines, write, ...(range && values.length > 0 ? { range: range(values) } : {}) };
}

// What was not sampled, and why.
export function missing(all: Beside[]): HTMLElement[] {
  const reasons = new Map<string, string[]>();
  for (const { name, missing: reason } of all) if (reason !== null) reasons.set(reason, [...(reasons.get(reason) ?? []), LOOKS[name].title]);
  if (reasons.size === 0) return [];
  const lines = [...reasons].map(([reason, titles]) => el("li", {}, `${titles.join(", ")}: ${reason}`));
  return [el("h3", {}, "Not measured alongside"), el("ul", { class: "quiet prose" }, ...lines)];
}
