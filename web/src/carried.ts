// The answers that a shared file bears within, by the questions of the screens.

import { Columns, type Span } from "./columns";
import { Refusal, type Query } from "./refusal";

type HeatSpan = Span & { height: number; bounds_ns: number[] };
type SeriesSpan = Span & { directions: string[] };

export class Answers {
  constructor(private readonly found: Record<string, unknown>) {}

  async json(path: string, query: Query): Promise<unknown> {
    const second = /^(runs\/[^/]+)\/second\/(\d+)$/.exec(path);
    if (second?.[1] !== undefined) return this.second(second[1], Number(second[2]));
    return Promise.resolve(this.find(path, query));
  }

  // A stretch of a run is cut from the whole of it.
  async columns<Header extends Span>(path: string, query: Query): Promise<Columns<Header>> {
    const { from, until, ...rest } = query;
    const packed = Uint8Array.from(atob(String(this.find(path, rest))), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const whole = Columns.read<Header>(await new Response(stream).arrayBuffer());
    const given = (value: string | number | null | undefined, other: number): number => (value === null || value === undefined ? other : Number(value));
    return whole.slice(given(from, 0), given(until, Number.MAX_SAFE_INTEGER));
  }

  private find(path: string, query: Query): unknown {
    const given = Object.entries(query).filter(([name, value]) => name !== "store" && value !== null && value !== undefined && value !== "");
    const sorted = given.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, value]): [string, string] => [name, String(value)]);
    const text = new URLSearchParams(sorted).toString();
    const answer = this.found[text === "" ? path : `${path}?${text}`];
    if (answer !== undefined) return answer;
    const remedy = "Whoever made this file can show more with: fathom serve";
    throw new Refusal(404, "This is not in the shared file", remedy);
  }

  // One second, put together from the columns of its run.
  private async second(path: string, number: number): Promise<unknown> {
    const series = await this.columns<SeriesSpan>(`${path}/series`, {});
    const { per_column, width, directions } = series.header;
    if (per_column !== 1 || number >= width) throw new Refusal(404, `A shared file has ${per_column} seconds of so long a run in one`, "fathom serve shows each");
    const at = (name: string): number => series.get(name)?.[number] ?? Number.NaN;
    const flow = async (direction: string): Promise<unknown> => {
      const quantiles = [["p50", 0.5], ["p99", 0.99], ["p999", 0.999]] as const;
      const known = quantiles.map(([name, q]) => ({ q, value_ns: at(`${direction}.service_${name}_ns`) })).filter(({ value_ns }) => Number.isFinite(value_ns));
      const rows = direction === "flush" ? [] : this.rows(series, await this.columns<HeatSpan>(`${path}/heat`, { direction, kind: "service" }), number);
      return {
        direction,
        operations: Math.round(at(`${direction}.operations_per_s`) * at("duration_s")),
        bytes: Math.round(at(`${direction}.bytes_per_s`) * at("duration_s")),
        errors: at(`${direction}.errors`),
        service: { count: null, mean_ns: Number.NaN, max_ns: null, quantiles: known },
        rows,
      };
    };
    return {
      number, start_ns: at("start_s") * 1e9, duration_ns: at("duration_s") * 1e9, warmup: at("warmup") === 1, in_flight: at("in_flight"),
      directions: await Promise.all(directions.map(flow)),
    };
  }

  private rows(series: Columns<SeriesSpan>, heat: Columns<HeatSpan>, number: number): unknown[] {
    const { height, width, bounds_ns } = heat.header;
    const counts = heat.get("counts") ?? new Uint32Array(0);
    const warmup = series.get("warmup");
    return Array.from({ length: height }, (_, row) => {
      let whole = 0;
      for (let column = 0; column < width; column += 1) if (!warmup?.[column]) whole += counts[column * height + row] ?? 0;
      const high = bounds_ns[row + 1] ?? 0;
      return { low_ns: bounds_ns[row] ?? 0, high_ns: row + 1 === height ? high : high - 1, count: counts[number * height + row] ?? 0, run_count: whole };
    });
  }
}

// The answers in this document; nothing on a page that a server gives.
export function answers(): Answers | null {
  const element = document.getElementById("answers");
  return element === null ? null : new Answers(JSON.parse(element.textContent ?? "{}") as Record<string, unknown>);
}
