// What every screen is made from.

import type { Hello } from "./api";

export interface Screen {
  hello: Hello;
  // Number of the store that is looked at.
  store: number;
}
