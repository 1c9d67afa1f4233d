import { describe, expect, test } from "vitest";
import { compareVersions } from "../../../src/changes/compare/compare-versions.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "../../../src/changes/template/host-template.ts";
import { learnVersions, type NewVersion } from "../../../src/changes/template/learn-versions.ts";
import { contentHash, viewOf, viewVersion } from "../../../src/changes/view-version.ts";
import { prose, version } from "./version.ts";

const first = (after: PageVersion): NewVersion => ({ before: null, after, visits: 1 });
const learn = (versions: readonly PageVersion[], from = EMPTY_TEMPLATE) => learnVersions(from, versions.map(first));
const shown = (template: HostTemplate, ...blocks: string[]) => viewVersion(version(blocks), viewOf(template)).blocks;

/** Pages with two blocks of their own each, of which the first `count` have `block` too. */
function pages(total: number, count: number, block: string): PageVersion[] {
  return Array.from({ length: total }, (_, at) =>
    version([prose(2 * at), ...(at < count ? [block] : []), prose(2 * at + 1)]),
  );
}

describe("a template is what many pages have", () => {
  test.each([
    [4, 4, false],
    [5, 5, true],
    [5, 16, true],
    [5, 17, false],
    [300, 1_000, true],
    [299, 1_000, false],
  ])("a block on %d of %d pages: %s", (count, total, isTemplate) => {
    // The pages without it are learned first and last, so it is no new design.
    const versions = pages(total, count, "Footer").reverse();
    const half = Math.ceil((total - count) / 2);
    const template = learn([...versions.slice(half), ...versions.slice(0, half)]);
    expect(shown(template, "Footer", "Own")).toEqual(isTemplate ? ["Own"] : ["Footer", "Own"]);
  });

  test("a page that changes often does not make its own blocks the template", () => {
    let template = learn(pages(3, 3, "Footer"));
    let before = version([prose(1), "News 1"]);
    template = learnVersions(template, [first(before)]);
    for (let day = 2; day < 50; day++) {
      const after = version([prose(1), prose(2), `News: ${prose(1_000 + day)}`]);
      template = learnVersions(template, [{ before, after, visits: 1 }]);
      before = after;
    }
    expect(shown(template, prose(1), prose(2))).toEqual([prose(1), prose(2)]);
  });

  test("a new design is learned from its first pages, long before it has reached 30% of them", () => {
    const old = pages(1_000, 1_000, "Old banner");
    const template = learnVersions(
      learn(old),
      old.slice(0, 6).map((before) => {
        const after = version([...before.blocks.filter((text) => text !== "Old banner"), "Come to our conference"]);
        return { before, after, visits: 1 };
      }),
    );
    expect(shown(template, "Come to our conference", "Old banner", "Own")).toEqual(["Own"]);
  });

  test("a design that comes back is learned as fast as a new one", () => {
    const old = pages(1_000, 0, "");
    let template = learn(old);
    const banner = (page: PageVersion) => version([...page.blocks, "Come to our conference"]);
    const change = (from: number, to: number, hasBanner: boolean) => {
      const fed = old.slice(from, to).map((page): NewVersion => {
        const [before, after] = hasBanner ? [page, banner(page)] : [banner(page), page];
        return { before, after, visits: 1 };
      });
      template = learnVersions(template, fed);
    };
    change(0, 100, true);
    // Three pages are never visited again.
    change(0, 97, false);
    expect(shown(template, "Come to our conference")).toEqual(["Come to our conference"]);
    change(0, 6, true);
    expect(shown(template, "Come to our conference")).toEqual([]);
  });

  test("a block that has gone from the pages is forgotten", () => {
    const old = pages(10, 10, "Old banner");
    const template = learnVersions(
      learn(old),
      old.map((before) => ({ before, after: version([prose(500)]), visits: 1 })),
    );
    expect(template.blocks).not.toHaveProperty("Old banner");
    expect(shown(template, "Old banner")).toEqual(["Old banner"]);
  });
});

describe("the table", () => {
  test("is small, whatever the pages are, and keeps the template", () => {
    let template = EMPTY_TEMPLATE;
    for (let at = 0; at < 2_000; at += 25) {
      const batch = Array.from({ length: 25 }, (_, one) => {
        const text = prose(at + one);
        const own = Array.from({ length: 60 }, (_, block) => `${text} ${"x".repeat(block)}`);
        return version(["Menu", ...own, "Footer 1 May 2026"]);
      });
      template = learn(batch, template);
    }
    expect(JSON.stringify(template).length).toBeLessThan(40_000);
    expect(template.pages).toBe(2_000);
    expect(shown(template, "Menu", "Own", "Footer 2 June 2027")).toEqual(["Own"]);
  });
});

describe("what differs at each visit", () => {
  const own = [1, 2, 3, 4, 5, 6, 7, 8].map(prose);

  /**
   * Visits a page whose texts change by visit, and returns which visits would be told. From the fourth one that finds a
   * change on, they are second looks.
   */
  function visit(count: number, page: (visit: number) => PageVersion, visits = 1): number[] {
    let template = EMPTY_TEMPLATE;
    let before: PageVersion | null = null;
    const told: number[] = [];
    for (let at = 0; at < count; at++) {
      const after = page(at);
      const view = viewOf(template);
      if (before === null || contentHash(before, view) !== contentHash(after, view)) {
        if (before !== null && compareVersions(before, after, view).kind === "changed") told.push(at);
        template = learnVersions(template, [{ before, after, visits, isSecondLook: told.length >= 3 }]);
      }
      before = after;
    }
    return told;
  }

  test.each<[string, (visit: number) => string[]]>([
    ["a counter", (at) => [...own, `You are visitor ${1_000 + 17 * at}`]],
    ["a time", (at) => [`Generated at 12:03:${10 + at}`, ...own]],
    ["a token", (at) => [...own.slice(4), `Token 8f3a9c0b77d14e5f${at}`, ...own.slice(0, 4)]],
    ["related pages", (at) => [...own, "Related", `${prose(900 + at)}`, `${prose(700 + at)}`, "Imprint"]],
    ["a quotation at the end", (at) => [...own, prose(500 + at)]],
  ])("%s is told four times at most", (_, page) => {
    expect(visit(30, (at) => version(page(at)))).toEqual([1, 2, 3, 4]);
  });

  test("a change beside it is told", () => {
    const told = visit(30, (at) => version([...own, ...(at >= 20 ? [prose(400)] : []), prose(9), `Visitor ${at}`]));
    expect(told).toEqual([1, 2, 3, 4, 20]);
  });

  test("a slot that changes now and then stays told", () => {
    expect(visit(10, (at) => version([...own, "Next release", prose(300 + at), "Imprint"]), 2)).toHaveLength(9);
  });

  test("the larger part of a page stays told, though it is new at each visit", () => {
    const news = (at: number) => version(["News", ...[1, 2, 3, 4].map((one) => prose(100 * at + one)), "Imprint"]);
    expect(visit(12, news)).toHaveLength(11);
  });
});
