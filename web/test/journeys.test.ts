// Walks through the page as people do, in a real browser, over a store of simulated runs: by roles and names, so that
// what a screen reader is told is what is tested.

import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium, type Browser, type BrowserContext, type Page, type Request } from "playwright-core";

const PROGRAM = process.env["FATHOM_PROGRAM"] ?? "fathom";
const BROWSER = process.env["FATHOM_BROWSER"] ?? "chromium";
// Where pictures of the screens are put, for whoever wants to look.
const PICTURES = process.env["FATHOM_PICTURES"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const folder = mkdtempSync(join(tmpdir(), "fathom-page-"));
const store = join(folder, "runs.sqlite");
// Other stores: with assessments, with a sweep and a comparison, and one that is changed from the page.
const campaigns = join(folder, "campaigns.sqlite");
const grids = join(folder, "grids.sqlite");
const edited = join(folder, "edited.sqlite");
const verdicts = join(folder, "verdicts.parquet");
const servers: ChildProcess[] = [];
let url = "";
let browser: Browser;
let context: BrowserContext;
let page: Page;
const faults: string[] = [];
// What the page asked for and has no answer to yet, but for what stays open for as long as something runs.
const asked = new Set<Request>();

function typed(place: string, ...words: string[]): string {
  const ran = spawnSync(PROGRAM, ["--store", place, ...words], { env: { ...process.env, FATHOM_CONFIG: "/dev/null" }, maxBuffer: 1 << 28 });
  // A run in real time that a busy machine spoils is saved all the same, which its status tells.
  const isSpoiled = ran.status === 1 && String(ran.stderr).includes("saved");
  assert.ok(ran.status === 0 || isSpoiled, `${words.join(" ")}: ${String(ran.stderr)}`);
  return String(ran.stdout);
}

function fathom(...words: string[]): string {
  return typed(store, ...words);
}

// Ids of the runs on a target, newest first.
function ids(target: string): string[] {
  const listed = JSON.parse(fathom("runs", "-n", "100", "--target", target, "--json")) as { runs: { id: string }[] };
  return listed.runs.map((run) => run.id);
}

// Runs of two devices, of which one became slower, and one run with reads and writes.
function measure(): void {
  const run = ["run", "--quiet", "--time", "2s", "--depth", "1", "--rw", "randread"];
  for (let seed = 0; seed < 9; seed += 1) fathom(...run, "--target", "sim:gp3", "--seed", String(seed));
  for (let seed = 9; seed < 15; seed += 1) fathom(...run, "--target", "sim:gp3", "--seed", String(seed), "--delay", "constant:200us");
  fathom("run", "--quiet", "--target", "sim:hdd", "--rw", "randrw", "--time", "90s", "--warmup", "0s", "--depth", "16");
  const [newest = "", , , , , , before = ""] = ids("sim:gp3");
  fathom("tag", newest, "weekly", "<b>");
  fathom("note", newest, "the <i>delay</i> is on");
  fathom("baseline", before);
  fathom("mark", "--title", "delay put in", "--from", fathom("runs", "-n", "1", "--json").match(/"started_at": "([^"]+)"/)?.[1] ?? "");
  for (const seed of [1, 2]) typed(campaigns, "assess", "sim:gp3", "--patterns", "randread-4k", "--budget", `${20 + seed}s`, "--quiet");
  typed(campaigns, "run", "--quiet", "--target", "memory:16MiB", "--rw", "randread", "--rate", "2k", "--time", "5s", "--warmup", "0s");
  typed(campaigns, "import", join("..", "crates/tools/tests/fio_results/own/mixed.json"));
  const short = ["--time", "1s", "--warmup", "0s", "--rw", "randread", "--quiet"];
  typed(grids, "sweep", "--target", "sim:gp3", "--over", "bs=4k,64k", "--over", "depth=1,4,16", "--passes", "2", ...short);
  typed(grids, "compare", "sim:gp3", "sim:gp3,iops=3600", "--patterns", "randread-4k", "--quiet");
  copyFileSync(store, edited);
}

// Nine days of 5-minute counts of 40 volumes, of which the last third grows.
function judge(): void {
  const lines = ["volume,time,reads,writes,read_bytes,write_bytes,size,current"];
  for (let volume = 0; volume < 40; volume += 1) {
    for (let tick = 0; tick < 9 * 288; tick += 1) {
      const growth = tick < 6 * 288 ? 1 : 1 + volume / 100;
      const operations = Math.floor((1000 + volume * 50) * 300 * growth * (1 + ((tick * 7919 + volume) % 97) / 400));
      lines.push(`vol-${String(volume).padStart(2, "0")},${1_700_000_100 + tick * 300},0,${operations},0,${operations * 4096},100,"gp3:iops=16000,throughput=500"`);
    }
  }
  lines.push("<b>odd</b>,1700000100,0,1,0,4096,100,gp9", "<b>odd</b>,1700000400,0,1,0,4096,100,gp9");
  const table = join(folder, "volumes.csv");
  writeFileSync(table, `${lines.join("\n")}\n`);
  fathom("size", "--fleet", table, "--values", "per-row", "--region", "us-east-1", "--rows", verdicts);
}

async function serve(...words: string[]): Promise<string> {
  const server = spawn(PROGRAM, ["serve", ...words, "--port", "0", "--json"], { env: { ...process.env, FATHOM_CONFIG: "/dev/null" }, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  return new Promise((resolve, reject) => {
    let text = "";
    server.once("exit", () => reject(new Error("fathom serve ended")));
    server.stdout?.on("data", (part) => {
      text += String(part);
      if (text.includes("\n")) resolve((JSON.parse(text) as { url: string }).url);
    });
  });
}

before(async () => {
  measure();
  judge();
  url = await serve("--store", store, "--store", campaigns, "--store", grids, "--fleet", verdicts);
  browser = await chromium.launch({ executablePath: BROWSER.includes("/") ? BROWSER : String(spawnSync("which", [BROWSER]).stdout).trim(), args: ["--headless=new", "--no-sandbox"] });
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => request.resourceType() !== "eventsource" && asked.add(request));
  page.on("requestfinished", (request) => asked.delete(request));
  page.on("requestfailed", (request) => asked.delete(request));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
});

after(async () => {
  await browser?.close();
  servers.forEach((server) => server.kill("SIGINT"));
  rmSync(folder, { recursive: true, force: true });
});

async function go(hash: string, heading: string | RegExp, on: Page = page): Promise<void> {
  await on.evaluate(
    (text) =>
      new Promise<void>((done) => {
        if (location.hash === text) done();
        addEventListener("hashchange", () => done(), { once: true });
        location.hash = text;
      }),
    hash,
  );
  await on.locator("main:not([aria-busy])").waitFor();
  await on.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

// Looks once a frame until it holds.
async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const since = performance.now();
  while (!(await holds())) {
    assert.ok(performance.now() - since < 30_000, `${what} did not come`);
    await frame();
  }
}

async function frame(): Promise<void> {
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

// Until all that was asked for has come and is drawn, which takes a frame of its own, and no colour changes any more.
async function settled(): Promise<void> {
  await until(async () => (await frame(), asked.size === 0), "an answer");
  await frame();
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}

// What axe finds wrong, and how many pixels are too wide.
async function faultless(on: Page, what: string): Promise<void> {
  // The policy lets no script of others in; the browser's own channel does.
  await on.evaluate(AXE);
  const violations = await on.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
  assert.deepEqual(violations, [], what);
  const wide = await on.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what}: ${wide} pixels too wide`);
}

/** A table is filled after it is opened, by an event that may come later than the click returns: waited for, then counted. */
async function rows(region: string, count: number): Promise<void> {
  const all = page.getByRole("region", { name: region }).getByRole("row");
  await all.nth(count - 1).waitFor();
  assert.equal(await all.count(), count);
}

async function picture(name: string, of: Page = page): Promise<void> {
  if (PICTURES !== undefined) await of.screenshot({ path: join(PICTURES, `${name}.png`) });
}

test("the token is exchanged and leaves the address", async () => {
  assert.ok(!page.url().includes("t="), page.url());
  assert.equal(await page.evaluate(() => document.cookie), "", "no script sees the cookie");
  const stranger = await browser.newContext();
  const other = await stranger.newPage();
  await other.goto(url.split("#")[0] ?? "");
  await other.getByRole("heading", { name: "Not let in" }).waitFor();
  await stranger.close();
});

test("runs are listed, searched and sorted, and the address says how", async () => {
  await go("#/runs", "Runs");
  await page.getByRole("status").filter({ hasText: "16 runs" }).waitFor();
  await picture("runs");
  await page.getByRole("searchbox", { name: "Search" }).fill("target:hdd");
  await page.getByRole("status").filter({ hasText: /^1 run$/ }).waitFor();
  assert.match(page.url(), /q=target%3Ahdd/);
  await page.getByRole("searchbox", { name: "Search" }).fill("p99<soon");
  await page.getByRole("status").filter({ hasText: "soon" }).waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  await page.getByRole("status").filter({ hasText: "16 runs" }).waitFor();
  const heading = page.getByRole("columnheader", { name: "IOPS" });
  await heading.getByRole("button").click();
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  const first = await page.getByRole("row").nth(1).innerText();
  assert.match(first, /sim:gp3.*★ baseline/s);
  await heading.getByRole("button").click();
  assert.match(await page.getByRole("row").nth(1).innerText(), /★ baseline/, "it stays at the top");
  assert.match(await page.getByRole("row").nth(2).innerText(), /sim:hdd/);
  await page.getByRole("img", { name: /^IOPS of \d+ runs up to this one: / }).first().waitFor();
  await page.getByRole("row").filter({ hasText: "weekly" }).getByRole("link", { name: /^−\d+\.\d %$/ }).click();
  await page.getByRole("heading", { name: "Compare 2 runs", level: 1 }).waitFor();
  await go("#/runs?q=valid", "Runs");
  await page.getByRole("button", { name: /^valid/ }).click();
  await page.waitForURL((address) => !address.href.includes("q=valid"));
  await go("#/runs?q=kernel:none", "Runs");
  await page.getByRole("status").filter({ hasText: /^0 runs$/ }).waitFor();
  await go("#/runs", "Runs");
  await page.getByRole("button", { name: /^sim:hdd/ }).click();
  await page.getByRole("status").filter({ hasText: /^1 run$/ }).waitFor();
});

test("a run is walked through by keys, down to a second and its histogram", async () => {
  await go("#/runs?q=target:hdd", "Runs");
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.getByRole("heading", { name: /^sim:hdd: 4 KiB random/, level: 1 }).waitFor();
  await page.getByText(/^Its seconds, read again: /).waitFor();
  await page.getByRole("listitem").filter({ hasText: /^CPUs of the machine, .*: time is simulated/ }).waitFor();
  const chart = page.getByRole("slider", { name: /latency of reads/ });
  await chart.focus();
  await page.keyboard.press("Home");
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("ArrowRight");
  assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /^0:05: p50 .*s/);
  // Other charts point at the same second.
  const rates = page.getByRole("slider", { name: /^IOPS/ });
  assert.match((await rates.getAttribute("aria-valuetext")) ?? "", /^0:05: read .*write /);
  await page.keyboard.press("PageUp");
  assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /^1:05/);
  await picture("run");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Second 65/ }).waitFor();
  await page.getByRole("img", { name: /reads in second 65/ }).waitFor();
  await picture("second");
  assert.match(page.url(), /at=65/);
  await chart.focus();
  await page.keyboard.press("+");
  await page.getByRole("status").filter({ hasText: /^Seconds .* of 90/ }).waitFor();
  await page.getByRole("button", { name: "whole run" }).click();
  await page.getByRole("status").filter({ hasText: "All 90 seconds" }).waitFor();
  await page.getByText("Table: IOPS").click();
  await rows("IOPS, as a table", 91);
});

test("what the machine did beside a run is under the same cursor", async () => {
  await go("#/runs?store=1&q=target:memory", "Runs");
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByRole("heading", { name: /^memory:16MiB: 4 KiB random read/, level: 1 }).waitFor();
  await page.getByRole("slider", { name: /^IOPS/ }).focus();
  await page.keyboard.press("Home");
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("ArrowRight");
  const told = async (name: RegExp): Promise<string> => (await page.getByRole("slider", { name }).getAttribute("aria-valuetext")) ?? "";
  assert.match(await told(/^CPUs of the machine/), /^0:02: busiest core [\d.]+ %, all cores [\d.]+ %/);
  assert.match(await told(/^CPU of the measuring process/), /^0:02: in the program [\d.]+, in the kernel for it [\d.]+$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Second 2/ }).waitFor();
  await page.getByText(/^Meanwhile: CPUs of the machine: busiest core /).waitFor();
  await page.getByText("Table: CPUs of the machine").click();
  await rows("CPUs of the machine, as a table", 6);
  await page.getByRole("heading", { name: "Not measured alongside" }).waitFor();
  await picture("beside");
  await faultless(page, "a run with what was beside it");
});

test("the heat map has paint on it", async () => {
  await go("#/runs?q=target:hdd", "Runs");
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.locator("canvas").first().waitFor();
  const blue = (): Promise<number> =>
    page.evaluate(() => {
      const canvas = document.querySelector("canvas");
      const data = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      let found = 0;
      for (let at = 0; at < data.length; at += 4) if ((data[at + 2] ?? 0) > (data[at] ?? 0) + 40) found += 1;
      return found;
    });
  await until(async () => (await blue()) > 500, "500 pixels of the ramp");
});

test("a trend says where a level changed, and leads to the runs on both sides", async () => {
  await go("#/trend?target=sim:gp3", "Trends");
  await page.getByText(/UTC: slower/).waitFor();
  await picture("trend");
  await page.getByText("What changed, as text").click();
  await page.getByText(/^fathom trend sim:gp3 --metric iops: .* UTC: slower, −\d/s).waitFor();
  const slider = page.getByRole("slider").first();
  await slider.focus();
  await page.keyboard.press("End");
  assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /value .* level /);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^sim:gp3: 4 KiB random read/, level: 1 }).waitFor();
  await page.goBack();
  await page.getByLabel("Followed").selectOption("p99");
  await page.waitForURL(/metric=p99/);
});

test("chosen runs stand side by side, with what differs", async () => {
  await go("#/runs", "Runs");
  for (const at of [3, 12]) await page.getByRole("row").nth(at).getByRole("checkbox").check();
  await page.getByRole("link", { name: "Compare 2 runs" }).click();
  await page.getByRole("heading", { name: "Compare 2 runs", level: 1 }).waitFor();
  const row = page.getByRole("region", { name: "Figures of the runs" }).getByRole("row", { name: /^read IOPS/ });
  assert.match(await row.innerText(), /k.*k \(\+2\d\.\d %\)/s);
  const slider = page.getByRole("slider", { name: /by percentile/ });
  await slider.focus();
  await page.keyboard.press("Home");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /^p50: A: sim:gp3 .*B: sim:gp3 /);
  const shift = page.getByRole("slider", { name: /^Shift of the latency of reads/ });
  assert.match((await shift.getAttribute("aria-valuetext")) ?? "", /^p50: B: sim:gp3 −\d/);
  await page.getByRole("searchbox", { name: "Search in it" }).fill("decorated");
  await page.getByRole("status").filter({ hasText: /^\d+ of/ }).waitFor();
  assert.match(await page.getByRole("region", { name: "What differs" }).innerText(), /target\.decorated.*absent/s);
  await picture("compare");
});

test("what people say of runs is listed, found and shown with the run", async () => {
  await go("#/runs", "Runs");
  await page.getByRole("button", { name: /^weekly/ }).click();
  await page.getByRole("status").filter({ hasText: /^1 run$/ }).waitFor();
  assert.match(await page.getByRole("row").nth(1).innerText(), /<b>, weekly, 1 note/);
  await picture("tags");
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByRole("list", { name: "Tags" }).getByRole("link", { name: "weekly" }).waitFor();
  await page.getByText("the <i>delay</i> is on").waitFor();
  await page.getByRole("link", { name: "Compare with the baseline" }).click();
  await page.getByRole("heading", { name: "Compare 2 runs", level: 1 }).waitFor();
  await go("#/runs?q=baseline", "Runs");
  await page.getByRole("status").filter({ hasText: /^1 run$/ }).waitFor();
  assert.match(await page.getByRole("row").nth(1).innerText(), /★ baseline/);
});

test("a verdict on sets of runs is that of the program, and sides can be changed", async () => {
  const all = ids("sim:gp3");
  const [slow, fast] = [all.slice(0, 6), all.slice(6, 12)];
  await go(`#/compare?ids=${[...slow, ...fast].join(",")}&b=${fast.join(",")}`, "Compare 12 runs");
  await page.getByText(/▲ .*: faster, \+2\d/).waitFor();
  await page.getByText("measured at different times").waitFor();
  await picture("verdict");
  await page.getByLabel(/^L: /).selectOption("A");
  await page.waitForURL((address) => !address.href.includes(fast[5] ?? "none", address.href.indexOf("&b=")));
  await page.getByText(/▲ .*: faster/).waitFor();
  await go(`#/compare?ids=${slow[0]},${fast[0]}`, "Compare 2 runs");
  await page.getByText(/\? .*inconclusive/).waitFor();
  await page.getByText(`fathom compare ${slow[0]} ${fast[0]}`).waitFor();
});

test("a trend shows what happened meanwhile", async () => {
  await go("#/trend?target=sim:gp3", "Trends");
  await page.getByRole("heading", { name: "What happened meanwhile" }).waitFor();
  assert.match(await page.getByRole("region", { name: "Marks" }).innerText(), /delay put in/);
});

test("a campaign has its verdict first, and each point of its grid leads to its runs", async () => {
  await go("#/campaigns?store=1", "Campaigns");
  await page.getByText("2 campaigns").waitFor();
  for (const at of [1, 2]) await page.getByRole("row").nth(at).getByRole("checkbox").check();
  await page.getByRole("link", { name: "Compare 2 campaigns" }).click();
  await page.getByRole("heading", { name: "Compare 2 campaigns", level: 1 }).waitFor();
  await page.getByText(/[=?▲▼] .*4 KiB random read/).first().waitFor();
  await go("#/campaigns?store=1", "Campaigns");
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.getByRole("heading", { name: /^sim:gp3: assessment/, level: 1 }).waitFor();
  await page.getByText("Limited by:").waitFor();
  await picture("campaign");
  const grid = page.getByRole("region", { name: /by jobs and depth/ });
  await grid.getByRole("link").nth(2).waitFor();
  await grid.getByRole("link").first().click();
  await page.getByRole("heading", { name: /^(sim:gp3: 4 KiB random read|Compare)/, level: 1 }).waitFor();
});

test("what runs is shown while it runs, and so is its end", async () => {
  const words = ["--store", join(folder, "live.sqlite"), "run", "--quiet", "--target", "memory:16MiB", "--rw", "randread", "--rate", "2k", "--warmup", "0s", "--time", "7s"];
  const running = spawn(PROGRAM, words, { env: { ...process.env, FATHOM_CONFIG: "/dev/null" }, stdio: "ignore" });
  const name = `process ${running.pid ?? ""}`;
  await page.getByRole("link", { name: /^● live: run/ }).first().click();
  await page.getByRole("heading", { name: /^memory:16MiB.* live$/, level: 1 }).waitFor();
  await page.getByText(name).waitFor();
  await page.getByText(/IOPS, .*B\/s/).waitFor();
  const slider = page.getByRole("slider", { name: /^Service latency/ });
  await slider.focus();
  await page.keyboard.press("End");
  assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /UTC: p50 .*p99 /);
  const newest = new Set<string>();
  const another = async (): Promise<boolean> => {
    await page.keyboard.press("End");
    return newest.add((await slider.getAttribute("aria-valuetext"))?.slice(0, "00:00:00".length) ?? "").size >= 3;
  };
  await until(another, "two more seconds");
  await picture("live");
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
  assert.deepEqual(violations, []);
  await page.getByRole("status").filter({ hasText: "It has ended" }).waitFor();
  await go("#/live/1-1", "Nothing is being measured");
});

