import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partsOfUrl } from "../../../src/scope/same-page-parts.ts";
import {
  confidenceOf,
  describeSamePageRule,
  EMPTY_SAME_PAGES,
  type HostSamePages,
  hasLapsed,
  isActive,
  isAudited,
  isOpen,
  learnExample,
  reduceUrl,
  ruleOf,
  stateOf,
  takesAnyValue,
} from "../../../src/scope/same-page-rules.ts";

const HOST = "https://a.test";

interface Seen {
  tail: string;
  isSame?: boolean;
  isSample?: boolean;
  /** Each page has its own by default. */
  content?: string;
}

function learn(host: HostSamePages, { tail, isSame = true, isSample = true, content }: Seen): HostSamePages {
  const url = HOST + tail;
  const part = partsOfUrl(url)[0];
  if (part === undefined) throw new Error(`${tail} has no part`);
  return learnExample(host, { ...part, url, other: part.reduced, isSame, isSample, content: content ?? part.reduced });
}

const pages = (count: number, value = "up", from = 0): Seen[] =>
  Array.from({ length: count }, (_, i) => ({ tail: `/a${from + i}?sort=${value}` }));

const notASample = (seen: Seen): Seen => ({ ...seen, isSample: false });
const learnAll = (seen: readonly Seen[]) => seen.reduce(learn, EMPTY_SAME_PAGES);
const reduced = (host: HostSamePages, tail: string) => reduceUrl(host, HOST + tail)?.reduced.slice(HOST.length) ?? null;

describe("a rule", () => {
  test.each<[string, Seen[], string | null]>([
    ["is used after five examples and three samples", pages(8), "/new"],
    ["is not used before", pages(7), null],
    ["has no support from one page with many values", pages(20, "up").map((_, i) => ({ tail: `/a?sort=${i}x` })), null],
    ["counts a page once", [...pages(7), ...pages(7)], null],
    [
      "takes pages that were compared with another value as support",
      [...pages(5).map(notASample), ...pages(3, "up", 5)],
      "/new",
    ],
    ["has no samples from pages that were not compared with that form", pages(20).map(notASample), null],
    [
      "has no support from pages that all show the same, such as a login",
      pages(40).map((page) => ({ ...page, content: "log in" })),
      null,
    ],
    [
      "ignores them beside others",
      [...pages(7), ...pages(40, "up", 7).map((page) => ({ ...page, content: "log in" }))],
      "/new",
    ],
    ["needs confidence: 1 of 9 speaks against", [{ tail: "/x?sort=up", isSame: false }, ...pages(8)], null],
    ["has it with 1 of 22", [{ tail: "/x?sort=up", isSame: false }, ...pages(22)], "/new"],
    [
      "ends with its first counterexample",
      [...pages(12), { tail: "/x?sort=up", isSame: false }, ...pages(30, "up", 20)],
      null,
    ],
    [
      "is given up after three",
      [...["/x", "/y", "/z"].map((at) => ({ tail: `${at}?sort=up`, isSame: false })), ...pages(70)],
      null,
    ],
  ])("%s", (_, seen, expected) => expect(reduced(learnAll(seen), "/new?sort=up")).toBe(expected));

  test("holds for its folder, and for its values", () => {
    const host = learnAll([...pages(4, "up"), ...pages(4, "down", 4)]);
    expect(reduced(host, "/new?sort=down")).toBe("/new");
    expect(reduced(host, "/new?sort=else")).toBeNull();
    expect(reduced(host, "/folder/new?sort=up")).toBeNull();
    expect(reduced(host, "/new?sort=up&color=red")).toBe("/new?color=red");
  });

  test("holds for any value after five values that are no small numbers", () => {
    const sessions = Array.from({ length: 8 }, (_, i) => ({ tail: `/a${i}?zs=k${i}f9` }));
    expect(reduced(learnAll(sessions), "/new?zs=other")).toBe("/new");
    const numbers = Array.from({ length: 8 }, (_, i) => ({ tail: `/a${i}?part_of=${i}` }));
    expect(reduced(learnAll(numbers), "/new?part_of=99")).toBeNull();
  });

  test("takes any value after five that are no small numbers", () => {
    const host = learnAll(Array.from({ length: 8 }, (_, i) => ({ tail: `/a${i}?zs=k${i}f9` })));
    const rule = ruleOf(host, { part: "?zs", scope: "/*" });
    expect(rule !== null && takesAnyValue(host, rule)).toBe(true);
    const listed = learnAll(pages(8));
    const other = ruleOf(listed, { part: "?sort", scope: "/*" });
    expect(other !== null && takesAnyValue(listed, other)).toBe(false);
  });

  test("lapses with a page that the part changes, once it is used", () => {
    const [learning, used] = [learnAll(pages(7)), learnAll(pages(8))];
    const against = { tail: "/x?sort=up", isSame: false };
    expect(hasLapsed(learning, learn(learning, against))).toBe(false);
    expect(hasLapsed(learning, used)).toBe(false);
    expect(hasLapsed(used, learn(used, against))).toBe(true);
  });

  test("tests one URL in 20 at once, others in each crawl", () => {
    const audited = (crawl: string) =>
      Array.from({ length: 4_000 }, (_, i) => `${HOST}/a${i}?sort=up`).filter((url) => isAudited(crawl, url));
    expect(Math.abs(audited("one").length - 200)).toBeLessThan(60);
    expect(audited("one").filter((url) => audited("two").includes(url)).length).toBeLessThan(40);
  });

  test("says what it is made of", () => {
    const host = learnAll(pages(8));
    const rule = ruleOf(host, { part: "?sort", scope: "/*" });
    expect(rule === null ? null : [describeSamePageRule(host, rule), stateOf(host, rule)]).toEqual([
      "?sort at /* (8 pages with it are the same without it, 0 are not, 3 samples verified it, confidence 1.00, in use)",
      "in use",
    ]);
  });
});

