// Counts of latency over time as colours, painted below the lines of a chart.

import uPlot from "uplot";

import type { Columns, HeatHeader } from "./api";
import { ink } from "./chart";

const STEPS = 64;

function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

// The theme's five shades of an ordered quantity, with steps between them.
function ramp(): Uint32Array {
  const shades = [1, 2, 3, 4, 5].map((at) => channels(ink(`ramp${at}`)));
  const colours = new Uint32Array(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const place = (step / (STEPS - 1)) * (shades.length - 1);
    const [low, high] = [shades[Math.floor(place)], shades[Math.ceil(place)]];
    if (!low || !high) continue;
    const mixed = low.map((value, at) => Math.round(value + ((high[at] ?? value) - value) * (place % 1)));
    colours[step] = (255 << 24) | ((mixed[2] ?? 0) << 16) | ((mixed[1] ?? 0) << 8) | (mixed[0] ?? 0);
  }
  return colours;
}

// Lowest and highest latency of what is painted, for the axis.
export function range(heat: Columns<HeatHeader>): [number, number] | undefined {
  const { bounds_ns } = heat.header;
  const [low, high] = [bounds_ns[0], bounds_ns[bounds_ns.length - 1]];
  return low === undefined || high === undefined ? undefined : [Math.max(1, low), Math.max(2, high)];
}

// Where columns follow each other evenly: the first of each such stretch, and how many there are. A gap begins another,
// and so does a column of another length, such as the last.
function stretches(starts: ArrayLike<number>, lengths: ArrayLike<number>): [number, number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < starts.length; at += 1) {
    const stretch = found[found.length - 1];
    const first = stretch?.[0] ?? 0;
    const columns = stretch?.[1] ?? 0;
    const [start = 0, length = 0] = [starts[first], lengths[first]];
    const isNext = Math.abs((starts[at] ?? 0) - (start + columns * length)) < length / 20 && Math.abs((lengths[at] ?? 0) - length) < length / 20;
    if (stretch !== undefined && isNext) stretch[1] += 1;
    else found.push([at, 1]);
  }
  return found;
}

// The colour of each cell, row after row: counts come column after column, and a row is as many lines of pixels.
function coloured(counts: ArrayLike<number>, width: number, height: number, highest: number): Uint32Array {
  const colours = ramp();
  let most = highest;
  for (let at = 0; at < counts.length; at += 1) most = Math.max(most, counts[at] ?? 0);
  const scale = (STEPS - 1) / Math.log(most + 1);
  const cells = new Uint32Array(width * height);
  for (let column = 0; column < width; column += 1) {
    for (let row = 0; row < height; row += 1) {
      const count = counts[column * height + row] ?? 0;
      if (count > 0) cells[row * width + column] = colours[Math.round(Math.log(count + 1) * scale)] ?? 0;
    }
  }
  return cells;
}

// Paints cells, each column at its own place: from its start on, as long as it is. A cell without any I/O stays paper.
// What is darkest has the most of all cells, or `highest`.
export function paint(plot: uPlot, heat: Columns<HeatHeader>, starts: ArrayLike<number>, lengths: ArrayLike<number>, highest = 1): void {
  const { width, height, bounds_ns } = heat.header;
  const counts = heat.get("counts");
  if (!counts || width === 0 || height === 0) return;
  const bottom = plot.bbox.top + plot.bbox.height;
  const pixels = Math.max(1, Math.round(plot.bbox.height));
  // Which row each line of pixels belongs to.
  const rows = new Int32Array(pixels).fill(-1);
  for (let row = 0; row < height; row += 1) {
    const low = plot.valToPos(Math.max(1, bounds_ns[row] ?? 1), "y", true);
    const high = plot.valToPos(Math.max(1, bounds_ns[row + 1] ?? 1), "y", true);
    const [first, last] = [Math.round(high - plot.bbox.top), Math.round(low - plot.bbox.top)];
    rows.fill(row, Math.max(0, first), Math.max(0, Math.min(pixels, last)));
  }
  const colours = coloured(counts, width, height, highest);
  const image = new ImageData(width, pixels);
  const cells = new Uint32Array(image.data.buffer);
  rows.forEach((row, line) => {
    if (row >= 0) cells.set(colours.subarray(row * width, (row + 1) * width), line * width);
  });
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, pixels];
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  plot.ctx.save();
  plot.ctx.beginPath();
  plot.ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  plot.ctx.clip();
  plot.ctx.imageSmoothingEnabled = false;
  for (const [first, columns] of stretches(starts, lengths)) {
    const [start = 0, length = 0] = [starts[first], lengths[first]];
    const [left, right] = [plot.valToPos(start, "x", true), plot.valToPos(start + columns * length, "x", true)];
    plot.ctx.drawImage(canvas, first, 0, columns, pixels, left, bottom - pixels, right - left, pixels);
  }
  plot.ctx.restore();
}
