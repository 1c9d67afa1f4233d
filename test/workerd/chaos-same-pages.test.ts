import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { type SamePageState, stateOf } from "../../src/scope/same-page-rules.ts";
import { readStoredPage } from "../../src/store/read-mirror.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { endsOf } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import { disturbedPlan } from "./platform/disturbed-plan.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Answer } from "./platform/web.ts";

/**
 * Sites with parameters that change nothing, and one that does, with faults, kills and redeliveries. Then sites on
 * which pages look the same although they are not.
 */

const HOST = "https://h0.test";
const PAGES = 60;
const SEEDS = [1, 2, 3, 4];

/** What a URL shows: long enough to be an example. */
function contentOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  return `${pathname} ${searchParams.get("color") ?? "plain"} says ${"something that is long enough, ".repeat(8)}`;
}

function linksOf(page: number): string[] {
  const path = `${HOST}/item-${page % PAGES}`;
  return [path, `${path}?sort=up`, `${path}?sort=down`, `${path}?ref=nav`, `${path}?color=red`, `${path}?go=there`];
}

function answer(url: string): Answer {
  if (url.endsWith("/robots.txt") || url.endsWith(".xml")) return { kind: "status", status: 404 };
  if (url.includes("?go=")) return { kind: "redirect", target: url.replace(/\?.*/, "") };
  const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
  return { kind: "page", links: [page + 1, page + 2, page + 9].flatMap(linksOf), body: contentOf(url) };
}

async function crawlOf(platform: Platform): Promise<Crawl> {
  const id = await platform.start([`${HOST}/`], {
    source: "links",
    store: "warc",
    maxAttempts: 200,
    politeness: { minDelayMs: 100, maxDelayMs: 500, delayFactor: 0, maxConcurrencyPerHost: 1, maxBytesPerSecond: 0 },
  });
  await finish(platform, id, null);
  return (await platform.reader.ledger.crawl(id)) as Crawl;
}

async function partsOf(platform: Platform, crawl: Crawl, state: SamePageState): Promise<string[]> {
  const hosts = [...(await platform.reader.samePages.list(crawl.id)).values()];
  return hosts.flatMap((host) =>
    Object.values(host.rules).flatMap((rule) => (stateOf(host, rule) === state ? [rule.part] : [])),
  );
}

test.each(SEEDS)("seed %i: no distinct content is lost, and the counters hold", { timeout: 120_000 }, async (seed) => {
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, disturbedPlan(seed, answer, 0.02));
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      const ends = (await endsOf(platform, crawl.id)).map((end) => end.split(" "));
      const stored = new Set<string>();
      for (const [url = "", status] of ends) {
        if (status !== "completed") continue;
        const page = await readStoredPage(crawl, url, platform.reader);
        stored.add(new TextDecoder().decode(page?.body));
      }
      const expected = Array.from({ length: PAGES }, (_, i) => linksOf(i)).flat();
      for (const url of [`${HOST}/`, ...expected]) expect(stored.has(contentOf(url)), url).toBe(true);
      await expectCountersExact(crawl.id, platform.database.bindingOf(null));

      const inUse = await partsOf(platform, crawl, "in use");
      expect(inUse.toSorted()).toEqual(["?go", "?ref", "?sort"]);
      const refused = (await platform.reader.ledger.refusals(crawl.id)).find(({ reason }) => reason === "same-page");
      const skipped = ends.filter(([, , reason]) => reason === "same-page").length;
      expect((refused?.count ?? 0) + skipped).toBeGreaterThan(20);
    });
  });
});

const LONG = "something that is long enough, ".repeat(8);

interface MisleadingSite {
  name: string;
  links(page: number): string[];
  /** What the `nth` request of the crawl shows. */
  says(url: URL, nth: number): string;
  /** More links, beside those to other pages. */
  own?(url: URL): string[];
}

const at = (page: number, ...queries: string[]) =>
  ["", ...queries].map((query) => `${HOST}/item-${page % PAGES}${query}`);

