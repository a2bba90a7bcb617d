// Runs of one workload in a row: a small picture of how their rate went, and how one stands to their baseline.

import type { Listing } from "./api";
import { el, svg } from "./elements";
import { rate } from "./words";

// Runs of a picture at most.
const SHOWN = 16;
const [WIDTH, HEIGHT, EDGE] = [64, 18, 3];
// A picture spans this share of its middle at least, so that noise does not look like change.
const SPAN_LEAST = 0.1;

// Valid runs of each workload on each target, of those that are listed.
export class Histories {
  // Runs of each workload from the oldest to the newest.
  private readonly groups = new Map<string, number[]>();
  // The group of each run, and its place there; -1 where it has none.
  private readonly group: (number[] | undefined)[] = [];
  private readonly place: Int32Array;
  private readonly baselines = new Map<number[], number>();

  constructor(private readonly listing: Listing) {
    const { columns } = listing;
    this.place = new Int32Array(columns.id.length).fill(-1);
    // The list has the newest first.
    for (let run = columns.id.length - 1; run >= 0; run -= 1) {
      const key = [columns.target[run], columns.pattern[run], columns.jobs[run], columns.depth[run], columns.tool[run]].join("/");
      const group = this.groups.get(key) ?? [];
      this.groups.set(key, group);
      this.group[run] = group;
      if (columns.baseline[run]) this.baselines.set(group, run);
      if (!columns.valid[run] || typeof columns.operations_per_s[run] !== "number") continue;
      this.place[run] = group.length;
      group.push(run);
    }
  }

  // Rates of the runs up to this one, itself last.
  upTo(run: number): number[] {
    const at = this.place[run] ?? -1;
    const shown = at < 0 ? [] : (this.group[run] ?? []).slice(Math.max(0, at + 1 - SHOWN), at + 1);
    return shown.map((one) => this.rate(one));
  }

  // Its rate as a share of that of the baseline; none where one of them is not known, or it is the baseline itself.
  againstBaseline(run: number): { baseline: number; ratio: number } | null {
    const group = this.group[run];
    const baseline = group === undefined ? undefined : this.baselines.get(group);
    if (baseline === undefined || baseline === run || (this.place[run] ?? -1) < 0 || (this.place[baseline] ?? -1) < 0) return null;
    const ratio = this.rate(run) / this.rate(baseline);
    return Number.isFinite(ratio) ? { baseline, ratio } : null;
  }

  private rate(run: number): number {
    return this.listing.columns.operations_per_s[run] ?? Number.NaN;
  }
}

// Rates as a line that ends in a dot; nothing for fewer than two.
export function spark(rates: number[]): Element {
  if (rates.length < 2) return el("span", {});
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const span = Math.max(most - least, ((most + least) / 2) * SPAN_LEAST, 1e-9);
  const low = (most + least) / 2 - span / 2;
  const x = (at: number): number => EDGE + (at * (WIDTH - 2 * EDGE)) / (rates.length - 1);
  const y = (value: number): number => HEIGHT - EDGE - ((value - low) / span) * (HEIGHT - 2 * EDGE);
  const text = (value: number): string => value.toFixed(1);
  const last = rates.length - 1;
  const label = `IOPS of ${rates.length} runs up to this one: ${rate(rates[0])} to ${rate(rates[last])}, least ${rate(least)}, most ${rate(most)}`;
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, class: "spark", role: "img", "aria-label": label },
    svg("title", {}, label),
    svg("polyline", { points: rates.map((value, at) => `${text(x(at))},${text(y(value))}`).join(" "), fill: "none", "stroke-width": 1.5, class: "s-blue" }),
    svg("circle", { cx: text(x(last)), cy: text(y(rates[last] ?? low)), r: 2.5, class: "f-vermillion" }),
  );
}
