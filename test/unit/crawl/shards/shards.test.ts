import fc from "fast-check";
import { expect, test } from "vitest";
import { crawlIdIn, ledgerOf } from "../../../../src/crawl/crawl-id.ts";
import { divideByShard, ledgerOfUrl, partIn, partsOf } from "../../../../src/crawl/shards/shards.ts";
import { seedOf } from "../../../../src/lifecycle/first-urls.ts";

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
  const discoveries = urls.map((url) => seedOf(url, 0));
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
