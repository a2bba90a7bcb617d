// Lines over time by uPlot, and what it lacks: a cursor that keys move, its figures as text, and a table behind.

import uPlot from "uplot";

import { el, folded, table, type Child } from "./elements";

export interface Line {
  name: string;
  values: ArrayLike<number>;
  // A colour's role in the theme.
  ink: string;
  dash?: number[];
  // Points alone, without a line between them.
  points?: boolean;
  // Stays at its value up to the next place.
  isStep?: boolean;
}

// The place that all charts of a screen point at.
export class Cursor {
  at: number | null = null;
  private readonly told: ((at: number | null) => void)[] = [];

  tell(listener: (at: number | null) => void): void {
    this.told.push(listener);
  }

  set(at: number | null): void {
    if (at === this.at) return;
    this.at = at;
    this.told.forEach((listener) => listener(at));
  }
}

export interface ChartPlan {
  title: string;
  // What stands at the vertical axis.
  quantity: string;
  xs: ArrayLike<number>;
  // How far each place reaches; lines do not cross what lies between two places.
  lengths?: ArrayLike<number>;
  lines: Line[];
  cursor: Cursor;
  height: number;
  isLog?: boolean;
  // Whether `xs` are seconds since 1970.
  isCalendar?: boolean;
  write: (value: number) => string;
  writeX: (x: number) => string;
  // Lowest and highest value, where not the lines decide.
  range?: [number, number];
  // Draws below the lines.
  under?: (plot: uPlot) => void;
  // Draws above them.
  over?: (plot: uPlot) => void;
  zoom?: (from: number, until: number) => void;
  choose?: (at: number) => void;
  // How many places a page key goes.
  page?: number;
  // Whether its title stands right below the screen's.
  isMain?: boolean;
  // Columns of the table besides the lines.
  more?: { name: string; cell: (at: number) => Child };
}

// Colours by their role, in light, in dark and on paper: asking for one has the browser work out the styles of all that has
// just been put in, and a chart asks some hundred times as it is drawn.
const inks = new Map<string, string>();
const [dark, paper] = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("print")];

export function ink(role: string): string {
  const key = `${role} ${dark.matches} ${paper.matches}`;
  const known = inks.get(key);
  if (known !== undefined) return known;
  const found = getComputedStyle(document.documentElement).getPropertyValue(`--${role}`).trim();
  inks.set(key, found);
  return found;
}

