// What runs on this machine now: a line in the head of every screen.

import { json } from "./api";
import { el } from "./elements";
import { address } from "./route";

// Between two looks at what runs, in milliseconds.
const LOOK = 3000;

export interface Head {
  pid: number;
  command: string;
  target: string;
  devices: string[];
  campaign: string | null;
  run: string | null;
  step: null | { title: string; number: number; of: number; jobs: number; depth: number; purpose: string };
}

export interface Entry extends Head {
  key: string;
}

export interface Running {
  running: Entry[];
  unusable: string[];
}

export function stepOf({ step }: Head): string {
  return step === null ? "" : `${step.number} of ${step.of}: ${step.title}, ${step.jobs} × ${step.depth}, ${step.purpose}`;
}

// The campaign of that id, where it runs.
export async function runningCampaign(id: string): Promise<Entry | undefined> {
  const { running } = await json<Running>("running").catch(() => ({ running: [] as Entry[] }));
  return running.find((one) => one.campaign === id);
}

// A link while something runs, kept up to date as long as the page is looked at.
export function strip(): HTMLElement {
  const place = el("span", {});
  const look = async (): Promise<void> => {
    if (!document.hidden) {
      const { running } = await json<Running>("running").catch(() => ({ running: [] as Entry[] }));
      const links = running.map((entry) => el("a", { href: address(["live", entry.key]), title: stepOf(entry) }, `● live: ${entry.command}${entry.step === null ? "" : `, ${entry.step.number} of ${entry.step.of}`}`));
      const text = links.map((link) => link.href + link.text).join(" ");
      // What has the focus stays where it is.
      if (place.dataset["text"] !== text) place.replaceChildren(...links.flatMap((link): (Node | string)[] => [link, " "]));
      place.dataset["text"] = text;
    }
    setTimeout(() => void look(), LOOK);
  };
  void look();
  return place;
}
