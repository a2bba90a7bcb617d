// Every screen is an address behind `#`: what is chosen stands in it, so that a bookmark is a saved view.

export interface Route {
  readonly parts: string[];
  readonly query: URLSearchParams;
}

export function route(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
  return { parts: parts.length === 0 ? ["runs"] : parts, query: new URLSearchParams(query) };
}

export function address(parts: string[], query: Record<string, string | number | null> = {}): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== "") set.set(name, String(value));
  }
  const text = set.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

// Keeps what changed on a screen in its address, without a step for the browser's way back.
export function keep(changes: Record<string, string | number | null>): void {
  const { parts, query } = route();
  const all = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, "", address(parts, all));
}
