import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { Gate } from "../../src/host/gate-protocol.ts";
import { spreadByHost } from "../../src/lifecycle/spread-by-host.ts";

const urls = (host: string, count: number) => Array.from({ length: count }, (_, at) => `http://${host}/${at}`);

/** `rests`: what the gates say, in milliseconds. A gate without one cannot be asked. */
function spread(changes: Partial<Crawl["options"]>, rests: Record<string, number>) {
  const asked: string[] = [];
  const gate = (host: string) => {
    const status = async () => {
      asked.push(host);
      if (rests[host] === undefined) throw new Error("the gate is away");
      return { restMs: rests[host], concurrency: 2 };
    };
    return { status } as unknown as Gate;
  };
  const crawl = { id: "c", options: { ...DEFAULT_OPTIONS, urls: [], userAgent: "Test/1", ...changes } };
  return { delaysOf: spreadByHost(crawl, { gate }), asked };
}

test("URLs come at the pace that the gate of their host keeps", async () => {
  const { delaysOf, asked } = spread({}, { "a.test": 1_000, "own.test": 0 });
  const first = await delaysOf([...urls("a.test", 12), ...urls("own.test", 3_000)]);
  expect(first.slice(0, 3)).toEqual([0, 500, 1_000]);
  expect(new Set(first.slice(12))).toEqual(new Set([0]));
  // A second portion goes on where the first one ended, and asks nobody again.
  expect(await delaysOf(urls("a.test", 10))).toEqual(Array.from({ length: 10 }, (_, at) => 500 * (12 + at)));
  expect(asked).toEqual(["a.test", "own.test"]);
});

test("a host that cannot be asked has the pace of the crawl's options", async () => {
  const { delaysOf } = spread({ politeness: { ...DEFAULT_OPTIONS.politeness, minDelayMs: 800 } }, {});
  const { maxConcurrencyPerHost } = DEFAULT_OPTIONS.politeness;
  expect((await delaysOf(urls("a.test", 11))).at(-1)).toBe(Math.ceil((10 * 800) / maxConcurrencyPerHost));
});

test("few hosts are asked, and none of a few URLs", async () => {
  const { delaysOf, asked } = spread({}, {});
  await delaysOf(Array.from({ length: 100 }, (_, at) => urls(`h${at}.test`, at < 50 ? 9 : 10)).flat());
  expect(asked).toHaveLength(30);
  expect(asked).not.toContain("h0.test");
});

test("nothing of a dry run waits, because it asks no host for a page", async () => {
  const { delaysOf, asked } = spread({ dryRun: true }, {});
  expect(new Set(await delaysOf(urls("a.test", 5_000)))).toEqual(new Set([0]));
  expect(asked).toEqual([]);
});
