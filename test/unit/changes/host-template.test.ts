import { describe, expect, test } from "vitest";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "../../../src/changes/template/host-template.ts";
import { learnVersions, type NewVersion } from "../../../src/changes/template/learn-versions.ts";
import { maskedHash } from "../../../src/changes/template/template-hashes.ts";
import { viewOf, viewVersion } from "../../../src/changes/view-version.ts";
import { prose, version } from "./version.ts";

const first = (after: PageVersion): NewVersion => ({ before: null, after });
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
    [5, 33, true],
    [5, 34, false],
    [150, 1_000, true],
    [149, 1_000, false],
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
      template = learnVersions(template, [{ before, after }]);
      before = after;
    }
    expect(shown(template, prose(1), prose(2))).toEqual([prose(1), prose(2)]);
  });

  test("a block that has gone from the pages is forgotten", () => {
    const old = pages(10, 10, "Old banner");
    const template = learnVersions(
      learn(old),
      old.map((before) => ({ before, after: version([prose(500)]) })),
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

test("a table of an earlier version is read", () => {
  const hashes = ["Menu", "Banner"].map(maskedHash);
  const stored = {
    pages: 10,
    versions: 14,
    blocks: { [hashes[0] ?? ""]: [9, 0], [hashes[1] ?? ""]: [5, -1, 1] },
    slots: { "a>b": [5, 0, 2] },
  };
  const template = JSON.parse(JSON.stringify(stored)) as HostTemplate;
  expect(shown(template, "Menu", "Banner", "Own")).toEqual(["Own"]);
  const learned = learn([version(["Menu", "More"])], template);
  expect(learned).toMatchObject({ pages: 11, versions: 15 });
  expect(shown(learned, "Menu", "Banner", "Own")).toEqual(["Own"]);
});
