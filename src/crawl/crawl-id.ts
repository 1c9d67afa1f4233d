/**
 * The id of a crawl names the ledger in which it lives, so that nobody has to look for it.
 *
 * In the first ledger, 0, it is any UUID that is not of version 8: the ids of `crypto.randomUUID`, of version 4, and
 * those of imports, of version 5. In another one it is a UUID of version 8, whose meaning a program may choose (RFC
 * 9562, section 5.8): `custom_b`, the twelve bits after the version, is the number of the ledger.
 */

/** Twelve bits. */
export const MAX_LEDGER = 4_095;

const OF_ANOTHER_LEDGER = /^[0-9a-f]{8}-[0-9a-f]{4}-8([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id with the random, or named, bits of this UUID. `uuid`: in lower case, of version 4 or 5. */
export function crawlIdIn(ledger: number, uuid: string): string {
  if (ledger === 0) return uuid;
  if (!Number.isInteger(ledger) || ledger < 0 || ledger > MAX_LEDGER)
    throw new RangeError(`${ledger} is no number of a ledger`);
  return `${uuid.slice(0, 14)}8${ledger.toString(16).padStart(3, "0")}${uuid.slice(18)}`;
}

/** The ledger of a crawl. 0 for what is no id of another one, such as the beginning of an id. */
export function ledgerOf(crawl: string): number {
  return Number.parseInt(OF_ANOTHER_LEDGER.exec(crawl)?.[1] ?? "0", 16);
}

/** The newest crawl, where the id of one is asked for. */
export const LATEST = "latest";
