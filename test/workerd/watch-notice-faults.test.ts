import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../src/crawl/watch/watch.ts";
import type { NoticeRequest } from "../../src/fetch/request/post-notice.ts";
import { makeSecret } from "../../src/notices/notice-signature.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { RUNS } from "./platform/chaos-runs.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { clear, withStorage } from "./platform/storage.ts";
import { dead, failing, hanging, type Receiver, slow } from "./receivers.ts";
import { discovered, settled, visited, WATCH } from "./rows.ts";
import "./silence-log.ts";

/**
 * Changes and troubles of watches, told to receivers that fail, hang and die, in the model of the platform with its
 * faults: kills between the transactions, lost answers, outages of the database, messages lost, late and doubled.
 */

/** With `CHAOS_RUNS=1334` they are 10,000. */
const CHANGES = Math.floor(7.5 * RUNS);
const WATCHES = 5;
const PAGES = 60;
const HOSTS = ["a.test", "b.test", "c.test"];
const HOUR_MS = 3_600_000;
const RECEIVERS: [string, Receiver][] = Object.entries({ failing, hanging, dead, slow });

const urlsOf = (host: string) => Array.from({ length: PAGES / HOSTS.length }, (_, n) => `https://${host}/${n}`);
const URLS = HOSTS.flatMap(urlsOf);

interface Received {
  type: string;
  data: {
    crawl: string;
    changes?: { seq: number; kind: string; url: string; at: string; detail: string | null }[];
    host?: string;
    state?: string;
    since?: string;
  };
}

