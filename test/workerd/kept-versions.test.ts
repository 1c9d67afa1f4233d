import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { NEWEST } from "../../src/crawl/watch/memento.ts";
import { Mementos } from "../../src/store/watches/mementos.ts";
import { Random } from "./platform/random.ts";
import { pageUrl, WatchedCrawl } from "./watched-crawl.ts";

/** The versions that a watch keeps of a page, and which one a difference shows. */

const kept = new Mementos(env.LEDGER);

/** All versions, the oldest first. */
async function versionsOf(crawl: WatchedCrawl, n: number): Promise<{ fetchedAt: number; sha256: string | null }[]> {
  const found = [];
  for (let time = -1; ; ) {
    const version = await kept.versionAfter(crawl.id, pageUrl(n), time);
    if (version === null) return found;
    found.push({ fetchedAt: version.fetchedAt, sha256: version.sha256 });
    time = version.fetchedAt;
  }
}

test("the version in force is the newest one that was fetched until then", async () => {
  const random = new Random(1);
  const crawl = await WatchedCrawl.start([{ says: "first" }, { says: "other" }]);
  const texts = ["first"];
  for (let i = 0; i < 20; i++) {
    const text = `text ${random.between(1, 3)}`;
    await crawl.visit(new Map([[0, { says: text }]]));
    if (texts.at(-1) !== text) texts.push(text);
  }
  const versions = await versionsOf(crawl, 0);
  expect(versions.map(({ sha256 }) => sha256)).toEqual(texts);
  for (const [i, { fetchedAt }] of versions.entries()) {
    expect((await kept.versionInForce(crawl.id, pageUrl(0), fetchedAt))?.fetchedAt).toBe(fetchedAt);
    const before = await kept.versionInForce(crawl.id, pageUrl(0), fetchedAt - 1);
    expect(before?.fetchedAt).toBe(versions[i - 1]?.fetchedAt);
  }
  expect((await kept.versionInForce(crawl.id, pageUrl(0), NEWEST))?.sha256).toBe(texts.at(-1));
});

test("the versions of a page that is gone stay, and the answer that it is gone is none", async () => {
  const crawl = await WatchedCrawl.start([{ says: "first" }, { says: "other" }]);
  await crawl.visit(new Map([[0, { says: "second" }]]));
  await crawl.visit(new Map([[0, "missing"]]));
  await crawl.visit(new Map([[0, "missing"]]));
  expect((await versionsOf(crawl, 0)).map(({ sha256 }) => sha256)).toEqual(["first", "second"]);
});

test("a page of which one version is kept, or none, has no difference, and the answer says why", async () => {
  const crawl = await WatchedCrawl.start([{ says: "first" }, "failed"]);
  const ask = async (query: Record<string, string>) => {
    const response = await crawl.get(`/diff?${new URLSearchParams(query)}`);
    return [response.status, (await response.json<{ errors: { message: string }[] }>()).errors[0]?.message];
  };
  expect(await ask({ url: pageUrl(0) })).toEqual([404, expect.stringMatching(/no version .* before that of 1970/)]);
  expect(await ask({ url: pageUrl(0), to: "1970-01-01T00:00:00Z" })).toEqual([404, expect.stringContaining("before")]);
  expect(await ask({ url: pageUrl(1) })).toEqual([404, `This crawl keeps no version of ${pageUrl(1)}.`]);
  expect(await ask({ url: "https://elsewhere.test/" })).toEqual([404, expect.stringContaining("no version")]);
  expect(await ask({ url: "mailto:a@b.test" })).toEqual([400, expect.stringContaining("url:")]);
  expect(await ask({ url: pageUrl(0), from: "2031-01-02", to: "2031-01-01" })).toEqual([
    400,
    expect.stringContaining("from:"),
  ]);
  expect(await ask({ url: pageUrl(0), from: "lately" })).toEqual([400, expect.stringContaining("from")]);
});
