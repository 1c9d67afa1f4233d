import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Comparison, compareVersions } from "../../../src/changes/compare/compare-versions.ts";
import { NO_RULES } from "../../../src/changes/ignore-rules.ts";
import { hashOf, type PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "../../../src/changes/template/host-template.ts";
import { learnVersions } from "../../../src/changes/template/learn-versions.ts";
import { maskedHash } from "../../../src/changes/template/template-hashes.ts";
import { contentHash, viewOf } from "../../../src/changes/view-version.ts";
import { prose, version, versionOfHtml } from "./version.ts";

const plain = viewOf();
const body = [1, 2, 3, 4, 5, 6].map(prose);

function content(comparison: Comparison) {
  if (comparison.kind === "unchanged" || comparison.content === null) return null;
  const { added, removed, modified } = comparison.content;
  return { added, removed, modified };
}

/** The template of a host with ten pages that all have these blocks. */
function templateOf(...blocks: string[]): HostTemplate {
  const pages = Array.from({ length: 10 }, (_, at) => version([prose(100 + at), ...blocks]));
  return learnVersions(
    EMPTY_TEMPLATE,
    pages.map((after) => ({ before: null, after, visits: 1 })),
  );
}

describe("what counts as a change", () => {
  test.each([
    ["an added block", [...body, prose(7)], { added: 1, removed: 0, modified: 0 }],
    ["a removed block", body.slice(1), { added: 0, removed: 1, modified: 0 }],
    ["a block with other words", [`${prose(1)} More.`, ...body.slice(1)], { added: 0, removed: 0, modified: 1 }],
    ["a block instead of another", [prose(9), ...body.slice(1)], { added: 1, removed: 1, modified: 0 }],
    ["another order", [...body.slice(3), ...body.slice(0, 3)], { added: 3, removed: 3, modified: 0 }],
    ["nothing", [...body], null],
    ["two blocks made one", [`${prose(1)} ${prose(2)}`, ...body.slice(2)], null],
    ["one block made two", [prose(1).slice(0, 30), prose(1).slice(30), ...body.slice(1)], null],
  ])("%s", (_, after, expected) => {
    expect(content(compareVersions(version(body), version(after), plain))).toEqual(expected);
  });

  test("a number in a block of the page's own", () => {
    const at = (price: string) => version([...body, `Room 12 costs ${price} now`]);
    expect(content(compareVersions(at("20"), at("21"), plain))).toEqual({ added: 0, removed: 0, modified: 1 });
  });

  test("a space between two words", () => {
    const page = (word: string) => version([...body, `It is present and ${word} one extension is there`]);
    expect(content(compareVersions(page("atleast"), page("at least"), plain))).toMatchObject({ modified: 1 });
  });

  test.each([
    ["f( (a, b))", "f((a, b))", null],
    ["[docs]def f", "[docs] def f", null],
    ["{x}{y} M", "{x} {y}M", null],
    ["no more", "nomore", { added: 0, removed: 0, modified: 1 }],
    ["a 1", "a1", { added: 0, removed: 0, modified: 1 }],
  ])("a space beside a sign is none: %s, %s", (before, after, expected) => {
    const page = (text: string) => version([...body, `It is present and ${text} one extension is there`]);
    const found = content(compareVersions(page(before), page(after), plain));
    expect(found).toEqual(expected);
  });

  test("a title and a canonical URL are changes of their own", () => {
    expect(compareVersions(version(body), version(body, { title: "Other" }), plain)).toEqual({
      kind: "changed",
      title: { before: "Title", after: "Other" },
      canonical: null,
      content: null,
      suspicion: null,
    });
    const comparison = compareVersions(version(body), version(body, { canonical: "https://example.com/a" }), plain);
    expect(comparison).toMatchObject({ title: null, canonical: { before: null, after: "https://example.com/a" } });
  });

  test("the text beyond the limits", () => {
    const rest = (hash: string) => version(body, { rest: { characters: 10, hash } });
    expect(compareVersions(rest("a"), rest("b"), plain)).toMatchObject({ content: { share: 1 } });
  });

  test("the share is the changed part of the text", () => {
    const { content } = compareVersions(
      version(body),
      version([...body, ...body.map((text) => `${text}!`)]),
      plain,
    ) as {
      content: { share: number };
    };
    expect(content.share).toBeCloseTo(1 / 3, 1);
  });
});

describe("what is left out", () => {
  test("blocks of the template that both have, and not those that one has", () => {
    const view = viewOf(templateOf("Last updated 1 May 2026", "Version 2.1"));
    const before = version([...body, "Last updated 1 May 2026", "Version 2.1"]);
    const after = version(["Version 2.1", ...body, "Last updated 1 May 2026"]);
    expect(compareVersions(before, after, view).kind).toBe("unchanged");
    const later = version([...body, "Last updated 22 November 2026", "Version 2.1"]);
    expect(compareVersions(before, later, view)).toMatchObject({ content: { modified: 1 } });
    expect(contentHash(before, view)).not.toBe(contentHash(later, view));
    expect(compareVersions(before, version(body), view)).toMatchObject({ content: { removed: 2 } });
  });

  test("blocks of the template that came or went on most pages at once", () => {
    const template = templateOf("Last updated 1 May 2026", "Version 2.1");
    const round = { at: 0, seen: 0, pages: [], others: 0, had: null, share: 1, text: "", isShared: true } as const;
    const rounds = { [`n${maskedHash("Last updated 1 May 2026")}`]: round, [`-${hashOf("Version 2.1")}`]: round };
    const view = viewOf({ ...template, rounds });
    const before = version([...body, "Last updated 1 May 2026", "Version 2.1"]);
    const after = version([...body, "Last updated 22 November 2026"]);
    expect(compareVersions(before, after, view).kind).toBe("unchanged");
    expect(contentHash(before, view)).toBe(contentHash(after, view));
    // A page that was stored since then has lost it by itself.
    const later = viewOf({ ...template, rounds }, undefined, { url: "https://a.test/", storedAt: 10 * 86_400_000 });
    expect(compareVersions(before, after, later)).toMatchObject({ content: { removed: 1 } });
  });

  test("a heading at the end of the content, with nothing under it", () => {
    const page = (...added: string[]) => {
      return version([prose(0), ...body, ...added], { headings: [[0, 1], ...(added.length ? [[7, 3] as const] : [])] });
    };
    expect(compareVersions(page(), page("This Page"), plain).kind).toBe("unchanged");
    expect(compareVersions(page("This Page"), page("Comments"), plain).kind).toBe("unchanged");
    expect(content(compareVersions(page(), page("Comments", prose(9)), plain))).toMatchObject({ added: 2 });
    const empty = version(["Welcome"], { headings: [[0, 1]] });
    expect(compareVersions(empty, { ...empty, blocks: ["Closed"] }, plain).kind).toBe("changed");
  });

  test("the site's name in titles, with other versions too", () => {
    const titled = (page: string, release: string) => version(body, { title: `${page} — The Manual ${release}` });
    const pages = Array.from({ length: 10 }, (_, at) => titled(prose(at), "1.0.0-dev"));
    const view = viewOf(
      learnVersions(
        EMPTY_TEMPLATE,
        pages.map((after) => ({ before: null, after, visits: 1 })),
      ),
    );
    expect(compareVersions(titled("Install", "1.0.0-dev"), titled("Install", "1.1.0"), view).kind).toBe("unchanged");
    const renamed = compareVersions(titled("Install", "1.0.0-dev"), titled("Set up", "1.0.0-dev"), view);
    expect(renamed).toMatchObject({ title: { after: "Set up — The Manual 1.0.0-dev" } });
  });

  test("prices are told although each page has one", () => {
    const pages = Array.from({ length: 10 }, (_, at) => version([prose(at), `Price: $${at}.99`]));
    const view = viewOf(
      learnVersions(
        EMPTY_TEMPLATE,
        pages.map((after) => ({ before: null, after, visits: 1 })),
      ),
    );
    const at = (price: string) => version([...body, `Price: $${price}`]);
    expect(content(compareVersions(at("3.99"), at("2.50"), view))).toMatchObject({ modified: 1 });
  });

  test("and a block of the template in a new wording is told as one", () => {
    const view = viewOf(templateOf("Copyright the authors of this site and its friends"));
    const before = version([...body, "Copyright the authors of this site and its friends"]);
    const after = version([...body, "Copyright the authors of this site, its friends and families"]);
    expect(compareVersions(before, after, view)).toMatchObject({ content: { modified: 1 } });
  });

  test.each([
    ["a block divided from one of the template", ["Made with joy -->", prose(1)], [`Made with joy --> ${prose(1)}`]],
    ["the same, with another text", ["Made with joy -->", prose(2)], [`Made with joy --> ${prose(1)}`]],
    [
      "a block joined with two of them",
      [`Licensed ${prose(1)} Made with joy -->`],
      ["Licensed", prose(1), "Made with joy -->"],
    ],
  ])("%s", (name, before, after) => {
    const view = viewOf(templateOf("Licensed", "Made with joy -->"));
    const page = (blocks: string[]) => version([...blocks, ...body.slice(2)]);
    const expected = name.includes("another") ? "changed" : "unchanged";
    expect(compareVersions(page(before), page(after), view).kind).toBe(expected);
    expect(compareVersions(page(after), page(before), view).kind).toBe(expected);
  });

  test.each([
    ["a menu that is content now", ["On this page"], 1, 1, null],
    ["a new block", ["On this page"], 0, 1, { added: 1, removed: 0, modified: 0 }],
    ["a second one", ["On this page"], 1, 2, { added: 1, removed: 0, modified: 0 }],
    ["one of two blocks", ["On this page", prose(9)], 1, 1, { added: 1, removed: 0, modified: 0 }],
  ])("a block that the page had outside its content: %s", (_, more, timesBefore, timesAfter, expected) => {
    const pageText = (times: number) => [...body, ...Array(times).fill("On this  page")].join("\n");
    const before = version(body, { pageText: pageText(timesBefore) });
    const after = version([...body, ...more], { pageText: pageText(timesAfter) });
    expect(content(compareVersions(before, after, plain))).toEqual(expected);
    expect(compareVersions(after, before, plain).kind).toBe(expected === null ? "unchanged" : "changed");
  });

  test("the new wording of a block that stood outside the content", () => {
    const [old, now] = [
      "Tea and its leaf are marks of The Tea House.",
      "Tea and its leaf are registered marks of The Tea House.",
    ];
    const before = version(body, { pageText: [...body, old].join("\n") });
    const more = version([...body, now], { pageText: [...body, now].join("\n") });
    expect(compareVersions(before, more, plain).kind).toBe("unchanged");
    const beside = version([...body, now], { pageText: [...body, now, old].join("\n") });
    expect(content(compareVersions(before, beside, plain))).toMatchObject({ added: 1 });
  });

  test.each([
    ["2026-01-25T14:52", "2026-02-01T09:10", "unchanged"],
    ["Page of 3 May 2026, 10:15", "Page of 12 June 2026, 08:01", "unchanged"],
    ["12 copies", "3 copies", "changed"],
    ["2026-01-25T14:52", "Closed for good", "changed"],
  ])("the date of a footer that the reader takes for content at one visit: %s", (old, now, kind) => {
    const without = version(body, { pageText: [...body, old].join("\n") });
    const taken = version([...body, now], { pageText: [...body, now].join("\n") });
    expect(compareVersions(without, taken, plain).kind).toBe(kind);
    expect(compareVersions(taken, without, plain).kind).toBe(kind);
  });

  test("the time in a footer that is known to be noise", () => {
    const [old, now] = ["Made on 2026-01-25 at 14:52", "Made on 2026-02-01 at 09:10"];
    const evidence = { at: 1, url: "https://a.test/", texts: [old, now] as const, pages: ["a", "b"] };
    const noise = { [`n:${maskedHash(old)}`]: evidence };
    const view = viewOf({ ...EMPTY_TEMPLATE, noise });
    const without = version(body, { pageText: [...body, old].join("\n") });
    const taken = version([...body, now], { pageText: [...body, now].join("\n") });
    expect(compareVersions(without, taken, view).kind).toBe("unchanged");
    expect(compareVersions(taken, without, view).kind).toBe("unchanged");
  });

  test("a date of the content that has gone, though the footer has one", () => {
    const page = (...dates: string[]) =>
      version([...body, ...dates], { pageText: [...body, ...dates, "2026-03-01"].join("\n") });
    expect(content(compareVersions(page("2026-01-25", "2026-02-07"), page("2026-02-07"), plain))).toMatchObject({
      removed: 1,
    });
    expect(compareVersions(page("2026-01-25"), page("2026-02-07"), plain).kind).toBe("changed");
  });

  test("a block that stands elsewhere in the content", () => {
    const pageText = body.join("\n");
    const after = version([...body.slice(3), ...body.slice(0, 3)], { pageText });
    expect(content(compareVersions(version(body, { pageText }), after, plain))).toMatchObject({ added: 3, removed: 3 });
  });

  test("text that a pattern matches", () => {
    const view = viewOf(EMPTY_TEMPLATE, { ...NO_RULES, patterns: ["Posted * ago", "Advertisement: *"] });
    const before = version([...body, "Posted 3 days ago by Jo"], { title: "A Posted 1 day ago" });
    const after = version([...body, "Posted 4 days ago by Jo", "Advertisement: tea"], { title: "A Posted 9 days ago" });
    expect(compareVersions(before, after, view).kind).toBe("unchanged");
  });

  test("a change below the least share", () => {
    const after = version([`${prose(1)} More.`, ...body.slice(1)]);
    const view = (leastShare: number) => viewOf(EMPTY_TEMPLATE, { ...NO_RULES, leastShare });
    expect(compareVersions(version(body), after, view(0.2)).kind).toBe("unchanged");
    expect(compareVersions(version(body), after, view(0.001)).kind).toBe("changed");
  });
});

describe("pages that are suspicious", () => {
  test.each([
    ["missing-page", version(["Not found", "There is no such page."], { looksMissing: true, title: "Not found" })],
    ["blocked", version(["Sign in", "Name", "Password"], { title: "Sign in to Example" })],
    ["blocked", version(["Please wait."], { title: "Just a moment..." })],
    ["blocked", version(["Service unavailable"], { title: "Example" })],
    ["only-template", version(["The footer of all pages of the host"])],
    ["only-template", version([])],
    [null, version([prose(20), prose(21), prose(22)])],
    [null, version([prose(20), prose(21), ...Array.from({ length: 40 }, (_, at) => prose(at))], { title: "Login" })],
  ])("%s", (suspicion, after) => {
    const view = viewOf(templateOf("The footer of all pages of the host"));
    const comparison = compareVersions(version(body), after, view);
    expect(comparison).toMatchObject({ kind: "changed", suspicion });
  });

  const around = (content: string) =>
    `<title>Title</title><header><p>Old satellite</p><nav><ul><li><a href="/#a">Broad</a></li></ul></nav></header>
    <main><article>${content}</article></main><footer><p>${prose(70)}</p></footer>`;
  const article = `<h1>Title</h1>${body.map((text) => `<p>${text}</p>`).join("")}`;

  test("if nothing is left but what stood around the content, which the reader takes for content then", () => {
    const [before, shell] = [versionOfHtml(around(article)), versionOfHtml(around(""))];
    expect(before.blocks).not.toContain(prose(70));
    expect(shell.blocks).toContain(prose(70));
    expect(compareVersions(before, shell, plain)).toMatchObject({ suspicion: "only-template" });
    expect(compareVersions(shell, before, plain)).toMatchObject({ suspicion: null });
  });

  test("not if a sentence of another kind stands there", () => {
    const sold = versionOfHtml(around(`<h1>Title</h1><p>${prose(80)}</p>`));
    expect(compareVersions(versionOfHtml(around(article)), sold, plain)).toMatchObject({ suspicion: null });
  });

  test("not if the page was like that before", () => {
    const login = (text: string) => version(["Sign in", text], { title: "Sign in" });
    expect(compareVersions(login(prose(1)), login(prose(2)), plain)).toMatchObject({ suspicion: null });
  });
});

const block = fc.oneof(
  fc.integer({ min: 0, max: 12 }).map(prose),
  fc.integer({ min: 0, max: 5 }).map((number) => `Updated ${number} May 20${number}0`),
  fc.string(),
);
const anyVersion: fc.Arbitrary<PageVersion> = fc
  .tuple(fc.array(block, { maxLength: 20 }), fc.option(fc.string()))
  .map(([blocks, title]) =>
    version(
      blocks.filter((text) => text.trim() !== ""),
      { title },
    ),
  );
const anyTemplate = fc
  .array(fc.tuple(anyVersion, fc.option(anyVersion), fc.integer({ min: 1, max: 3 })), { maxLength: 12 })
  .map((fed) =>
    learnVersions(
      EMPTY_TEMPLATE,
      fed.map(([after, before, visits]) => ({ before, after, visits })),
    ),
  );
const anyRules = fc.record({
  urls: fc.constant([]),
  selectors: fc.constant([]),
  patterns: fc.array(fc.constantFrom("word*a", "Updated *", "* May", "0"), { maxLength: 3 }),
  leastShare: fc.constantFrom(0, 0.1, 1),
});

describe("properties", () => {
  test("a version is unchanged against itself, under every template and rule", () => {
    fc.assert(
      fc.property(anyVersion, anyTemplate, anyRules, (one, template, rules) => {
        expect(compareVersions(one, structuredClone(one), viewOf(template, rules)).kind).toBe("unchanged");
      }),
    );
  });

  test("versions with the same hash are unchanged", () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, anyTemplate, anyRules, (one, other, template, rules) => {
        const view = viewOf(template, rules);
        if (contentHash(one, view) === contentHash(other, view))
          expect(compareVersions(one, other, view).kind).toBe("unchanged");
        else if (rules.leastShare === 0 && compareVersions(one, other, view).kind === "unchanged")
          expect(Object.keys(template.blocks).length + rewrapped(one, other)).toBeGreaterThan(0);
      }),
    );
  });

  test("template blocks that are added to both sides change nothing", () => {
    const footer = ["About this site", "Contact its owner"];
    fc.assert(
      fc.property(anyVersion, anyVersion, fc.nat(), fc.nat(), (one, other, at, otherAt) => {
        const known = new Set(footer.map(maskedHash));
        const own = ({ blocks }: PageVersion) => blocks.filter((text) => !known.has(maskedHash(text)));
        const template = { ...viewOf().template, blocks: known };
        const view = { ...viewOf(), template };
        const without = [version(own(one)), version(own(other))] as const;
        const expected = compareVersions(...without, view);
        const both = [insert(without[0], footer, at), insert(without[1], footer, otherAt)] as const;
        expect(compareVersions(...both, view)).toEqual(expected);
      }),
    );
  });

  test("what is added one way is removed the other way", () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, (one, other) => {
        expect(compareVersions(one, other, plain).kind).toBe(compareVersions(other, one, plain).kind);
      }),
    );
  });
});

function rewrapped(one: PageVersion, other: PageVersion): number {
  const join = ({ blocks }: PageVersion) => blocks.join("").replace(/\s/g, "");
  return join(one) === join(other) ? 1 : 0;
}

function insert(page: PageVersion, blocks: readonly string[], at: number): PageVersion {
  return { ...page, blocks: page.blocks.toSpliced(at % (page.blocks.length + 1), 0, ...blocks) };
}
