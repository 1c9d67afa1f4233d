import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { divideByShard } from "../../crawl/shards/parcels.ts";
import { partsOf, type Shards } from "../../crawl/shards/shards.ts";
import { dispatchNow } from "../../frontier/batch/message.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { askPart } from "../../frontier/shards/apply-intents.ts";
import { firstUrlsOf } from "../first-urls.ts";
import type { PartDeps } from "../needs.ts";

/** Makes the part of a crawl in its ledger, with its share of the seeds, and sends them. May be repeated. */
export async function makePart(
  id: string,
  shards: Shards,
  { options, createdAt }: { options: CrawlOptions; createdAt: number },
  deps: PartDeps,
): Promise<void> {
  const at = homeOf(deps, id);
  const { hosts, seeds, sitemaps } = firstUrlsOf(options);
  const { own } = divideByShard({ discoveries: seeds, sitemaps, hosts: [] }, ledgerOf(id), shards);
  const first = { options, hosts, seeds: own.discoveries, sitemaps: own.sitemaps };
  const moved = await at.ledger.create({ id, now: createdAt, ...first, shards });
  if (moved?.state?.status === "running") await dispatchNow(at, { crawl: id, epoch: moved.state.epoch }, moved);
}

/** Makes the parts of a crawl that are not there, and notes that all are. The home is. */
export async function makeParts(shards: Shards, deps: PartDeps): Promise<void> {
  const crawl = await homeOf(deps, shards.home).ledger.crawl(shards.home);
  if (crawl === null) return;
  const [, ...others] = partsOf(shards);
  const ends = await Promise.allSettled(
    others.map(async (part) => {
      if ((await askPart(part, deps)) === null) await makePart(part, shards, crawl, deps);
    }),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  await homeOf(deps, shards.home).shardParts.noteDone(shards.home, 0);
}
