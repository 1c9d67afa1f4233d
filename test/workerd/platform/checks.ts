import { expect } from "vitest";
import { costUsd, RESOURCES } from "../../../src/crawl/bounds/usage.ts";
import type { Crawl } from "../../../src/crawl/crawl.ts";
import type { Deps } from "../../../src/frontier/deps.ts";
import { LANE_BUDGET_MS } from "../../../src/host/full-lane.ts";
import { GUEST_CONNECTIONS, GUEST_DELAY_MS } from "../../../src/host/guest-limits.ts";
import { MAX_LATE_WAIT_MS } from "../../../src/host/host-state.ts";
import { PROOF_PATH } from "../../../src/host/ownership-proof.ts";
import { documentKey } from "../../../src/store/mirror/documents.ts";
import { readFields } from "../../../src/store/mirror/kept-fields.ts";
import { readStoredPage } from "../../../src/store/mirror/read-mirror.ts";
import { beginningOf } from "./document-served.ts";
import { htmlBeginningOf } from "./drawn-page.ts";
import { expectFewRanges } from "./media-checks.ts";
import type { Platform } from "./platform.ts";

/** A lost message costs a repair, and so does what the repair sends and loses. */
const REPAIRS_PER_EVENT = 3;
const MESSAGES_PER_URL = 8;
/** A day (RFC 9309, section 2.4), and what a request may wait. */
const HOUR_MS = 3_600_000;
const ROBOTS_MS = 26 * HOUR_MS;
/** Between the put of a document and its note in the ledger, and between a commit and the removal. */
const ON_THE_WAY_MS = 60_000;

/** What must hold after a run, whatever failed: the rules of docs/reliability.md. */

/**
 * The parts of a crawl over several ledgers, or the crawl itself. All ledgers of the model keep their rows together.
 */
export function partsIn({ database }: Platform, crawl: string): string[] {
  const rows = database.rows<{ crawl: string }>("SELECT crawl FROM shard_parts WHERE home = ?1 ORDER BY crawl", crawl);
  return rows.length === 0 ? [crawl] : rows.map((row) => row.crawl);
}

/** Every row of a crawl with its status and reason, in order. */
export async function endsOf(platform: Platform, crawl: string): Promise<string[]> {
  const { results } = await platform.database
    .bindingOf(null)
    .prepare("SELECT url, status, reason FROM urls WHERE crawl IN (SELECT value FROM json_each(?1)) ORDER BY url")
    .bind(JSON.stringify(partsIn(platform, crawl)))
    .all<{ url: string; status: string; reason: string | null }>();
  return results.map(({ url, status, reason }) => `${url} ${status} ${reason}`);
}

/**
 * Rule 3 (pace) and rule 4 (robots.txt first, and obeyed), over all crawls together. The pace is null where crawls have
 * several connections. `jumps`: times at which somebody set the clock, over which no rest can be measured. Set back by
 * an hour, a robots.txt is an hour older than it seems. The requests of a drawn page to a host go one at a time, and
 * then the host rests as after one fetch of that length.
 */
