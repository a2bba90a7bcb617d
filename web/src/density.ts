// How many rows lie where between two figures, as cells; a stretch of it is chosen with the pointer.

import { svg } from "./elements";

const [WIDTH, HEIGHT, LEFT, FOOT, TOP] = [960, 300, 64, 40, 8];
const [ACROSS, UP] = [72, 36];

// Amounts of both signs, so that small and large ones are told apart: the order of magnitude, and the sign.
export function squeezed(value: number): number {
  return Math.sign(value) * Math.log10(1 + Math.abs(value));
}

export function unsqueezed(place: number): number {
  return Math.sign(place) * (10 ** Math.abs(place) - 1);
}

export interface Axis {
  title: string;
  // Places of the values on the axis.
  low: number;
  high: number;
  place: (value: number) => number;
  value: (place: number) => number;
  write: (value: number) => string;
  // Values that stand at the axis; four stretches of one length where there are none.
  ticks?: number[];
}

// Values that are ten times the one before, of both signs, with 0 between them.
export function decades(low: number, high: number): number[] {
  const powers = Array.from({ length: 13 }, (_, at) => 10 ** at);
  const within = [...powers.map((power) => -power).reverse(), 0, ...powers].filter((value) => value >= low && value <= high);
  return within.length <= 9 ? within : within.filter((value) => value === 0 || Math.log10(Math.abs(value)) % 2 === 0);
}

export interface Bounds {
  x: [number, number];
  y: [number, number];
}

// Shades of the ramp, 1 to 5, by how many there are beside the most of any cell.
function shade(count: number, most: number): number {
  return most <= 1 ? 3 : 1 + Math.round((Math.log(count) / Math.log(most)) * 4);
}

// Where a value lies on its axis, from 0 to 1.
function part(axis: Axis, value: number): number {
  return Math.min(1, Math.max(0, (axis.place(value) - axis.low) / (axis.high - axis.low)));
}

function ticks(axis: Axis): number[] {
  return axis.ticks ?? [0, 1, 2, 3, 4].map((at) => axis.value(axis.low + ((axis.high - axis.low) * at) / 4));
}

export class Density {
  readonly root: SVGElement;
  private readonly cells = svg("g", {});
  private readonly stretch = svg("rect", { class: "stretch" });

  constructor(
    title: string,
    private readonly x: Axis,
    private readonly y: Axis,
    choose: (bounds: Bounds | null) => void,
  ) {
    this.root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart density" }, this.cells, this.stretch, ...this.axes());
    this.listen(choose);
  }

  // Draws where these rows lie.
  draw(xs: Float32Array, ys: Float32Array, rows: Uint32Array): void {
    const counts = new Uint32Array(ACROSS * UP);
    const [x, y] = [this.x, this.y];
    for (const row of rows) {
      const [across, up] = [x.place(xs[row] ?? Number.NaN), y.place(ys[row] ?? Number.NaN)];
      if (Number.isNaN(across) || Number.isNaN(up)) continue;
      const column = Math.min(ACROSS - 1, Math.max(0, Math.floor(((across - x.low) / (x.high - x.low)) * ACROSS)));
      const line = Math.min(UP - 1, Math.max(0, Math.floor(((up - y.low) / (y.high - y.low)) * UP)));
      counts[line * ACROSS + column]! += 1;
    }
    let most = 0;
    for (const count of counts) most = Math.max(most, count);
    const [wide, high] = [(WIDTH - LEFT) / ACROSS, (HEIGHT - FOOT - TOP) / UP];
    const drawn: SVGElement[] = [];
    counts.forEach((count, at) => {
      if (count === 0) return;
      const [column, line] = [at % ACROSS, Math.floor(at / ACROSS)];
      drawn.push(svg("rect", { x: LEFT + column * wide, y: HEIGHT - FOOT - (line + 1) * high, width: wide, height: high, class: `f-ramp${shade(count, most)}` }));
    });
    this.cells.replaceChildren(...drawn);
  }

  // Shows which stretch is chosen.
  show(bounds: Bounds | null): void {
    if (bounds === null) {
      this.stretch.setAttribute("width", "0");
      return;
    }
    const [left, right] = bounds.x.map((value) => LEFT + part(this.x, value) * (WIDTH - LEFT)) as [number, number];
    const [below, above] = bounds.y.map((value) => HEIGHT - FOOT - part(this.y, value) * (HEIGHT - FOOT - TOP)) as [number, number];
    this.frame(left, above, right - left, below - above);
  }

  private frame(x: number, y: number, width: number, height: number): void {
    for (const [name, value] of Object.entries({ x, y, width, height })) this.stretch.setAttribute(name, String(value));
  }

  private axes(): SVGElement[] {
    const text = (x: number, y: number, anchor: string, words: string): SVGElement => svg("text", { x, y, "text-anchor": anchor, "font-size": 12, class: "f-muted" }, words);
    const parts = [svg("path", { d: `M${LEFT} ${TOP}V${HEIGHT - FOOT}H${WIDTH}`, fill: "none", "stroke-width": 1, class: "s-muted" })];
    for (const value of ticks(this.x)) {
      const share = part(this.x, value);
      parts.push(text(LEFT + (WIDTH - LEFT) * share, HEIGHT - FOOT + 16, share < 0.02 ? "start" : share > 0.98 ? "end" : "middle", this.x.write(value)));
    }
    for (const value of ticks(this.y)) {
      const share = part(this.y, value);
      parts.push(text(LEFT - 6, HEIGHT - FOOT - (HEIGHT - FOOT - TOP) * share + (share > 0.98 ? 8 : 4), "end", this.y.write(value)));
    }
    parts.push(text((LEFT + WIDTH) / 2, HEIGHT - 6, "middle", this.x.title), text(LEFT + 6, TOP + 12, "start", this.y.title));
    return parts;
  }

  private listen(choose: (bounds: Bounds | null) => void): void {
    let from: [number, number] | null = null;
    const at = (event: PointerEvent): [number, number] => {
      const box = this.root.getBoundingClientRect();
      const scale = WIDTH / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      return [Math.min(WIDTH, Math.max(LEFT, x)), Math.min(HEIGHT - FOOT, Math.max(TOP, y))];
    };
    const corners = (a: [number, number], b: [number, number]): [number, number, number, number] => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1])];
    this.root.addEventListener("pointerdown", (event) => {
      from = at(event);
      this.root.setPointerCapture(event.pointerId);
    });
    this.root.addEventListener("pointermove", (event) => {
      if (from !== null) this.frame(...corners(from, at(event)));
    });
    this.root.addEventListener("pointerup", (event) => {
      if (from === null) return;
      const [x, y, width, height] = corners(from, at(event));
      from = null;
      // A click chooses everything again.
      if (width < 4 || height < 4) return choose(null);
      const across = (place: number): number => this.x.value(this.x.low + ((place - LEFT) / (WIDTH - LEFT)) * (this.x.high - this.x.low));
      const up = (place: number): number => this.y.value(this.y.low + ((HEIGHT - FOOT - place) / (HEIGHT - FOOT - TOP)) * (this.y.high - this.y.low));
      choose({ x: [across(x), across(x + width)], y: [up(y + height), up(y)] });
    });
  }
}
