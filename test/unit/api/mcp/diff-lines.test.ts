import { expect, test } from "vitest";
import { diffLines, firstHunks } from "../../../../src/api/mcp/diff-lines.ts";
import type { DiffView } from "../../../../src/api/views.ts";

/** A difference as lines. */

const HUNKS: DiffView["hunks"] = [
  {
    under: ["Care", "Oil"],
    lines: [
      { kind: "same", text: "Before." },
      {
        kind: "modified",
        parts: [
          { kind: "same", text: "Every " },
          { kind: "removed", text: "500" },
          { kind: "added", text: "300" },
          { kind: "same", text: " hours" },
        ],
      },
      { kind: "added", text: "New\nblock." },
      { kind: "removed", text: "Old." },
    ],
  },
  { under: [], lines: [{ kind: "added", text: "Second." }] },
];

test("each block is a line, and a changed block is two", () => {
  const title = { before: "A", after: null };
  expect(diffLines({ title, canonical: null, hunks: HUNKS })).toEqual([
    "- title: A",
    "+ title: ",
    "@@ Care > Oil",
    "  Before.",
    "- Every 500 hours",
    "+ Every 300 hours",
    "+ New block.",
    "- Old.",
    "@@ ",
    "+ Second.",
  ]);
});

test.each([
  [10_000, 2],
  [200, 1],
  [1, 1],
])("of hunks that may have %i characters, the first %i come", (most, number) => {
  expect(firstHunks(HUNKS, most)).toEqual(HUNKS.slice(0, number));
});