export function expectPolite(
  { web }: Platform,
  pace: { delayMs: number; delayFactor?: number; maxDelayMs?: number } | null,
  jumps: readonly number[] = [],
): void {
  for (const [host, requests] of Map.groupBy(web.requests, ({ host }) => host)) {
    expect(requests[0]?.url, `first of ${host}`).toContain("/robots.txt");
    let isForbidden = false;
    let readAt = 0;
    let visitBeganAt = 0;
    for (const [i, { url, startedAt, kind, forbids, visit }] of requests.entries()) {
      if (url.endsWith("/robots.txt")) {
        if (kind === "robots") isForbidden = forbids;
        readAt = startedAt;
      } else if (isForbidden) expect.fail(`${url} at ${startedAt}, which robots.txt forbids`);
      else if (startedAt - readAt > ROBOTS_MS + jumps.length * HOUR_MS)
        expect.fail(`${url} at ${startedAt}, and robots.txt was read at ${readAt}`);
      const before = requests[i - 1];
      const isSameVisit = visit !== null && visit === before?.visit;
      const visitMs = (before?.endedAt ?? startedAt) - visitBeganAt;
      if (!isSameVisit) visitBeganAt = startedAt;
      if (pace === null || before === undefined || jumps.some((at) => before.startedAt <= at && at <= startedAt))
        continue;
      const restMs = startedAt - before.endedAt;
      const { delayMs, delayFactor = 0, maxDelayMs = delayMs } = pace;
      const dueMs = Math.min(Math.max(delayFactor * visitMs, delayMs), maxDelayMs);
      if (restMs < (isSameVisit ? 0 : dueMs))
        expect.fail(`${before.url}, then ${url} at ${startedAt} after ${restMs} ms`);
    }
  }
}

/**
 * The limits of hosts that are not shown to be the operator's own, whatever the crawls ask for: no request of a host
 * starts within 0.2 s of another, and no more than two are under way at once. `ownFrom`: when a host is own.
 */
export function expectGuestLimits({ web }: Platform, ownFrom: (host: string) => number): void {
  for (const [host, requests] of Map.groupBy(web.requests, ({ host }) => host)) {
    const asGuest = requests.filter(({ startedAt }) => startedAt < ownFrom(host));
    for (const [i, { url, startedAt }] of asGuest.entries()) {
      const before = asGuest[i - 1];
      if (before !== undefined && startedAt - before.startedAt < GUEST_DELAY_MS)
        expect.fail(`${before.url}, then ${url} at ${startedAt} after ${startedAt - before.startedAt} ms`);
      const open = asGuest.slice(0, i).filter(({ endedAt }) => endedAt > startedAt);
      if (open.length >= GUEST_CONNECTIONS)
        expect.fail(`${url} at ${startedAt} beside ${open.map((other) => other.url).join(" and ")}`);
    }
  }
}

/** Requests of one URL that each fault and each deed may add: those of a lost lane, and of the messages it repeats. */
const REQUESTS_PER_EVENT = 2;

/**
 * No URL is requested much more often than it needs: `needed` times by each crawl, and again after faults and deeds.
 */
export function expectFewRequests(platform: Platform, needed: number, deeds: number): void {
  const { web, faults } = platform;
  const most = needed + REQUESTS_PER_EVENT * (faults.total + deeds);
  expectFewRanges(platform, most);
  const { givenBack } = web.browser;
  // What a page asks for while it is drawn follows from the requests of the page.
  const pages = web.requests.filter(
    ({ url, kind }) =>
      !url.endsWith("/robots.txt") && !url.endsWith(PROOF_PATH) && kind !== "script" && kind !== "media",
  );
  for (const [url, { length }] of Map.groupBy(pages, ({ url }) => url))
    expect(length, `requests of ${url}`).toBeLessThanOrEqual(most + (givenBack.get(url) ?? 0));
}

/** Every completed page has the fields that the hook gives it, large ones too. */
export async function expectFieldsKept(platform: Platform, crawl: string): Promise<void> {
  const { database, hook } = platform;
  if (hook === null) return;
  const rows = database.rows<{ url: string }>(
    "SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed' AND kind = 'page'",
    crawl,
  );
  for (const { url } of rows) await expectFields(platform, crawl, { url });
}

/** A page has the fields that the hook gives it. `text`: what it says, where that matters. */
export async function expectFields(
  { database, hook, reader }: Platform,
  crawl: string,
  { url, text }: { url: string; text?: string },
): Promise<void> {
  if (hook === null) return;
  const query = "SELECT fields FROM urls WHERE crawl = ?1 AND url = ?2";
  const fields = database.rows<{ fields: string | null }>(query, crawl, url)[0]?.fields ?? null;
  const known = fields === null ? null : (await readFields(crawl, JSON.parse(fields), reader.packs)).values;
  // A text of megabytes is no message.
  if (JSON.stringify(known) !== JSON.stringify(hook.fieldsOf(url, text)))
    expect.fail(`fields of ${url}, which says ${text}: ${fields?.slice(0, 200)}`);
}

