import { expect, test } from "vitest";
import type { CrawlDetail, ReportView } from "../../../src/api/views.ts";
import type { Client } from "../../../src/cli/installation/client.ts";
import { commandAt, describeLimit, describeModelGaps } from "../../../src/cli/output/go-on.ts";

/** The limit that stopped a crawl is said, with the command that goes on. */

const HERE = { state: ".orbweaver" };

interface Changes {
  limit?: number;
  dryRun?: boolean;
  costUsd?: number;
  bytes?: number;
}

function crawlOf(status: string, changes: Changes = {}): CrawlDetail {
  const { limit = 1_000, dryRun = false, costUsd = 0, bytes = 0 } = changes;
  const options = { limit, dryRun, maxCostUsd: 2, maxDurationS: 60, maxBytes: 100_000 };
  return { id: "c1", status, options, costUsd, bytes, counts: { skipped: 5 } } as unknown as CrawlDetail;
}

/** A client whose report counts this many URLs that the page limit left out. */
function reporting(limit?: number): Client {
  const reasons = limit === undefined ? {} : { limit };
  return { report: async () => ({ reasons }) as ReportView } as unknown as Client;
}

const RETRY = "To go on: npm run orbweaver -- retry c1 --reason limit --limit";

test.each<[string, CrawlDetail, number | undefined, string[]]>([
  [
    "the page limit",
    crawlOf("completed"),
    3_412,
    ["It has reached its limit of 1,000 pages. Not fetched: 3,412 URLs.", `${RETRY} 2000`],
  ],
  [
    "the highest page limit",
    crawlOf("completed", { limit: 600_000_000 }),
    1,
    ["It has reached its limit of 600,000,000 pages. Not fetched: 1 URL.", `${RETRY} 1000000000`],
  ],
  [
    "the cost limit",
    crawlOf("paused", { costUsd: 2.1 }),
    undefined,
    ["It has reached its cost limit of 2 USD.", "To go on: npm run orbweaver -- resume c1 --max-cost 4.2"],
  ],
  [
    "the cost limit, by far",
    crawlOf("paused", { costUsd: 5.0123456789 }),
    undefined,
    ["It has reached its cost limit of 2 USD.", "To go on: npm run orbweaver -- resume c1 --max-cost 10"],
  ],
  [
    "the size limit",
    crawlOf("paused", { bytes: 123_456 }),
    undefined,
    ["It has reached its size limit of 100,000 bytes.", "To go on: npm run orbweaver -- resume c1 --max-bytes 246912"],
  ],
  [
    "both of them",
    crawlOf("paused", { costUsd: 2, bytes: 100_000 }),
    undefined,
    [
      "It has reached its cost limit of 2 USD.",
      "It has reached its size limit of 100,000 bytes.",
      "To go on: npm run orbweaver -- resume c1 --max-cost 4 --max-bytes 200000",
    ],
  ],
  [
    "the time limit",
    crawlOf("cancelled_due_to_timeout"),
    undefined,
    ["It has reached its time limit of 60 s.", "To go on: npm run orbweaver -- retry c1 --status cancelled"],
  ],
  ["no limit", crawlOf("completed"), undefined, []],
  ["a pause by its user", crawlOf("paused", { costUsd: 1, bytes: 99_999 }), undefined, []],
  ["a dry run, which says it itself", crawlOf("completed", { dryRun: true }), 7, []],
])("%s", async (_, crawl, left, lines) => {
  expect(await describeLimit(crawl, reporting(left), HERE)).toEqual(lines);
});

test.each([
  [HERE, "npm run orbweaver -- resume c1"],
  [{ state: "other", out: "pages" }, "npm run orbweaver -- resume c1 --out pages --state other"],
  [{ state: "my state", out: "it's" }, "npm run orbweaver -- resume c1 --out 'it'\\''s' --state 'my state'"],
  [{ state: "a;b", out: "$HOME/a" }, "npm run orbweaver -- resume c1 --out '$HOME/a' --state 'a;b'"],
  [
    { state: ".orbweaver", remote: "https://a.example", token: "secret" },
    "npm run orbweaver -- resume c1 --remote https://a.example",
  ],
])("a command leads to the same place: %j", (place, command) => {
  expect(commandAt("resume c1", place)).toBe(command);
});

test.each<[string, object, object, string[]]>([
  ["nothing", {}, {}, []],
  [
    "pages on which it failed",
    { failedPages: 2, problem: "it said no" },
    {},
    ["The model failed on 2 pages: it said no.", "To ask again: npm run orbweaver -- extract c1"],
  ],
  [
    "pages beyond its calls",
    { calls: 4, leftPages: 2 },
    { modelCalls: 4 },
    ["The model's limit of 4 calls left out 2 pages.", "To go on: npm run orbweaver -- extract c1 --model-calls 6"],
  ],
  [
    "pages beyond its cost",
    { costUsd: 0.9, leftPages: 1 },
    { modelCostUsd: 1 },
    ["The model's limit of 1 USD left out 1 page.", "To go on: npm run orbweaver -- extract c1 --model-cost 2"],
  ],
])("what the model has not read is said with what goes on: %s", (_, model, options, lines) => {
  const spent = {
    calls: 1,
    inputTokens: 1,
    outputTokens: 1,
    costUsd: null,
    failedPages: 0,
    leftPages: 0,
    problem: null,
  };
  const crawl = {
    ...{ id: "c1", model: { ...spent, ...model } },
    options: { modelCalls: 0, modelCostUsd: 0, ...options },
  } as unknown as CrawlDetail;
  expect(describeModelGaps(crawl, HERE)).toEqual(lines);
});
