import { describe, expect, test } from "vitest";
import { emptyMetadata } from "../../../src/media/text/plain-content.ts";
import { formatsToRead, toDocument } from "../../../src/notices/firecrawl-document.ts";

const PAGE = {
  url: "https://a.test/",
  status: "completed",
  httpStatus: 200,
  title: "A",
  contentType: "text/html",
  fetchedAt: Date.UTC(2026, 0, 1),
  reason: null,
  detail: null,
  shell: null,
} as const;

const METADATA = {
  title: "A",
  url: "https://a.test/",
  sourceURL: "https://a.test/",
  statusCode: 200,
  contentType: "text/html",
  scrapedAt: "2026-01-01T00:00:00.000Z",
  creditsUsed: 0,
  proxyUsed: "basic",
};

describe("a document", () => {
  test("has what is known of a page, and no empty fields", () => {
    expect(toDocument(PAGE, {})).toEqual({ metadata: METADATA });
  });

  test("has the formats, and the metadata of the page", () => {
    const json = {
      ...emptyMetadata(),
      url: PAGE.url,
      text: "",
      title: "B",
      description: "D",
      keywords: ["k", "l"],
      openGraph: { title: "O", site_name: "S" },
      pageCount: 3,
    };
    const links = [{ url: "https://b.test/", kind: "a" as const, nofollow: false }];
    expect(toDocument(PAGE, { markdown: "# A", links, json }, { asked: "https://c.test/" })).toEqual({
      markdown: "# A",
      links: ["https://b.test/"],
      metadata: {
        ...METADATA,
        title: "A",
        sourceURL: "https://c.test/",
        description: "D",
        keywords: "k, l",
        ogTitle: "O",
        ogSiteName: "S",
        numPages: 3,
      },
    });
  });

  test("of a page that failed says why", () => {
    const failed = {
      ...PAGE,
      status: "errored",
      httpStatus: 404,
      reason: "http-status",
      detail: "404 Not Found",
    } as const;
    const error = "the server answered with an error: 404 Not Found";
    expect(toDocument(failed, {}).metadata).toMatchObject({ statusCode: 404, error });
  });

  test("warns of what is missing", () => {
    expect(toDocument({ ...PAGE, shell: "it is empty" }, {}).warning).toBe("it is empty");
    expect(toDocument(PAGE, {}, { problem: "it is not in the mirror" }).warning).toBe(
      "it comes without its content: it is not in the mirror",
    );
  });
});

test("metadata come from JSON, which is read once", () => {
  expect(formatsToRead(["markdown", "json"])).toEqual(["markdown", "json"]);
  expect(formatsToRead([])).toEqual(["json"]);
});