/** A crawl that renders every page has each of its completed HTML pages as a browser drew it. */
export function expectDrawn({ database, web }: Platform, { id, options }: Crawl): void {
  if (options.render !== "always") return;
  const rows = database.rows<{ url: string; rendered: string | null }>(
    "SELECT url, rendered FROM urls WHERE crawl = ?1 AND status = 'completed'",
    id,
  );
  for (const { url, rendered } of rows) {
    const answer = web.answerOf(url);
    if (answer.kind === "page" && answer.drawn !== undefined) expect(rendered, url).toMatch(/the crawl renders/);
  }
}

/** Each document was read as it was sent, and none is left that waits to be read, or at most so many. */
export function expectDocumentsRead(platform: Platform, mostLeft = 0): void {
  expect(platform.readerWorker.violations).toEqual([]);
  expect(documentsOf(platform).slice(mostLeft), "documents that are left").toEqual([]);
}

/** As `expectDocumentsRead`, of a crawl that goes on: what the ledger knows of may wait, and what is on its way. */
export async function expectDocumentsKnown(platform: Platform, mostLeft: number): Promise<void> {
  const { database, readerWorker, time } = platform;
  expect(readerWorker.violations).toEqual([]);
  const before = new Set(documentsOf(platform));
  await time.sleep(ON_THE_WAY_MS);
  const rows = database.rows<{ crawl: string; url: string; visit: number | null }>(
    "SELECT crawl, url, visit FROM waiting_documents",
  );
  const waiting = new Set(rows.map(({ crawl, url, visit }) => documentKey(crawl, url, visit)));
  const left = documentsOf(platform).filter((key) => before.has(key) && !waiting.has(key));
  expect(left.slice(mostLeft), "documents that nobody knows of").toEqual([]);
}

function documentsOf({ bucket }: Platform): string[] {
  return [...bucket.objects.keys()].filter((key) => key.includes("/packs/documents/"));
}

/**
 * Every completed page of a crawl can be read. Only a page whose record says that its transfer broke off may be the
 * beginning of what was sent: faults may leave no other attempt than one in which the server breaks off.
 */
export async function expectMirrored(crawl: Crawl, ends: string[], reader: Deps): Promise<void> {
  for (const end of ends) {
    const [url = "", status] = end.split(" ");
    if (status !== "completed") continue;
    const page = await readStoredPage(crawl, url, reader);
    const body = page === null ? null : new TextDecoder().decode(page.body);
    const beginnings = [beginningOf(url), htmlBeginningOf(url)];
    const isCut = (await reader.records.get(crawl.id, url))?.truncated === "disconnect";
    if (isCut) expect(body !== null && body !== url && url.startsWith(body), `${url} is cut: ${body}`).toBe(true);
    else if (!beginnings.some((beginning) => body?.startsWith(beginning))) expect(body, url).toBe(url);
  }
}

