import { expect, test } from "vitest";
import { crawlRequest, toOptions } from "../../../src/api/crawls/crawl-request.ts";

const INSTALLATION = {
  userAgent: "Test/1",
  store: "warc",
  documents: [],
  privateAccess: "none",
  allowAddresses: false,
  maxCostUsd: 0,
} as const;
const HOSTS = ["https://b.test/", "https://c.test/"];
const optionsOf = (request: object) =>
  toOptions(crawlRequest.parse({ url: "https://a.test/", ...request }), INSTALLATION);

test.each([
  ["without a subject", {}, [false, 100_000, 0]],
  ["with words", { topic: " otters ", limit: 2_000 }, [true, 50, 0]],
  ["with seeds on three hosts", { topic: "otters", urls: HOSTS, limit: 2_000 }, [true, 50, 0]],
  [
    "with pages of three hosts, of which one is the example's",
    { topic: "otters", urls: [...HOSTS, "https://c.test/x"], like: ["https://B.test/x"], limit: 2_000 },
    [true, 50, 0],
  ],
  ["with seeds on four hosts", { topic: "otters", urls: [...HOSTS, "https://d.test/"], limit: 2_000 }, [true, 50, 500]],
  ["with an example on a fourth host", { urls: HOSTS, like: ["https://d.test/x"], limit: 100 }, [true, 50, 100]],
  ["with a text", { urls: [...HOSTS, "https://d.test/"], likeTexts: ["Otters"], limit: 401 }, [true, 50, 101]],
  [
    "with values of their own",
    { topic: "otters", maxQueued: 9, limitPerHost: 0, options: { includeExternalLinks: false } },
    [false, 9, 0],
  ],
  ["with blanks for words", { topic: "  " }, [false, 100_000, 0]],
])("the defaults %s", (_, request, [external, queued, perHost]) => {
  const { includeExternalLinks, maxQueued, limitPerHost } = optionsOf(request);
  expect([includeExternalLinks, maxQueued, limitPerHost]).toEqual([external, queued, perHost]);
});

test("words are trimmed, and examples are canonical and come once", () => {
  expect(optionsOf({ topic: " otters ", like: ["https://B.test/x#y", "https://b.test/x"] })).toMatchObject({
    topic: "otters",
    like: ["https://b.test/x"],
  });
});

test.each([
  [{ until: 0.1 }, ["until"], "give topic, like or likeTexts"],
  [{ topic: "otters", until: 0.1, watch: { everyS: 3_600 } }, ["until"], "leave out until or watch"],
  [{ topic: "otters", until: 1.1 }, ["until"], "<=1"],
  [{ likeTexts: ["x".repeat(100_001)] }, ["likeTexts"], "more than 100000 characters"],
])("%j is refused", (request, path, message) => {
  const { error } = crawlRequest.safeParse({ url: "https://a.test/", ...request });
  expect(error?.issues[0]).toMatchObject({ path, message: expect.stringContaining(message) });
});

test("an example that is no URL is refused by its place", () => {
  expect(() => optionsOf({ like: ["https://b.test/", "ftp://b.test/"] })).toThrow("is not an http or https URL");
});
