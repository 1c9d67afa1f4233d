import { expect, test } from "vitest";
import type { Attempt } from "../../src/frontier/attempt.ts";
import { lessonsOf } from "../../src/frontier/features/topic/topic-lessons.ts";
import { discovered, settled } from "./rows.ts";

const TOPIC = { relevance: 0.5, sample: null, example: "a text" };

function attempt(path: string, topic: unknown, kind: "page" | "asset" = "page"): Attempt {
  const url = `https://${path}`;
  return {
    work: { kind: "page", row: { url, kind, found: null } },
    outcome: settled(url),
    topic,
  } as unknown as Attempt;
}

const ended = (path: string, status: "completed" | "errored" | "queued") => ({
  url: `https://${path}`,
  status,
  reason: null,
});

test("a host has as many waiting URLs as were found and have neither ended nor become a page", () => {
  const { pages, waiting, examples } = lessonsOf(
    [
      attempt("a.test/failed", null),
      attempt("a.test/thrown-away", TOPIC),
      attempt("b.test/page", TOPIC),
      attempt("b.test/waits", null),
      attempt("b.test/came-twice", null),
      attempt("b.test/image", null, "asset"),
      attempt("c.test/like", TOPIC),
    ],
    [
      ...["https://a.test/1", "https://b.test/1", "https://b.test/2"].map((url) => discovered(url)),
      discovered("https://b.test/3", { kind: "asset" }),
    ],
    [
      ended("a.test/failed", "errored"),
      ended("a.test/thrown-away", "errored"),
      ended("b.test/page", "completed"),
      ended("b.test/waits", "queued"),
      ended("b.test/image", "completed"),
      ended("c.test/like", "completed"),
    ],
    ["https://c.test/like"],
  );
  expect(Object.fromEntries(waiting)).toEqual({ "a.test": -1, "b.test": 2 });
  // A page takes itself from those that wait when its subject is learned.
  expect(pages.map(({ url }) => url)).toEqual(["https://b.test/page"]);
  expect(examples).toEqual([{ url: "https://c.test/like", text: "a text" }]);
});
