// A distribution as bars, with another as a line above them.

import { svg } from "./elements";
import { time } from "./words";

const [WIDTH, HEIGHT, LEFT, FOOT] = [720, 200, 8, 26];

interface Row {
  low_ns: number;
  high_ns: number;
  count: number;
  run_count: number | null;
}

// Shares of both, so that one second is beside a whole run; each row is as wide as another.
export function histogram(title: string, rows: Row[]): SVGElement {
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" });
  if (rows.length === 0) return picture;
  const sum = (value: (row: Row) => number): number => Math.max(1, rows.reduce((all, row) => all + value(row), 0));
  const [own, whole] = [sum((row) => row.count), sum((row) => row.run_count ?? 0)];
  const shares = rows.map((row) => [row.count / own, (row.run_count ?? 0) / whole] as const);
  const most = Math.max(...shares.flat(), 1e-9);
  const [step, base] = [(WIDTH - 2 * LEFT) / rows.length, HEIGHT - FOOT];
  const y = (share: number): number => base - (share / most) * (base - 8);
  const line: string[] = [];
  rows.forEach((row, at) => {
    const x = LEFT + at * step;
    const [second, run] = shares[at] ?? [0, 0];
    if (second > 0) {
      const hint = svg("title", {}, `${time(row.low_ns)} to ${time(row.high_ns)}: ${row.count}`);
      picture.append(svg("rect", { x, y: y(second), width: Math.max(1, step - 1), height: base - y(second), class: "f-ramp3" }, hint));
    }
    line.push(`${x},${y(run)}`, `${x + step},${y(run)}`);
  });
  picture.append(svg("polyline", { points: line.join(" "), fill: "none", "stroke-width": 1.5, class: "s-vermillion" }));
  picture.append(svg("path", { d: `M${LEFT} ${base}H${WIDTH - LEFT}`, "stroke-width": 1, class: "s-grid" }));
  const labels = Math.min(rows.length, 6);
  for (let at = 0; at < labels; at += 1) {
    const place = Math.round((at * (rows.length - 1)) / Math.max(1, labels - 1));
    const anchor = at === 0 ? "start" : at === labels - 1 ? "end" : "middle";
    const x = LEFT + place * step + (at === 0 ? 0 : at === labels - 1 ? step : step / 2);
    picture.append(svg("text", { x, y: HEIGHT - 8, "text-anchor": anchor, "font-size": 12, class: "f-muted" }, time(rows[place]?.low_ns)));
  }
  return picture;
}
