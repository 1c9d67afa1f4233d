/**
 * How crawls share a host: whose turn the next lane is, and when the URLs that were refused come back. Pure functions
 * over the part of a host's state that says so.
 *
 * The rule: a lane goes to the crawl that was served longest ago, among those that ask now and those that were refused
 * and are about to return. So a crawl waits for at most one lane of each other crawl. Nobody waits for a crawl that is
 * not about to return.
 */

/** A crawl as its host's gate remembers it. Times are milliseconds since the Unix epoch. */
export interface CrawlTurn {
  epoch: number;
  /** The number of the last lane that had a URL of it; 0 before the first. */
  servedIn: number;
  /** When it last asked. */
  seenAt: number;
  /** When its next URLs are expected; null when none are. */
  dueAt: number | null;
  /** Whether some of these URLs were refused before. */
  isRefused: boolean;
  /** How long a lane with as many URLs as it last asked for takes. */
  turnMs: number;
  /** The end of the slots that were given to refused URLs. */
  lineEndsAt: number;
  /** The end of the slots that were given to URLs before they were sent. */
  bookedUntil: number;
}

export type Turns = Record<string, CrawlTurn>;

/** Real time that a crawl may be late before others take its turn. */
const RETURN_GRACE_MS = 5_000;
/** Real time for which a lane waits for a crawl that returns soon. */
const SOON_MS = 1_000;
/** Real time after which the slots of a crawl that has not returned are free again: it was cancelled or paused. */
const FORGET_SLOTS_MS = 60_000;
/** A crawl that has not asked for this long loses its place in the order, and its suspects. */
const FORGET_CRAWL_MS = 86_400_000;
/** The maximum number of remembered crawls. */
const MAX_CRAWLS = 100;

const WITHOUT_SLOTS = { dueAt: null, isRefused: false, lineEndsAt: 0, bookedUntil: 0 };

export function newTurn(epoch: number, now: number): CrawlTurn {
  return { epoch, seenAt: now, servedIn: 0, turnMs: 0, ...WITHOUT_SLOTS };
}

/** The crawl's entry, which is made if it is missing. A newer epoch drops the slots of the older one. */
export function turnOf(turns: Turns, crawl: string, epoch: number, now: number): CrawlTurn {
  const turn = turns[crawl] ?? newTurn(epoch, now);
  if (epoch > turn.epoch) Object.assign(turn, WITHOUT_SLOTS, { epoch });
  turn.seenAt = now;
  turns[crawl] = turn;
  return turn;
}

/**
 * Records that URLs of a crawl have come. If they are those that were expected, the next ones are `periodMs` later,
 * while the crawl has slots left.
 */
export function recordArrival(turn: CrawlTurn, periodMs: number, speed: number, now: number): void {
  const { dueAt } = turn;
  if (dueAt !== null && now < dueAt - SOON_MS * speed) return;
  const lastSlot = Math.max(turn.lineEndsAt, turn.bookedUntil);
  const nextAt = Math.max((dueAt ?? now) + periodMs, now);
  turn.dueAt = lastSlot > now ? Math.min(lastSlot, nextAt) : null;
  turn.isRefused = turn.lineEndsAt > now;
}

/** Records that URLs of a crawl are expected at `dueAt`. */
export function expectAt(turn: CrawlTurn, dueAt: number): void {
  turn.dueAt = Math.min(turn.dueAt ?? dueAt, dueAt);
}

/** Removes the slots of crawls that did not return, and crawls that have not asked for a day. Returns the latter. */
export function forgetAbsent(turns: Turns, speed: number, now: number): string[] {
  for (const turn of Object.values(turns)) {
    if (turn.dueAt !== null && now > turn.dueAt + FORGET_SLOTS_MS * speed) Object.assign(turn, WITHOUT_SLOTS);
  }
  const byAge = Object.entries(turns).sort(([, a], [, b]) => b.seenAt - a.seenAt);
  const gone = byAge.filter(([, { dueAt, seenAt }], i) => {
    const isOld = now - seenAt > FORGET_CRAWL_MS && (dueAt === null || now - dueAt > FORGET_CRAWL_MS);
    return isOld || i >= MAX_CRAWLS;
  });
  for (const [crawl] of gone) delete turns[crawl];
  return gone.map(([crawl]) => crawl);
}

/** Crawls other than `crawl` whose URLs are expected, and not late. */
export function expected(turns: Turns, crawl: string, speed: number, now: number): [string, CrawlTurn][] {
  const isExpected = ({ dueAt }: CrawlTurn) => dueAt !== null && now <= dueAt + RETURN_GRACE_MS * speed;
  return Object.entries(turns).filter(([other, turn]) => other !== crawl && isExpected(turn));
}

/** The refused crawls that have a turn before this one, in their order. */
export function crawlsBefore(turns: Turns, crawl: string, speed: number, now: number): [string, CrawlTurn][] {
  const servedIn = turns[crawl]?.servedIn ?? 0;
  return expected(turns, crawl, speed, now)
    .filter(([, turn]) => turn.isRefused && turn.servedIn < servedIn)
    .sort(([, a], [, b]) => a.servedIn - b.servedIn);
}

/**
 * The crawls of `asking` that may share a lane which starts at `startAt`, the one served longest ago first. A refused
 * crawl that returns by then goes before those that were served after it.
 */
export function crawlsInTurn(turns: Turns, asking: string[], startAt: number, speed: number, now: number): string[] {
  const servedIn = (crawl: string) => turns[crawl]?.servedIn ?? 0;
  const absent = asking
    .flatMap((crawl) => crawlsBefore(turns, crawl, speed, now))
    .filter(([crawl, { dueAt }]) => !asking.includes(crawl) && (dueAt ?? 0) <= startAt + SOON_MS * speed);
  const first = Math.min(...absent.map(([, turn]) => turn.servedIn));
  return asking.filter((crawl) => servedIn(crawl) <= first).sort((a, b) => servedIn(a) - servedIn(b));
}
