import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { TEST_PRIORITY } from "../../src/crawl/page/url-kind.ts";
import { type SamePageState, stateOf } from "../../src/scope/same-page-rules.ts";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { FIRST_SEED, RUNS } from "./platform/chaos-runs.ts";
import { endsOf, expectFewRequests, expectPolite } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import { disturbedPlan, politenessOf } from "./platform/disturbed-plan.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { drawSamePageSite } from "./platform/same-page-site.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Answer } from "./platform/web.ts";

/**
 * Sites with parameters that change nothing, and one that does, with faults, kills and redeliveries. Then sites on
 * which pages look the same although they are not.
 */

const HOST = "https://h0.test";
const PAGES = 60;
const SEEDS = [1, 2, 3, 4].slice(0, Math.ceil(RUNS / 6));
const DELAY_MS = 100;
/** Drawn sites: one for 12 runs of `CHAOS_RUNS`, as in chaos.test.ts. */
const DRAWN = Array.from({ length: Math.ceil(RUNS / 12) }, (_, i) => FIRST_SEED + i);

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
    politeness: politenessOf(DELAY_MS),
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
      // Alone, the small folders would fetch all of theirs. The tests at the end are so many as a rule has at least.
      const twice = platform.database.rows<{ n: number }>(
        "SELECT count(*) AS n FROM urls WHERE url LIKE '%?%' AND status = 'completed' AND priority <> ?1",
        TEST_PRIORITY,
      );
      expect(twice[0]?.n).toBeLessThan(3 * 14 + 9 * 3);
    });
  });
});

/** A site of which a URL has a longer form, with the same content for all pages but those of `long`. */
function formsOf(pages: number, isLong: (page: number) => boolean) {
  const to = (page: number) => [`${HOST}/item-${page % pages}`, `${HOST}/item-${page % pages}?view=full`];
  const web = (url: string): Answer => {
    if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
    const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
    const more = url.includes("?view") && isLong(page) ? `and more of ${page}` : "";
    return { kind: "page", links: [page + 1, page + 2].flatMap(to), body: `page ${page} ${LONG} ${more}` };
  };
  const long = Array.from({ length: pages }, (_, page) => page).filter(isLong);
  return { web, expected: [...long.map((page) => `${HOST}/item-${page}?view=full`)] };
}

const FEW: [string, number, (page: number) => boolean][] = [
  ["all pages from the 60th", 300, (page) => page >= 60],
  ["one page in 20", 300, (page) => page > 20 && page % 20 === 7],
  ["the last six pages", 120, (page) => page >= 114],
];

test.each(FEW)("a part that changes %s: its rule is withdrawn, and nothing is lost", async (_, pages, isLong) => {
  await withStorage(async (storage) => {
    clear(storage);
    const { web, expected } = formsOf(pages, isLong);
    const platform = new Platform(storage, { seed: 7, web, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      expect(await partsOf(platform, crawl, "withdrawn")).toEqual(["?view"]);
      const ends = new Map((await endsOf(platform, crawl.id)).map((end) => end.split(" ") as [string, string]));
      for (const url of expected) expect([url, ends.get(url)]).toEqual([url, "completed"]);
      await expectCountersExact(crawl.id, platform.database.bindingOf(null));
      // What was released is refused no more.
      expect(await platform.reader.ledger.refusals(crawl.id)).toEqual([]);
    });
  });
});

test.each(SEEDS)(
  "seed %i: with faults and kills, a withdrawn rule loses nothing",
  { timeout: 120_000 },
  async (seed) => {
    await withStorage(async (storage) => {
      clear(storage);
      const { web, expected } = formsOf(150, (page) => page > 20 && page % 20 === seed);
      const platform = new Platform(storage, disturbedPlan(seed, web, 0.02));
      await platform.run(async () => {
        const crawl = await crawlOf(platform);
        expect(crawl.status).toBe("completed");
        const ends = new Map((await endsOf(platform, crawl.id)).map((end) => end.split(" ") as [string, string]));
        for (const url of expected) expect([url, ends.get(url)]).toEqual([url, "completed"]);
        await expectCountersExact(crawl.id, platform.database.bindingOf(null));
      });
    });
  },
);

