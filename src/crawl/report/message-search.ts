/**
 * The search for lost messages of a crawl: what it remembers, and which rows it sends again. Pure functions.
 *
 * A message is a hint without a trace, so a row whose message is lost looks like one that waits in line. The search
 * goes over the rows in laps and remembers the oldest ones of each host that do not move. It asks the host's gate about
 * those that have not moved for LOST_AFTER_MS. The gate knows until when it expects URLs of the crawl. A row in a line
 * is left until that line must have ended. Otherwise it is sent again, each time after twice as long. A row that has
 * two messages is harmless: the second one finds it settled.
 */

/** A row that did not move since it was first seen. Times are milliseconds since the Unix epoch. */
interface StillRow {
  /** The order of discovery; for a sitemap, -1 minus that. */
  key: number;
  attempts: number;
  seenAt: number;
  /** The lap in which it was last seen. */
  lapAt: number;
  /** It is not looked at before: 0 until its gate was asked. */
  waitsUntil: number;
  /** How often it was sent again. */
  sent: number;
}

/** The search in one crawl. */
export interface MessageSearch {
  /** Messages of another epoch are dropped: a search begins anew. */
  epoch: number;
  /** The URL after which it goes on; empty for the first. */
  after: string;
  /** When this lap began. */
  lapAt: number;
  /** By host key. */
  hosts: Record<string, StillRow[]>;
}

/** What a gate knows of a crawl. */
export interface Line {
  /** Until when it expects URLs of the crawl, or rests: not later than now if neither. */
  endsAt: number;
  /** When the crawl last asked for a lane; null if it has not. */
  askedAt: number | null;
}

/** A row that has not moved for so long may be lost. Retries wait in messages for up to 16 minutes. */
export const LOST_AFTER_MS = 1_020_000;
/** A line that ends so soon has had its turn for a row that has not moved for LOST_AFTER_MS. */
const SHORT_LINE_MS = 300_000;
const MAX_MESSAGE_WAIT_MS = 86_400_000;
/** Pages may take longer than the gate assumed when it gave their slots. */
const LINE_FACTOR = 1.5;
/** Rows that are remembered: of a host, and in all. A lost row becomes one of the oldest of its host. */
const MOST_OF_HOST = 25;
const MOST = 2_000;

export function keyOfRow({ sitemap, seq }: { sitemap: boolean; seq: number }): number {
  return sitemap ? -1 - seq : seq;
}

/** The remembered rows of a host after `found`, its rows in motion: those that did not move, then the oldest others. */
export function remember(
  still: readonly StillRow[],
  found: readonly { sitemap: boolean; seq: number; attempts: number }[],
  lapAt: number,
  now: number,
): StillRow[] {
  const known = new Map(still.map((row) => [row.key, row]));
  const rows = found.map((row): StillRow => {
    const key = keyOfRow(row);
    const before = known.get(key);
    known.delete(key);
    // After the clock was set back, a row counts from now on.
    const isStill = before?.attempts === row.attempts && before.seenAt <= now;
    const fresh = { key, attempts: row.attempts, seenAt: now, lapAt, waitsUntil: 0, sent: 0 };
    return isStill ? { ...before, lapAt } : fresh;
  });
  // A host may have rows in several parts of a lap.
  const elsewhere = [...known.values()];
  return [...elsewhere, ...rows].sort((a, b) => a.seenAt - b.seenAt || a.key - b.key).slice(0, MOST_OF_HOST);
}

/** The rows of a host about which its gate must be asked now. `lostAfterMs`: at least LOST_AFTER_MS. */
export function suspectsAmong(rows: readonly StillRow[], lapAt: number, lostAfterMs: number, now: number): StillRow[] {
  return rows.filter((row) => row.lapAt === lapAt && now >= row.waitsUntil && now - row.seenAt >= lostAfterMs);
}

/**
 * Decides which suspects are sent again. `isIdle`: the gate neither expects nor saw anything of the crawl, so all rows
 * of the host are as lost as they are.
 */
export function decideLost(
  suspects: readonly StillRow[],
  line: Line,
  lostAfterMs: number,
  now: number,
): { lost: StillRow[]; rows: StillRow[]; isIdle: boolean } {
  const isInLine = line.endsAt > now + SHORT_LINE_MS;
  const lost = suspects.filter(({ waitsUntil }) => !isInLine || waitsUntil > 0);
  const rows = suspects.map((row) => {
    if (!lost.includes(row)) return { ...row, waitsUntil: row.seenAt + LINE_FACTOR * (line.endsAt - row.seenAt) };
    // On a fast clock, lostAfterMs is longer than the longest wait.
    const waitMs = Math.max(lostAfterMs, Math.min(lostAfterMs * 2 ** row.sent, MAX_MESSAGE_WAIT_MS));
    return { ...row, sent: row.sent + 1, waitsUntil: Math.max(now, line.endsAt) + waitMs };
  });
  const isSeen = line.askedAt !== null && now - line.askedAt < lostAfterMs;
  return { lost, rows, isIdle: lost.length > 0 && line.endsAt <= now && !isSeen };
}

/** The search at the end of a lap: without the rows that moved, and without the newest where there are too many. */
export function endLap(search: MessageSearch): MessageSearch {
  const kept = Object.entries(search.hosts).flatMap(([host, rows]) =>
    rows.filter(({ lapAt }) => lapAt === search.lapAt).map((row) => ({ host, row })),
  );
  const oldest = kept.sort((a, b) => a.row.seenAt - b.row.seenAt || a.row.key - b.row.key).slice(0, MOST);
  const byHost = Map.groupBy(oldest, ({ host }) => host);
  const hosts = Object.fromEntries([...byHost].map(([host, rows]) => [host, rows.map(({ row }) => row)]));
  return { ...search, after: "", hosts };
}
