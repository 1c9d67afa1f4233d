import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { beginLearning, type LearnedTopic } from "../../src/crawl/subject/learned-topic.ts";
import { openBudget } from "../../src/revisit/visit-budget.ts";
import { EndlessHosts } from "../../src/store/learned/endless-hosts.ts";
import { LearnedByCrawl } from "../../src/store/learned/learned.ts";
import { sortContents } from "../../src/store/ledger/contents.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit, planCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Motion } from "../../src/store/ledger/motion.ts";
import { runPlan } from "../../src/store/ledger/plan.ts";
import { Lowered } from "../../src/store/ledger/waiting/lowered.ts";
import { Waits } from "../../src/store/ledger/waiting/waits.ts";
import { planReopening, planReopeningRule, WithheldUrls } from "../../src/store/ledger/waiting/withheld-urls.ts";
import { ArchiveIndex } from "../../src/store/mirror/archive-index.ts";
import { Records } from "../../src/store/records/records.ts";
import { planLeaving, ShardOutbox } from "../../src/store/shards/shard-outbox.ts";
import { Sitemaps } from "../../src/store/records/sitemaps.ts";
import { Changes } from "../../src/store/watches/changes.ts";
import { DueVisits } from "../../src/store/watches/due-visits.ts";
import { OldVersions } from "../../src/store/watches/old-versions.ts";
import { PageTroubles } from "../../src/store/watches/page-troubles.ts";
import { Readings } from "../../src/store/watches/readings.ts";
import { SecondLooks } from "../../src/store/watches/second-looks.ts";
import { Signals } from "../../src/store/watches/signals.ts";
import { Surveys } from "../../src/store/watches/surveys.ts";
import { ToldChanges } from "../../src/store/watches/told-changes.ts";
import { ToldTroubles } from "../../src/store/watches/told-troubles.ts";
import { WatchHosts } from "../../src/store/watches/watch-hosts.ts";
import { discovered, settled, visited, WATCH } from "./rows.ts";

/** A full ledger, and calls that run every statement of a commit, of admission and of repairs on it. */

const SEED = "https://a.test/";
const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", limit: 1_000_000, search: true, watch: WATCH };

