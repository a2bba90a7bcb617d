// The rows of a fleet in the browser's memory: as columns, sorted and searched without an element for each.

import { columns, type Columns, type Span } from "./api";

// The place of a row without a word.
export const NONE = 0xffffffff;

export interface RowsHeader extends Span {
  stamp: string;
  next: number | null;
  // Of each column of words: its words, in the order of the alphabet.
  words: Record<string, string[]>;
}

// Places of line ends, one after the other.
function ends(text: string, rows: number): Uint32Array {
  const found = new Uint32Array(rows);
  let from = 0;
  for (let row = 0; row < rows; row += 1) {
    found[row] = text.indexOf("\n", from);
    from = (found[row] ?? 0) + 1;
  }
  return found;
}

export class FleetRows {
  readonly length: number;
  readonly stamp: string;
  readonly words: Record<string, string[]>;
  private readonly figures = new Map<string, Float32Array | Uint32Array>();
  // All names, a line each, and where each ends; beside them in small letters, whose lengths may differ.
  private readonly names: string;
  private readonly small: string;
  private readonly ends: Uint32Array;
  private readonly smallEnds: Uint32Array;
  private sorted: { name: string; isDown: boolean; order: Uint32Array } | null = null;

  private constructor(parts: Columns<RowsHeader>[]) {
    const [first] = parts;
    this.length = parts.reduce((sum, part) => sum + part.header.width, 0);
    this.stamp = first?.header.stamp ?? "";
    this.words = first?.header.words ?? {};
    const decoder = new TextDecoder();
    this.names = parts.map((part) => decoder.decode(part.get("volume"))).join("");
    this.small = this.names.toLowerCase();
    this.ends = ends(this.names, this.length);
    this.smallEnds = ends(this.small, this.length);
    for (const name of first?.names() ?? []) {
      if (name === "volume") continue;
      const whole = first?.get(name) instanceof Uint32Array ? new Uint32Array(this.length) : new Float32Array(this.length);
      let from = 0;
      for (const part of parts) {
        whole.set(part.get(name) ?? [], from);
        from += part.header.width;
      }
      this.figures.set(name, whole);
    }
  }

  // All rows, in the order of their names, in as many answers as it takes.
  static async load(number: number): Promise<FleetRows> {
    const parts: Columns<RowsHeader>[] = [];
    let after: number | null = 0;
    while (after !== null) {
      const part: Columns<RowsHeader> = await columns<RowsHeader>(`fleets/${number}/rows`, { after });
      // A file that was replaced meanwhile is read from its start.
      if (parts[0] !== undefined && parts[0].header.stamp !== part.header.stamp) return FleetRows.load(number);
      parts.push(part);
      after = part.header.next;
    }
    return new FleetRows(parts);
  }

  name(row: number): string {
    return this.names.slice(row === 0 ? 0 : (this.ends[row - 1] ?? 0) + 1, this.ends[row]);
  }

  // A figure of a row, or none.
  figure(name: string, row: number): number | null {
    const value = this.figures.get(name)?.[row];
    return value === undefined || Number.isNaN(value) ? null : value;
  }

  word(name: string, row: number): string | null {
    return this.words[name]?.[this.figures.get(name)?.[row] ?? NONE] ?? null;
  }

  has(name: string): boolean {
    return name === "volume" || this.figures.has(name);
  }

  // Takes the rows out whose names do not hold this, whatever the size of the letters.
  search(part: string, kept: Uint8Array): void {
    const wanted = part.toLowerCase().replaceAll("\n", " ");
    if (wanted === "") return;
    const found = new Uint8Array(this.length);
    for (let at = this.small.indexOf(wanted); at >= 0; ) {
      const row = this.rowAt(at);
      found[row] = 1;
      // The rest of this name says no more.
      at = this.small.indexOf(wanted, (this.smallEnds[row] ?? this.small.length) + 1);
    }
    for (let row = 0; row < this.length; row += 1) kept[row] = (kept[row] ?? 0) & (found[row] ?? 0);
  }

  // The row whose name in small letters has this place.
  private rowAt(place: number): number {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.smallEnds[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // All rows in the order of a column; what is not known comes last, whichever the direction.
  order(name: string, isDown: boolean): Uint32Array {
    if (this.sorted?.name === name && this.sorted.isDown === isDown) return this.sorted.order;
    const order = name === "volume" ? this.byName(isDown) : sortedBy(keys(this.figures.get(name) ?? new Uint32Array(this.length), isDown));
    this.sorted = { name, isDown, order };
    return order;
  }

  private byName(isDown: boolean): Uint32Array {
    const last = this.length - 1;
    return Uint32Array.from({ length: this.length }, (_, at) => (isDown ? last - at : at));
  }
}

// Whole numbers that are in the order of a column's values.
function keys(values: Float32Array | Uint32Array, isDown: boolean): Uint32Array {
  const found = new Uint32Array(values.length);
  const bits = values instanceof Float32Array ? new Uint32Array(values.buffer, values.byteOffset, values.length) : null;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (bits === null ? value === NONE : Number.isNaN(value)) {
      found[at] = NONE;
      continue;
    }
    // The bits of a float sort as the float does, but for its sign.
    const raw = bits?.[at] ?? value;
    const key = bits === null ? raw : raw >>> 31 ? ~raw >>> 0 : (raw | 0x80000000) >>> 0;
    found[at] = Math.min(NONE - 1, isDown ? (NONE - 1 - key) >>> 0 : key);
  }
  return found;
}

// Rows in the order of their keys, eleven bits at a time; equal ones stay as they are.
function sortedBy(keyed: Uint32Array): Uint32Array {
  let from = Uint32Array.from(keyed, (_, at) => at);
  let into = new Uint32Array(keyed.length);
  for (const shift of [0, 11, 22]) {
    const counts = new Uint32Array(2049);
    for (const key of keyed) counts[((key >>> shift) & 2047) + 1]! += 1;
    for (let digit = 0; digit < 2048; digit += 1) counts[digit + 1]! += counts[digit] ?? 0;
    for (const row of from) into[counts[((keyed[row] ?? 0) >>> shift) & 2047]!++] = row;
    [from, into] = [into, from];
  }
  return from;
}