// Where the sweep and the comparison are.
async function grid(): Promise<[string, string]> {
  await go("#/campaigns?store=2", "Campaigns");
  const href = async (row: number): Promise<string> => (await page.getByRole("row").nth(row).getByRole("link").getAttribute("href")) ?? "";
  return [await href(2), await href(1)];
}

test("a sweep is a grid whose cells lead to their runs, and a comparison has its pairs", async () => {
  const [swept, compared] = await grid();
  await go(swept, /^sim:gp3: sweep$/);
  await page.getByText(/^Highest rate: /).waitFor();
  const cells = page.getByRole("region", { name: "IOPS, by bs and depth" });
  await cells.getByRole("link").nth(5).waitFor();
  assert.equal(await cells.getByRole("link").count(), 6);
  assert.equal(await cells.getByRole("columnheader", { name: "depth 16" }).count(), 1);
  await picture("sweep");
  await cells.getByRole("row", { name: /^bs 64k/ }).getByRole("link").first().click();
  await page.getByRole("heading", { name: "Compare 2 runs", level: 1 }).waitFor();
  await go(compared, /: comparison$/);
  await page.getByText(/[=?▲▼] .*4 KiB random read/).first().waitFor();
  await page.getByText(/^\d+ pairs of runs$/).first().waitFor();
  const pairs = page.getByRole("region", { name: /^Pairs of/ }).first();
  if (!(await pairs.isVisible())) await page.getByText(/^\d+ pairs of runs$/).first().click();
  await picture("comparison");
  await pairs.getByRole("row").nth(1).getByRole("link").last().click();
  await page.getByRole("heading", { name: "Compare 2 runs", level: 1 }).waitFor();
});