function numbers(values: ArrayLike<number>): (number | null)[] {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

function bounds(plan: ChartPlan): [number, number] {
  if (plan.range) return plan.range;
  let [low, high] = [Infinity, -Infinity];
  for (const line of plan.lines) {
    for (let at = 0; at < line.values.length; at += 1) {
      const value = line.values[at];
      if (value === undefined || !Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return [0, 1];
  if (plan.isLog) return [Math.max(low, 1) / 1.2, Math.max(high, 1) * 1.2];
  // Rates begin at 0, so that a small change does not look large.
  return [0, high > 0 ? high * 1.08 : 1];
}

// Places on a logarithmic axis: as few of a decade as give a handful in all.
function decades(low: number, high: number): number[] {
  const within = (steps: number[]): number[] => {
    const found: number[] = [];
    for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10) {
      found.push(...steps.map((step) => step * decade).filter((value) => value >= low && value <= high));
    }
    return found;
  };
  const choices = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]].map(within);
  return choices.find((choice) => choice.length >= 4) ?? choices[choices.length - 1] ?? [];
}

// Days where ticks are days apart, else times of day, in UTC.
function moments(ticks: number[]): (seconds: number) => string {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const [from, until] = step >= 86400 ? [5, 10] : step >= 3600 ? [5, 16] : step >= 60 ? [11, 16] : [11, 19];
  return (seconds) => new Date(seconds * 1000).toISOString().slice(from, until).replace("T", " ");
}

function axes(plan: ChartPlan): uPlot.Axis[] {
  const look = { stroke: () => ink("muted"), grid: { stroke: () => ink("grid"), width: 1 }, ticks: { stroke: () => ink("grid"), width: 1 }, font: "12px system-ui, sans-serif" };
  const xs: uPlot.Axis = { ...look, space: 70, values: (_, ticks) => ticks.map(plan.isCalendar ? moments(ticks) : (x) => plan.writeX(x)) };
  const ys: uPlot.Axis = { ...look, size: 76, values: (_, ticks) => ticks.map((y) => (y === null ? "" : plan.write(y))) };
  if (plan.isLog) ys.splits = (_, __, low, high) => decades(low, high);
  return [xs, ys];
}

// An hour around the only moment that there is.
function aroundOne(_: uPlot, low: number, high: number): [number, number] {
  return [low - 1800, high + 1800];
}

// Stretches of an axis that no place reaches, in pixels; those without a value have been found before.
function gaps(plan: ChartPlan): uPlot.Series.GapsRefiner {
  return (plot, _, from, until, found) => {
    const all = [...found];
    for (let at = from; at < until; at += 1) {
      const [x, next, length] = [plan.xs[at], plan.xs[at + 1], plan.lengths?.[at]];
      if (x === undefined || next === undefined || length === undefined || next - x < length * 1.5) continue;
      all.push([Math.round(plot.valToPos(x, "x", true)), Math.round(plot.valToPos(next, "x", true))]);
    }
    return all.sort(([one], [other]) => one - other);
  };
}

function options(plan: ChartPlan, width: number, chart: Chart): uPlot.Options {
  // On a painted ground, each line has paper around it.
  const broken = plan.lengths ? { gaps: gaps(plan) } : {};
  const halos: uPlot.Series[] = plan.under ? plan.lines.map(() => ({ ...broken, stroke: () => ink("paper"), width: 5, points: { show: false }, spanGaps: false })) : [];
  const series: uPlot.Series[] = plan.lines.map((line) => ({
    ...broken,
    label: line.name,
    stroke: () => ink(line.ink),
    width: line.points ? 0 : 1.75,
    ...(line.dash ? { dash: line.dash } : {}),
    ...(line.points ? { paths: () => null } : {}),
    ...(line.isStep && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
    points: { show: line.points === true, size: 7, fill: () => ink(line.ink) },
    spanGaps: false,
  }));
  return {
    width,
    height: plan.height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: plan.zoom !== undefined, y: false, setScale: false } },
    scales: { x: { time: plan.isCalendar === true, ...(plan.isCalendar && plan.xs.length === 1 ? { range: aroundOne } : {}) }, y: { distr: plan.isLog ? 3 : 1, range: () => bounds(plan) } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    axes: axes(plan),
    series: [{}, ...halos, ...series],
    hooks: {
      drawAxes: plan.under ? [plan.under] : [],
      draw: plan.over ? [plan.over] : [],
      ready: [() => chart.ready()],
      setCursor: [(plot) => chart.pointed(plot)],
      setSelect: [(plot) => chart.selected(plot)],
    },
  };
}

// Charts that are drawn. uPlot listens to the window until it is told to stop, which would keep what has left the screen:
// the next chart that is drawn sees to that.
const drawn = new Set<Chart>();
for (const look of [dark, paper]) look.addEventListener("change", () => drawn.forEach((chart) => chart.redraw()));

export class Chart {
  readonly root: HTMLElement;
  private readonly frame = el("div", { class: "plot", tabindex: 0, role: "slider" });
  private readonly readout = el("p", { class: "readout" });
  private plot: uPlot | null = null;

  constructor(private readonly plan: ChartPlan) {
    this.root = el(
      "figure",
      {},
      el("figcaption", {}, el(plan.isMain ? "h2" : "h3", {}, plan.title), el("p", { class: "quiet" }, plan.quantity)),
      this.legend(),
      this.frame,
      this.readout,
      folded(`Table: ${plan.title}`, () => this.table()),
    );
    this.frame.setAttribute("aria-label", `${plan.title}: place`);
    this.frame.setAttribute("aria-valuemin", "0");
    this.frame.setAttribute("aria-valuemax", String(Math.max(0, plan.xs.length - 1)));
    this.frame.addEventListener("keydown", (event) => this.key(event));
    this.frame.addEventListener("click", () => {
      if (plan.cursor.at !== null) plan.choose?.(plan.cursor.at);
    });
    plan.cursor.tell((at) => this.point(at));
    this.say(plan.cursor.at);
    new ResizeObserver(() => this.fit()).observe(this.frame);
  }

  // What is drawn below and above the lines has changed.
  redraw(): void {
    this.plot?.redraw();
  }

  // The first drawing is done.
  ready(): void {
    this.point(this.plan.cursor.at);
  }

  // uPlot's own cursor moved, by a pointer.
  pointed(plot: uPlot): void {
    const at = plot.cursor.idx;
    if (plot.cursor.event && at !== undefined && at !== null) this.plan.cursor.set(at);
  }

  // A stretch was drawn up with a pointer.
  selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 8 || !this.plan.zoom) return;
    const [from, until] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    this.plan.zoom(from, until);
  }

  private fit(): void {
    const width = this.frame.clientWidth;
    if (width === 0) return;
    if (this.plot) {
      this.plot.setSize({ width, height: this.plan.height });
      return;
    }
    drawn.forEach((chart) => chart.leave());
    this.plot = new uPlot(options(this.plan, width, this), this.data(), this.frame);
    drawn.add(this);
  }

  private leave(): void {
    if (this.frame.isConnected) return;
    this.plot?.destroy();
    this.plot = null;
    drawn.delete(this);
  }

  private data(): uPlot.AlignedData {
    const lines = this.plan.lines.map((line) => numbers(line.values));
    return [numbers(this.plan.xs), ...(this.plan.under ? lines : []), ...lines] as uPlot.AlignedData;
  }

  // As many lines with other values.
  renew(xs: ArrayLike<number>, lines: Line[]): void {
    Object.assign(this.plan, { xs, lines });
    this.frame.setAttribute("aria-valuemax", String(Math.max(0, xs.length - 1)));
    this.plot?.setData(this.data());
  }

  private legend(): HTMLElement {
    const entries = this.plan.lines.map((line) => {
      const dash = line.points ? "0 7" : (line.dash ?? []).join(" ");
      const sample = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      sample.setAttribute("viewBox", "0 0 28 8");
      sample.setAttribute("aria-hidden", "true");
      sample.setAttribute("class", `sample s-${line.ink}`);
      const stroke = document.createElementNS("http://www.w3.org/2000/svg", "path");
      stroke.setAttribute("d", "M1 4H27");
      stroke.setAttribute("stroke-width", line.points ? "6" : "2");
      stroke.setAttribute("stroke-linecap", line.points ? "round" : "butt");
      if (dash !== "") stroke.setAttribute("stroke-dasharray", dash);
      sample.append(stroke);
      return el("li", {}, sample, line.name);
    });
    return el("ul", { class: "legend" }, ...entries);
  }

  private point(at: number | null): void {
    this.say(at);
    const x = at === null ? undefined : this.plan.xs[at];
    if (!this.plot || x === undefined) return;
    this.plot.setCursor({ left: this.plot.valToPos(x, "x"), top: 0 }, false);
  }

  private text(at: number): string {
    const figures = this.plan.lines.map((line) => {
      const value = line.values[at];
      return value === undefined || !Number.isFinite(value) ? null : `${line.name} ${this.plan.write(value)}`;
    });
    const told = figures.filter((figure) => figure !== null);
    return `${this.plan.writeX(this.plan.xs[at] ?? 0)}: ${told.length === 0 ? "nothing measured" : told.join(", ")}`;
  }

  private say(at: number | null): void {
    const text = at === null ? "Point at the chart, or focus it and press an arrow key." : this.text(at);
    this.frame.setAttribute("aria-valuenow", String(at ?? 0));
    this.frame.setAttribute("aria-valuetext", text);
    this.readout.textContent = text;
  }

  private key(event: KeyboardEvent): void {
    const last = this.plan.xs.length - 1;
    const page = this.plan.page ?? 10;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step !== undefined) {
      const from = this.plan.cursor.at ?? (step > 0 ? -1 : last + 1);
      this.plan.cursor.set(Math.min(last, Math.max(0, from + step)));
    } else if ((event.key === "Enter" || event.key === " ") && this.plan.cursor.at !== null && this.plan.choose) {
      this.plan.choose(this.plan.cursor.at);
    } else if ((event.key === "+" || event.key === "-") && this.plan.zoom) {
      this.closer(event.key === "+" ? 0.5 : 2);
    } else {
      return;
    }
    event.preventDefault();
  }

  // Half or twice the stretch, around the cursor.
  private closer(factor: number): void {
    const { xs, cursor } = this.plan;
    const [first, last] = [xs[0] ?? 0, xs[xs.length - 1] ?? 0];
    const middle = xs[cursor.at ?? Math.floor(xs.length / 2)] ?? first;
    const half = ((last - first) * factor) / 2;
    this.plan.zoom?.(middle - half, middle + half);
  }

  private table(): Node {
    const { plan } = this;
    const headings = ["at", ...plan.lines.map((line) => line.name), ...(plan.more ? [plan.more.name] : [])];
    const rows = Array.from(plan.xs, (x, at) => [
      plan.writeX(x),
      ...plan.lines.map((line) => {
        const value = line.values[at];
        return value === undefined || !Number.isFinite(value) ? "" : plan.write(value);
      }),
      ...(plan.more ? [plan.more.cell(at)] : []),
    ]);
    return table(`${plan.title}, as a table`, headings, rows, headings.map((_, at) => at > 0 && at <= plan.lines.length));
  }
}
