// Why something cannot be shown, and what is asked for.

export type Query = Record<string, string | number | null | undefined>;

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly remedy: string,
    // What the server calls it, as `no_store`; empty where none was asked.
    readonly kind = "",
  ) {
    super(message);
  }
}
