import { expect, test } from "vitest";
import { compareVersions } from "../../src/changes/compare/compare-versions.ts";
import { diffVersions } from "../../src/changes/compare/diff-versions.ts";
import type { PageVersion } from "../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE } from "../../src/changes/template/host-template.ts";
import { learnVersions } from "../../src/changes/template/learn-versions.ts";
import { contentHash, viewOf } from "../../src/changes/view-version.ts";

function version(...blocks: string[]): PageVersion {
  return { title: "Tea", canonical: null, looksMissing: false, blocks, headings: [], rest: null };
}

test("versions are compared in workerd", () => {
  const pages = ["green", "black", "white", "red", "yellow"].map((kind) =>
    version(`About ${kind} tea.`, "Last updated 1 May 2026"),
  );
  const view = viewOf(
    learnVersions(
      EMPTY_TEMPLATE,
      pages.map((after) => ({ before: null, after })),
    ),
  );
  const before = version("Wait for two minutes, then drink.", "Last updated 1 May 2026");
  const after = version("Wait for three minutes, then drink.", "Last updated 1 May 2026");
  expect(contentHash(before, view)).toBe(contentHash({ ...before }, view));
  expect(compareVersions(before, after, view)).toMatchObject({ kind: "changed", content: { modified: 1 } });
  const parts = [
    { kind: "same", text: "Wait for " },
    { kind: "removed", text: "two" },
    { kind: "added", text: "three" },
    { kind: "same", text: " minutes, then drink." },
  ];
  expect(diffVersions(before, after, view).hunks).toEqual([{ under: [], lines: [{ kind: "modified", parts }] }]);
});

test("two pages of a megabyte with nothing in common are compared in workerd", () => {
  const view = viewOf();
  const page = (word: string) => version(...Array.from({ length: 10_000 }, (_, at) => `${word} ${at} `.repeat(10)));
  expect(compareVersions(page("one"), page("other"), view).kind).toBe("changed");
  expect(diffVersions(version("a ".repeat(500_000)), version("b ".repeat(500_000)), view).hunks).toHaveLength(1);
});
