// Figures as people read them, each with its unit.

export const UNKNOWN = "not measured";

function digits(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value: number, steps: readonly (readonly [number, string])[]): string {
  const step = steps.find(([from]) => value >= from * 0.9995) ?? steps[steps.length - 1];
  return step === undefined ? "" : `${digits(value / step[0])} ${step[1]}`.trim();
}

type Figure = number | null | undefined;

function known(value: Figure, write: (value: number) => string): string {
  return value === null || value === undefined || !Number.isFinite(value) ? UNKNOWN : write(value);
}

export function rate(perSecond: Figure): string {
  return known(perSecond, (v) =>
    v === 0 ? "0" : scaled(v, [[1e6, "M"], [1e3, "k"], [1, ""]]),
  );
}

export function throughput(bytesPerSecond: Figure): string {
  return known(bytesPerSecond, (v) =>
    v === 0 ? "0 B/s" : scaled(v, [[1e12, "TB/s"], [1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"], [1, "B/s"]]),
  );
}

export function time(ns: Figure): string {
  return known(ns, (v) => (v < 1000 ? `${Math.round(v)} ns` : scaled(v, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])));
}

export function count(value: Figure): string {
  // Beyond 2^53 the last digits are not the record's.
  return known(value, (v) => (Math.abs(v) > Number.MAX_SAFE_INTEGER ? `about ${v.toPrecision(4)}` : Math.round(v).toLocaleString("en").replaceAll(",", " ")));
}

export function plain(value: Figure): string {
  return known(value, (v) => (v >= 99.95 || Number.isInteger(v) ? v.toFixed(0) : v.toFixed(v < 9.995 ? 2 : 1)));
}

export function percent(share: Figure): string {
  return known(share, (v) => `${(v * 100).toFixed(Math.abs(v) >= 0.0995 ? 0 : 1)} %`);
}

// A ratio as a change: 1.03 is +3.0 %.
export function change(ratio: Figure): string {
  return known(ratio, (v) => `${v >= 1 ? "+" : "−"}${Math.abs((v - 1) * 100).toFixed(1)} %`);
}

// A moment of a record, to the minute, in UTC.
export function moment(rfc3339: string): string {
  return rfc3339.slice(0, 16).replace("T", " ");
}

// Seconds of a run as a clock: 1:02:03.
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// A name of a record's field or check.
export function spelt(name: string): string {
  return name === "littles_law" ? "Little's law" : name.replaceAll("_", " ");
}
