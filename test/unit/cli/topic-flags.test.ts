import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TopicView } from "../../../src/api/views.ts";
import { toExamples } from "../../../src/cli/flags/topic-flags.ts";
import { describeTopic } from "../../../src/cli/queries/topic-command.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-topic-"));
const file = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

test("URLs and files are told apart, and HTML gives its words", () => {
  const plain = file("otters.txt", "Otters live in rivers.\n");
  const html = file("otters.html", "<!doctype html><style>p { x }</style><p>Otters &amp; <b>rivers</b><!-- no --></p>");
  expect(toExamples([plain, "a.test/otters", html])).toEqual({
    like: ["https://a.test/otters"],
    likeTexts: ["Otters live in rivers.", "Otters rivers"],
  });
});

test("without examples nothing is sent", () => {
  expect(toExamples(undefined)).toEqual({});
});

test("all texts together have at most 100,000 characters", () => {
  const files = [1, 2, 3].map((n) => file(`long-${n}.txt`, "x".repeat(80_000)));
  const { likeTexts } = toExamples(files) as { likeTexts: string[] };
  expect(likeTexts.map(({ length }) => length)).toEqual([33_333, 33_333, 33_333]);
});

test.each([
  ["an empty file", "", "has no text"],
  ["a binary file", new Uint8Array([37, 80, 0, 1]), "is no text"],
])("%s is refused", (name, content, why) => {
  expect(() => toExamples([file(name, content)])).toThrow(why);
});

const TOPIC: TopicView = {
  words: "otters",
  like: [],
  openExamples: [],
  until: 0.05,
  pages: 400,
  relevant: 100,
  recent: { pages: 200, relevant: 30 },
  harvest: { pagesPerPoint: 10, points: [0, 0.5, 0.999, 1] },
  hosts: [{ host: "a.test", pages: 50, relevance: 0.7 }],
  terms: [{ term: "otter", weight: 0.9 }],
  weights: { page: 0.5, text: 0.4, host: 0.1 },
  best: [{ url: "https://a.test/otter", title: "Otter", relevance: 0.95 }],
  doubtful: [],
};

test("the subject is described in lines", () => {
  const lines = describeTopic("id", TOPIC, { state: ".orbweaver" }).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "Subject: otters.",
    "100 of 400 pages relevant (25%); of the last 200: 30 (15%). It ends below 5% of the last 200.",
    "Harvest: ▁▅██",
    "Words: otter.",
  ]);
  expect(lines.join("\n")).toContain("records id --min-relevance 0.5");
  expect(lines.join("\n")).not.toContain("Doubtful");
});
