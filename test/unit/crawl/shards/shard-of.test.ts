import fc from "fast-check";
import { expect, test } from "vitest";
import { shardOf } from "../../../../src/crawl/shards/shard-of.ts";

const ledgerLists = fc.uniqueArray(fc.integer({ min: 0, max: 4_095 }), { minLength: 1, maxLength: 64 });
const hosts = fc.domain();
const manyHosts = Array.from({ length: 10_000 }, (_, i) => `www.site-${i}.example`);

test("a host has one of the ledgers, whatever their order", () => {
  fc.assert(
    fc.property(hosts, ledgerLists, fc.nat(), (host, ledgers, turns) => {
      const shard = shardOf(host, ledgers);
      expect(ledgers).toContain(shard);
      const at = turns % ledgers.length;
      expect(shardOf(host, [...ledgers.slice(at), ...ledgers.slice(0, at)].toReversed())).toBe(shard);
    }),
  );
});

test("a host moves only to a ledger that is added, and only from one that is removed", () => {
  fc.assert(
    fc.property(hosts, ledgerLists, (host, ledgers) => {
      fc.pre(ledgers.length > 1);
      const [added = 0, ...before] = ledgers;
      const after = shardOf(host, ledgers);
      expect([shardOf(host, before), added]).toContain(after);
    }),
  );
});

test.each([2, 3, 8, 64])("%i ledgers have about as many hosts each", (count) => {
  const ledgers = Array.from({ length: count }, (_, i) => i);
  const counts = Map.groupBy(manyHosts, (host) => shardOf(host, ledgers));
  const mean = manyHosts.length / count;
  // Five standard deviations of a binomial distribution.
  const most = 5 * Math.sqrt(mean);
  for (const ledger of ledgers) expect(Math.abs((counts.get(ledger)?.length ?? 0) - mean)).toBeLessThan(most);
});

test("the division never changes, because rows stay where it has put them", () => {
  const ledgers = [0, 1, 2, 3, 4, 5, 6, 7];
  const divided = ["a.test", "b.test", "example.com", "www.example.com", "xn--bcher-kva.example", "[2001:db8::1]"];
  expect(divided.map((host) => shardOf(host, ledgers))).toEqual([5, 5, 6, 0, 6, 6]);
});
