import { hostKey } from "../../url/host-key.ts";
import { crawlIdIn } from "../crawl-id.ts";
import { shardOf } from "./shard-of.ts";

/**
 * A crawl over several ledgers. It has a part in each, which has the hosts that `shardOf` gives it. The part in the
 * first of the ledgers is its home: people see the crawl by its id.
 */
export interface Shards {
  /** The id of the home part. */
  home: string;
  /** Those of the parts; the first one is that of the home. */
  ledgers: readonly number[];
}

/**
 * The id of the part in this ledger. The ids of all parts have the same random bits, so none is looked up. `id`: that
 * of any part.
 */
export function partIn(ledger: number, id: string): string {
  // Any other id of the first ledger has random bits here, which the ids of other ledgers have no place for.
  return ledger === 0 ? `${id.slice(0, 14)}4000${id.slice(18)}` : crawlIdIn(ledger, id);
}

/** The ids of all parts, that of the home first. */
export function partsOf({ home, ledgers }: Shards): string[] {
  return ledgers.map((ledger) => partIn(ledger, home));
}

/** The ledger that has a URL. `url`: canonical. */
export function ledgerOfUrl(url: string, { ledgers }: Pick<Shards, "ledgers">): number {
  return shardOf(hostKey(url), ledgers);
}
