// What is said of one side beside another, in the words of `fathom compare`, with the pairs that it rests on.

import type { Comparison } from "./api";
import { el, folded, table, type Child } from "./elements";
import { address } from "./route";
import type { Screen } from "./screen";
import { change } from "./words";

const SIGNS = { faster: "▲ ", slower: "▼ ", equivalent: "= ", inconclusive: "? ", not_comparable: "✘ " };

type Workload = Comparison["workloads"][number];

export function verdict(screen: Screen, found: Comparison): HTMLElement[] {
  const failures = found.failures.length === 0 ? [] : [el("div", { class: "care" }, el("h3", {}, "Before the numbers"), el("ul", {}, ...found.failures.map((text) => el("li", {}, text))))];
  const workloads = found.workloads.flatMap((workload) => [
    el("p", { class: `verdict ${workload.decision}` }, `${SIGNS[workload.decision]}${workload.sentence}`),
    table(`B against A: ${workload.title}`, workload.table.headings, workload.table.rows, workload.table.is_number),
    ...workload.conditions.map((text) => el("p", { class: "quiet prose" }, text)),
    ...(workload.pairs.length === 0 ? [] : [pairs(screen, workload)]),
  ]);
  const notes = found.notes.length === 0 ? [] : [el("ul", { class: "quiet prose" }, ...found.notes.map((note) => el("li", {}, note)))];
  return [
    el("dl", {}, el("dt", {}, "A"), el("dd", {}, found.sides[0]), el("dt", {}, "B"), el("dd", {}, found.sides[1])),
    ...failures, ...workloads,
    el("p", { class: "quiet prose" }, found.legend), ...notes,
    ...(found.command === null ? [] : [el("pre", {}, found.command)]),
  ];
}

// Each pair of runs with what it says, and both side by side.
function pairs(screen: Screen, workload: Workload): HTMLElement {
  const store = screen.store || null;
  const run = (id: string): HTMLElement => el("a", { href: address(["run", id], { store }) }, id);
  const rows = workload.pairs.map((pair, at): Child[] => [
    String(at + 1),
    pair.first.toUpperCase(),
    run(pair.a_run),
    run(pair.b_run),
    pair.ratio === null ? "no figure" : el("a", { href: address(["compare"], { store, ids: `${pair.a_run},${pair.b_run}` }) }, change(pair.ratio)),
  ]);
  const title = `Pairs of ${workload.title}`;
  const root = folded(`${rows.length} pairs of runs`, () => table(title, ["pair", "first", "run of A", "run of B", "B against A"], rows, [true, false, false, false, true]));
  root.open = rows.length <= 12;
  return root;
}