test("a fleet adds up, and its volumes are sorted, searched and chosen by what they save", async () => {
  await go("#/fleet", /^Fleet verdicts/);
  await page.getByRole("status").filter({ hasText: /^41 volumes$/ }).waitFor();
  assert.match(await page.getByRole("list", { name: "Sums" }).innerText(), / USD\s+a month wasted by \d+ volumes/);
  await picture("fleet");
  const volumes = page.getByRole("region", { name: "Volumes", exact: true });
  await volumes.getByRole("button", { name: "volume", exact: true }).click();
  assert.match(await volumes.getByRole("row").nth(1).innerText(), /^<b>odd<\/b>\snot judged/);
  await volumes.getByRole("button", { name: "saves a month, USD" }).click();
  assert.match(await volumes.getByRole("row").nth(1).innerText(), /^vol-0/);
  await page.getByRole("searchbox", { name: "Search by name" }).fill("VOL-3");
  await page.getByRole("status").filter({ hasText: /^10 of 41 volumes$/ }).waitFor();
  assert.match(page.url(), /q=VOL-3/);
  await page.getByRole("searchbox", { name: "Search by name" }).fill("");
  const density = page.getByRole("img", { name: /Volumes by what they save/ });
  await density.scrollIntoViewIfNeeded();
  const box = await density.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.3, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height * 0.8, { steps: 4 });
  await page.mouse.up();
  await page.getByRole("status").filter({ hasText: /^\d+ of 41 volumes$/ }).waitFor();
  assert.notEqual(await page.getByLabel("saves at least").inputValue(), "");
  await page.getByRole("button", { name: "all of them" }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("saves at least").fill("1e6");
  await page.getByRole("status").filter({ hasText: /^0 of 41 volumes$/ }).waitFor();
  await page.getByLabel("saves at least").fill("");
  await page.getByLabel("Status").selectOption("not_judged");
  await page.getByRole("status").filter({ hasText: /^1 of 41 volumes$/ }).waitFor();
  await volumes.getByRole("button", { name: "<b>odd</b>" }).click();
  const whole = page.getByRole("region", { name: "One volume" });
  await whole.getByRole("heading", { name: "<b>odd</b>" }).waitFor();
  assert.match(await whole.innerText(), /reason\s/);
  assert.match(page.url(), /row=0/);
});