/** No crawl pays for what nobody used, and all of them pay for no more than was used. */
export function expectBillSane(
  { databases, bucket, frontier, documents, deadLetters, web }: Platform,
  crawls: Crawl[],
): void {
  const sum = (of: (crawl: Crawl) => number | undefined) => crawls.reduce((all, crawl) => all + (of(crawl) ?? 0), 0);
  for (const { usage } of crawls) {
    for (const resource of RESOURCES) expect(usage[resource] ?? 0, resource).toBeGreaterThanOrEqual(0);
    expect(costUsd(usage)).toBeGreaterThan(0);
  }
  const [queues, rounding] = [[frontier, documents, deadLetters], 1e-6];
  const operations = queues.reduce((all, { counts }) => all + counts.requested + 2 * counts.delivered, 0);
  const inAll = (rows: "rowsWritten" | "rowsRead") =>
    databases.reduce((all, { counts }) => all + counts[rows], rounding);
  expect(sum(({ usage }) => usage.ledgerRowsWritten)).toBeLessThanOrEqual(inAll("rowsWritten"));
  expect(sum(({ usage }) => usage.ledgerRowsRead)).toBeLessThanOrEqual(inAll("rowsRead"));
  expect(sum(({ usage }) => usage.mirrorWrites)).toBeLessThanOrEqual(bucket.counts.calls + rounding);
  expect(sum(({ usage }) => usage.browserSeconds)).toBeLessThanOrEqual(web.browser.counts.billedMs / 1_000 + rounding);
  expect(sum(({ usage }) => usage.queueOperations)).toBeLessThanOrEqual(operations + rounding);
}

/**
 * The number of messages and of repairs is bounded by the URLs, the slow answers, the faults and what users did.
 * Without faults and users, nothing is repaired: a repair sends every queued URL again. A host that answers most
 * requests soon and some slowly has a line that is planned by the usual ones, so what waits in it comes too early when
 * one is slow.
 */
export function expectNoFlood({ frontier, counts, faults, web }: Platform, urls: number, deeds: number): void {
  const events = faults.total + deeds;
  expect(counts.repairs, "repairs").toBeLessThanOrEqual(REPAIRS_PER_EVENT * events);
  const times = web.requests.map(({ startedAt, endedAt }) => endedAt - startedAt).filter((ms) => ms > LANE_BUDGET_MS);
  const tooEarly = urls * times.reduce((sum, ms) => sum + Math.ceil(ms / MAX_LATE_WAIT_MS), 0);
  const most = MESSAGES_PER_URL * (urls + 1) * (1 + events) + tooEarly;
  expect(frontier.counts.sent, "messages").toBeLessThanOrEqual(most);
}

/**
 * Watches every transaction. Returns what went wrong: once the limit of a crawl was raised to `raised`, no URL may be
 * skipped for its limit.
 */
export function watchLimit({ database, databases, time }: Platform, crawl: string, raised: number): string[] {
  const violations: string[] = [];
  const skipped = new Map<string, number>();
  const look = () => {
    // Each part hears of the limit by itself.
    const rows = database.rows<{ id: string; most: number; n: number }>(
      `SELECT id, options ->> 'limit' AS most, (SELECT count(*) FROM urls WHERE crawl = crawls.id AND reason = 'limit') AS n
       FROM crawls WHERE id = ?1 OR id IN (SELECT crawl FROM shard_parts WHERE home = ?1)`,
      crawl,
    );
    for (const { id, most, n } of rows) {
      const before = skipped.get(id) ?? 0;
      if (most === raised && n > before) violations.push(`${n - before} URLs of ${id} skipped at ${time.now()}`);
      skipped.set(id, n);
    }
  };
  for (const each of databases) each.onRun.add(look);
  return violations;
}

/** Nothing of a deleted crawl is left, in any table. */
export async function expectGone({ database, bucket }: Platform, crawl: string): Promise<void> {
  const tables = database.rows<{ name: string }>(
    `SELECT t.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c ON c.name = 'crawl'
     WHERE t.type IN ('table', 'virtual') ORDER BY t.name`,
  );
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables) {
    const [row] = database.rows<{ n: number }>(`SELECT count(*) AS n FROM ${name} WHERE crawl = ?1`, crawl);
    expect(row?.n, `rows of ${name}`).toBe(0);
  }
  expect(database.rows("SELECT id FROM crawls WHERE id = ?1", crawl)).toEqual([]);
  expect([...bucket.objects.keys()].filter((key) => key.startsWith(crawl))).toEqual([]);
}
