/**
 * How crawls share a host: whose turn the next lane is, and when the URLs that were refused come back. Pure functions
 * over the part of a host's state that says so.
 *
 * The rule: a lane goes to the crawl that was served longest ago, among those that ask now and those that were refused
 * and are about to return. So a crawl waits for at most one lane of each other crawl. Nobody waits for a crawl that is
 * not about to return.
 *
 * A crawl's place is held from a second before the slot of its refused URLs until any URLs of it come, for at most
 * five seconds after the slot. The gate cannot tell refused URLs from new ones: if new ones come in that time, they
 * take the turn, and the refused ones take part again when they come.
 */

/** A crawl as its host's gate remembers it. Times are milliseconds since the Unix epoch. */
interface CrawlTurn {
  epoch: number;
  /** The number of the last lane that had a URL of it; 0 before the first. */
  servedIn: number;
  /** When it last asked. */
  seenAt: number;
  /** When its next URLs are expected, whether they were refused or are new; null when none are. */
  dueAt: number | null;
  /** The next slot times of refused URLs, ascending. */
  returns: number[];
  /** How long a lane with as many URLs as it last asked for takes. */
  turnMs: number;
  /** The end of the slots that were given to refused URLs. */
  lineEndsAt: number;
  /** The end of the slots that were given to URLs before they were sent. */
  bookedUntil: number;
}

/** What a gate knows of URLs of a crawl that are on their way to it. Times are milliseconds since the Unix epoch. */
export interface CrawlLine {
  /** The end of the slots that they were given; 0 without any. */
  endsAt: number;
  /** When URLs of it last came; null if none have. */
  askedAt: number | null;
}

export type Turns = Record<string, CrawlTurn>;

/** Real time that a crawl may be late before others take its turn. */
const RETURN_GRACE_MS = 5_000;
/** Real time for which a lane waits for a crawl that returns soon. */
const RETURNS_SOON_MS = 1_000;
/** Real time after which the slots of a crawl that has not returned are free again: it was cancelled or paused. */
const FORGET_SLOTS_MS = 60_000;
/** A crawl that has not asked for this long loses its place in the order, and its suspects. */
const FORGET_CRAWL_MS = 86_400_000;
/** The maximum number of remembered crawls. */
const MAX_CRAWLS = 100;
/** The maximum number of slot times that are remembered for each. */
const MAX_RETURNS = 20;

const WITHOUT_SLOTS = { dueAt: null, lineEndsAt: 0, bookedUntil: 0 };

export function newTurn(epoch: number, now: number): CrawlTurn {
  return { epoch, seenAt: now, servedIn: 0, turnMs: 0, returns: [], ...WITHOUT_SLOTS };
}

function dropSlots(turn: CrawlTurn): void {
  Object.assign(turn, WITHOUT_SLOTS, { returns: [] });
}

/** The crawl's entry, which is made if it is missing. A newer epoch drops the slots of the older one. */
export function turnOf(turns: Turns, crawl: string, epoch: number, now: number): CrawlTurn {
  const turn = turns[crawl] ?? newTurn(epoch, now);
  if (epoch > turn.epoch) {
    dropSlots(turn);
    turn.epoch = epoch;
  }
  turn.seenAt = now;
  turns[crawl] = turn;
  return turn;
}

/**
 * Records that URLs of a crawl have come: those that were expected by now, or soon. The next ones are `periodMs` later,
 * while the crawl has slots left.
 */
export function recordArrival(turn: CrawlTurn, periodMs: number, speed: number, now: number): void {
  const soon = now + RETURNS_SOON_MS * speed;
  const { dueAt, returns } = turn;
  turn.returns = returns.filter((at) => at > soon);
  const nextReturn = (returns.findLast((at) => at <= soon) ?? turn.lineEndsAt) + periodMs;
  if (turn.returns.length === 0 && nextReturn + periodMs / 2 < turn.lineEndsAt)
    turn.returns = [Math.max(nextReturn, now)];
  if (dueAt !== null && dueAt > soon) return;
  const lastSlot = Math.max(turn.lineEndsAt, turn.bookedUntil);
  turn.dueAt = lastSlot > now ? Math.min(lastSlot, Math.max((dueAt ?? now) + periodMs, now)) : null;
}