test("what people say is changed by keys where the server lets it, and what was not seen is not", async () => {
  await go("#/runs", "Runs");
  await page.getByRole("row").nth(3).getByRole("link").first().click();
  await page.getByRole("heading", { name: /^sim:gp3/, level: 1 }).waitFor();
  assert.equal(await page.getByRole("region", { name: "Edit" }).count(), 0, "nothing is changed without --edit");
  const address = await serve("--store", edited, "--edit");
  const strange = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const other = await strange.newPage();
  await other.goto(address);
  await other.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  const id = ids("sim:gp3")[2] ?? "";
  await go(`#/run/${id}`, /^sim:gp3/, other);
  const edit = other.getByRole("region", { name: "Edit" });
  const type = async (label: string | RegExp, text: string, ...keys: string[]): Promise<void> => {
    await edit.getByLabel(label).focus();
    await other.keyboard.type(text);
    for (const key of keys) await other.keyboard.press(key);
  };
  await type("Tags", "nightly <i>", "Enter");
  await other.getByRole("list", { name: "Tags" }).getByRole("link", { name: "nightly" }).waitFor();
  await other.getByRole("list", { name: "Tags" }).getByRole("link", { name: "<i>" }).waitFor();
  await other.waitForFunction(() => document.activeElement?.id === "edit-tag");
  await edit.getByRole("button", { name: "Take off <i>" }).focus();
  await other.keyboard.press("Enter");
  await edit.getByRole("button", { name: "Take off <i>" }).waitFor({ state: "detached" });
  await type("Note", "<img src=x onerror=alert(1)>", "Tab", "Enter");
  await other.getByRole("listitem").filter({ hasText: "<img src=x onerror=alert(1)> (" }).waitFor();
  assert.equal(await other.locator("main img").count(), 0);
  await edit.getByRole("button", { name: "Make it the baseline" }).focus();
  await other.keyboard.press("Enter");
  await edit.getByRole("button", { name: "Give it up as the baseline" }).waitFor();
  await picture("edit", other);
  await faultless(other, "a run that is edited");
  await type("Tags", 'a"b', "Enter");
  await edit.getByRole("alert").filter({ hasText: "Nothing was changed: words: a tag is one word" }).waitFor();
  typed(edited, "tag", id, "elsewhere");
  await edit.getByLabel("Tags").fill("late");
  await other.keyboard.press("Enter");
  await edit.getByRole("alert").filter({ hasText: "somebody has changed" }).waitFor();
  await edit.getByRole("button", { name: "Show it anew" }).click();
  await other.getByRole("list", { name: "Tags" }).getByRole("link", { name: "elsewhere" }).waitFor();
  assert.equal(await other.getByRole("link", { name: "late", exact: true }).count(), 0);

  await go("#/trend?target=sim:gp3", "Trends", other);
  await type("Mark", "encrypted <b>", "Enter");
  await other.getByRole("region", { name: "Marks" }).getByRole("cell", { name: "encrypted <b>" }).waitFor();
  await type(/because/, "it is encrypted now", "Enter");
  await other.getByText(/Acknowledged: it is encrypted now/).waitFor();
  await faultless(other, "a trend that is edited");
  const said = typed(edited, "tag", id);
  assert.match(said, /elsewhere nightly/);
  await strange.close();
});

