// How what runs on this machine now goes over its last minutes.

import { json, type HeatHeader } from "../api";
import { Chart, Cursor, type Line } from "../chart";
import type { Columns } from "../columns";
import { el } from "../elements";
import { paint } from "../heat";
import { address } from "../route";
import { stepOf, type Entry, type Head, type Running } from "../running";
import { percent, plain, rate, throughput, time } from "../words";

// Seconds that are shown.
const SECONDS = 300;

interface Second {
  at_s: number;
  warmup: boolean;
  until_ns: number;
  iops: number;
  throughput_bytes_per_s: number;
  service_p50_ns: number | null;
  service_p99_ns: number | null;
  service_p999_ns: number | null;
  in_flight: number;
  cpus: number | null;
  cpu_busy: number | null;
  errors: number;
  devices: { name: string; reads: number | null; writes: number | null; read_bytes: number | null; write_bytes: number | null; utilisation: number | null }[];
}

interface Heat {
  at: number;
  bounds_ns: number[];
  counts: number[];
}

export async function live(key: string | undefined): Promise<HTMLElement> {
  const { running, unusable } = await json<Running>("running");
  const entry = key === undefined ? running[0] : running.find((one) => one.key === key);
  if (entry !== undefined) return new Panel(entry, "h1").root;
  return el("section", {}, el("h1", {}, "Nothing is being measured"),
    ...unusable.map((why) => el("p", { class: "care" }, `Not seen: ${why}`)),
    el("p", {}, "What is measured on this machine by the user of fathom serve is shown here. To begin, type:"), el("pre", {}, "fathom assess ."));
}

// Puts a campaign that runs on its own screen.
export function attach(content: HTMLElement, entry: Entry): void {
  content.querySelector(".meta")?.after(new Panel(entry, "h2").root);
}

class Panel {
  readonly root: HTMLElement;
  private readonly step = el("p", { role: "status" });
  private readonly figures = el("dl", {});
  private readonly saved = el("p", { class: "quiet" });
  private readonly over = el("div", { class: "charts" });
  private seconds: Second[] = [];
  private heats: Heat[] = [];
  private charts: Chart[] = [];
  private source: EventSource | null = null;
  private isDue = false;
  private wasShown = false;

  constructor(private head: Head & { key: string }, private readonly level: "h1" | "h2") {
    const on = head.devices.length === 0 ? "" : ` (${head.devices.join(", ")})`;
    const title = level === "h1" ? `${head.target}${on}: ${head.command}, live` : "Live";
    this.root = el("section", {}, el(level, {}, title), this.step, this.figures, this.saved, this.over);
    this.tell();
    document.addEventListener("visibilitychange", this.looked);
    this.open();
  }

  // Nobody is told of what nobody looks at.
  private readonly looked = (): void => {
    if (this.hasLeft()) document.removeEventListener("visibilitychange", this.looked);
    if (document.hidden || this.hasLeft()) this.close();
    else this.open();
  };

  // Another screen was chosen meanwhile.
  private hasLeft(): boolean {
    return this.wasShown && !this.root.isConnected;
  }

  private open(): void {
    if (this.source !== null || this.hasLeft()) return;
    this.forget();
    const source = new EventSource(`/api/live?of=${encodeURIComponent(this.head.key)}`);
    this.source = source;
    const on = <T>(name: string, take: (data: T) => void): void => {
      source.addEventListener(name, (event) => {
        if (this.hasLeft()) return this.close();
        this.wasShown ||= this.root.isConnected;
        take(JSON.parse((event as MessageEvent<string>).data) as T);
      });
    };
    on<Head>("head", (head) => {
      this.head = { ...head, key: this.head.key };
      this.tell();
    });
    on<Second>("second", (second) => {
      this.seconds = [...this.seconds, second].slice(-SECONDS);
      this.draw();
    });
    on<Omit<Heat, "at">>("heat", (heat) => {
      const at = this.seconds[this.seconds.length - 1]?.at_s ?? 0;
      this.heats = [...this.heats, { ...heat, at }].slice(-SECONDS / 5);
    });
    on<{ run: string }>("saved", ({ run }) => this.saved.replaceChildren("Saved last: ", el("a", { href: address(["run", run]) }, run)));
    on("reset", () => this.forget());
    on<{ complete: boolean }>("ended", ({ complete }) => {
      this.close();
      const { campaign, run } = this.head;
      const kind = campaign === null ? "run" : "campaign";
      const id = campaign ?? run;
      const words = complete ? "It has ended. " : `Process ${this.head.pid} exited without finishing. `;
      this.step.replaceChildren(words, id === null ? "" : el("a", { href: address([kind, id]) }, `The ${kind}`));
    });
  }

