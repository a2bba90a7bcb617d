// Campaigns: all of them, and one with its verdict first, then the grid of what was measured.

import { json, type Campaign, type CampaignCell, type Campaigns, type Sweep } from "../api";
import { el, table, type Child } from "../elements";
import { notes } from "../notes";
import { address } from "../route";
import { COMPARED_MAX, type Screen } from "../screen";
import { verdict } from "../verdict";
import { count, moment, percent, rate, time } from "../words";

export async function campaigns(screen: Screen): Promise<HTMLElement> {
  const store = screen.store || null;
  const { total, campaigns: listed } = await json<Campaigns>("campaigns", { store: screen.store });
  const root = el("section", {}, el("h1", {}, "Campaigns"));
  if (listed.length === 0) {
    root.append(el("p", {}, "There are none yet. To make one, type:"), el("pre", {}, "fathom assess ."));
    return root;
  }
  const newest = listed.length < total ? `, of which the newest ${count(listed.length)} are shown` : "";
  const chosen = new Set<string>();
  const compared = el("p", { class: "compared", role: "status" });
  const offer = (): void => {
    const [a, b] = [...chosen];
    if (a === undefined) compared.replaceChildren();
    else if (b === undefined) compared.replaceChildren("1 campaign chosen: choose another to compare it with");
    else compared.replaceChildren(el("a", { href: address(["compare"], { store, a, b }) }, "Compare 2 campaigns"));
  };
  const rows = listed.map((campaign): Child[] => {
    const box = el("input", { type: "checkbox", "aria-label": `Choose ${campaign.id}` });
    box.addEventListener("change", () => {
      if (!box.checked) chosen.delete(campaign.id);
      else if (chosen.size < 2) chosen.add(campaign.id);
      else box.checked = false;
      offer();
    });
    return [
      box,
      el("a", { href: address(["campaign", campaign.id], { store }) }, campaign.id),
      moment(campaign.started_at), campaign.target, count(campaign.runs), campaign.state, campaign.tags.join(", "),
    ];
  });
  root.append(
    el("p", { class: "quiet" }, `${count(total)} ${total === 1 ? "campaign" : "campaigns"}${newest}`),
    compared,
    table("Campaigns", ["chosen", "campaign", "started (UTC)", "target", "runs", "state", "tags"], rows, [false, false, false, false, true]),
  );
  return root;
}

export async function campaign(screen: Screen, id: string): Promise<HTMLElement> {
  const store = screen.store || null;
  const found = await json<Campaign>(`campaigns/${encodeURIComponent(id)}`, { store: screen.store });
  const ended = found.closed_at === null ? "" : `, ${found.state} ${moment(found.closed_at)}`;
  const title = found.kind === null ? "campaign" : found.kind;
  const runs = el("a", { href: address(["runs"], { store, q: `campaign:${id}` }) }, `${count(found.runs)} runs`);
  const root = el("section", {},
    el("h1", {}, `${found.target}: ${title}`),
    el("p", { class: "meta" }, `Campaign ${id}, started ${moment(found.started_at)} UTC${ended}, `, runs));
  if (found.tags.length > 0) root.append(el("p", {}, `Tags: ${found.tags.join(", ")}`));
  if (found.closed_at === null) root.append(el("p", { class: "care" }, "It is not finished: the command that began it continues it. What is saved so far is shown."));
  root.append(...notes(found.notes));
  if (!SHARED && screen.hello.edit) root.append((await import("../edit")).editCampaign(screen, found));
  if (found.text !== null) root.append(el("pre", {}, found.text), ...foot(found, []));
  if (found.sweep !== null) root.append(...swept(screen, found.sweep), ...foot(found, found.sweep.notes));
  if (found.comparison !== null) root.append(...verdict(screen, found.comparison), ...foot(found, []));
  const { assessment } = found;
  if (assessment === null) return root;
  root.append(...failures(assessment.failures));
  for (const pattern of assessment.patterns) {
    root.append(
      el("h2", {}, pattern.title),
      el("p", { class: "verdict" }, pattern.reached),
      el("p", {}, `Limited by: ${pattern.limited_by}`),
      grid(screen, pattern.title, pattern.cells),
    );
  }
  if (assessment.points.rows.length > 0) root.append(el("h2", {}, "Operating points"), table("Operating points", assessment.points.headings, assessment.points.rows, assessment.points.is_number));
  root.append(...foot(found, assessment.notes));
  return root;
}

function failures(sentences: string[]): HTMLElement[] {
  if (sentences.length === 0) return [];
  return [el("div", { class: "alarm" }, el("h2", {}, "Read this before the numbers"), el("ul", {}, ...sentences.map((text) => el("li", {}, text))))];
}