/** Two crawls: `full` has this many URLs and sitemaps, `small` a few of each. */
export async function fillLedger(db: D1Database, urls: number, sitemaps: number): Promise<void> {
  const count = (n: number) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})`;
  for (const [id, most, mostSitemaps] of [
    ["full", urls, sitemaps],
    ["small", 10, 10],
  ] as const) {
    const seeds = [discovered(SEED, { depth: 0 })];
    await new Ledger(db).create({ id, options, hosts: ["a.test"], seeds, sitemaps: [], now: 1 });
    for (const sql of [
      `${count(most)} INSERT INTO urls (crawl, url, status, reason, depth, priority, seq, sha256, fetched_at, pack, pack_offset, due_at)
       SELECT '${id}', '${SEED}' || i, CASE i % 4 WHEN 0 THEN 'pending' WHEN 1 THEN 'queued' WHEN 2 THEN 'completed' ELSE 'errored' END,
         CASE i % 4 WHEN 3 THEN 'timeout' END, 1, 0, i, CASE i % 4 WHEN 2 THEN 'd' || (i / 8) END, i, 'p', i,
         CASE i % 40 WHEN 1 THEN i END FROM n`,
      `${count(mostSitemaps)} INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, seq, due_at)
       SELECT '${id}', '${SEED}' || i || '.xml', CASE WHEN i % 3 = 0 THEN 'completed' WHEN i % 40 = 1 THEN 'queued' ELSE 'pending' END,
         'host-' || (i % 8), 0, 0, i, CASE i % 40 WHEN 1 THEN i END FROM n`,
      `${count(most)} INSERT INTO variants (crawl, pattern, count) SELECT '${id}', 'p' || i, 1 FROM n`,
      `${count(most)} INSERT INTO search_pages (crawl, url, unspaced, title, text) SELECT '${id}', '${SEED}' || i, 0, '', '' FROM n`,
      `${count(most / 10)} INSERT INTO backlog (crawl, priority, depth, seq, count, urls)
       SELECT '${id}', i % 3, 2, 100 * (i + ${most}), 100, json_array('${SEED}waits-' || i) FROM n`,
      `${count(most / 10)} INSERT INTO withheld_urls (crawl, host, rule, seq, total, count, links, urls)
       SELECT '${id}', 'a.test', 'r' || (i % 9), 100 * i, 100, 1, 1, '[]' FROM n`,
      `${count(most / 10)} INSERT INTO promotions (at, tx, crawl, pending, assets_pending, growing_pending, backlog, assets_backlog,
         growing_backlog, ranges)
       SELECT i, random(), '${id}', 0, 0, 0, 0, 0, 0, '[]' FROM n`,
      `INSERT INTO finished (crawl, seq, part, urls, digests) VALUES ('${id}', 1, 0, '["${SEED}2"]', '["00"]')`,
      `INSERT INTO contents (crawl, prefix, pages)
       VALUES ('${id}', '0', (${count(3_000)} SELECT group_concat(json_array('00' || i, 1, 0)) FROM n))`,
      `UPDATE crawls SET (discovered, pending, queued, completed, errored) = (
         SELECT count(*), sum(status = 'pending'), sum(status = 'queued'), sum(status = 'completed'), sum(status = 'errored')
         FROM urls WHERE crawl = '${id}') WHERE id = '${id}'`,
      `UPDATE crawls SET queued = queued + b.n, backlog = b.n, discovered = discovered + b.n
       FROM (SELECT sum(count) AS n FROM backlog WHERE crawl = '${id}') b WHERE id = '${id}'`,
    ]) {
      await db.prepare(sql).run();
    }
  }
}

export async function runEveryStatement(db: D1Database): Promise<void> {
  const ledger = new Ledger(db);
  const waits = new Waits(db);
  const crawl = "full";
  const now = 1_000_000;
  const [queued, other, busy, kept] = [`${SEED}5`, `${SEED}9`, `${SEED}13`, `${SEED}2`];
  const sitemap = `${SEED}1.xml`;
  const place = { pack: "q", offset: 1, length: 1, revisits: null, contentOffset: null, contentLength: null };
  const packed = { ...place, linksOffset: 2, linksLength: 1 };
  const found = [
    discovered(`${SEED}new`, { via: queued, pattern: "p1" }),
    discovered(`${SEED}image`, { via: queued, kind: "asset", priority: 1_000 }),
  ];
  const commit = {
    ...emptyCommit(crawl),
    outcomes: [
      settled(queued, { packed }),
      settled(other, { status: "errored" as const, reason: "timeout" as const }),
      settled(busy, { status: "queued" as const, reason: "timeout" as const }),
    ],
    texts: [
      { url: queued, title: "爬虫", text: "爬虫 and words", visit: null },
      { url: kept, title: "爬虫", text: "爬虫 again", visit: 0 },
    ],
    added: [queued],
    visits: [
      visited(kept, { result: "changed", change: "changed", outcome: settled(kept, { packed }) }),
      visited(`${SEED}6`, { signalledAt: 5, tested: { signalled: 1, proved: 0, expected: 0.5, changed: 0 } }),
      visited(`${SEED}10`, { result: "failed", failures: 3, trouble: "why", marks: ["m"] }),
      visited(`${SEED}9`, { recovers: true }),
    ],
    hostPages: [{ url: queued, host: "a.test" }],
    limitPerHost: 2,
    discoveries: found,
    withheld: [{ host: "a.test", rule: "r", urls: [{ url: `${SEED}w`, same: [queued], found: null }] }],
    released: [
      {
        host: "a.test",
        rule: "r",
        rows: [{ seq: 0, version: 1, tested: 1, urls: [], isOpen: false }],
        released: [{ url: other, isTest: true }],
      },
    ],
    depths: { read: [{ url: queued, depth: 5 }], looked: [kept], reopened: [busy] },
    askAgain: [{ url: queued, page: queued, fetchedAt: 5, redirects: 1, cookies: "[]" }],
    sitemapOutcomes: [
      {
        url: sitemap,
        status: "completed" as const,
        reason: null,
        detail: null,
        httpStatus: 200,
        fetchedAt: 5,
        listed: 1,
        etag: null,
        lastModified: null,
        packed: null,
      },
    ],
    readings: [
      {
        url: `${SEED}3.xml`,
        reading: 0,
        isRead: true,
        detail: null,
        httpStatus: 200,
        listed: 1,
        readAt: 5,
        etag: null,
        lastModified: null,
      },
    ],
    signals: [{ url: `${SEED}6`, lastmod: 5, isDue: true }],
    sitemaps: [{ url: `${SEED}new.xml`, via: sitemap, guessed: false, depth: 1, redirects: 0 }],
    dated: [{ url: queued, lastmod: 5 }],
    refusals: [
      { page: queued, in: "urls" as const, reason: "off-host" as const, count: 1, examples: ["https://b.test/"] },
      { page: sitemap, in: "sitemaps" as const, reason: "off-host" as const, count: 1, examples: ["https://b.test/"] },
    ],
    joinedHosts: ["b.test"],
    packs: [
      {
        name: "q",
        bytes: 1,
        infoBytes: 0,
        contentBytes: 0,
        visits: 1,
        answers: [{ url: sitemap, offset: 0, length: 1, status: 200, contentType: null, fetchedAt: 5 }],
      },
    ],
    usage: { cpuMs: 1 },
  };
  await ledger.admission(
    [
      { crawl, url: queued, sitemap: false, visit: null },
      { crawl, url: sitemap, sitemap: true, visit: null },
      { crawl, url: queued, sitemap: false, visit: 0 },
      { crawl, url: `${SEED}3.xml`, sitemap: true, visit: 0 },
    ],
    9,
  );
  const dueVisits = new DueVisits(db);
  await dueVisits.watches();
  await dueVisits.next(crawl, "", 10);
  const begun = { ordinary: 0, signalled: 0 };
  const sweep = {
    after: "",
    epoch: 1,
    lapAt: 0,
    lastLapAt: 0,
    nextLapAt: 0,
    sent: 0,
    settled: 0,
    movedAt: 1,
    budget: openBudget(1),
    begun,
  };
  for (const halve of [false, true]) await dueVisits.noteSweep(crawl, sweep, halve);
  await dueVisits.someCompleted(crawl, "a.test", 25);
  const readings = new Readings(db);
  await readings.watches(now);
  await readings.due(crawl, { before: now, sentAfter: 0, most: 10 });
  await readings.note(crawl, [`${SEED}3.xml`], now, now);
  const signals = new Signals(db);
  await signals.moved(crawl, [{ url: kept, lastmod: 5 }]);
  await signals.counts(crawl, ["a.test"]);
  await signals.budget(crawl);
  await dueVisits.beginMonth(now);
  const motion = new Motion(db);
  await motion.searched(now);
  await motion.noteSearch(crawl, { epoch: 1, after: "", lapAt: 0, hosts: {} }, now);
  await motion.search(crawl);
  await motion.pages(crawl, "", 500, now);
  await motion.sitemaps(crawl);
  const surveys = new Surveys(db);
  await surveys.write(crawl, await surveys.read(crawl));
  await new Changes(db).countKinds({ id: crawl, changes: 20_000 });
  const watchHosts = new WatchHosts(db);
  const shardOutbox = new ShardOutbox(db);
  await runPlan(db, planLeaving(db, crawl, {}));
  await shardOutbox.crawls();
  await shardOutbox.next(crawl, 0);
  for (const rest of [null, {}]) await shardOutbox.remove(crawl, [1, 2], rest);
  await watchHosts.isTroubled(crawl, kept, now);
  await watchHosts.troubled(crawl, now, 10);
  await watchHosts.answers(crawl, "a.test", 0, 10);
  await new PageTroubles(db).list(crawl, 10);
  const toldChanges = new ToldChanges(db);
  await toldChanges.waiting(1, 10, now);
  await toldChanges.digestsDue(10, now);
  const webhook = { crawl, id: "w", toldSeq: 0, digestAt: null };
  await toldChanges.next(webhook, 10);
  await toldChanges.passRemoved(webhook);
  const message = { id: "msg_1", event: "pages.changed" as const, body: "{}" };
  await toldChanges.tell(webhook, [message], { to: 1, nextDigestAt: null }, now);
  const toldTroubles = new ToldTroubles(db);
  await toldTroubles.ended(1, 10);
  await toldTroubles.tellEnd({ crawl, host: "a.test", since: 1 }, now);
  await new SecondLooks(db).take(crawl, "a.test", 20_000, 10);
  const oldVersions = new OldVersions(db);
  await oldVersions.watches();
  await oldVersions.removeChanges(crawl, now, 10);
  await oldVersions.removeOld(crawl, { url: "", fetchedAt: 0 }, now, 10);
  await oldVersions.unneededPacks(crawl, "", "z", 10);
  await oldVersions.forgetPacks(crawl, ["q"], now);
  await oldVersions.notePlace(crawl, { url: "", fetchedAt: 0, pack: null, endedAt: 0 });
  await new Changes(db).list(crawl, { after: 0, at: 0, kinds: ["added"], limit: 10 });
  await new Records(db).packedAs(crawl, kept, "d0");
  await new Records(db).finished(crawl, { cursor: "", limit: 10 }, true);
  await ledger.watch(crawl, WATCH, now);
  await ledger.unknown(crawl, [queued]);
  await ledger.nearer(crawl, found);
  const lowered = new Lowered(db);
  await lowered.crawls();
  await lowered.next(crawl, 10);
  await lowered.countFailure(crawl, [kept]);
  await ledger.copies(crawl, ["d1", "d2"], 2);
  await ledger.copiesBefore(crawl, [{ url: other, via: queued, sha256: "d1" }], 2);
  await ledger.originals(crawl, ["d1", "d2"]);
  await ledger.variants(crawl, ["p1", "p2"]);
  await ledger.hostPages(crawl, ["a.test"]);
  await ledger.fullHosts(crawl, 1, 5);
  await ledger.overHostLimit(crawl, [queued]);
  const topics = new LearnedByCrawl<LearnedTopic>(db, "topics");
  await topics.find(crawl);
  const known = { learned: beginLearning(options), version: 0, length: 0 };
  await topics.learnFrom(known, crawl, (before) => ({ ...before, marked: 1 }));
  const withheldUrls = new WithheldUrls(db);
  await withheldUrls.open(crawl, 10);
  await withheldUrls.rowsOf(crawl, "a.test", "r");
  await withheldUrls.counts(crawl, [{ host: "a.test", rule: "r" }]);
  await withheldUrls.links(crawl, 3);
  await withheldUrls.heldByEndless(crawl);
  await planReopeningRule(db, crawl, "a.test", "r").run();
  await new EndlessHosts(db).slowed(crawl);
  await new EndlessHosts(db).slowedAmong(crawl, ["a.test"]);
  await planReopening(db, crawl, "a.test").run();
  await ledger.returns(crawl, [{ url: queued, target: other }]);
  await new Sitemaps(db).room(crawl);
  await new Sitemaps(db).among(crawl, [sitemap]);
  await new ArchiveIndex(db).answered(crawl, [sitemap]);
  await ledger.commit([commit], now);
  await sortContents(db, crawl, 10_000);
  await db.batch(planCommit(db, commit, now, 1).recall?.statements ?? []);
  await waits.postpone([
    { crawl, url: `${SEED}17`, sitemap: false, failures: 0, dueAt: now },
    { crawl, url: `${SEED}41.xml`, sitemap: true, failures: 0, dueAt: now },
  ]);
  await waits.takeDue(100, 10);
  await ledger.overdue(now);
  await ledger.expectProgress(crawl, now);
  await ledger.expectDue(crawl);
  await ledger.repair(crawl, now * 1_000);
  await new Sitemaps(db).queued(crawl, now);
  await ledger.isInBacklog(crawl, queued);
  await ledger.forgetPromotions(10);
  await ledger.retireOverLimit(crawl, now);
  await ledger.cancel("small", "cancelled_by_user", now);
  await ledger.retireOpen("small", now);
  await ledger.retry(crawl, { status: "errored", reason: null, limit: null }, "", now);
}
