import { expect, test } from "vitest";
import { costUsd } from "../../src/crawl/bounds/usage.ts";
import { type Kind, PACKED, type Use, useOf } from "./crawl-use.ts";
import { withStorage } from "./platform/storage.ts";

/**
 * What it costs that a crawl is over several ledgers, to the row, as crawl-price.test.ts has it for one ledger: pages
 * of forty hosts link to pages of others, of which seven of eight are in another ledger.
 */

const HOSTS = { hosts: 40, pages: 25 };

/** USD for a million pages, without CPU time and reads. */
function priceOf({ objects, queue, gateCalls, gateRows, rows }: Use): number {
  const ledgerRowsWritten = Object.values(rows).reduce((sum, each) => sum + each, 0);
  const usage = { mirrorWrites: objects, queueOperations: queue, gateRequests: gateCalls, ledgerRowsWritten };
  return (costUsd({ ...usage, gateRowsWritten: gateRows }) * 1_000_000) / (HOSTS.hosts * HOSTS.pages);
}

/** With one ledger, and with eight. */
const KINDS: Record<string, [Omit<Kind, "options">, Omit<Kind, "options">]> = {
  "a link of each page to another host": [
    {
      ...HOSTS,
      links: 1,
      use: {
        objects: 115,
        queue: 645,
        gateCalls: 709,
        gateRows: 600,
        rows: { contents: 17, crawls: 119, finished: 115, packs: 115, urls: 2000, variants: 78 },
      },
    },
    {
      ...HOSTS,
      links: 1,
      ledgers: 8,
      use: {
        objects: 117,
        queue: 575,
        gateCalls: 572,
        gateRows: 518,
        rows: {
          ...{ crawls: 205, finished: 117, packs: 117, urls: 2000, variants: 80 },
          ...{ shard_intents: 4, shard_outbox: 234, shard_parts: 133 },
        },
      },
    },
  ],
  "four links of each page to other hosts": [
    {
      ...HOSTS,
      links: 4,
      use: {
        objects: 146,
        queue: 777,
        gateCalls: 1024,
        gateRows: 762,
        rows: { contents: 17, crawls: 150, finished: 146, packs: 146, urls: 2000, variants: 80 },
      },
    },
    {
      ...HOSTS,
      links: 4,
      ledgers: 8,
      use: {
        objects: 115,
        queue: 575,
        gateCalls: 526,
        gateRows: 500,
        rows: {
          ...{ crawls: 203, finished: 115, packs: 115, urls: 2000, variants: 80 },
          ...{ shard_intents: 4, shard_outbox: 230, shard_parts: 131 },
        },
      },
    },
  ],
};
const MOST_MORE_USD = 0.5;

test.each(Object.entries(KINDS))("a crawl over eight ledgers uses as much as is written here: %s", async (_, kinds) => {
  for (const kind of kinds)
    await withStorage(async (storage) => expect(await useOf({ ...kind, options: PACKED }, storage)).toEqual(kind.use));
  const [one, several] = kinds.map(({ use }) => priceOf(use));
  expect((several ?? 0) - (one ?? 0)).toBeLessThan(MOST_MORE_USD);
});
