import type { Clock } from "../../core/clock.ts";
import { MAX_MESSAGE_URLS } from "../../crawl/bounds/batch-size.ts";
import type { DocumentAnswer } from "../../crawl/page/outcome.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { hostKey } from "../../url/host-key.ts";

/**
 * Messages of the frontier. A message is a hint to work on some ledger rows: losing it or seeing it twice changes
 * nothing. It is dropped where its epoch is not its crawl's.
 */
export interface FrontierMessage {
  /** Version of this shape. The third has `sitemapsAt`, the fourth `left` and no URLs. */
  v: 2 | 3 | 4;
  crawl: string;
  epoch: number;
  /** URLs that are due at the same time. A message costs three operations, whatever it holds. */
  urls: string[];
  /** The URLs are sitemaps, not pages. */
  sitemap?: true;
  /** The places of sitemaps among the URLs, if others are pages: a lane of their host takes both. */
  sitemapsAt?: number[];
  /** The URLs are known, to visit or read again: the number of settled visits or readings of each, in their order. */
  visits?: number[];
  /** How often batches with these URLs failed in a row through a fault of the platform. Defaults to 0. */
  failures?: number;
  /** The hook is asked about this URL alone, because a call for several failed. The message has one URL. */
  askAlone?: true;
  /** Its pages are read in their lanes, whatever they weigh (large-page.ts). */
  inLane?: true;
  /**
   * It asks for what a part of a crawl over several ledgers has left for others, if the row with this number still
   * waits (deliver-left.ts).
   */
  left?: number;
}

/** A request to deliver what a part has left. `row`: the oldest row when it was sent. */
export interface LeftHint {
  crawl: string;
  row: number;
}

/**
 * A message of the queue of documents. It names a document that waits, and has one document read: the one whose turn it
 * is (read-waiting.ts).
 */
export interface DocumentMessage extends Pick<FrontierMessage, "v" | "crawl" | "epoch" | "urls" | "visits"> {
  /** Of the document. Messages of earlier versions alone have it. */
  answer?: DocumentAnswer;
  /** It has nothing read: what lies in the mirror in the place of the document is removed, unless it waits. */
  sweeps?: true;
}

/** A hint to work on one row. */
export interface Hint {
  crawl: string;
  epoch: number;
  url: string;
  sitemap: boolean;
  /** The number of settled visits of a known page, or of readings of a sitemap; null for a row that is queued. */
  visit: number | null;
  failures: number;
  askAlone?: true;
  inLane?: true;
}

/** Equal for two hints to work on the same row of the same epoch. */
export function keyOf({ crawl, epoch, url, sitemap, visit }: Omit<Hint, "failures" | "askAlone" | "inLane">): string {
  return `${crawl} ${epoch} ${sitemap} ${visit} ${url}`;
}

/** Characters of the URLs of a message: five of the longest, or twelve of up to 853. */
const MAX_MESSAGE_CHARACTERS = 5 * MAX_URL_LENGTH;

/**
 * The hints in a message's body; null for a version that this code does not know, which a deploy may leave behind.
 * Messages of the first version held one URL each.
 */
export function hintsOf(body: unknown): Hint[] | null {
  const { v, crawl, epoch, url, urls, sitemap, sitemapsAt, visits, failures, askAlone, inLane } = (body ??
    {}) as Partial<Record<string, unknown>>;
  const all: unknown = v === 1 ? [url] : v === 2 || v === 3 ? urls : null;
  if (typeof crawl !== "string" || typeof epoch !== "number" || !isTexts(all)) return null;
  const failed = typeof failures === "number" ? failures : 0;
  const counts = isNumbers(visits) ? visits : [];
  const isSitemap = (i: number) => sitemap === true || (isNumbers(sitemapsAt) && sitemapsAt.includes(i));
  return all.map((one, i) => {
    const hint = { crawl, epoch, url: one, sitemap: isSitemap(i), visit: counts[i] ?? null, failures: failed };
    return { ...hint, ...(askAlone === true ? { askAlone } : {}), ...(inLane === true ? { inLane } : {}) };
  });
}

/** The request in a message's body; null if it has none. */
export function leftIn(body: unknown): LeftHint | null {
  const { v, crawl, left } = (body ?? {}) as Partial<Record<string, unknown>>;
  return v === 4 && typeof crawl === "string" && typeof left === "number" ? { crawl, row: left } : null;
}

function isNumbers(list: unknown): list is number[] {
  return Array.isArray(list) && list.every((item) => typeof item === "number");
}

function isTexts(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((item) => typeof item === "string");
}

/** A hint to send. */
export interface Dispatch extends Omit<Hint, "failures" | "visit"> {
  /** Defaults to null. */
  visit?: number | null;
  /** Defaults to 0. */
  failures?: number;
  /** Least wait until its URL's turn, in milliseconds. */
  delayMs: number;
}

/**
 * https://developers.cloudflare.com/queues/platform/limits/. One call takes 256,000 bytes; some are left for what the
 * page does not count. One message takes 128,000 bytes: five URLs of 2,048 characters (`MAX_URL_LENGTH`) are at most
 * 62,000, even if JSON escapes every character.
 */
export const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 240_000;
/** Bytes that a message takes beside its body. */
const MESSAGE_OVERHEAD = 100;
/** https://developers.cloudflare.com/queues/platform/limits/ */
export const MAX_DELAY_S = 86_400;
/** A message of an unknown version is retried after the deployment of the code that knows it: a minute or two. */
export const UNKNOWN_RETRY_S = 60;
/** URLs that are due within this time share a message: one that comes early waits in its lane. */
const TOGETHER_MS = 2_000;

