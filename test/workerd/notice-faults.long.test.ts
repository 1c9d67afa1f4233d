import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { NoticeRequest } from "../../src/fetch/request/post-notice.ts";
import { hintTold } from "../../src/frontier/visits/notice-hint.ts";
import { makeSecret } from "../../src/notices/notice-signature.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { RUNS } from "./platform/chaos-runs.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { clear, withStorage } from "./platform/storage.ts";
import { dead, failing, hanging, ok, type Receiver, slow } from "./receivers.ts";
import { discovered, settled } from "./rows.ts";

/**
 * Many ends of crawls, told to receivers that fail, hang and die, in the model of the platform with its faults:
 * kills between commit and delivery, lost answers, outages of the database, messages lost, late and doubled.
 */

const EVENTS = 25 * RUNS;
const SEED = "https://a.test/";
const busy: Receiver = (nth) =>
  nth === 0 ? { status: 429, retryAfterMs: 30_000, detail: "it is busy", ms: 10 } : { ...ok, ms: 10 };
const RECEIVERS: [string, Receiver][] = Object.entries({ failing, hanging, dead, slow, busy });

test("events are each told, none is invented, and ids are stable", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const secret = makeSecret();
    const verifier = new Webhook(secret);
    const random = new Random(7);
    const attempts = new Map<string, number>();
    /** By crawl: the ids and bodies of its notices. */
    const arrived = new Map<string, Set<string>>();
    const accepted = new Set<string>();
    let startedAt = 0;
    const receiver = ({ url, headers, body }: NoticeRequest) => {
      const id = headers["webhook-id"] ?? "";
      const { data } = verifier.verify(body, headers) as { data: { crawl: string } };
      const name = new URL(url).hostname.split(".")[0];
      const [, treat] = RECEIVERS.find(([one]) => one === name) as [string, Receiver];
      const nth = attempts.get(id) ?? 0;
      attempts.set(id, nth + 1);
      const answer = treat(nth, random, platform.time.now() - startedAt);
      arrived.set(data.crawl, (arrived.get(data.crawl) ?? new Set()).add(`${id} ${body}`));
      if (answer.detail === null) accepted.add(data.crawl);
      return answer;
    };
    const faults = { rate: 0.01, budget: 400, kills: 100 };
    const platform = new Platform(storage, { seed: 11, web: () => ({ kind: "page", links: [] }), faults, receiver });
    startedAt = platform.time.now();
    const crawls: string[] = [];
    await platform.run(async () => {
      for (let i = 0; i < EVENTS; i++) {
        const id = crypto.randomUUID();
        const [name] = RECEIVERS[i % RECEIVERS.length] as [string, Receiver];
        const webhook = { id: crypto.randomUUID(), url: `https://${name}.test/hook`, events: null, secret };
        const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", webhook };
        const seeds = [discovered(SEED, { depth: 0 })];
        const crawl = { id, options, hosts: ["a.test"], seeds, sitemaps: [], now: platform.time.now() };
        // A database that a fault has filled stays full for a while, also when there are no further faults.
        await platform.time.sleep(Math.max(0, platform.database.fullUntil - platform.time.now()));
        platform.faults.isOn = false;
        await platform.reader.ledger.create(crawl);
        platform.faults.isOn = true;
        crawls.push(id);
        // As a batch does: the commit that ends the crawl, then the hint. A kill between them loses the hint.
        const end = { ...emptyCommit(id), outcomes: [settled(SEED)] };
        await platform
          .request(async (deps) => {
            await deps.ledger.commit([end], deps.clock.now());
            await hintTold(deps);
          })
          .catch(() => null);
      }
      // Crawls whose commit failed are repaired, and end by themselves.
      // A receiver whose answer was lost is told again, later.
      for (let minute = 0; minute < 36 * 60; minute++) {
        await platform.time.sleep(60_000);
        const [delivered] = storage.sql
          .exec("SELECT count(*) AS n FROM deliveries WHERE status = 'delivered'")
          .toArray();
        if (accepted.size === EVENTS && delivered?.n === EVENTS) break;
      }
    });
    expect(platform.faults.total).toBeGreaterThan(100);
    // Each is told to the receiver, and none is invented.
    expect(accepted).toEqual(new Set(crawls));
    expect(new Set(arrived.keys())).toEqual(new Set(crawls));
    // Each event has one id and one body, however often it was sent.
    expect([...arrived.values()].every((messages) => messages.size === 1)).toBe(true);
    expect(
      new Set([...arrived.values()].flatMap((messages) => [...messages].map((one) => one.split(" ")[0]))).size,
    ).toBe(EVENTS);
    const open = storage.sql.exec("SELECT status, count(*) AS n FROM deliveries GROUP BY status").toArray();
    expect(open).toEqual([{ status: "delivered", n: EVENTS }]);
  });
});