describe("a rule of several folders", () => {
  const inFolder = (folder: string, count: number, value = "up"): Seen[] =>
    Array.from({ length: count }, (_, i) => ({ tail: `/${folder}/a${i}?sort=${value}` }));
  const three = ["shoes", "hats", "bags"].flatMap((folder) => inFolder(folder, 8));

  test.each<[string, Seen[], string | null]>([
    ["holds in another folder after one sample", [...three, ...inFolder("coats", 1)], "/coats/new"],
    ["needs that sample", three, null],
    ["takes no other example for it", [...three, ...inFolder("coats", 1).map(notASample)], null],
    ["needs three folders", [...three.slice(8), ...inFolder("coats", 1)], null],
    [
      "ends where the part changed a page of the folder",
      [...three, ...inFolder("coats", 1), { tail: "/coats/x?sort=up", isSame: false }],
      null,
    ],
    [
      "ends where the part changed a page of any folder",
      [...three, ...inFolder("coats", 1), { tail: "/socks/x?sort=up", isSame: false }],
      null,
    ],
  ])("%s", (_, seen, expected) => expect(reduced(learnAll(seen), "/coats/new?sort=up")).toBe(expected));

  test("does not hold for a value that only the new folder has", () => {
    expect(reduced(learnAll([...three, ...inFolder("coats", 1, "new")]), "/coats/new?sort=new")).toBeNull();
  });

  test("stays in use in the folders that have evidence of their own", () => {
    const host = learnAll([...three, { tail: "/socks/x?sort=up", isSame: false }]);
    expect(reduced(host, "/hats/new?sort=up")).toBe("/hats/new");
  });

  test("lapses in a folder that took it over, with a page of another folder", () => {
    const host = learnAll([...three, ...inFolder("coats", 1)]);
    const after = learn(host, { tail: "/socks/x?sort=up", isSame: false });
    expect(hasLapsed(host, after)).toBe(true);
  });

  test("says where it comes from", () => {
    const host = learnAll([...three, ...inFolder("coats", 1)]);
    const rule = ruleOf(host, { part: "?sort", scope: "/coats/*" });
    expect(rule === null ? null : describeSamePageRule(host, rule)).toContain(
      "in use, as in other folders of the host",
    );
  });
});