const encoder = new TextEncoder();

/** The queue, and the clock in which delays are counted. */
interface FrontierOutlet {
  frontier: Queue<FrontierMessage>;
  clock: Pick<Clock, "speed">;
}

/** Sends what a crawl set in motion, without delay, pages first. Their gates give them slots as they arrive. */
export async function dispatchNow(
  outlet: FrontierOutlet,
  { crawl, epoch }: Pick<FrontierMessage, "crawl" | "epoch">,
  { queued, sitemaps }: { queued: string[]; sitemaps: string[] },
): Promise<void> {
  const now = (sitemap: boolean) => (url: string) => ({ crawl, epoch, url, sitemap, delayMs: 0 });
  await dispatch(outlet, [...queued.map(now(false)), ...sitemaps.map(now(true))]);
}

/**
 * Sends with as few messages and calls as the platform allows. A queue's delays are whole seconds: what is due within
 * one goes now, and its lane waits out the rest. What is due later comes up to a second late, for if it came early, the
 * lane before it would often still hold the host, and it would have to be sent again.
 */
export async function dispatch({ frontier, clock }: FrontierOutlet, dispatches: Dispatch[]): Promise<void> {
  let batch: MessageSendRequest<FrontierMessage>[] = [];
  let bytes = 0;
  for (const { body, delayMs } of together(dispatches)) {
    const size = encoder.encode(JSON.stringify(body)).byteLength + MESSAGE_OVERHEAD;
    if (batch.length === MAX_BATCH || bytes + size > MAX_BATCH_BYTES) {
      await frontier.sendBatch(batch);
      batch = [];
      bytes = 0;
    }
    batch.push({ body, delaySeconds: Math.min(delaySecondsOf(delayMs / clock.speed), MAX_DELAY_S) });
    bytes += size;
  }
  if (batch.length > 0) await frontier.sendBatch(batch);
}

/** Asks for what a part has left, after so many milliseconds. */
export async function askForLeft(
  { frontier, clock }: FrontierOutlet,
  { crawl, row }: LeftHint,
  delayMs: number,
): Promise<void> {
  const body: FrontierMessage = { v: 4, crawl, epoch: 0, urls: [], left: row };
  await frontier.sendBatch([{ body, delaySeconds: delaySecondsOf(delayMs / clock.speed) }]);
}

function delaySecondsOf(delayMs: number): number {
  return delayMs < 1_000 ? 0 : Math.ceil(delayMs / 1_000);
}

function groupOf({ crawl, epoch, url, visit = null, failures = 0, askAlone, inLane }: Dispatch): string {
  return `${crawl} ${epoch} ${visit !== null} ${failures} ${inLane} ${askAlone === true ? url : ""}`;
}

/**
 * Soonest first. URLs that one host takes at the same time stay together: a second message of the host would find its
 * lane taken. Several hosts share a message where all fit.
 */
function together(dispatches: Dispatch[]): { body: FrontierMessage; delayMs: number }[] {
  return [...Map.groupBy(dispatches, groupOf).values()].flatMap((group) => {
    const messages: { taken: Dispatch[]; delayMs: number }[] = [];
    for (const { taken, delayMs } of turnsOf(group)) {
      const last = messages.at(-1);
      const all = [...(last?.taken ?? []), ...taken];
      const fits = all.length <= mostTogether(all);
      if (last !== undefined && fits && delayMs - last.delayMs < TOGETHER_MS) last.taken = all;
      else messages.push({ taken, delayMs });
    }
    return messages.flatMap(({ taken, delayMs }) =>
      taken.slice(0, 1).map((first) => ({ body: bodyOf(first, taken), delayMs })),
    );
  });
}

/** `first`: the first of them, which have everything but their URLs, kinds and visits in common. */
function bodyOf(
  { crawl, epoch, failures = 0, askAlone, inLane }: Dispatch,
  taken: readonly Dispatch[],
): FrontierMessage {
  const sitemapsAt = taken.flatMap(({ sitemap }, i) => (sitemap ? [i] : []));
  const visits = taken.flatMap(({ visit }) => visit ?? []);
  const isMixed = sitemapsAt.length > 0 && sitemapsAt.length < taken.length;
  return {
    ...{ v: isMixed ? 3 : 2, crawl, epoch, urls: taken.map(({ url }) => url) },
    ...(isMixed ? { sitemapsAt } : sitemapsAt.length > 0 ? { sitemap: true } : {}),
    ...(visits.length > 0 ? { visits } : {}),
    ...(failures > 0 ? { failures } : {}),
    ...(askAlone === undefined ? {} : { askAlone }),
    ...(inLane === undefined ? {} : { inLane }),
  };
}

/** URLs of one host that are due at the same time, as many as share a message. */
function turnsOf(group: Dispatch[]): { taken: Dispatch[]; delayMs: number }[] {
  const sorted = group.toSorted((a, b) => a.delayMs - b.delayMs);
  return [...Map.groupBy(sorted, ({ url, delayMs }) => `${delayMs} ${hostKey(url)}`).values()].flatMap((turn) =>
    slicesOf(turn, mostTogether(turn)).map((taken) => ({ taken, delayMs: taken[0]?.delayMs ?? 0 })),
  );
}

/** How many of these URLs share a message. */
function mostTogether(urls: readonly Dispatch[]): number {
  const longest = Math.max(...urls.map(({ url }) => url.length));
  return Math.max(1, Math.min(MAX_MESSAGE_URLS, Math.floor(MAX_MESSAGE_CHARACTERS / longest)));
}

function slicesOf<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most));
}