test("changes and troubles are each told, none is invented, and ids are stable", { timeout: 600_000 }, async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const secret = makeSecret();
    const verifier = new Webhook(secret);
    const random = new Random(5);
    const attempts = new Map<string, number>();
    /** By webhook and message id: the one body that came with it. */
    const bodies = new Map<string, string>();
    const accepted = new Map<string, Received & { receiver: string }>();
    let startedAt = 0;
    const receiver = ({ url, headers, body }: NoticeRequest) => {
      const id = headers["webhook-id"] ?? "";
      const message = verifier.verify(body, headers) as Received;
      const name = new URL(url).hostname.split(".")[0] ?? "";
      const key = `${name} ${message.data.crawl} ${id}`;
      expect(bodies.get(key) ?? body).toBe(body);
      bodies.set(key, body);
      const [, treat] = RECEIVERS.find(([one]) => one === name) as [string, Receiver];
      const nth = attempts.get(key) ?? 0;
      attempts.set(key, nth + 1);
      const answer = treat(nth, random, platform.time.now() - startedAt);
      if (answer.detail === null) accepted.set(key, { ...message, receiver: name });
      return answer;
    };
    const faults = { rate: 0.01, budget: 2 * CHANGES, kills: CHANGES };
    const platform = new Platform(storage, { seed: 13, web: () => ({ kind: "page", links: [] }), faults, receiver });
    startedAt = platform.time.now();
    const crawls: string[] = [];

    /** As a batch does: visits as they are now, which may be settled by another message, too. */
    const settle = (crawl: string, what: (url: string, visit: number) => ReturnType<typeof visited>[]) =>
      platform.request(async (deps) => {
        const rows = storage.sql
          .exec<{ url: string; visits: number }>("SELECT url, visits FROM urls WHERE crawl = ?", crawl)
          .toArray();
        const visits = rows.flatMap(({ url, visits: visit }) => what(url, visit));
        await deps.ledger.commit([{ ...emptyCommit(crawl), visits }], deps.clock.now());
      });
    const changed = (url: string, visit: number, kind: ChangeKind) =>
      visited(url, { visit, result: "changed", change: kind, outcome: settled(url), visitAt: Number.MAX_SAFE_INTEGER });
    const count = (sql: string) => Number(storage.sql.exec<{ n: number }>(sql).one().n);

    await platform.run(async () => {
      for (let i = 0; i < WATCHES; i++) {
        const id = crypto.randomUUID();
        platform.faults.isOn = false;
        const options = {
          ...DEFAULT_OPTIONS,
          urls: URLS.slice(0, 1),
          userAgent: "Test/1",
          watch: { ...WATCH, everyS: 3_000_000 },
        };
        const seeds = URLS.map((url) => discovered(url, { depth: 0 }));
        const now = platform.time.now();
        await platform.reader.ledger.create({ id, options, hosts: HOSTS, seeds, sitemaps: [], now });
        await platform.reader.ledger.commit(
          [{ ...emptyCommit(id), outcomes: URLS.map((url) => settled(url, { fetchedAt: now })) }],
          now,
        );
        for (const [name] of RECEIVERS.filter(
          (_, nth) => nth === i % RECEIVERS.length || nth === (i + 1) % RECEIVERS.length,
        ))
          await platform.reader.webhooks.add(
            id,
            {
              id: crypto.randomUUID(),
              url: `https://${name}.test/hook`,
              events: ["pages.changed", "watch.trouble"],
              secret,
            },
            now,
          );
        platform.faults.isOn = true;
        crawls.push(id);
      }
      while (count("SELECT count(*) AS n FROM changes") < CHANGES) {
        const crawl = random.oneOf(crawls);
        const batch = new Set(Array.from({ length: random.between(1, 20) }, () => random.oneOf(URLS)));
        const kind = random.oneOf(CHANGE_KINDS);
        // The outcome of a batch may come twice, and the first one may be killed.
        for (let copies = random.chance(0.2) ? 2 : 1; copies > 0; copies--)
          await settle(crawl, (url, visit) => (batch.has(url) ? [changed(url, visit, kind)] : [])).catch(() => null);
        await platform.time.sleep(random.between(0, 20_000));
        if (random.chance(0.02)) {
          const host = random.oneOf(HOSTS);
          await settle(crawl, (url, visit) =>
            url.startsWith(`https://${host}/`)
              ? [visited(url, { visit, result: "failed", visitAt: Number.MAX_SAFE_INTEGER })]
              : [],
          ).catch(() => null);
        }
      }
      // Two days pass for the troubles, so that they have ended.
      storage.sql.exec("UPDATE watch_hosts SET day = day - 2, troubled_on = troubled_on - 2");
      // An answer that is lost brings another attempt, hours later.
      const open = "SELECT count(*) AS n FROM deliveries WHERE status = 'waiting'";
      for (let hour = 0; hour < 2 || (count(open) > 0 && hour < 48); hour++) await platform.time.sleep(HOUR_MS);
    });

    expect(platform.faults.total).toBeGreaterThan(CHANGES / 20);
    const webhooks = storage.sql.exec<{ crawl: string; url: string }>("SELECT crawl, url FROM webhooks").toArray();
    expect(webhooks).toHaveLength(2 * WATCHES);
    let told = 0;
    for (const { crawl, url } of webhooks) {
      const name = new URL(url).hostname.split(".")[0];
      const own = [...accepted.values()].filter((message) => message.receiver === name && message.data.crawl === crawl);
      const changes = own.flatMap(({ data }) => data.changes ?? []).toSorted((a, b) => a.seq - b.seq);
      told += changes.length;
      // Each change is in exactly one message, as the ledger has it.
      const rows = storage.sql
        .exec<{ seq: number; kind: string; url: string; at: number }>(
          "SELECT seq, kind, url, at FROM changes WHERE crawl = ? ORDER BY seq",
          crawl,
        )
        .toArray();
      expect(changes.map(({ seq, kind, url: page, at }) => [seq, kind, page, Date.parse(at)])).toEqual(
        rows.map(({ seq, kind, url: page, at }) => [seq, kind, page, at]),
      );
      // Each trouble begins and ends once.
      const troubles = own.filter(({ type }) => type === "watch.trouble").map(({ data }) => data);
      const known = storage.sql
        .exec<{ host: string; since: number }>(
          "SELECT host, trouble_since AS since FROM watch_hosts WHERE crawl = ? AND trouble_since IS NOT NULL",
          crawl,
        )
        .toArray();
      const statesOf = (state: string) =>
        troubles
          .filter((one) => one.state === state)
          .map(({ host, since }) => `${host} ${since}`)
          .toSorted();
      const begun = known.map(({ host, since }) => `${host} ${new Date(since).toISOString()}`).toSorted();
      expect(statesOf("began")).toEqual(expect.arrayContaining(begun));
      expect(statesOf("ended")).toEqual(statesOf("began"));
      expect(new Set(statesOf("began")).size).toBe(statesOf("began").length);
    }
    const open = storage.sql.exec("SELECT status, count(*) AS n FROM deliveries GROUP BY status").toArray();
    expect(open).toEqual([{ status: "delivered", n: accepted.size }]);
    expect(new Set([...accepted.keys()].map((key) => key.split(" ")[2])).size).toBe(accepted.size);
    const sent = [...attempts.values()].reduce((sum, n) => sum + n, 0);
    const kinds = Object.entries(Object.groupBy(accepted.values(), ({ type }) => type)).map(
      ([type, messages]) => `${messages?.length} ${type}`,
    );
    console.info(
      `${told} changes told in ${accepted.size} messages (${kinds.join(", ")}), ${sent} attempts, ${platform.faults.total} faults`,
      JSON.stringify(platform.faults.counts),
    );
  });
});