test("a shared file opens from the disk and asks nobody for anything", async () => {
  const file = join(folder, "shared.html");
  const slow = ids("sim:gp3")[0] ?? "";
  fathom("share", "last", slow, "--html", file, "--redact", "host,serial,path");
  const offline = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
  const other = await offline.newPage();
  const [asked, wrong]: [string[], string[]] = [[], []];
  other.on("request", (request) => asked.push(request.url()));
  other.on("pageerror", (error) => wrong.push(error.message));
  other.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text());
  });
  await other.goto(`file://${file}`);
  await other.getByRole("status").filter({ hasText: "2 runs" }).waitFor();
  await other.getByRole("link", { name: /^\d{4}-/ }).first().click();
  await other.getByRole("heading", { name: /^sim:hdd: 4 KiB random/, level: 1 }).waitFor();
  const chart = other.getByRole("slider", { name: /latency of reads/ });
  await chart.focus();
  await other.keyboard.press("Home");
  for (let step = 0; step < 5; step += 1) await other.keyboard.press("ArrowRight");
  await other.keyboard.press("Enter");
  await other.getByRole("heading", { name: /^Second 5/ }).waitFor();
  await other.getByRole("img", { name: /reads in second 5/ }).waitFor();
  if (PICTURES !== undefined) await other.screenshot({ path: join(PICTURES, "shared.png") });
  await chart.focus();
  await other.keyboard.press("+");
  await other.getByRole("status").filter({ hasText: /^Seconds .* of 90/ }).waitFor();
  await other.getByRole("link", { name: "Trends" }).click();
  await other.getByRole("heading", { name: "Trends", level: 1 }).waitFor();
  await other.getByRole("link", { name: "Runs", exact: true }).click();
  for (const at of [1, 2]) await other.getByRole("row").nth(at).getByRole("checkbox").check();
  await other.getByRole("link", { name: "Compare 2 runs" }).click();
  await other.getByRole("heading", { name: "B against A" }).waitFor();
  await other.getByText(/against 4 KiB|4 KiB random/).first().waitFor();
  assert.deepEqual(asked.filter((address) => !address.startsWith("file:") && !address.startsWith("data:")), []);
  assert.deepEqual(wrong, []);
  await offline.close();
});

