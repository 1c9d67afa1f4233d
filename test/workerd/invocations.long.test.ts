import { describe, expect, test } from "vitest";
import { readTemplate } from "../../src/frontier/lane/host-templates.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import { WATCH } from "./rows.ts";
import { HOUR_MS, removeWatches, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";
import "./silence-log.ts";

/** Batches of visits where pages take two Worker invocations, and a request may start 32. */

const HOUR = 3_600_000;
const HOSTS = 60;

test("visits that a batch has no room to compare wait for another one, and tell no change", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, {
      seed: 7,
      web: (url, attempt) =>
        url.endsWith("/robots.txt")
          ? { kind: "robots", forbids: false }
          : { kind: "page", links: [], body: `The text of ${url}\nnonce ${attempt}`, etag: null, isHeavy: true },
    });
    const { time } = platform;
    await platform.run(async () => {
      const seeds = Array.from({ length: HOSTS }, (_, i) => `https://h${i}.test/`);
      const id = await platform.start(seeds, { watch: { ...WATCH, everyS: 3_600 } });
      await time.sleep(0.5 * HOUR);
      // After a pause, all pages are due at once, and batches are full.
      await platform.request(async (deps) => ({ ok: await deps.ledger.pause(id, time.now()) }));
      await time.sleep(2 * HOUR);
      await platform.request(async (deps) => ({ ok: await resumeCrawl(id, deps) }));
      await time.sleep(0.5 * HOUR);
      const { changes } = await platform.reader.changes.list(id, { after: 0, at: 0, kinds: null, limit: 1_000 });
      expect(changes).toEqual([]);
      const crawl = await platform.reader.ledger.crawl(id);
      expect(crawl?.visits).toEqual({ same: expect.any(Number) });
      expect(crawl?.visits.same).toBeGreaterThanOrEqual(HOSTS);
      // Comparisons wait for another batch before they would fail.
      expect(crawl?.lastFailure).toBeNull();
    });
  });
});

describe("a stored page that cannot be read", () => {
  const texts = new Map<string, string>();
  const siteOf = (url: string): SiteAnswer =>
    url === SEED
      ? { text: texts.get(url) ?? "home", links: Array.from({ length: 8 }, (_, i) => `${SEED}p${i}`) }
      : // In letters, too: what pages share but for a number is their template.
        {
          text: texts.get(url) ?? `page ${url} ${"abcdefgh".charAt(Number(url.at(-1))).repeat(5)}`,
          noise: texts.get("noise") ?? "",
        };

  async function watchWith(isUnread: (body: string) => boolean) {
    texts.clear();
    await removeWatches();
    const world = new WatchedWorld(siteOf);
    const { readVersion } = world.deps;
    let unread = 0;
    world.deps.readVersion = async (stored, request) => {
      if (!isUnread(new TextDecoder().decode(stored.body))) return readVersion(stored, request);
      unread += 1;
      throw new Error("the reader was not reached");
    };
    const id = await world.watch(HOUR_MS);
    const changes = async () =>
      (await world.deps.changes.list(id, { after: 0, at: 0, kinds: null, limit: 100 })).changes;
    return { world, id, changes, unread: () => unread };
  }

  test("is asked for again, and its change is told once it can be compared", async () => {
    let isDown = true;
    const { world, id, changes, unread } = await watchWith((body) => isDown && body.startsWith(`page ${SEED}p3`));
    texts.set(`${SEED}p3`, "page 3 says something else");
    texts.set(`${SEED}p4`, "page 4 says something else");
    await world.pass(8 * HOUR_MS);
    expect(unread()).toBeGreaterThan(0);
    expect((await changes()).map(({ url }) => url)).toEqual([`${SEED}p4`]);
    isDown = false;
    await world.pass(24 * HOUR_MS);
    expect((await changes()).map(({ url }) => url)).toEqual([`${SEED}p4`, `${SEED}p3`]);
    expect((await world.deps.ledger.crawl(id))?.visits).not.toHaveProperty("failed");
  });

  test("teaches nothing: a host of which no page can be read is learned later", async () => {
    let isDown = true;
    const { world, id, changes } = await watchWith((body) => isDown && body.startsWith("page"));
    texts.set("noise", "other bytes");
    texts.set(SEED, "home says something else");
    await world.pass(8 * HOUR_MS);
    expect(await changes()).toEqual([]);
    expect(await readTemplate(id, "a.test", world.deps)).toBeNull();
    isDown = false;
    await world.pass(24 * HOUR_MS);
    expect((await changes()).map(({ url }) => url)).toEqual([SEED]);
    expect(await readTemplate(id, "a.test", world.deps)).not.toBeNull();
  });
});
