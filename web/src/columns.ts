// Columns of numbers behind a header, as the server sends them.

export interface Span {
  from: number;
  per_column: number;
  of: number;
  width: number;
}

interface Described {
  name: string;
  type: "u8" | "u32" | "f32";
  length: number;
  offset: number;
}

export type Column = Uint8Array | Uint32Array | Float32Array;

export class Columns<Header extends Span> {
  private constructor(
    readonly header: Header,
    private readonly found: Map<string, Column>,
  ) {}

  static read<Header extends Span>(buffer: ArrayBuffer): Columns<Header> {
    const length = new DataView(buffer).getUint32(0, true);
    const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
    const header = JSON.parse(text) as Header & { columns: Described[] };
    const found = new Map<string, Column>();
    for (const { name, type, length: size, offset } of header.columns) {
      const kind = type === "u8" ? Uint8Array : type === "u32" ? Uint32Array : Float32Array;
      found.set(name, new kind(buffer, 4 + length + offset, size));
    }
    return new Columns<Header>(header, found);
  }

  names(): string[] {
    return [...this.found.keys()];
  }

  get(name: string): Column | undefined {
    return this.found.get(name);
  }

  // The stretch between two numbers of seconds, of columns that are there.
  slice(from: number, until: number): Columns<Header> {
    const { header } = this;
    const first = Math.max(0, Math.floor((from - header.from) / header.per_column));
    const last = Math.max(first, Math.min(header.width, Math.ceil((until - header.from) / header.per_column)));
    const found = new Map<string, Column>();
    for (const [name, column] of this.found) {
      const each = header.width === 0 ? 0 : column.length / header.width;
      found.set(name, column.subarray(first * each, last * each));
    }
    return new Columns({ ...header, from: header.from + first * header.per_column, width: last - first }, found);
  }
}
