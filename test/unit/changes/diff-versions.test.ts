import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions } from "../../../src/changes/compare/compare-versions.ts";
import { type DiffLine, diffVersions } from "../../../src/changes/compare/diff-versions.ts";
import { NO_RULES } from "../../../src/changes/ignore-rules.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE } from "../../../src/changes/template/host-template.ts";
import { viewOf } from "../../../src/changes/view-version.ts";
import { cpuMsOf } from "../cpu-time.ts";
import { prose, version } from "./version.ts";

const plain = viewOf();
const body = [1, 2, 3, 4, 5, 6, 7, 8].map(prose);

/** A version whose blocks that begin with `#` are headings of as many levels. */
function withHeadings(blocks: readonly string[]): PageVersion {
  const headings = blocks.flatMap((text, index): [number, number][] => {
    const level = /^#*/.exec(text)?.[0].length ?? 0;
    return level === 0 ? [] : [[index, level]];
  });
  return version(
    blocks.map((text) => text.replace(/^#+ /, "")),
    { headings },
  );
}

test("an unchanged page has no hunks", () => {
  expect(diffVersions(version(body), version(body), plain)).toEqual({
    title: null,
    canonical: null,
    hunks: [],
    rest: null,
    hunksLeftOut: 0,
  });
});

test("a hunk has its headings, its context, and the words that changed", () => {
  const before = withHeadings([
    "# Tea",
    "## Kinds",
    "Tea is green.",
    "## Use",
    body[0] ?? "",
    "Wait for two minutes, then drink.",
    body[1] ?? "",
  ]);
  const after = withHeadings([
    "# Tea",
    "## Kinds",
    "Tea is green.",
    "## Use",
    body[0] ?? "",
    "Wait for three minutes, then drink.",
    body[1] ?? "",
  ]);
  expect(diffVersions(before, after, plain).hunks).toEqual([
    {
      under: ["Tea", "Use"],
      lines: [
        { kind: "same", text: "Use" },
        { kind: "same", text: body[0] },
        {
          kind: "modified",
          parts: [
            { kind: "same", text: "Wait for " },
            { kind: "removed", text: "two" },
            { kind: "added", text: "three" },
            { kind: "same", text: " minutes, then drink." },
          ],
        },
        { kind: "same", text: body[1] },
      ],
    },
  ]);
});

test("letters of scripts without spaces are compared one by one", () => {
  const { hunks } = diffVersions(version(["今日は良い天気です"]), version(["今日は悪い天気です"]), plain);
  expect(hunks[0]?.lines).toEqual([
    {
      kind: "modified",
      parts: [
        { kind: "same", text: "今日は" },
        { kind: "removed", text: "良" },
        { kind: "added", text: "悪" },
        { kind: "same", text: "い天気です" },
      ],
    },
  ]);
});

test("a hunk is under its headings, between the blocks that stayed the same", () => {
  const before = withHeadings(["# Tea", ...body.slice(0, 3), "One cup, ten leaves, no sugar."]);
  const after = {
    ...withHeadings(["# Tea", body[0] ?? "", "New.", ...body.slice(1, 3), "Two cups, ten leaves, no sugar."]),
    title: "Teas",
  };
  const { title, hunks } = diffVersions(before, after, plain);
  expect(title).toEqual({ before: "Title", after: "Teas" });
  expect(hunks.map(({ under }) => under)).toEqual([["Tea"]]);
  const lines = hunks[0]?.lines ?? [];
  expect(lines.map(({ kind }) => kind)).toEqual(["same", "same", "added", "same", "same", "modified"]);
  expect(textsOf(lines, "removed")).toEqual(["One cup, ten leaves, no sugar."]);
  expect(textsOf(lines, "added")).toEqual(["New.", "Two cups, ten leaves, no sugar."]);
});

test("what is ignored is not shown", () => {
  const view = viewOf(EMPTY_TEMPLATE, { ...NO_RULES, patterns: ["seen * times"] });
  const page = (times: number, word: string) => version([...body, `This ${word} page was seen ${times} times.`]);
  expect(diffVersions(page(1, "old"), page(2, "old"), view).hunks).toEqual([]);
  const [hunk] = diffVersions(page(1, "old"), page(2, "new"), view).hunks;
  expect(textsOf(hunk?.lines ?? [], "added")).toContain("This new page was ….");
});

const anyVersion = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 12 }).map(prose), fc.string()), { maxLength: 20 })
  .map((blocks) => version(blocks.filter((text) => text.trim() !== "")));

function textsOf(lines: readonly DiffLine[], side: "added" | "removed"): string[] {
  return lines.flatMap((line) => {
    if (line.kind === side) return [line.text];
    if (line.kind !== "modified") return [];
    return [
      line.parts
        .filter(({ kind }) => kind === "same" || kind === side)
        .map(({ text }) => text)
        .join(""),
    ];
  });
}

test("it says what the comparison says, and its lines are blocks of the versions", () => {
  fc.assert(
    fc.property(anyVersion, anyVersion, (before, after) => {
      const comparison = compareVersions(before, after, plain);
      const lines = diffVersions(before, after, plain).hunks.flatMap((hunk) => hunk.lines);
      const found = comparison.kind === "changed" ? comparison.content : null;
      const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
      expect([count("added"), count("removed"), count("modified")]).toEqual([
        found?.added ?? 0,
        found?.removed ?? 0,
        found?.modified ?? 0,
      ]);
      const known = (side: PageVersion) => new Set(side.blocks.map((text) => text.trim()));
      for (const text of textsOf(lines, "added")) expect(known(after)).toContain(text);
      for (const text of textsOf(lines, "removed")) expect(known(before)).toContain(text);
    }),
  );
});

describe("hostile pages take seconds, not minutes", () => {
  const random = (count: number, seed: number) => Array.from({ length: count }, (_, at) => prose(seed + at));
  const letters = (seed: number) =>
    Array.from({ length: 200_000 }, (_, at) => String.fromCharCode(97 + ((at * at * seed) % 26))).join(" ");
  test.each<[string, PageVersion, PageVersion]>([
    [
      "two blocks of a megabyte with nothing in common",
      version(["a ".repeat(500_000)]),
      version(["b ".repeat(500_000)]),
    ],
    ["two long blocks of the same letters", version([letters(3)]), version([letters(7)])],
    ["twenty thousand other blocks", version(random(20_000, 1)), version(random(20_000, 1_000_000))],
    ["twenty thousand blocks in the other order", version(random(20_000, 1)), version(random(20_000, 1).reverse())],
    [
      "blocks of two kinds",
      version(letters(3).split(" ").slice(0, 20_000)),
      version(letters(7).split(" ").slice(0, 20_000)),
    ],
    [
      "a thousand long blocks that are half alike",
      version(random(500, 1).map((text, at) => `${text} `.repeat(4) + `${prose(5_000 + at)} `.repeat(4))),
      version(random(500, 1).map((text, at) => `${text} `.repeat(4) + `${prose(9_000 + at)} `.repeat(4))),
    ],
  ])("%s", (_, before, after) => {
    const ms = cpuMsOf(() => {
      expect(compareVersions(before, after, plain).kind).toBe("changed");
      expect(diffVersions(before, after, plain).hunks.length).toBeGreaterThan(0);
    });
    expect(ms).toBeLessThan(20_000);
  });
});
