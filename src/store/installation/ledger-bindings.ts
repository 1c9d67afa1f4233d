import { bindingOf, numberOfBinding } from "../../crawl/ledger-name.ts";

/**
 * The databases that wrangler.toml binds. A crawl lives in one of them (crawl/crawl-id.ts). The first one is the
 * catalogue too.
 */

/** No binding has this number: it was removed, or the id is made up. */
export class UnknownLedger extends Error {
  constructor(ledger: number) {
    super(`this installation has no ledger ${ledger}: wrangler.toml has no binding ${bindingOf(ledger)}`);
  }
}

/** The numbers of the ledgers among these bindings, in order. */
export function ledgersIn(bindings: object): number[] {
  return Object.entries(bindings)
    .flatMap(([name, binding]) => (binding === undefined ? [] : (numberOfBinding(name) ?? [])))
    .sort((a, b) => a - b);
}

/** Throws UnknownLedger. */
export function databaseOf(bindings: object, ledger: number): D1Database {
  const database = (bindings as Record<string, D1Database | undefined>)[bindingOf(ledger)];
  if (database === undefined) throw new UnknownLedger(ledger);
  return database;
}