test("a part that changes pages of one folder is refused in no folder without evidence of its own", () => {
  const example = fc.record({
    folder: fc.constantFrom("a", "b", "c", "d", "e"),
    page: fc.nat(12),
    isSame: fc.boolean().chain((isOften) => (isOften ? fc.constant(true) : fc.nat(20).map((n) => n > 0))),
    isSample: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(example, { minLength: 20, maxLength: 150 }), (examples) => {
      const host = learnAll(
        examples.map(({ folder, page, ...rest }) => ({ tail: `/${folder}/${page}?sort=up`, ...rest })),
      );
      for (const folder of ["a", "b", "c", "d", "e"]) {
        if (reduced(host, `/${folder}/new?sort=up`) === null) continue;
        const rule = ruleOf(host, { part: "?sort", scope: `/${folder}/*` });
        const rules = Object.values(host.rules);
        const hasOwn = (rule?.same ?? 0) >= 8 && (rule?.samples ?? 0) >= 3;
        const isNeverDifferent = rules.every(({ different }) => different === 0);
        expect(hasOwn || (isNeverDifferent && (rule?.samples ?? 0) >= 1)).toBe(true);
        expect(rule?.withdrawnBy).toBeNull();
      }
    }),
  );
});

test("values that every object inherits are values", () => {
  const host = learnAll(["__proto__", "constructor", "toString"].map((value, i) => ({ tail: `/a${i}?sort=${value}` })));
  expect(Object.values(host.rules)[0]).toMatchObject({ same: 3 });
  expect(JSON.stringify(host)).toContain('"__proto__":1');
});

test("segments without an example leave no trace", () => {
  expect(learn(EMPTY_SAME_PAGES, { tail: "/docs/page", isSame: false })).toBe(EMPTY_SAME_PAGES);
});

test("a host has a bounded number of rules, and forgets those without examples first", () => {
  let host = learnAll(pages(8));
  for (let i = 0; i < 200; i++) host = learn(host, { tail: `/x?name${i}x=1`, isSame: false });
  expect(Object.keys(host.rules).length).toBe(60);
  expect(reduced(host, "/new?sort=up")).toBe("/new");
  expect(JSON.stringify(host).length).toBeLessThan(60_000);
});

test("whatever is seen in whatever order, and however often: a rule in use has its support, confidence and samples", () => {
  const example = fc.record({
    page: fc.nat(30),
    value: fc.constantFrom("a", "b", "c"),
    isSame: fc.boolean(),
    isSample: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(example, { maxLength: 100 }), (examples) => {
      const seen = examples.map(({ page, value, ...rest }) => ({ tail: `/p${page}?sort=${value}`, ...rest }));
      const host = learnAll(seen);
      const rule = ruleOf(host, { part: "?sort", scope: "/*" });
      // Redelivered: the last one changes nothing.
      const last = seen.at(-1);
      if (last !== undefined && rule !== null) expect(learn(host, last)).toEqual(learn(learn(host, last), last));
      if (rule === null || !isActive(host, rule)) return;
      expect(rule.same).toBeGreaterThanOrEqual(8);
      expect(confidenceOf(rule)).toBeGreaterThanOrEqual(0.95);
      expect(rule.same).toBeLessThanOrEqual(new Set(examples.map(({ page }) => page)).size);
      expect(rule.withdrawnBy).toBeNull();
    }),
  );
});

test("what is settled needs no more examples", () => {
  const part = partsOfUrl(`${HOST}/new?sort=up`)[0];
  if (part === undefined) throw new Error("no part");
  expect([0, 7, 8].map((count) => isOpen(learnAll(pages(count)), part))).toEqual([true, true, false]);
});
