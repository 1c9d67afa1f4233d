import { beforeEach, expect, test, vi } from "vitest";
import type { FetchResult, StoredPage } from "../../../src/crawl/page/outcome.ts";
import { withStoredVersion } from "../../../src/fetch/reading/stored-copy.ts";

/** What is stored of a page is read with its answer only where the two are compared. */

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => undefined));

const NO_VERSION = { title: null, canonical: null, looksMissing: false, headings: [], blocks: [], rest: null };
const OLD = { ...NO_VERSION, title: "old" };
const page = (facts: object): FetchResult =>
  ({ kind: "page", sha256: "b", version: { ...NO_VERSION, title: "new" }, ...facts }) as unknown as FetchResult;
const html = (length: number): StoredPage => ({
  ...{ body: new Uint8Array(length), contentType: "text/html", headers: [], httpStatus: 200 },
});
const fails = async () => {
  throw new Error("it cannot be read");
};

const CASES: [name: string, result: FetchResult, stored: StoredPage | null | "fails", expected: object | undefined][] =
  [
    ["another answer", page({}), html(10), { storedVersion: OLD }],
    ["the same bytes", page({ sha256: "a" }), "fails", undefined],
    [
      "the same bytes of a page that a browser drew",
      page({ sha256: "a", rendering: {} }),
      html(10),
      { storedVersion: OLD },
    ],
    ["nothing is stored any more", page({}), null, { storedVersion: null }],
    ["nobody compares", page({ version: null }), "fails", undefined],
    ["no page", { kind: "rejected" } as FetchResult, "fails", undefined],
    ["a copy of two megabytes, which the reader Worker reads", page({}), html(2_000_000), undefined],
    ["a document, which the reader Worker reads", page({}), { ...html(10), contentType: "application/pdf" }, undefined],
    ["a copy that cannot be read", page({}), "fails", undefined],
  ];

test.each(CASES)("%s", async (_, result, stored, expected) => {
  const read = stored === "fails" ? fails : async () => stored;
  const found = await withStoredVersion(result, { sha256: "a", read }, async () => OLD, true);
  expect(found).toEqual(expected === undefined ? result : { ...result, ...expected });
});

test("a copy whose reader throws is read again by whoever compares", async () => {
  const result = page({});
  expect(await withStoredVersion(result, { sha256: "a", read: async () => html(10) }, fails, true)).toBe(result);
});
