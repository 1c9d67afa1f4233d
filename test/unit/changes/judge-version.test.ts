import { describe, expect, test } from "vitest";
import { judgeVersion } from "../../../src/changes/compare/judge-version.ts";
import { NO_RULES } from "../../../src/changes/ignore-rules.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "../../../src/changes/template/host-template.ts";
import { learnVersions } from "../../../src/changes/template/learn-versions.ts";
import { prose, version } from "./version.ts";

/** A host whose pages are visited one after the other, as a watch does. */
class Host {
  template: HostTemplate;
  readonly #stored: PageVersion[];
  readonly #known = new Set<number>();
  /** Visits since the stored version was found. */
  readonly #visits: number[];

  constructor(pages: readonly PageVersion[]) {
    this.#stored = [...pages];
    this.#visits = pages.map(() => 0);
    this.template = learnVersions(
      EMPTY_TEMPLATE,
      pages.slice(0, 25).map((after) => ({ before: null, after, visits: 1 })),
    );
  }

  /** Whether the change that was told last needs a second look. */
  needsSecondLook = false;

  /** Returns whether the change would be told, now or after a second look. */
  visit(page: number, after: PageVersion): boolean {
    const before = this.#stored[page] as PageVersion;
    const visits = (this.#visits[page] ?? 0) + 1;
    this.#visits[page] = visits;
    const judged = judgeVersion(this.template, NO_RULES, { before, after, visits, isFirst: !this.#known.has(page) });
    if (judged.template !== this.template) this.#known.add(page);
    this.template = judged.template;
    this.needsSecondLook = judged.needsSecondLook;
    if (judged.comparison.kind === "unchanged") return false;
    this.#stored[page] = after;
    this.#visits[page] = 0;
    return true;
  }
}

const own = (page: number) => range(20).map((part) => prose(100 * page + part));
const site = (count: number, pageOf: (page: number) => PageVersion) =>
  new Host(Array.from({ length: count }, (_, page) => pageOf(page)));
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

test("a page that says the same teaches nothing, however often it is visited", () => {
  const page = (at: number, year: number) => version([...own(at), "Imprint", `Copyright ${year}`]);
  const host = site(10, (at) => page(at, 2025));
  const { template } = host;
  for (const at of range(10)) expect(host.visit(at, page(at, 2026))).toBe(false);
  expect(host.template).toBe(template);
});

test("a new line of the menu is told of one page", () => {
  const page = (at: number, menu: string[]) =>
    version(["Download", "Sponsors", ...menu, `About ${prose(at)}`, ...own(at)]);
  const host = site(40, (at) => page(at, []));
  expect(range(40).filter((at) => host.visit(at, page(at, ["Privacy"])))).toEqual([0]);
});

test("a line that two pages of many have got beside their own text is told", () => {
  const page = (at: number, news: string[]) => version([...own(at), ...news, prose(100 * at + 50), "Imprint"]);
  const host = site(40, (at) => page(at, []));
  expect(range(4).filter((at) => host.visit(at, page(at, ["New in version 3"])))).toEqual([0, 1, 2, 3]);
});

test("random links of short pages are known from longer ones", () => {
  const page = (at: number, visit: number) =>
    version([
      ...own(at).slice(0, at < 20 ? 15 : 2),
      "Related",
      prose(20_000 + visit),
      prose(21_000 + visit),
      "Mail me",
    ]);
  const host = site(30, (at) => page(at, at));
  expect(range(60).filter((visit) => host.visit(visit % 30, page(visit % 30, visit + 40)))).toEqual([0, 1, 2]);
});

test("the pages of a host count once, whether its template knew them or not", () => {
  const page = (at: number, banner: string[]) => version([...banner, ...own(at), "Imprint"]);
  const host = site(100, (at) => page(at, []));
  expect(range(100).filter((at) => host.visit(at, page(at, [prose(9_000), prose(9_001)])))).toEqual([0, 1, 2, 3]);
  expect(host.template.pages).toBe(25 + 5);
});

test("random links with some in common from visit to visit are one slot", () => {
  const page = (at: number, visit: number) => {
    const related = range(4).map((part) => prose(20_000 + 100 * at + visit + part));
    return version([...own(at), "Related", ...related, "Mail me"]);
  };
  const host = site(30, (at) => page(at, 0));
  const told = range(90).filter((visit) => host.visit(visit % 30, page(visit % 30, 1 + Math.floor(visit / 30))));
  expect(told).toEqual([0, 1, 2]);
});

test("a slot begins at the last of several blocks that may begin it", () => {
  const page = (at: number, visit: number, code: string) =>
    version([...own(at), "}", code, "}", prose(20_000 + visit), "Mail me"]);
  const code = (at: number) => prose(30_000 + at);
  const host = site(30, (at) => page(at, at, code(at)));
  const told = range(90).filter((visit) => host.visit(visit % 30, page(visit % 30, visit + 40, code(visit % 30))));
  expect(told).toEqual([0, 1, 2]);
  expect(host.visit(3, page(3, 200, prose(40_000)))).toBe(true);
});

test("another date in the template makes no slot of the text before it", () => {
  const page = (at: number, visit: number, more: string[]) => {
    const updated = `Updated ${1 + (visit % 28)} May 2026`;
    return version([...own(at), "}", ...more, updated, "Related", prose(20_000 + visit), "Mail me"]);
  };
  const host = site(30, (at) => page(at, at, []));
  for (const visit of range(90)) host.visit(visit % 30, page(visit % 30, visit + 41, []));
  expect(host.visit(3, page(3, 200, [prose(40_000)]))).toBe(true);
});

test("a new design stays one, though later versions do not have it", () => {
  const page = (at: number, banner: string[], edition: number) =>
    version([...banner, ...own(at), prose(30_000 + 100 * at + edition), "Imprint"]);
  const host = site(60, (at) => page(at, [], 0));
  const banner = [prose(9_000)];
  expect(range(6).filter((at) => host.visit(at, page(at, banner, 0)))).toEqual([0, 1, 2, 3]);
  for (const at of range(40)) expect(host.visit(10 + at, page(10 + at, [], 1))).toBe(true);
  expect(host.visit(5, page(5, banner, 0))).toBe(false);
});

test("what is edited in one place now and then is told, though random links differ at each visit", () => {
  const page = (at: number, visit: number, edition: number) =>
    version([
      "Status",
      prose(30_000 + 100 * at + edition),
      "Text",
      ...own(at),
      "Related",
      prose(20_000 + visit),
      "Mail me",
    ]);
  const host = site(30, (at) => page(at, at, 0));
  // Each page is edited before its 10th and its 20th visit.
  const isTold = (visit: number) => host.visit(visit % 30, page(visit % 30, 1_000 + visit, Math.floor(visit / 300)));
  const told = range(900).filter(isTold);
  expect(told.slice(0, 3)).toEqual([0, 1, 2]);
  expect(told.slice(3)).toEqual([...range(30).map((at) => 300 + at), ...range(30).map((at) => 600 + at)]);
});

describe("a second look", () => {
  const page = (at: number, visit: number, more: string[] = []) =>
    version([...own(at), ...more, "Related", prose(20_000 + visit), "Mail me"]);

  test("is needed where all that has changed may differ at each visit", () => {
    const host = site(30, (at) => page(at, at));
    for (const at of [0, 1, 2]) {
      expect(host.visit(at, page(at, 40 + at))).toBe(true);
      expect(host.needsSecondLook).toBe(true);
    }
  });

  test("is not needed for a page's own text", () => {
    const host = site(30, (at) => page(at, at));
    expect(host.visit(0, page(0, 40, [prose(50_000)]))).toBe(true);
    expect(host.needsSecondLook).toBe(false);
  });

  test("is not needed where a visit has found the same before", () => {
    const host = site(30, (at) => page(at, at));
    expect(host.visit(0, page(0, 0))).toBe(false);
    expect(host.visit(0, page(0, 40))).toBe(true);
    expect(host.needsSecondLook).toBe(false);
  });
});

describe("a place that changed whenever its page was visited", () => {
  const site = range(30).map((at) => version([...own(at), "Imprint"]));
  const page = (date: string) => version(["Format", date, ...own(50), "Imprint"]);
  const learned = learnVersions(
    EMPTY_TEMPLATE,
    site.map((after) => ({ before: null, after, visits: 1 })),
  );

  /** Returns what is judged at each visit: told at once (1), after a second look (2), or not. `looks`: second looks. */
  function visit(count: number, looks: readonly number[]): string {
    let template = learned;
    let before = page(prose(20_000));
    return range(count)
      .map((at) => {
        const after = page(prose(20_001 + at));
        const found = { before, after, visits: 1, isFirst: at === 0, isSecondLook: looks.includes(at) };
        const judged = judgeVersion(template, NO_RULES, found);
        ({ template } = judged);
        if (judged.comparison.kind === "unchanged") return "-";
        before = after;
        return judged.needsSecondLook ? "2" : "1";
      })
      .join("");
  }

  test.each<[string, number[], string]>([
    ["waits for a second look", [], "1112222222"],
    ["waits, though one second look has found it changed again", [4], "1112222222"],
    ["is no news once two second looks have found it changed again", [4, 5], "11122-----"],
  ])("%s", (_, looks, expected) => {
    expect(visit(10, looks)).toBe(expected);
  });
});

test("an item of a random list that most pages have ends no slot", () => {
  // It is a block of the template, because many pages have it among their own blocks.
  const page = (at: number, visit: number) => {
    const isNamed = (part: number) => (3 * visit + part) % 8 < 2;
    const related = range(4).map((part) => (isNamed(part) ? "Newsletter" : prose(20_000 + 10 * visit + part)));
    const text = at % 3 === 0 ? ["Newsletter", ...own(at)] : own(at);
    return version([...text, "Related", ...related, "Mail me"]);
  };
  const host = site(30, (at) => page(at, at));
  expect(range(90).filter((visit) => host.visit(visit % 30, page(visit % 30, visit + 40)))).toEqual([0, 1, 2]);
});
