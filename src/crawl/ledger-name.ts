import { MAX_LEDGER } from "./crawl-id.ts";

/**
 * The names of the ledgers' bindings in wrangler.toml: `LEDGER`, the first one, and `LEDGER_1`, `LEDGER_2` and so on.
 */

/** `LEDGER_01` is none: a ledger has one name. */
const BINDING = /^LEDGER(?:_([1-9]\d{0,3}))?$/;

export function bindingOf(ledger: number): string {
  return ledger === 0 ? "LEDGER" : `LEDGER_${ledger}`;
}

/** The number of the ledger that a binding of this name has; null for other bindings. */
export function numberOfBinding(name: string): number | null {
  const match = BINDING.exec(name);
  const number = Number(match?.[1] ?? 0);
  return match === null || number > MAX_LEDGER ? null : number;
}