test("on paper every chart has its table, and the view its address", async () => {
  await go("#/runs?q=target:hdd", "Runs");
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.getByRole("heading", { name: /^sim:hdd/, level: 1 }).waitFor();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  for (const chart of [/latency of reads, as a table/, /^IOPS, as a table/, /^In flight, as a table/]) await page.getByRole("region", { name: chart }).waitFor();
  assert.match(await page.locator(".printed").innerText(), /^fathom \d+\.\d+\.\d+: http:\/\/127/);
  assert.ok((await page.locator(".printed").innerText()).endsWith(page.url()), "the view's own address");
  assert.equal(await page.getByRole("navigation").isVisible(), false);
  await page.emulateMedia({ media: null });
});

test("a run of another tool is shown as far as its record goes", async () => {
  await go("#/runs?store=1&q=tool:fio", "Runs");
  await page.getByRole("row").nth(1).getByRole("link").click();
  await page.getByText("This run has no seconds to show").waitFor();
  await page.getByRole("region", { name: "Figures of the measured window" }).getByRole("row", { name: /^mixed/ }).waitFor();
  await picture("imported");
  await faultless(page, "a run of another tool");
});

test("a store that nothing was saved in yet says how to begin", async () => {
  const address = await serve("--store", join(folder, "none.sqlite"));
  const strange = await browser.newContext();
  const other = await strange.newPage();
  await other.goto(address);
  await other.getByRole("heading", { name: "No runs yet", level: 1 }).waitFor();
  await strange.close();
});

