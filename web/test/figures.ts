// How fast the page is, in a real browser over stores of the sizes that figures are asked of. What is measured is printed
// beside what is asked, with the CPU time that browser and server took for it, which a busy machine disturbs less than
// elapsed times; nothing fails here, because such a machine is no fault of the page.
//
//   FATHOM_PROGRAM=fathom FATHOM_STORES=ten-thousand.sqlite,hundred-thousand.sqlite,long.sqlite \
//   FATHOM_FLEET=verdicts.parquet node build/figures.mjs
//
// The first two stores have as many runs as their names say. The third has runs of an hour on `sim:gp3`, one of 24 hours on
// `sim:hdd`, and 1,000 or more of seconds on `sim:nvme`; what it does not have is left out.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium, type CDPSession, type Page } from "playwright-core";

const PROGRAM = process.env["FATHOM_PROGRAM"] ?? "fathom";
const STORES = (process.env["FATHOM_STORES"] ?? "").split(",").filter((path) => path !== "");
const FLEET = process.env["FATHOM_FLEET"];
const BROWSER = process.env["FATHOM_BROWSER"] ?? "chromium";
// Each is measured so many times; the median counts.
const TIMES = 5;

const rows: string[][] = [];
// What the system counts is asked of both; without them nothing is.
let system: CDPSession | null = null;
let serving = 0;

// What was found, in the order in which it was, and the CPU time for each.
interface Found {
  values: number[];
  cpu: number[];
}

function told(what: string, asked: number, unit: string, { values, cpu }: Found): void {
  const write = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  const middle = (all: number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
  const range = values.length < 2 ? "" : ` (${write(Math.min(...values))} to ${write(Math.max(...values))})`;
  const spent = cpu.length === 0 ? "" : `${write(middle(cpu))} ms`;
  rows.push([what, `${asked} ${unit}`, `${write(middle(values))} ${unit}${range}`, spent, middle(values) < asked ? "met" : "not met"]);
  console.error(rows[rows.length - 1]?.join(" | "));
}

// Milliseconds of CPU time that all of the browser's processes and the server have had.
async function cpuTime(): Promise<number> {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${serving}/task`)) {
    sum += Number(readFileSync(`/proc/${serving}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  }
  const { processInfo } = (await system?.send("SystemInfo.getProcessInfo")) ?? { processInfo: [] };
  return processInfo.reduce((all, { cpuTime: seconds }) => all + seconds * 1000, sum);
}

async function times(work: (at: number) => Promise<number>, first = 0): Promise<Found> {
  const found: Found = { values: [], cpu: [] };
  for (let at = first; at < first + TIMES; at += 1) {
    const before = await cpuTime();
    found.values.push(await work(at));
    found.cpu.push((await cpuTime()) - before);
  }
  return found;
}

function once(value: number): Found {
  return { values: [value], cpu: [] };
}

async function serve(): Promise<{ server: ChildProcess; url: string }> {
  const words = [...STORES.flatMap((path) => ["--store", path]), ...(FLEET === undefined ? [] : ["--fleet", FLEET])];
  const server = spawn(PROGRAM, ["serve", ...words, "--port", "0", "--json"], { env: { ...process.env, FATHOM_CONFIG: "/dev/null" }, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve, reject) => {
    server.once("exit", () => reject(new Error("fathom serve ended")));
    let text = "";
    server.stdout?.on("data", (part) => {
      text += String(part);
      if (text.includes("\n")) resolve((JSON.parse(text) as { url: string }).url);
    });
  });
  return { server, url };
}

