import { expect, test } from "vitest";
import type { DiffView } from "../../../src/api/views.ts";
import { describeDiff, type Paint } from "../../../src/cli/queries/diff-command.ts";

const plain: Paint = (_, text) => text;
const tagged: Paint = (colours, text) => `<${colours.join(" ")}>${text}</>`;
const version = (fetchedAt: string) => ({ fetchedAt, title: null, sha256: null });
const SAME: DiffView = {
  url: "https://a.test/",
  from: version("2031-01-01T00:00:00.000Z"),
  to: version("2031-01-02T00:00:00.000Z"),
  earlier: null,
  later: null,
  full: false,
  title: null,
  canonical: null,
  hunks: [],
  hunksLeftOut: 0,
  rest: null,
};
const CHANGED: DiffView = {
  ...SAME,
  title: { before: null, after: "New" },
  hunks: [
    {
      under: ["Manual", "Prices"],
      lines: [
        { kind: "same", text: "It is \u001b[31mhere." },
        { kind: "removed", text: "Gone." },
        {
          kind: "modified",
          parts: [
            { kind: "same", text: "It costs " },
            { kind: "removed", text: "5" },
            { kind: "added", text: "6" },
            { kind: "same", text: " euros." },
          ],
        },
        { kind: "added", text: "Come." },
      ],
    },
  ],
};

test("without colours, a difference is in the form of diff -u, and no page can write to the terminal", () => {
  expect(describeDiff(CHANGED, plain).split("\n")).toEqual([
    "--- https://a.test/ 2031-01-01T00:00:00.000Z",
    "+++ https://a.test/ 2031-01-02T00:00:00.000Z",
    "@@ Title @@",
    "+New",
    "@@ Manual > Prices @@",
    " It is \ufffd[31mhere.",
    "-Gone.",
    "-It costs 5 euros.",
    "+It costs 6 euros.",
    "+Come.",
  ]);
});

test("colours mark the words that differ", () => {
  const lines = describeDiff(CHANGED, tagged).split("\n");
  expect(lines).toContain("<red>-</><red>It costs </><red inverse>5</><red> euros.</>");
  expect(lines).toContain("<green>+</><green>It costs </><green inverse>6</><green> euros.</>");
});

test("versions with the same content say so", () => {
  expect(describeDiff(SAME, plain)).toContain("No difference that counts. To compare the full text: --full.");
  expect(describeDiff({ ...SAME, full: true }, plain)).toContain("No difference in the main content.");
  const rest = describeDiff({ ...SAME, rest: { before: 1, after: 2 }, hunksLeftOut: 3 }, plain);
  expect(rest).toContain("3 more differences not shown.");
  expect(rest).not.toContain("No difference");
});