  private close(): void {
    this.source?.close();
    this.source = null;
  }

  private forget(): void {
    [this.seconds, this.heats] = [[], []];
  }

  private tell(): void {
    const { pid, campaign } = this.head;
    const step = stepOf(this.head);
    const link = campaign === null || this.level === "h2" ? "" : el("a", { href: address(["campaign", campaign]) }, `campaign ${campaign}`);
    this.step.replaceChildren(`${step === "" ? "It runs" : `Step ${step}`}; process ${pid}${link === "" ? "" : ", "}`, link);
  }

  // At most once a frame, however many seconds come at once.
  private draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const newest = this.seconds[this.seconds.length - 1];
      if (newest === undefined) return;
      this.write(newest);
      const plans: Line[][] = [
        [this.line("p50", "blue", (s) => s.service_p50_ns), this.line("p99", "vermillion", (s) => s.service_p99_ns, [9, 4]), this.line("p99.9", "green", (s) => s.service_p999_ns, [2, 3])],
        [this.line("IOPS", "blue", (s) => s.iops)],
      ];
      const xs = this.seconds.map((second) => second.at_s);
      if (this.charts.length === 0) this.begin(plans, xs);
      else this.charts.forEach((chart, at) => chart.renew(xs, plans[at] ?? []));
    });
  }

  private line(name: string, ink: string, of: (second: Second) => number | null, dash: number[] = []): Line {
    return { name, ink, dash, values: this.seconds.map((second) => of(second) ?? NaN) };
  }

  private begin(plans: Line[][], xs: number[]): void {
    const cursor = new Cursor();
    const writeX = (x: number): string => `${new Date(x * 1000).toISOString().slice(11, 19)} UTC`;
    const shared = { xs, cursor, isCalendar: true, isMain: this.level === "h1", writeX, page: 60 };
    this.charts = [
      new Chart({ ...shared, title: "Service latency", quantity: `over the last ${SECONDS} s; shades: I/Os by latency in 5 s each`, lines: plans[0] ?? [], height: 280, isLog: true, write: time, under: (plot) => this.shade(plot) }),
      new Chart({ ...shared, title: "Rate", quantity: "I/Os per second", lines: plans[1] ?? [], height: 180, write: rate }),
    ];
    this.over.append(...this.charts.map((chart) => chart.root));
  }

  private shade(plot: Parameters<typeof paint>[0]): void {
    const most = Math.max(1, ...this.heats.flatMap((heat) => heat.counts));
    for (const { at, bounds_ns, counts } of this.heats) {
      const header = { width: 1, height: counts.length, bounds_ns };
      paint(plot, { header, get: () => counts } as unknown as Columns<HeatHeader>, [at - 5], [5], most);
    }
  }

  private write(second: Second): void {
    const rows: [string, string][] = [
      ["rate", `${rate(second.iops)} IOPS, ${throughput(second.throughput_bytes_per_s)}${second.warmup ? ", warm-up" : ""}`],
      ["latency", `p50 ${time(second.service_p50_ns)}, p99 ${time(second.service_p99_ns)}, p99.9 ${time(second.service_p999_ns)}`],
      ["in flight", plain(second.in_flight)],
      ["CPU", `fathom ${plain(second.cpus)} CPUs, machine ${percent(second.cpu_busy)} busy`],
    ];
    if (second.errors > 0) rows.push(["errors", plain(second.errors)]);
    for (const device of second.devices) rows.push([device.name, `${rate((device.reads ?? 0) + (device.writes ?? 0))} I/Os per second, ${throughput((device.read_bytes ?? 0) + (device.write_bytes ?? 0))}, in use ${percent(device.utilisation)}`]);
    this.figures.replaceChildren(...rows.flatMap(([name, figure]) => [el("dt", {}, name), el("dd", {}, figure)]));
  }
}