function foot(found: Campaign, said: string[]): HTMLElement[] {
  const remarks = said.length === 0 ? [] : [el("h2", {}, "Notes"), el("ul", { class: "prose" }, ...said.map((note) => el("li", {}, note)))];
  const command = found.command === null ? [] : [el("h2", {}, "In a terminal"), el("pre", {}, `${found.command}\nfathom report ${found.id} --html report.html`)];
  return [...remarks, ...command];
}

// What a sweep found best, then its grid: the last axis to the right, the one before it downwards, and a table for each
// value of the others.
function swept(screen: Screen, sweep: Sweep): HTMLElement[] {
  const { axes, places } = sweep;
  const [down, right] = axes.length < 2 ? [0, null] : [axes.length - 2, axes.length - 1];
  const others = axes.slice(0, down);
  const rates = places.map(({ cell }) => cell?.operations_per_s ?? 0);
  const highest = Math.max(0, ...rates);
  const groups = new Map<string, Sweep["places"]>();
  for (const at of places) {
    const name = others.map((axis, index) => `${axis.key} ${axis.values[at.place[index] ?? 0] ?? ""}`).join(", ");
    groups.set(name, [...(groups.get(name) ?? []), at]);
  }
  const tables = [...groups].flatMap(([name, members]) => {
    const columns = right === null ? [null] : (axes[right]?.values ?? []).map((_, index) => index);
    const rows = (axes[down]?.values ?? []).map((value, row): Child[] => [
      `${axes[down]?.key ?? ""} ${value}`,
      ...columns.map((column) => {
        const found = members.find(({ place }) => place[down] === row && (right === null || place[right] === column));
        if (found === undefined) return "";
        if (found.cell === null) return el("span", { class: "quiet blank", title: found.missing ?? "" }, found.missing?.startsWith("left out") ? "left out" : "not measured");
        return shown(screen, found.cell, highest);
      }),
    ]);
    const across = right === null ? ["IOPS"] : (axes[right]?.values ?? []).map((value) => `${axes[right]?.key ?? ""} ${value}`);
    const title = `IOPS${name === "" ? "" : ` at ${name}`}, by ${axes[down]?.key ?? ""}${right === null ? "" : ` and ${axes[right]?.key ?? ""}`}`;
    const root = table(title, [axes[down]?.key ?? "", ...across], rows, [false, ...across.map(() => true)]);
    root.classList.add("grid");
    return [el("h2", {}, title), root];
  });
  return [...failures(sweep.failures), ...sweep.extremes.map((sentence) => el("p", { class: "verdict" }, sentence)), ...tables];
}

// Jobs downwards, depth to the right; each cell leads to its run, or to the list of its runs.
function grid(screen: Screen, title: string, cells: CampaignCell[]): HTMLElement {
  const sorted = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  const depths = sorted(cells.map((cell) => cell.depth));
  const highest = Math.max(0, ...cells.map((cell) => cell.operations_per_s));
  const rows = sorted(cells.map((cell) => cell.jobs)).map((jobs): Child[] => [
    `${jobs} ${jobs === 1 ? "job" : "jobs"}`,
    ...depths.map((depth) => {
      const cell = cells.find((one) => one.jobs === jobs && one.depth === depth);
      return cell === undefined ? "" : shown(screen, cell, highest);
    }),
  ]);
  const root = table(`IOPS of ${title} by jobs and depth`, ["", ...depths.map((depth) => `depth ${depth}`)].map((text) => text || "jobs"), rows, [false, ...depths.map(() => true)]);
  root.classList.add("grid");
  return root;
}

function shown(screen: Screen, cell: CampaignCell, highest: number): HTMLElement {
  const store = screen.store || null;
  const [only] = cell.runs;
  const href = cell.runs.length === 1 && only !== undefined ? address(["run", only], { store }) : address(["compare"], { store, ids: cell.runs.slice(0, COMPARED_MAX).join(",") });
  const interval = cell.interval_share === null ? "" : ` ± ${percent(cell.interval_share)}`;
  const points = cell.points.length === 0 ? "" : `★ ${cell.points.join(", ")} · `;
  const name = `${rate(cell.operations_per_s)}${interval}`;
  const share = highest > 0 ? Math.round((cell.operations_per_s / highest) * 100) : 0;
  const bar = el("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${share}%`;
  return el("a", { href }, cell.failed ? el("span", { class: "failed" }, `✘ ${name}`) : name, bar,
    el("small", {}, `${points}p99 ${time(cell.service_p99_ns)} · ${count(cell.runs.length)} ${cell.runs.length === 1 ? "run" : "runs"}`));
}
