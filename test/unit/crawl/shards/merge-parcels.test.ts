import fc from "fast-check";
import { expect, test } from "vitest";
import type { Discovery, SitemapDiscovery } from "../../../../src/crawl/crawl.ts";
import { mergeParcels } from "../../../../src/crawl/shards/merge-parcels.ts";
import type { Parcel, Parcels } from "../../../../src/crawl/shards/parcels.ts";

const found = (url: string, changes: Partial<Discovery> = {}): Discovery => ({
  ...{ url, kind: "page", via: null, depth: 1, priority: 0, redirects: 0, chain: 0 },
  ...{ pattern: null, lastmod: null, cookies: null },
  ...changes,
});
const sitemap = (url: string, depth = 0): SitemapDiscovery => ({ url, via: null, guessed: false, depth, redirects: 0 });
const parcel = (changes: Partial<Parcel>): Parcel => ({ discoveries: [], sitemaps: [], hosts: [], ...changes });
const merged = (...lists: Discovery[][]) =>
  mergeParcels(lists.map((discoveries) => ({ 1: parcel({ discoveries }) })))[1]?.map((each) => each.discoveries);

test("rows are merged by ledger: each URL, sitemap and host once, in the order in which they were found", () => {
  const a = found("https://a.test/");
  const b = found("https://b.test/");
  const list = sitemap("https://a.test/sitemap.xml");
  const rows: Parcels[] = [
    { 1: parcel({ discoveries: [b, a], hosts: ["a.test"] }), 2: parcel({ sitemaps: [list] }) },
    { 2: parcel({ sitemaps: [sitemap(list.url, 3)], hosts: ["b.test"] }) },
    { 1: parcel({ discoveries: [a], hosts: ["b.test", "a.test"] }) },
  ];
  expect(mergeParcels(rows)).toEqual({
    1: [{ discoveries: [b, a], sitemaps: [], hosts: ["a.test", "b.test"] }],
    2: [{ discoveries: [], sitemaps: [list], hosts: ["b.test"] }],
  });
  expect(mergeParcels([])).toEqual({});
});

const URL = "https://a.test/p";
const FAR = found(URL, { depth: 5, via: "https://far.test/", redirects: 2, chain: 3, cookies: "far", priority: 4 });
const NEAR = found(URL, { depth: 2, via: "https://near.test/", priority: 9, pattern: "/*" });
const WAY_OF_NEAR = { depth: 2, via: NEAR.via, redirects: 0, chain: 0, cookies: null };

test.each([
  ["the nearest way wins, and the rest is as it was found first", [FAR, NEAR], { ...FAR, ...WAY_OF_NEAR }],
  ["a way that is not nearer changes nothing", [NEAR, FAR], NEAR],
  ["of two ways as near, the first wins", [NEAR, { ...NEAR, via: "https://other.test/" }], NEAR],
  ["a date is kept, whoever brings it", [NEAR, { ...FAR, lastmod: 7 }], { ...NEAR, lastmod: 7 }],
  [
    "an earlier date stays",
    [
      { ...NEAR, lastmod: 5 },
      { ...FAR, lastmod: 7 },
    ],
    { ...NEAR, lastmod: 5 },
  ],
  ["what was found as a page stays one", [FAR, { ...NEAR, kind: "asset" }], FAR],
] as const)("a URL that was found twice: %s", (_, all, expected) => {
  expect(merged(...all.map((each) => [each as Discovery]))).toEqual([[expected]]);
});

test("a page that was found as an asset first comes after it, for it may be known as a page", () => {
  const asset = found(URL, { kind: "asset" });
  expect(merged([asset], [FAR], [NEAR])).toEqual([[asset], [{ ...FAR, ...WAY_OF_NEAR }]]);
});

/** What a part keeps of the parcels that it takes one after the other (store/shards/shard-parts.ts, `take`). */
function keep(parcels: readonly Parcel[], hasDepthLimit: boolean) {
  const urls = new Map<string, Discovery>();
  const sitemaps = new Map<string, SitemapDiscovery>();
  const hosts = new Set<string>();
  for (const each of parcels) {
    for (const host of each.hosts) hosts.add(host);
    for (const list of each.sitemaps) if (!sitemaps.has(list.url)) sitemaps.set(list.url, list);
    for (const discovery of each.discoveries) {
      const row = urls.get(discovery.url);
      const { depth, via, redirects, chain, cookies } = discovery;
      if (row === undefined) urls.set(discovery.url, discovery);
      else if (hasDepthLimit && row.kind === "page" && discovery.kind === "page" && depth < row.depth)
        urls.set(row.url, { ...row, depth, via, redirects, chain, cookies });
    }
  }
  return { urls, sitemaps, hosts };
}

const discovery = fc
  .record({
    url: fc.integer({ min: 0, max: 5 }).map((i) => `https://a.test/${i}`),
    kind: fc.constantFrom("page", "asset"),
    depth: fc.integer({ min: 0, max: 4 }),
    via: fc.constantFrom(null, "https://b.test/", "https://c.test/"),
    priority: fc.integer({ min: -1, max: 3 }),
    chain: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ url, ...changes }) => found(url, changes as Partial<Discovery>));
const lists = fc.record({
  // A commit has each URL once.
  discoveries: fc.uniqueArray(discovery, { selector: ({ url }) => url, maxLength: 5 }),
  sitemaps: fc.array(
    fc.integer({ min: 0, max: 3 }).map((i) => sitemap(`https://a.test/${i}.xml`, i)),
    { maxLength: 3 },
  ),
  hosts: fc.array(fc.constantFrom("a.test", "b.test", "c.test"), { maxLength: 3 }),
});

test("a part that takes rows merged keeps what it keeps of them one after the other", () => {
  const rows = fc.array(fc.dictionary(fc.constantFrom("1", "2", "5"), lists, { maxKeys: 3 }), { maxLength: 6 });
  fc.assert(
    fc.property(rows, lists, (all, before) => {
      const given = mergeParcels(all as Parcels[]);
      for (const ledger of [1, 2, 5]) {
        const own = all.flatMap((row) => row[ledger] ?? []);
        const once = given[ledger] ?? [];
        expect(once.length > 0).toBe(own.length > 0);
        for (const { discoveries } of once)
          expect(new Set(discoveries.map(({ url }) => url)).size).toBe(discoveries.length);
        expect(keep([before, ...once], true)).toEqual(keep([before, ...own], true));
        // Without a depth limit a part keeps what comes first. No depth is greater then.
        const kept = keep(once, false).urls;
        for (const [url, { depth, priority }] of keep(own, false).urls) {
          expect(kept.get(url)?.priority).toBe(priority);
          expect(kept.get(url)?.depth).toBeLessThanOrEqual(depth);
        }
        expect(kept.size).toBe(keep(own, false).urls.size);
      }
    }),
  );
});