const MISLEADING: readonly MisleadingSite[] = [
  {
    name: "a login in place of each page",
    links: (page) => at(page, "?tint=red", "?tint=blue"),
    says: () => `log in to see this, ${LONG}`,
  },
  {
    name: "errors at first, in place of each page",
    links: (page) => at(page, "?tint=red", "?tint=blue"),
    says: ({ pathname, search }, nth) => (nth < 40 ? `we have a problem, ${LONG}` : `${pathname} ${search} ${LONG}`),
  },
  {
    name: "two designs, drawn for each URL",
    links: (page) => at(page, "?ref=nav", "?tint=red"),
    says: ({ pathname, search }) => {
      const design = [...`${pathname}${search}`].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 3;
      return `${pathname} ${new URLSearchParams(search).get("tint")} design ${"abc"[design]} ${LONG}`;
    },
  },
  {
    name: "parts of a list with the same text that lead to other pages",
    links: (page) => at(page, "?sheet=b", "?sheet=c"),
    says: ({ pathname }) => `${pathname} ${LONG}`,
    own: ({ pathname, searchParams }) => [`${HOST}/of${pathname.slice(5)}-${searchParams.get("sheet") ?? "a"}`],
  },
];

test.each(MISLEADING)("$name: no rule, and no content is lost", { timeout: 120_000 }, async ({ links, says, own }) => {
  await withStorage(async (storage) => {
    clear(storage);
    let requests = 0;
    const web = (url: string): Answer => {
      if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
      requests += 1;
      const parsed = new URL(url);
      const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
      const to = url.includes("/of")
        ? []
        : [...[page + 1, page + 2, page + 9].flatMap(links), ...(own?.(parsed) ?? [])];
      // The second line is no text, so that these pages are no copies for the trap.
      return { kind: "page", links: to, body: `${says(parsed, requests)}\n${url}` };
    };
    const platform = new Platform(storage, { seed: 7, web, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      const ends = new Map((await endsOf(platform, crawl.id)).map((end) => end.split(" ") as [string, string]));
      expect(await partsOf(platform, crawl, "in use")).toEqual([]);
      const expected = Array.from({ length: PAGES }, (_, i) => links(i)).flat();
      const more = expected.flatMap((url) => own?.(new URL(url)) ?? []);
      for (const url of [...expected, ...more]) expect([url, ends.get(url)]).toEqual([url, "completed"]);
    });
  });
});

test("small folders take over the rule of three large ones, and lose no page", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const [folders, pages] = [12, 6];
    // The first three have enough pages to learn from.
    const sizes = Array.from({ length: folders }, (_, i) => (i < 3 ? 16 : pages));
    const urls = sizes.flatMap((size, folder) =>
      Array.from({ length: size }, (_, i) => `${HOST}/${"abcdefghijkl"[folder]}-shelf/item-${i}`),
    );
    const web = (url: string): Answer => {
      if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
      const plain = url.replace(/\?.*/, "");
      const next = urls.slice(urls.indexOf(plain) + 1).slice(0, 3);
      return { kind: "page", links: next.flatMap((to) => [to, `${to}?sort=up`]), body: `${plain} ${LONG}` };
    };
    const platform = new Platform(storage, { seed: 7, web, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      const ends = new Map((await endsOf(platform, crawl.id)).map((end) => end.split(" ") as [string, string]));
      for (const url of urls) expect([url, ends.get(url)]).toEqual([url, "completed"]);
      expect((await partsOf(platform, crawl, "in use")).length).toBe(folders);
      const twice = [...ends].filter(([url, status]) => url.includes("?") && status === "completed").length;
      // Alone, the small folders would fetch all of theirs.
      expect(twice).toBeLessThan(3 * 14 + 9 * 3);
    });
  });
});

test("a part that changes later pages alone: a test withdraws its rule, and few pages are lost", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const pages = 300;
    const firstChanged = 60;
    const to = (page: number) => at(page, "?tint=red").map((url) => url.replace(/item-\d+/, `item-${page % pages}`));
    const web = (url: string): Answer => {
      if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
      const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
      const tint = page >= firstChanged && url.includes("tint") ? "red" : "plain";
      return { kind: "page", links: [page + 1, page + 2].flatMap(to), body: `page ${page} ${tint} ${LONG}` };
    };
    const platform = new Platform(storage, { seed: 7, web, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      expect(await partsOf(platform, crawl, "withdrawn")).toEqual(["?tint"]);
      const completed = (await endsOf(platform, crawl.id)).filter((end) => end.split(" ")[1] === "completed").length;
      // The home page, the pages, and the red ones of later pages: one in 20 is tested.
      const distinct = 1 + pages + (pages - firstChanged);
      expect(distinct - completed).toBeLessThan(60);
    });
  });
});
