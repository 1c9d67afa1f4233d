import { expect, test } from "vitest";
import { viewRecord } from "../../../src/api/records/record-schemas.ts";
import type { CrawlUrl } from "../../../src/crawl/crawl.ts";

/** The names of files: other programs open a document by its extension. */
const HASH = /~~[0-9a-z]{14}/;

test.each([
  ["https://a.test/report.pdf", "application/pdf", "a.test/report.pdf"],
  ["https://a.test/Report.PDF", "application/pdf", "a.test/Report#.pdf"],
  ["https://a.test/get?id=3", "application/pdf", "a.test/get~id=3~.pdf"],
  ["https://a.test/Data.xlsx", "application/octet-stream", "a.test/Data.xlsx#.html"],
  ["https://a.test/api", "application/json; charset=utf-8", "a.test/api~~.json"],
  ["https://a.test/About", "text/html", "a.test/About#.html"],
])("the file of %s with %s is %s", (url, contentType, expected) => {
  const record = {
    url,
    status: "completed",
    kind: "page",
    contentType,
    sha256: "00",
    reason: null,
    media: null,
    fields: null,
    extracted: null,
    fetchedAt: 0,
    lastmod: null,
  };
  const { file } = viewRecord(record as CrawlUrl);
  expect(file?.replace(HASH, "#")).toBe(expected);
});
