// What every screen is made from.

import type { Hello } from "./api";

export interface Screen {
  hello: Hello;
  // Number of the store that is looked at.
  store: number;
  // Shows the screen that the address names anew.
  again: () => Promise<void>;
}

// Most runs that are told apart by colour and dash.
export const COMPARED_MAX = 12;