/** Records that refused URLs of a crawl return at these times. */
export function expectReturns(turn: CrawlTurn, times: number[]): void {
  turn.returns = [...new Set([...turn.returns, ...times])].sort((a, b) => a - b).slice(0, MAX_RETURNS);
}

/** Records that URLs of a crawl are expected at `dueAt`. */
export function expectAt(turn: CrawlTurn, dueAt: number): void {
  turn.dueAt = Math.min(turn.dueAt ?? dueAt, dueAt);
}

/** Removes the slots of crawls that did not return, and crawls that have not asked for a day. Returns the latter. */
export function forgetAbsent(turns: Turns, speed: number, now: number): string[] {
  for (const turn of Object.values(turns)) {
    if (turn.dueAt !== null && now > turn.dueAt + FORGET_SLOTS_MS * speed) dropSlots(turn);
  }
  const byAge = Object.entries(turns).sort(([, a], [, b]) => b.seenAt - a.seenAt);
  const gone = byAge.filter(([, { dueAt, seenAt }], i) => {
    const isOld = now - seenAt > FORGET_CRAWL_MS && (dueAt === null || now - dueAt > FORGET_CRAWL_MS);
    return isOld || i >= MAX_CRAWLS;
  });
  for (const [crawl] of gone) delete turns[crawl];
  return gone.map(([crawl]) => crawl);
}

/** When URLs of a crawl last came, and until when more are expected. */
export function lineOf(turns: Turns, crawl: string, speed: number, now: number): CrawlLine {
  const turn = turns[crawl];
  if (turn === undefined) return { endsAt: 0, askedAt: null };
  const hasReturned = turn.dueAt === null || now <= turn.dueAt + FORGET_SLOTS_MS * speed;
  return { endsAt: hasReturned ? Math.max(turn.lineEndsAt, turn.bookedUntil) : 0, askedAt: turn.seenAt };
}

/** Crawls other than `crawl` whose URLs are expected, and not late. */
export function expected(turns: Turns, crawl: string, speed: number, now: number): [string, CrawlTurn][] {
  return Object.entries(turns).filter(([other, { dueAt }]) => other !== crawl && isAwaited(dueAt, speed, now));
}

function isAwaited(at: number | null | undefined, speed: number, now: number): boolean {
  return typeof at === "number" && now <= at + RETURN_GRACE_MS * speed;
}

/** The refused crawls that have a turn before this one, in their order. */
export function crawlsBefore(turns: Turns, crawl: string, speed: number, now: number): [string, CrawlTurn][] {
  const servedIn = turns[crawl]?.servedIn ?? 0;
  return Object.entries(turns)
    .filter(([, turn]) => turn.servedIn < servedIn && isAwaited(turn.returns[0], speed, now))
    .sort(([, a], [, b]) => a.servedIn - b.servedIn);
}

/**
 * The crawls of `asking` that may share a lane which starts at `startAt`, the one served longest ago first. A refused
 * crawl that returns by then goes before those that were served after it.
 */
export function crawlsInTurn(turns: Turns, asking: string[], startAt: number, speed: number, now: number): string[] {
  const servedIn = (crawl: string) => turns[crawl]?.servedIn ?? 0;
  const isBack = ({ returns: [first] }: CrawlTurn) => first !== undefined && first <= startAt + RETURNS_SOON_MS * speed;
  const absent = asking
    .flatMap((crawl) => crawlsBefore(turns, crawl, speed, now))
    .filter(([crawl, turn]) => !asking.includes(crawl) && isBack(turn));
  const first = Math.min(...absent.map(([, turn]) => turn.servedIn));
  return asking.filter((crawl) => servedIn(crawl) <= first).sort((a, b) => servedIn(a) - servedIn(b));
}