test("what is not there is said, and text of people stays text", async () => {
  await go("#/run/none", "This cannot be shown");
  await page.getByRole("alert").filter({ hasText: "no run" }).waitFor();
  await go(`#/trend?target=${encodeURIComponent("<img src=x onerror=alert(1)>")}`, "Trends");
  await page.getByText("No valid run of <img").waitFor();
  assert.equal(await page.locator("main img").count(), 0);
  // The refusal of the run is an answer with a status, which browsers note.
  assert.ok(faults.every((fault) => /status of (401|404|400)/.test(fault)), faults.join("\n"));
});

test("every screen is without fault for axe, in both themes, from 320 to 1,920 pixels", async () => {
  await go("#/runs?q=target:hdd", "Runs");
  const run = (await page.getByRole("row").nth(1).getByRole("link").getAttribute("href")) ?? "";
  await go("#/runs?q=target:gp3", "Runs");
  const other = (await page.getByRole("row").nth(1).getByRole("link").getAttribute("href")) ?? "";
  const id = (href: string): string => href.split("/").pop() ?? "";
  await go("#/campaigns?store=1", "Campaigns");
  const campaign = (await page.getByRole("row").nth(1).getByRole("link").getAttribute("href")) ?? "";
  const [swept, compared] = await grid();
  const screens: [string, RegExp][] = [
    ["#/runs", /^Runs/],
    [`${run}?at=3&open=1`, /^sim:hdd/],
    ["#/trend?target=sim:gp3", /^Trends/],
    [`#/compare?ids=${id(run)},${id(other)}`, /^Compare/],
    ["#/campaigns?store=1", /^Campaigns/],
    [campaign, /assessment$/],
    [swept, /sweep$/],
    [compared, /comparison$/],
    ["#/fleet?row=3", /^Fleet/],
    ["#/run/none", /^This cannot/],
    ["#/live/1-1", /^Nothing is being/],
  ];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [320, 768, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [hash, heading] of screens) {
        await go("#/runs", "Runs");
        await go(hash, heading);
        await settled();
        await faultless(page, `${hash} at ${width} in ${colorScheme}`);
        await picture(`${heading.source.replace(/\W/g, "")}-${width}-${colorScheme}`);
      }
    }
  }
});