test.each(DRAWN)(
  "seed %i: on a drawn site, with faults and kills, no content is lost that the tests can find",
  { timeout: 120_000 },
  async (seed) => {
    await withStorage(async (storage) => {
      clear(storage);
      const { web, pages, forms } = drawSamePageSite(new Random(seed));
      const platform = new Platform(storage, disturbedPlan(seed, web, 0.02));
      await platform.run(async () => {
        const crawl = await crawlOf(platform);
        expect(crawl.status).toBe("completed");
        const ends = new Map((await endsOf(platform, crawl.id)).map((end) => end.split(" ") as [string, string]));
        const isLost = (url: string) => ends.get(url) !== "completed";
        expect(pages.filter(isLost)).toEqual([]);
        const withdrawn = await partsOf(platform, crawl, "withdrawn");
        for (const { part, different, isFound } of forms)
          if (isFound || withdrawn.includes(part)) expect(different.filter(isLost), part).toEqual([]);
        // Each test of a session finds new ones, and they end.
        expect(crawl.counters.completed).toBeLessThan(pages.length * (1 + forms.length) + 700);
        await expectCountersExact(crawl.id, platform.database.bindingOf(null));
      });
      expectPolite(platform, { delayMs: DELAY_MS });
      expect(platform.database.violations, "statements that the database refused").toEqual([]);
      expectFewRequests(platform, 2, 0);
    });
  },
);

test("a site with a new session in each link comes to its end", { timeout: 120_000 }, async () => {
  await withStorage(async (storage) => {
    clear(storage);
    let sessions = 0;
    const pages = 60;
    const web = (url: string): Answer => {
      if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
      const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
      const links = Array.from({ length: 30 }, (_, i) => {
        sessions += 1;
        return `${HOST}/item-${(page + 1 + i) % pages}?zs=k${sessions}f`;
      });
      return { kind: "page", links, body: `page ${page} ${LONG}` };
    };
    const platform = new Platform(storage, { seed: 7, web, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      expect(await partsOf(platform, crawl, "in use")).toEqual(["?zs"]);
      const { counters } = crawl;
      expect(counters.completed).toBeGreaterThan(pages);
      expect(counters.completed).toBeLessThan(pages + 700);
      await expectCountersExact(crawl.id, platform.database.bindingOf(null));
    });
  });
});

test("a page is asked for twice to find the numbers in it that change by themselves", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    let requests = 0;
    const web = (url: string): Answer => {
      if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
      requests += 1;
      const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
      const to = [page + 1, page + 2].flatMap((next) => at(next, "?sort=up"));
      return { kind: "page", links: to, body: `page ${page} ${LONG}¶It was read ${requests} times.` };
    };
    const platform = new Platform(storage, { seed: 7, web, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      expect(await partsOf(platform, crawl, "in use")).toEqual(["?sort"]);
      expect(requests).toBeGreaterThan(crawl.counters.completed);
    });
  });
});

test("a URL is fetched itself if its reduced form fails", async () => {
  await withStorage(async (storage) => {
    clear(storage);
    const { web } = formsOf(300, () => false);
    const broken = `${HOST}/item-250`;
    const failing = (url: string): Answer => (url === broken ? { kind: "status", status: 404 } : web(url));
    const platform = new Platform(storage, { seed: 7, web: failing, consumers: 1, batchSize: 5 });
    await platform.run(async () => {
      const crawl = await crawlOf(platform);
      const ends = new Map((await endsOf(platform, crawl.id)).map((end) => end.split(" ") as [string, string]));
      expect(ends.get(`${broken}?view=full`)).toBe("completed");
    });
  });
});
