import { type HeldByHost, heldByHost } from "../changes/held-back.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { FieldChange } from "../crawl/page/page-fields.ts";
import { MAX_CHANGES, type NoticeMessage } from "../crawl/watch/notice.ts";
import type { Telling, TemplateStyle } from "../crawl/watch/notice-style.ts";
import { isWanted } from "../crawl/watch/tell-conditions.ts";
import { type DigestPage, nextDigestAt, type WordedChange } from "../crawl/watch/telling.ts";
import type { Deps } from "../frontier/deps.ts";
import type { NextChange, WaitingWebhook } from "../store/watches/told-changes.ts";
import { toChangeMessages } from "./change-messages.ts";
import { toDigestMessages } from "./digest-messages.ts";
import { readWords, type WordDeps } from "./read-words.ts";

/**
 * Tells a webhook the changes that wait for it: as they came, or as a digest; those that meet its conditions. Nothing
 * is kept in between: the number of the last change that was looked at moves on in the transaction that writes the
 * messages.
 */

/** Messages of one transaction. A message has up to 300 KB, and D1 takes 2 MB at once. */
const MESSAGES = 5;
/** Transactions for one webhook. What is left is told a minute later. */
const MAX_ROUNDS = 20;
/** Where stored versions are read: two of each page. */
const MAX_READING_ROUNDS = 3;
const MAX_READ_PAGES = 20;
/** Hosts whose changes of most pages a digest tells. */
const MAX_HOSTS = 20;

export type ChangeTelling = Pick<Deps, "toldChanges" | "months" | "ledger" | "clock"> & WordDeps;

const EACH: Telling = { digest: null, when: [], whenText: [] };

export async function tellChanges(webhook: WaitingWebhook, deps: ChangeTelling): Promise<void> {
  const { toldChanges, clock } = deps;
  const { crawl: id, telling, digestAt } = webhook;
  const style = webhook.style !== null && !("job" in webhook.style) ? webhook.style : null;
  const rules = telling ?? EACH;
  const isReading = style !== null || digestAt !== null || rules.whenText.length > 0;
  const crawl = isReading ? await deps.ledger.crawl(id) : null;
  let at = webhook;
  for (let round = 0; round < (isReading ? MAX_READING_ROUNDS : MAX_ROUNDS); round++) {
    const most = MESSAGES * MAX_CHANGES;
    const found = await toldChanges.next(at, most);
    if (found.length === 0 && digestAt === null) return toldChanges.passRemoved(at);
    const now = clock.now();
    const part = crawl === null ? found : readablePart(found, rules, digestAt !== null);
    const isLast = part.length === found.length && found.length < most;
    const { messages, to } =
      digestAt === null
        ? await toldAsTheyCame(at, part, { rules, style, crawl }, deps, now)
        : await toldAsDigest(at, part, { rules, style, crawl }, deps, now);
    const isWhole = to === (part.at(-1)?.change.seq ?? at.toldSeq);
    if (digestAt === null && to === at.toldSeq) return;
    const next = digestAt !== null && isLast && isWhole ? nextDigestAt(telling, now) : digestAt;
    if (!(await toldChanges.tell(at, messages, { to, nextDigestAt: next }, now))) return;
    if (isLast && isWhole) return;
    at = { ...at, toldSeq: to, digestAt: next, digestedAt: digestAt === null ? null : now };
  }
}

interface How {
  rules: Telling;
  style: TemplateStyle | null;
  /** Null where no version is read. */
  crawl: Crawl | null;
}

/** The first changes, as far as their versions may be read at once. A digest reads a page once. */
function readablePart(found: readonly NextChange[], { whenText }: Telling, isDigest: boolean): readonly NextChange[] {
  const pages = new Set<string>();
  const end = found.findIndex(({ change: { url, seq } }) => {
    pages.add(isDigest && whenText.length === 0 ? url : String(seq));
    return pages.size > MAX_READ_PAGES;
  });
  return end === -1 ? found : found.slice(0, end);
}

interface Told {
  messages: NoticeMessage[];
  /** The last change that was looked at, or told if not all fit. */
  to: number;
}

async function toldAsTheyCame(
  { crawl: id, id: webhook, toldSeq }: WaitingWebhook,
  part: readonly NextChange[],
  { rules, style, crawl }: How,
  deps: WordDeps,
  now: number,
): Promise<Told> {
  const wanted: WordedChange[] = [];
  for (const { change, fields } of part) {
    const worded = crawl === null ? change : { ...change, ...(await readWords(crawl, change, change, deps)) };
    if (isWanted(worded, fields, rules)) wanted.push(withChangedWords(worded));
  }
  const messages = toChangeMessages({ crawl: id, webhook, style }, wanted, MESSAGES, now);
  const isAll = (messages.at(-1)?.to ?? 0) === (wanted.at(-1)?.seq ?? 0);
  const to = isAll ? (part.at(-1)?.change.seq ?? toldSeq) : (messages.at(-1)?.to ?? toldSeq);
  return { messages, to };
}

async function toldAsDigest(
  { crawl: id, id: webhook, toldSeq, digestedAt }: WaitingWebhook,
  part: readonly NextChange[],
  { rules, style, crawl }: How,
  deps: ChangeTelling,
  now: number,
): Promise<Told> {
  const to = part.at(-1)?.change.seq ?? toldSeq;
  if (crawl === null) return { messages: [], to };
  const byPage = new Map<string, WordedChange[]>();
  for (const { change, fields } of part) {
    const asksForWords = rules.whenText.length > 0;
    const worded = asksForWords ? { ...change, ...(await readWords(crawl, change, change, deps)) } : change;
    if (isWanted(worded, fields, rules)) byPage.set(change.url, [...(byPage.get(change.url) ?? []), change]);
  }
  const pages: DigestPage[] = [];
  for (const changes of byPage.values()) {
    const [first, last] = [changes[0], changes.at(-1)];
    if (first === undefined || last === undefined) continue;
    const words = last.kind === "changed" ? await readWords(crawl, first, last, deps) : {};
    const { fields: _, ...rest } = last;
    const fields = joinFields(changes);
    pages.push({ ...rest, ...(fields.length === 0 ? {} : { fields }), changes: changes.length, ...words });
  }
  const everywhere = await readEverywhere(crawl, digestedAt ?? 0, now, deps);
  const digest = { crawl: id, webhook, style, pages, everywhere, since: digestedAt };
  return { messages: toDigestMessages(digest, now), to };
}

/** Each field that is another after all of these changes of one page than before. */
function joinFields(changes: readonly WordedChange[]): FieldChange[] {
  const joined = new Map<string, FieldChange>();
  for (const field of changes.flatMap(({ fields }) => fields ?? []))
    joined.set(field.name, { ...field, before: (joined.get(field.name) ?? field).before });
  return [...joined.values()].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

/** The whole text of a page that came or went is looked at by conditions, and is no news to tell. */
function withChangedWords(change: WordedChange): WordedChange {
  if (change.kind === "changed") return change;
  const { words: _, wordsLeftOut: __, ...plain } = change;
  return plain;
}

/** What came to most pages at once since the last digest: each is one thing, on however many pages. */
async function readEverywhere(
  { id, options }: Crawl,
  since: number,
  now: number,
  { months }: Pick<ChangeTelling, "months">,
): Promise<HeldByHost[]> {
  const everyMs = (options.watch?.everyS ?? 0) * 1_000;
  const tables = await months.evidence(id, MAX_HOSTS);
  return heldByHost(tables, { since, now, everyMs }).filter(({ sharedAt }) => sharedAt !== null && sharedAt > since);
}
