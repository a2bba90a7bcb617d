// Lets the browser in, and shows the screen that the address names.

import "uplot/dist/uPlot.min.css";
import "./page.css";

import { json, open, Refusal, type Hello } from "./api";
import { el } from "./elements";
import { runs } from "./pages/runs";
import { address, route } from "./route";
import { runningCampaign, strip } from "./running";
import type { Screen } from "./screen";

const main = el("main", { id: "main", tabindex: -1 });
const navigation = el("nav", { "aria-label": "Screens" });
let hello: Hello | null = null;
let running: HTMLElement | null = null;
let shown = 0;

// The token comes behind `#` once, and stays out of the history.
async function enter(): Promise<void> {
  const token = /^#t=([0-9A-Za-z]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, "", "#/runs");
  await open(token);
}

async function show(): Promise<void> {
  const mine = (shown += 1);
  main.setAttribute("aria-busy", "true");
  let content: HTMLElement;
  try {
    await enter();
    const { parts, query } = route();
    hello ??= await json<Hello>("hello");
    if (!SHARED) running ??= strip();
    const store = Number(query.get("store") ?? 0);
    const screen: Screen = { hello, store: hello.stores.some(({ number }) => number === store) ? store : 0, again: show };
    navigate(screen, parts[0] ?? "");
    content = await chosen(screen, parts);
    if (!SHARED && parts[0] === "campaign") void attach(content, parts[1]);
  } catch (error) {
    content = failure(error);
  }
  // Another address was chosen meanwhile.
  if (mine !== shown) return;
  main.replaceChildren(content);
  main.removeAttribute("aria-busy");
  const title = content.querySelector("h1")?.textContent ?? "";
  document.title = `${title} · fathom`;
  if (mine > 1) main.focus();
}

// The list comes with the page; other screens come when they are asked for.
async function chosen(screen: Screen, parts: string[]): Promise<HTMLElement> {
  const [name, id] = parts;
  if (name === "runs" && id === undefined) return runs(screen);
  if (name === "run" && id !== undefined) return (await part(import("./pages/run"))).run(screen, id);
  if (name === "campaigns") return (await part(import("./pages/campaigns"))).campaigns(screen);
  if (name === "campaign" && id !== undefined) return (await part(import("./pages/campaigns"))).campaign(screen, id);
  if (name === "trend") return (await part(import("./pages/trend"))).trend(screen);
  if (name === "compare") return (await part(import("./pages/compare"))).compare(screen);
  if (!SHARED && name === "fleet") return (await part(import("./pages/fleet"))).fleet(screen, Number(id ?? 0));
  if (!SHARED && name === "live") return (await part(import("./pages/live"))).live(id);
  throw new Refusal(404, "Screen not found", "begin with the runs");
}

// How a campaign goes that runs, on its own screen; without that the screen has all that was found.
async function attach(content: HTMLElement, id: string | undefined): Promise<void> {
  const entry = id === undefined ? undefined : await runningCampaign(id);
  if (entry !== undefined) (await import("./pages/live")).attach(content, entry);
}

// A part of the page, or what to do where it does not come.
function part<Part>(coming: Promise<Part>): Promise<Part> {
  return coming.catch(() => {
    throw new Refusal(0, "A part of the page did not come", "Start fathom serve again, and load the page anew.");
  });
}

function navigate(screen: Screen, current: string): void {
  const link = (name: string, text: string): HTMLElement =>
    el("a", { href: address([name], { store: screen.store || null }), ...(name === current ? { "aria-current": "page" } : {}) }, text);
  const { stores } = screen.hello;
  const options = stores.map(({ number, name }) => el("option", number === screen.store ? { value: number, selected: true } : { value: number }, name));
  const select = el("select", { id: "store" }, ...options);
  select.addEventListener("change", () => {
    location.hash = address(["runs"], { store: select.value === "0" ? null : select.value });
  });
  const store = SHARED ? el("span", { class: "quiet" }, `shared by fathom ${screen.hello.fathom}`) : stores.length < 2 ? el("span", { class: "quiet" }, stores[0]?.name ?? "") : el("span", {}, el("label", { for: "store" }, "Store "), select);
  navigation.replaceChildren(el("span", { class: "name" }, "fathom"), link("runs", "Runs"), link("campaigns", "Campaigns"), link("trend", "Trends"), ...(!SHARED && screen.hello.fleets.length > 0 ? [link("fleet", "Fleet")] : []), ...(running ? [running] : []), store);
}

function failure(error: unknown): HTMLElement {
  const refusal = error instanceof Refusal ? error : new Refusal(0, String(error), "");
  if (refusal.kind === "no_store") return empty();
  const remedy = refusal.remedy === "" ? [] : [el("p", {}, refusal.remedy)];
  return el("section", {}, el("h1", {}, refusal.status === 401 ? "Not let in" : "This cannot be shown"), el("p", { role: "alert" }, refusal.message), ...remedy, el("p", {}, el("a", { href: "#/runs" }, "All runs")));
}

// Nothing was saved yet.
function empty(): HTMLElement {
  return el("section", {}, el("h1", {}, "No runs yet"), el("p", {}, "A run is saved as it ends. To measure something, type one of:"),
    el("pre", {}, "fathom assess .\nfathom run --target sim:nvme --time 5s\nfathom import results.json"));
}

// On paper stands which view it is.
const printed = el("footer", { class: "printed" });
window.addEventListener("beforeprint", () => {
  printed.textContent = `fathom ${hello?.fathom ?? ""}: ${location.href}`;
});
document.body.append(printed);
document.body.prepend(el("a", { href: "#main", class: "skip", click: (event) => { event.preventDefault(); main.focus(); } }, "To the content"), el("header", {}, navigation), main);
// Another screen begins at its head, wherever the one before was scrolled to.
window.addEventListener("hashchange", () => void show().then(() => scrollTo(0, 0)));
void show();