// Milliseconds until a question has its whole answer, asked by a program.
async function asked(base: string, cookie: string, path: string): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${base}/api/${path}`, { headers: { Cookie: cookie } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return performance.now() - from;
}

// Milliseconds from the choice of an address until its screen has been painted.
async function screen(page: Page, hash: string, painted: string): Promise<number> {
  await page.evaluate(() => {
    location.hash = "#/live/none";
  });
  await page.getByRole("heading", { name: "Nothing is being measured" }).waitFor();
  return page.evaluate(
    ([address, wanted]) =>
      new Promise<number>((done) => {
        const from = performance.now();
        location.hash = address as string;
        const look = (): void => {
          const isThere = document.querySelector("main:not([aria-busy])") !== null && document.querySelector(wanted as string) !== null;
          if (isThere) requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    [hash, painted],
  );
}

// Milliseconds until a click has been worked off and painted.
async function clicked(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((done) => {
        const from = performance.now();
        document.querySelector<HTMLElement>(wanted)?.click();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
      }),
    selector,
  );
}

// The longest pause between two frames while a table is scrolled from its top to its end.
async function scrolled(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((done) => {
        const table = document.querySelector<HTMLElement>(".tall");
        if (table === null) return done(NaN);
        let [last, longest, steps] = [performance.now(), 0, 0];
        const step = (): void => {
          const now = performance.now();
          [longest, last] = [Math.max(longest, now - last), now];
          table.scrollTop = (table.scrollHeight * (steps += 1)) / 120;
          if (steps < 120) requestAnimationFrame(step);
          else done(longest);
        };
        requestAnimationFrame(step);
      }),
  );
}

// The processes in which the browser has pages.
async function renderers(): Promise<number[]> {
  const { processInfo } = (await system?.send("SystemInfo.getProcessInfo")) ?? { processInfo: [] };
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

// Megabytes that a screen has resident in a process of its own, and those of its script. It is opened by itself, as from a
// link: what screens before it left behind is not its own.
async function memory(page: Page, hash: string, painted: string): Promise<[number, number]> {
  const others = await renderers();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, storageState: await page.context().storageState() });
  const alone = await context.newPage();
  await alone.goto(`${new URL(page.url()).origin}/${hash}`);
  await alone.locator(painted).first().waitFor();
  await alone.waitForTimeout(2000);
  const session = await context.newCDPSession(alone);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  const heap = (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? NaN) / 1e6;
  const resident = (await renderers()).filter((id) => !others.includes(id)).map((id) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) / 1e3);
  await context.close();
  return [Math.max(...resident), heap];
}

async function ofLists(page: Page, base: string, cookie: string): Promise<void> {
  await asked(base, cookie, "runs?limit=10000");
  told("10,000 runs: the list's answer", 100, "ms", await times(() => asked(base, cookie, "runs?limit=10000")));
  told("10,000 runs: first rows painted", 300, "ms", await times(() => screen(page, "#/runs", "tbody tr a")));
  const columns = ["iops", "p99", "target", "workload", "jobs"];
  const sort = (at: number): Promise<number> => clicked(page, `th:nth-child(${[8, 11, 4, 5, 6][at % columns.length] ?? 2}) .sort`);
  told("10,000 runs: sorted by a column", 50, "ms", await times(sort));
  told("10,000 runs: longest pause between frames while scrolling", 50, "ms", await times(() => scrolled(page)));
  await asked(base, cookie, "runs?store=1");
  told("100,000 runs: a page of the list", 20, "ms", await times(() => asked(base, cookie, "runs?store=1")));
  told("100,000 runs: values and counts, first", 1000, "ms", once(await asked(base, cookie, "facets?store=1")));
  told("100,000 runs: values and counts, again", 50, "ms", await times(() => asked(base, cookie, "facets?store=1")));
}

// Ids of runs of the third store, by what a search finds.
async function ids(base: string, cookie: string, q: string): Promise<string[]> {
  const response = await fetch(`${base}/api/runs?store=2&limit=5000&q=${encodeURIComponent(q)}`, { headers: { Cookie: cookie } });
  return ((await response.json()) as { columns: { id: string[] } }).columns.id;
}

async function ofRuns(page: Page, base: string, cookie: string): Promise<void> {
  const hours = await ids(base, cookie, "target:sim:gp3");
  const [day] = await ids(base, cookie, "target:sim:hdd");
  const drawn = ".charts figure:nth-of-type(4) canvas";
  told("a run of an hour, one after the other", 1000, "ms", await times((at) => screen(page, `#/run/${hours[at % hours.length] ?? ""}?store=2`, drawn)));
  told("the same again", 150, "ms", await times(() => screen(page, `#/run/${hours[0] ?? ""}?store=2`, drawn)));
  const zoom = async (): Promise<number> => {
    await page.getByRole("slider", { name: /latency of/ }).focus();
    const before = await page.evaluate(() => document.querySelector("[role=status]")?.textContent ?? "");
    const from = await page.evaluate(() => performance.now());
    await page.keyboard.press("+");
    await page.waitForFunction((text) => document.querySelector("[role=status]")?.textContent !== text, before, { polling: "raf" }).catch(() => undefined);
    return (await page.evaluate(() => performance.now())) - from;
  };
  told("a run of an hour, zoomed in", 100, "ms", await times(zoom));
  if (day !== undefined) await ofDay(page, day, drawn);
  if (hours.length >= 12) {
    const twelve = hours.slice(0, 12).join(",");
    told("12 runs of an hour compared", 1000, "ms", await times(() => screen(page, `#/compare?store=2&ids=${twelve}`, "figure canvas")));
  }
  if ((await ids(base, cookie, "target:sim:nvme")).length < 1000) return;
  told("a trend of 1,000 runs", 200, "ms", await times(() => asked(base, cookie, "trend?store=2&target=sim:nvme")));
  told("a trend of 1,000 runs, painted", 500, "ms", await times(() => screen(page, "#/trend?store=2&target=sim:nvme", "figure canvas")));
}

