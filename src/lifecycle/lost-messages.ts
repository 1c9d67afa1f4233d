import { BEAT_MS } from "../core/clock.ts";
import { logWarning } from "../core/log.ts";
import type { Crawl } from "../crawl/crawl.ts";
import {
  decideLost,
  endLap,
  keyOfRow,
  type Line,
  LOST_AFTER_MS,
  type MessageSearch,
  remember,
  suspectsAmong,
} from "../crawl/report/message-search.ts";
import { strictest } from "../frontier/batch/admit.ts";
import { dispatch } from "../frontier/batch/message.ts";
import type { Deps } from "../frontier/deps.ts";
import { productToken } from "../robots/product-token.ts";
import type { Motion, MovingRow } from "../store/ledger/motion.ts";
import { hostKey } from "../url/host-key.ts";
import type { Deeds } from "./deed.ts";
import type { SendDeps } from "./needs.ts";
import { rowsPerBeat } from "./rows-per-beat.ts";
import { spreadByHost } from "./spread-by-host.ts";

/**
 * Finds rows whose message was lost while the rest of their crawl moves on, which a stall of the crawl does not show,
 * and sends them again (crawl/report/message-search.ts). Each heartbeat reads a portion of each crawl's rows. So no row
 * is written for a page, and a crawl costs at most a million rows read an hour.
 */

/** The least time between the beginnings of two laps: short crawls have none. */
const LAP_MS = 300_000;
/** Gates that a heartbeat asks for one crawl. The next lap asks the others. */
const MOST_GATES = 50;

type SearchDeps = SendDeps & Pick<Deps, "motion" | "gate">;

/** Returns the number of rows that were sent again. */
export async function sendLost(deps: SearchDeps, deeds: Deeds): Promise<number> {
  let sent = 0;
  for (const crawl of await deps.motion.searched(deps.clock.now())) {
    sent += (await deeds.attempt("search", crawl.id, () => searchCrawl(crawl, deps))) ?? 0;
  }
  return sent;
}

type Searched = Awaited<ReturnType<Motion["searched"]>>[number];

async function searchCrawl({ id, epoch, size, patienceMs }: Searched, deps: SearchDeps): Promise<number> {
  const { clock, motion } = deps;
  const now = clock.now();
  const lapMs = LAP_MS * clock.speed;
  const known = await motion.search(id);
  if (known?.epoch !== epoch || known.lapAt > now) {
    await motion.noteSearch(id, { epoch, after: "", lapAt: now, hosts: {} }, now + lapMs);
    return 0;
  }
  const search = known.after === "" ? { ...known, lapAt: now } : known;
  const { rows, last } = await motion.pages(id, search.after, rowsPerBeat((size * BEAT_MS) / LAP_MS));
  const sitemaps = search.after === "" ? await motion.sitemaps(id) : [];
  const byHost = Map.groupBy([...sitemaps, ...rows], ({ url }) => hostKey(url));
  const hosts = { ...search.hosts };
  for (const [host, found] of byHost) hosts[host] = remember(hosts[host] ?? [], found, search.lapAt, now);
  const lostAfterMs = Math.max(LOST_AFTER_MS * clock.speed, patienceMs);
  const lost = await findLost(id, { ...search, hosts }, byHost, lostAfterMs, deps);
  const next = { ...search, after: last ?? "", hosts: { ...hosts, ...lost.hosts } };
  await motion.noteSearch(id, last === null ? endLap(next) : next, last === null ? search.lapAt + lapMs : now);
  return lost.sent;
}

/** Asks the gates about rows that do not move, and sends those that are lost. Returns their hosts' rows as they are. */
async function findLost(
  id: string,
  { epoch, lapAt, hosts }: MessageSearch,
  byHost: ReadonlyMap<string, MovingRow[]>,
  lostAfterMs: number,
  deps: SearchDeps,
): Promise<{ sent: number; hosts: MessageSearch["hosts"] }> {
  const now = deps.clock.now();
  const suspected = [...byHost].flatMap(([host, found]) => {
    const suspects = suspectsAmong(hosts[host] ?? [], lapAt, lostAfterMs, now);
    return suspects.length === 0 ? [] : [{ host, found, suspects }];
  });
  const crawl = suspected.length === 0 ? null : await deps.ledger.crawl(id);
  if (crawl === null) return { sent: 0, hosts: {} };
  const decided = await Promise.all(
    suspected.slice(0, MOST_GATES).map(async ({ host, found, suspects }) => {
      const line = await lineOf(host, crawl, deps);
      if (line === null) return null;
      const { lost, rows, isIdle } = decideLost(suspects, line, lostAfterMs, now);
      const keys = new Set(lost.map(({ key }) => key));
      const after = new Map(rows.map((row) => [row.key, row]));
      return {
        host,
        sendings: isIdle ? found : found.filter((row) => keys.has(keyOfRow(row))),
        rows: (hosts[host] ?? []).map((row) => after.get(row.key) ?? row),
      };
    }),
  );
  const known = decided.filter((each) => each !== null);
  const sendings = known.flatMap((each) => each.sendings);
  const delays = await spreadByHost(crawl, deps)(sendings.map(({ url }) => url));
  await dispatch(
    deps,
    sendings.map(({ url, sitemap }, i) => ({ crawl: id, epoch, url, sitemap, delayMs: delays[i] ?? 0 })),
  );
  return { sent: sendings.length, hosts: Object.fromEntries(known.map(({ host, rows }) => [host, rows])) };
}

/** What the gate of a host knows of a crawl; null if it cannot be asked now, or is of an older version. */
async function lineOf(host: string, { id, options }: Crawl, deps: Pick<Deps, "gate">): Promise<Line | null> {
  const agent = productToken(options.userAgent);
  try {
    const status = await deps.gate(host).status({ crawl: id, origins: [], agent, policy: strictest([options]) });
    const { nextAt, line } = status;
    return line === undefined ? null : { ...line, endsAt: Math.max(line.endsAt, nextAt) };
  } catch (error) {
    logWarning("gate-not-asked-for-line", { host, crawl: id, error: String(error) });
    return null;
  }
}
