import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindingOf } from "../../crawl/ledger-name.ts";
import { UserError } from "../errors.ts";

/**
 * The ledgers of a state folder: those of wrangler.toml, and as many more as `serve --ledgers N` has made. The file
 * `ledgers.json` has their number, so that every command binds them. It only grows: a ledger has crawls.
 */

export const MOST_LOCAL_LEDGERS = 32;

function fileOf(state: string): string {
  return join(state, "ledgers.json");
}

/** One, if no command has said more. */
export function countLedgers(state: string): number {
  return existsSync(fileOf(state)) ? (JSON.parse(readFileSync(fileOf(state), "utf8")) as { count: number }).count : 1;
}

/** From now on the folder has so many. Throws UserError if it has more already. */
export function setLedgers(state: string, count: number): void {
  const known = countLedgers(state);
  if (count < known)
    throw new UserError(
      `${state} has ${known} ledgers, and none of them can be taken away: --ledgers ${known}, or more.`,
    );
  if (count > MOST_LOCAL_LEDGERS) throw new UserError(`--ledgers takes at most ${MOST_LOCAL_LEDGERS}.`, 2);
  if (count > known) writeFileSync(fileOf(state), JSON.stringify({ count }));
}

/** The databases to bind, as miniflare takes them: `bound`, those of wrangler.toml, and the folder's own. */
export function withLocalLedgers(bound: Record<string, unknown>, count: number): Record<string, unknown> {
  const own = Array.from({ length: count }, (_, ledger) => bindingOf(ledger)).map((name) => [name, { id: name }]);
  return { ...Object.fromEntries(own), ...bound };
}
