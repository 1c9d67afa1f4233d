import fc from "fast-check";
import { expect, test } from "vitest";
import type { Discovery } from "../../../../src/crawl/crawl.ts";
import { crawlIdIn, ledgerOf } from "../../../../src/crawl/crawl-id.ts";
import { divideByShard, splitParcels } from "../../../../src/crawl/shards/parcels.ts";
import { ledgerOfUrl, partIn, partsOf } from "../../../../src/crawl/shards/shards.ts";

const found = (url: string): Discovery => ({
  ...{ url, kind: "page", via: null, depth: 0, priority: 0, redirects: 0, chain: 0 },
  ...{ pattern: null, lastmod: null, cookies: null },
});

const ledgers = fc.uniqueArray(fc.integer({ min: 0, max: 4_095 }), { minLength: 1, maxLength: 8 });

test("each part's id names its ledger, and leads to that of every other part", () => {
  fc.assert(
    fc.property(fc.uuid({ version: 4 }), ledgers, (uuid, all) => {
      const home = partIn(all[0] ?? 0, uuid);
      const parts = partsOf({ home, ledgers: all });
      expect(parts[0]).toBe(home);
      expect(parts.map(ledgerOf)).toEqual(all);
      expect(new Set(parts).size).toBe(all.length);
      for (const part of parts) expect(partsOf({ home: partIn(all[0] ?? 0, part), ledgers: all })).toEqual(parts);
    }),
  );
});

test("what was found is divided by host, and each part gets all hosts that join", () => {
  const shards = { home: crawlIdIn(1, crypto.randomUUID()), ledgers: [1, 2, 5] };
  const urls = Array.from({ length: 40 }, (_, i) => `https://h${i % 20}.test:${8000 + i}/p`);
  const discoveries = urls.map((url) => found(url));
  const sitemap = { url: "https://h3.test/sitemap.xml", via: null, guessed: false, depth: 0, redirects: 0 };
  const { own, others } = divideByShard({ discoveries, sitemaps: [sitemap], hosts: ["new.test"] }, 2, shards);
  const parcels = { ...others, 2: own };
  expect(Object.keys(parcels).map(Number)).toEqual([1, 2, 5]);
  for (const [ledger, { discoveries, hosts }] of Object.entries(parcels)) {
    expect(hosts).toEqual(["new.test"]);
    for (const { url } of discoveries) expect(ledgerOfUrl(url, shards)).toBe(Number(ledger));
  }
  const all = Object.values(parcels);
  expect(all.flatMap((parcel) => parcel.discoveries.map(({ url }) => url)).toSorted()).toEqual(urls.toSorted());
  expect(all.flatMap((parcel) => parcel.sitemaps)).toEqual([sitemap]);
});

test("what is for others fits into rows, in order, with the hosts first", () => {
  const discoveries = Array.from({ length: 450 }, (_, i) => found(`https://h${i}.test/`));
  const rows = splitParcels({
    1: { discoveries, sitemaps: [], hosts: ["a.test"] },
    2: { discoveries, sitemaps: [], hosts: [] },
  });
  expect(rows.map((row) => Object.values(row).reduce((sum, each) => sum + each.discoveries.length, 0))).toEqual([
    199, 200, 200, 200, 101,
  ]);
  expect(rows[0]?.[1]?.hosts).toEqual(["a.test"]);
  for (const ledger of [1, 2]) expect(rows.flatMap((row) => row[ledger]?.discoveries ?? [])).toEqual(discoveries);
  expect(splitParcels({})).toEqual([]);
});