async function ofDay(page: Page, day: string, drawn: string): Promise<void> {
  told("a run of 24 hours", 2000, "ms", await times(() => screen(page, `#/run/${day}?store=2`, drawn)));
  const [resident, heap] = await memory(page, `#/run/${day}?store=2`, drawn);
  told("a run of 24 hours: memory of the page's process", 300, "MB", once(resident));
  told("a run of 24 hours: memory of the page's script", 300, "MB", once(heap));
}

async function ofFleets(page: Page): Promise<void> {
  told("100,000 volumes: painted", 1000, "ms", await times(() => screen(page, "#/fleet", "tbody button.facet")));
  told("100,000 volumes: sorted by a column", 150, "ms", await times((at) => clicked(page, `th:nth-child(${5 + at}) .sort`)));
  const search = (text: string): Promise<number> =>
    page.evaluate(
      (typed) =>
        new Promise<number>((done) => {
          const field = document.querySelector<HTMLInputElement>("#volume");
          const from = performance.now();
          if (field !== null) field.value = typed;
          field?.dispatchEvent(new Event("input"));
          requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
        }),
      text,
    );
  told("100,000 volumes: searched by name", 50, "ms", await times((at) => search(["7", "73", "731", "vol", "9"][at] ?? "")));
  const [resident, heap] = await memory(page, "#/fleet", "tbody button.facet");
  told("100,000 volumes: memory of the page's process", 250, "MB", once(resident));
  told("100,000 volumes: memory of the page's script", 250, "MB", once(heap));
}

// How long after its end a second is on screen. The end is that of the record's start and the second's number, so that
// what passed between the start and the first I/O counts too.
async function ofLive(page: Page, base: string, cookie: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "fathom-figures-"));
  const words = ["--store", join(folder, "live.sqlite")];
  const load = ["run", "--quiet", "--target", "memory:16MiB", "--rw", "randread", "--rate", "2k", "--warmup", "0s", "--time", "20s"];
  const env = { ...process.env, FATHOM_CONFIG: "/dev/null" };
  const run = spawn(PROGRAM, [...words, ...load], { env, stdio: "ignore" });
  const ended = new Promise((done) => run.once("exit", done));
  let key: string | undefined;
  while (key === undefined && run.exitCode === null) {
    const response = await fetch(`${base}/api/running`, { headers: { Cookie: cookie } });
    const { running } = (await response.json()) as { running: { key: string; pid: number }[] };
    key = running.find(({ pid }) => pid === run.pid)?.key;
  }
  await page.evaluate((of) => {
    location.hash = `#/live/${of ?? ""}`;
  }, key);
  await page.getByRole("slider", { name: /^Rate/ }).waitFor();
  const shown = await page.evaluate(
    () =>
      new Promise<[number, number][]>((done) => {
        const slider = [...document.querySelectorAll("[role=slider]")].pop();
        const newest = (): number => Number(slider?.getAttribute("aria-valuemax"));
        const found: [number, number][] = [];
        let last = newest();
        const look = (): void => {
          const second = newest();
          // What is in the document now is painted with this frame.
          if (second !== last) setTimeout(() => found.push([second, Date.now()]));
          last = second;
          if (document.querySelector("[role=status]")?.textContent?.startsWith("It has ended")) done(found);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  await ended;
  const record = JSON.parse(String(spawnSync(PROGRAM, [...words, "show", "last", "--json", "--compact"], { env }).stdout)) as { started_at: string };
  rmSync(folder, { recursive: true, force: true });
  const lags = shown.map(([second, at]) => at - Date.parse(record.started_at) - (second + 1) * 1000);
  told(`a second of a run that is watched, after its end (${lags.length} seconds)`, 1500, "ms", { values: lags, cpu: [] });
}

const { server, url } = await serve();
serving = server.pid ?? 0;
// However this ends, the server does too.
process.once("exit", () => server.kill("SIGTERM"));
const [base = "", token = ""] = url.split("/#t=");
const entered = await fetch(`${base}/api/session`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const executablePath = BROWSER.includes("/") ? BROWSER : String(spawnSync("which", [BROWSER]).stdout).trim();
const browser = await chromium.launch({ executablePath, args: ["--headless=new", "--no-sandbox"] });
system = await browser.newBrowserCDPSession();
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
await page.goto(url);
await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
if (STORES.length > 1) await ofLists(page, base, cookie);
if (STORES.length > 2) await ofRuns(page, base, cookie);
if (FLEET !== undefined) await ofFleets(page);
await ofLive(page, base, cookie);
const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid ?? 0}/status`, "utf8"))?.[1] ?? NaN) / 1e3;
rows.push(["memory of the server at the end", "", `${resident.toFixed(0)} MB`, "", ""]);
await browser.close();
server.kill("SIGINT");
console.log("| what | asked | found, median and range | CPU time, median | |\n|---|---|---|---|---|");
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
