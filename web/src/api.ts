// Questions to the server, or to a shared file that bears the answers within, and what is answered.

import { answers, type Answers } from "./carried";
import { Columns, type Span } from "./columns";
import { Refusal, type Query } from "./refusal";

export { Columns, Refusal };
export type { Span };

async function ask(path: string, query: Query): Promise<Response> {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") set.set(name, String(value));
  }
  const text = set.toString();
  let response: Response;
  try {
    response = await fetch(`/api/${path}${text === "" ? "" : `?${text}`}`);
  } catch {
    throw new Refusal(0, "fathom serve does not answer", "start it again with: fathom serve");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

export async function refusal(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as { kind?: string; place?: string; cause?: string; remedy?: string };
  const cause = body.cause ?? `status ${response.status}`;
  const place = body.place === undefined || body.place === "" ? "" : `${body.place}: `;
  return new Refusal(response.status, place + cause, body.remedy ?? "", body.kind ?? "");
}

// A shared file holds some runs, and is asked for no others.
const carried: Answers | null = SHARED ? answers() : null;

export async function json<T>(path: string, query: Query = {}): Promise<T> {
  if (SHARED && carried) return (await carried.json(path, query)) as T;
  return (await (await ask(path, query)).json()) as T;
}

// Exchanges the token of the printed address for a cookie that no script sees.
export async function open(token: string): Promise<void> {
  const response = await fetch("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (!response.ok) throw await refusal(response);
}

async function fetched(path: string, query: Query): Promise<ArrayBuffer> {
  return (await ask(path, query)).arrayBuffer();
}

// The seconds of a saved run stay as they are, so that what was answered last is kept: as many bytes as this.
const KEPT_BYTES = 24e6;
const kept = new Map<string, { coming: Promise<ArrayBuffer>; bytes: number }>();

async function seconds(path: string, query: Query): Promise<ArrayBuffer> {
  const key = JSON.stringify([path, Object.entries(query).filter(([, value]) => value !== null && value !== undefined).sort()]);
  const entry = kept.get(key) ?? { coming: fetched(path, query), bytes: 0 };
  // What was asked for last stands last.
  kept.delete(key);
  kept.set(key, entry);
  try {
    entry.bytes = (await entry.coming).byteLength;
  } catch (error) {
    kept.delete(key);
    throw error;
  }
  let bytes = [...kept.values()].reduce((sum, one) => sum + one.bytes, 0);
  for (const [oldest, one] of kept) {
    if (bytes <= KEPT_BYTES) break;
    bytes -= one.bytes;
    kept.delete(oldest);
  }
  return entry.coming;
}

export async function columns<Header extends Span>(path: string, query: Query): Promise<Columns<Header>> {
  if (SHARED && carried) return carried.columns<Header>(path, query);
  return Columns.read<Header>(await (path.startsWith("runs/") ? seconds(path, query) : fetched(path, query)));
}

export interface Hello {
  fathom: string;
  stores: { number: number; name: string }[];
  fleets: { number: number; name: string }[];
  // Whether what people say may be changed.
  edit: boolean;
  runs_max: number;
}

export interface Listing {
  total: number;
  next: string | null;
  words: Record<string, string[]>;
  columns: {
    id: string[];
    started_at: string[];
    target: number[];
    device: (number | null)[];
    pattern: number[];
    tool: number[];
    ending: number[];
    campaign: (number | null)[];
    jobs: number[];
    depth: number[];
    operations_per_s: (number | null)[];
    throughput_bytes_per_s: (number | null)[];
    p50_ns: (number | null)[];
    p99_ns: (number | null)[];
    latency: (number | null)[];
    valid: boolean[];
    tags: number[][];
    notes: number[];
    baseline: boolean[];
  };
}

// Values of all runs that a search finds, with how many runs have them.
export interface Facets {
  total: number;
  facets: Record<string, { values: number; most: [string, number][] }>;
}

export interface Note {
  number: number;
  text: string;
  author: string | null;
  at: string;
}

// What people say of a run; `seq` is how far that had come.
export interface Said {
  seq: number;
  tags: string[];
  notes: Note[];
  baseline: string | null;
}

// What people say happened.
export interface Marks {
  seq: number;
  marks: { number: number; from_at: string; until_at: string | null; title: string; target: string | null }[];
}

export interface Campaigns {
  total: number;
  campaigns: CampaignRow[];
}

export interface CampaignRow {
  id: string;
  target: string;
  started_at: string;
  closed_at: string | null;
  state: string;
  runs: number;
  tags: string[];
}

export interface CampaignCell {
  jobs: number;
  depth: number;
  runs: string[];
  operations_per_s: number;
  interval_share: number | null;
  service_p50_ns: number;
  service_p99_ns: number | null;
  failed: boolean;
  points: string[];
}

export interface Campaign extends CampaignRow {
  kind: string | null;
  text: string | null;
  seq: number;
  notes: Note[];
  command: string | null;
  sweep: null | Sweep;
  comparison: null | Comparison;
  assessment: null | {
    failures: string[];
    patterns: { title: string; reached: string; limited_by: string; cells: CampaignCell[] }[];
    points: { headings: string[]; is_number: boolean[]; rows: string[][] };
    notes: string[];
  };
}

// A grid of plans; the place of a cell is the index of its value on each axis.
export interface Sweep {
  failures: string[];
  extremes: string[];
  axes: { key: string; values: string[] }[];
  places: { place: number[]; cell: CampaignCell | null; missing: string | null }[];
  notes: string[];
}

// Some runs or a campaign beside others, in the words of `fathom compare`.
export interface Comparison {
  sides: [string, string];
  failures: string[];
  legend: string;
  workloads: {
    title: string;
    decision: "faster" | "slower" | "equivalent" | "inconclusive" | "not_comparable";
    sentence: string;
    table: { headings: string[]; is_number: boolean[]; rows: string[][] };
    conditions: string[];
    pairs: { first: string; a_run: string; b_run: string; ratio: number | null }[];
  }[];
  notes: string[];
  command: string | null;
}

export interface Quantile {
  q: number;
  value_ns: number;
}

export interface Summary {
  count: number | null;
  mean_ns: number;
  max_ns: number | null;
  quantiles: Quantile[];
}

export interface Run {
  id: string;
  started_at: string;
  tool: { name: string; version: string };
  campaign: { id: string; step: string } | null;
  target: { name: string; kind: string; devices: { name: string; model: string | null }[] };
  engine: { name: string };
  workload: { jobs: number; depth: number };
  ending: { reason: string; error?: string };
  checks: { name: string; outcome: string; explanation: string }[];
  summary: {
    duration_ns: number;
    in_flight_mean: number | null;
    directions: {
      direction: string;
      operations_per_s: number;
      throughput_bytes_per_s: number;
      errors: number | null;
      service: Summary | null;
      response: Summary | null;
    }[];
  };
  command?: string;
  notes: string[];
}

export interface SeriesHeader extends Span {
  // Whether a count was too large for its place.
  is_cut: boolean;
  directions: string[];
  beside: Beside[];
}

// A chart of what was sampled beside a run: its lines with their columns, or why there is none.
export interface Beside {
  name: "processors" | "process" | "device" | "temperature" | "balance";
  unit: string;
  lines: { name: string; column: string }[];
  more: number;
  missing: string | null;
}

// What a run's seconds say, and the levels that their rate was at, in seconds from its first I/O.
export interface Analysis {
  verdict: string;
  findings: string[];
  levels: { from_s: number; until_s: number; rate_per_s: number }[];
}

export interface HeatHeader extends Span {
  is_cut: boolean;
  height: number;
  bounds_ns: number[];
}

export interface Second {
  number: number;
  start_ns: number;
  duration_ns: number;
  warmup: boolean;
  in_flight: number;
  directions: {
    direction: string;
    operations: number;
    bytes: number;
    errors: number;
    service: Summary | null;
    rows: { low_ns: number; high_ns: number; count: number; run_count: number | null }[];
  }[];
}

export interface Trends {
  target: string;
  unit: string;
  least_difference: number;
  workloads: {
    pattern: string;
    jobs: number;
    depth: number;
    tool: string;
    values: { started_at: string; run: string; runs: number; value: number }[];
    levels:
      | null
      | {
          from_run: string;
          from_at: string;
          values: number;
          value: number;
          deviation: number;
          change: null | {
            ratio: number;
            low: number;
            high: number;
            p_value: number;
            slower: boolean;
            marks: string[];
            acknowledged: null | { text: string; author: string | null; at: string };
          };
        }[];
  }[];
  marks: { from_at: string; until_at: string | null; title: string; automatic: boolean }[];
}
