import { expect, test } from "vitest";
import { deltaQuery } from "../../../src/api/exports/delta-schemas.ts";
import { exportQuery } from "../../../src/api/exports/export-formats.ts";

const messagesOf = (result: ReturnType<typeof exportQuery.safeParse> | ReturnType<typeof deltaQuery.safeParse>) =>
  result.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

const ROWS = "jsonl, csv, parquet, markdown, chunks, llms, llms-full, sitemap, urls";

test.each([
  [{ format: "csv", label: "a", status: "completed", minRelevance: "0.5", cursor: "x" }],
  [{ format: "llms", label: "a" }],
  [{ format: "llms-full", label: "a", clean: "true", rawText: "true" }],
  [{ format: "chunks", label: "a", clean: "true", chunkTokens: "300" }],
  [{ format: "jsonl", formats: "chunks", clean: "true", chunkTokens: "300" }],
  [{ format: "parquet", label: "a" }],
  [{ format: "warc", cursor: "x", clean: "false", label: " " }],
  [{ format: "urls", status: "errored", label: "a", cursor: "x", parts: "true" }],
  [{ format: "graphml" }],
])("%j is taken", (query) => {
  expect(messagesOf(exportQuery.safeParse(query))).toEqual([]);
});

test.each([
  [{ format: "warc", label: "a" }, `label: warc takes no label, because it has the whole crawl. It is for ${ROWS}.`],
  [
    { format: "wacz", status: "completed" },
    `status: wacz takes no status, because it has the whole crawl. It is for ${ROWS}.`,
  ],
  [
    { format: "graphml", minRelevance: "1" },
    `minRelevance: graphml takes no minRelevance, because it has the whole crawl. It is for ${ROWS}.`,
  ],
  [{ format: "csv", formats: "markdown" }, "formats: csv takes no formats. It is for jsonl."],
  [
    { format: "csv", clean: "true" },
    "clean: csv takes no clean. It is for jsonl with formats, markdown, chunks, llms-full.",
  ],
  [
    { format: "jsonl", chunkTokens: "300" },
    "chunkTokens: jsonl takes no chunkTokens without formats. It is for jsonl with formats, chunks.",
  ],
  [
    { format: "parquet", cursor: "x" },
    "cursor: parquet takes no cursor. It is for jsonl, csv, markdown, chunks, llms, llms-full, sitemap, urls, warc.",
  ],
])("%j is refused with those that take it", (query, message) => {
  expect(messagesOf(exportQuery.safeParse(query))).toEqual([message]);
});

test.each([
  [{ of: "pages", formats: "markdown", clean: "true", since: "ab.1" }, []],
  [{ of: "chunks", chunkTokens: "300", rawText: "true", since: "ab.1.t", cursor: "t1.https://a.test/" }, []],
  [{ clean: "true" }, ["clean: of=pages takes no clean without formats. It is for of=pages with formats."]],
  [
    { of: "chunks", formats: "text" },
    [expect.stringMatching(/^formats: of=chunks takes no formats, because .* It is for of=pages\.$/)],
  ],
])("a delta with %j", (query, messages) => {
  expect(messagesOf(deltaQuery.safeParse(query))).toEqual(messages);
});
