/** What heartbeats cost a watch of many pages: the rows of a small one are copied, and nothing is fetched. */
import { DAY_MS } from "../../../src/core/clock.ts";
import { addUsage } from "../../../src/crawl/bounds/usage.ts";
import type { FrontierMessage } from "../../../src/frontier/batch/message.ts";
import { heartbeat } from "../../../src/lifecycle/heartbeat.ts";
import { meteredQueue } from "../../../src/store/installation/metered.ts";
import type { World } from "../../../test/workerd/world.ts";
import type { LargeBeats } from "./order.ts";

const MINUTE_MS = 60_000;
/** Heartbeats count after the first day, when laps have their pace. */
const DAYS = 3;

/**
 * Copies of the rows, whose visits are spread over the interval. ?3: the number of copies, ?4: now, ?5: the interval.
 */
const COPY = `
INSERT INTO urls (crawl, url, status, depth, via, priority, seq, redirects, chain, http_status, title, content_type, bytes, sha256,
  fetched_at, pack, pack_offset, pack_length, visits, visited_at, rate_changes, rate_days)
SELECT u.crawl, u.url || '?copy=' || c.value, u.status, u.depth, u.via, u.priority, u.seq + c.value * ?2, u.redirects, u.chain, u.http_status,
  u.title, u.content_type, u.bytes, u.sha256 || c.value, u.fetched_at, u.pack, u.pack_offset, u.pack_length, u.visits,
  ?4 - (u.seq * 7919 + c.value * 104729) * 1009 % ?5, u.rate_changes, u.rate_days
FROM json_each(?3) c CROSS JOIN urls u ON u.crawl = ?1 WHERE u.status = 'completed'`;

const GROW = `
UPDATE crawls SET completed = (SELECT count(*) FROM urls WHERE crawl = ?1 AND status = 'completed'), survey = NULL, sweep = NULL WHERE id = ?1`;

const VISIT = `
UPDATE urls SET visited_at = ?3, visits = visits + 1, visit_at = NULL WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))`;

const COUNT_VISITS = `
UPDATE crawls SET visits = json_set(visits, '$.same', coalesce(visits ->> '$.same', 0) + json_array_length(?2)) WHERE id = ?1`;

/** `db`: the ledger, without a meter. A visit that is sent settles at once as unchanged. */
export async function measureLargeBeats(
  world: World,
  db: D1Database,
  { id, pages, largePages, everyS }: { id: string; pages: number; largePages: number; everyS: number },
): Promise<LargeBeats> {
  const { deps } = world;
  const copies = JSON.stringify(Array.from({ length: Math.ceil(largePages / pages) - 1 }, (_, i) => i + 1));
  await db.batch([db.prepare(COPY).bind(id, pages * 2, copies, world.now, everyS * 1000), db.prepare(GROW).bind(id)]);
  const sent: string[] = [];
  const sendBatch = async (messages: Iterable<MessageSendRequest<FrontierMessage>>) => {
    for (const { body } of messages) if (body.sitemap !== true) sent.push(...body.urls);
  };
  deps.frontier = meteredQueue({ sendBatch } as unknown as Queue<FrontierMessage>, deps.meter);
  const counted: LargeBeats = { count: 0, usage: {}, visits: 0, sending: 0 };
  const [beganAt, endsAt] = [world.now + DAY_MS, world.now + DAYS * DAY_MS];
  while (world.now < endsAt) {
    world.now += MINUTE_MS;
    deps.meter.take();
    await heartbeat(deps);
    const usage = deps.meter.take();
    const visited = sent.splice(0);
    await db.batch([
      db.prepare(VISIT).bind(id, JSON.stringify(visited), world.now),
      db.prepare(COUNT_VISITS).bind(id, JSON.stringify(visited)),
    ]);
    if (world.now <= beganAt) continue;
    counted.count += 1;
    addUsage(counted.usage, usage);
    counted.visits += visited.length;
    if (visited.length > 0) counted.sending += 1;
  }
  return counted;
}
