import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { RecordView } from "../../src/api/views.ts";
import { RECORD_SORTS } from "../../src/crawl/page/records-query.ts";
import { type Web, World } from "./world.ts";

/** Filters and orders of records, through the API and the real ledger. */

const DOCUMENTS: Record<string, string> = {
  "/feed": "application/rss+xml; charset=utf-8",
  "/feed.json": "Application/Feed+JSON",
  "/api": "application/json",
  "/problem": "application/problem+json;v=1",
  "/xml": "application/kml+xml",
};

const WEB: Web = (url) => {
  const { host, pathname } = new URL(url);
  if (pathname === "/gone") return { status: 404 };
  if (pathname === "/broken") return { status: 500 };
  const type = DOCUMENTS[pathname];
  if (type !== undefined) return { links: [], type };
  if (pathname !== "/" || host !== "a.test") return { links: [] };
  return {
    links: [...Object.keys(DOCUMENTS), "/gone", "/broken", "/100%25", "/1000", "/a_b", "/axb", "/Big"]
      .map((path) => `https://a.test${path}`)
      .concat("http://a.test/plain", "https://a.test.evil.test/", "https://b.test/"),
  };
};
let id = "";

beforeAll(async () => {
  const world = new World(WEB);
  id = await world.start(["https://a.test/"], { includeExternalLinks: true });
  await world.runToEnd(id);
  await world.deps.passRows.writeFigures(id, [
    { url: "https://a.test/Big", rank: 90, inLinks: 1, twinOf: null },
    { url: "https://a.test/gone", rank: 120, inLinks: 0, twinOf: null },
    { url: "https://a.test/1000", rank: 90, inLinks: 12, twinOf: null },
  ]);
});

async function ask(query: Record<string, string>) {
  const headers = { authorization: "Bearer reading-token" };
  const path = `/api/crawls/${id}/records?${new URLSearchParams(query)}`;
  const answer = await app.request(path, { headers }, env, createExecutionContext());
  const json = (await answer.json()) as {
    result: { records: RecordView[]; cursor: string | null };
    errors?: { message: string }[];
  };
  return { status: answer.status, message: json.errors?.[0]?.message, ...json.result };
}

const paths = async (query: Record<string, string>) =>
  (await ask(query)).records.map(({ url }) => url.replace("https://a.test", ""));

describe("a filter", () => {
  test.each<[Record<string, string>, string[]]>([
    [{ code: "404" }, ["/gone"]],
    [{ code: "4xx" }, ["/gone"]],
    [{ code: "5XX" }, ["/broken"]],
    [{ reason: "http-status" }, ["/broken", "/gone"]],
    [{ reason: "http-status", status: "errored", code: "404" }, ["/gone"]],
    [{ q: "%25" }, ["/100%25"]],
    [{ q: "a_b" }, ["/a_b"]],
    [{ q: "bIG" }, ["/Big"]],
    [{ q: "x".repeat(100) }, []],
    [{ host: "b.test" }, ["https://b.test/"]],
    [{ host: "a.test", q: "plain" }, ["http://a.test/plain"]],
    [{ type: "text/", host: "b.test" }, ["https://b.test/"]],
    [{ type: "image/" }, []],
    [{ document: "feed" }, ["/feed", "/feed.json"]],
    [{ document: "json" }, ["/api", "/problem"]],
    [{ document: "xml" }, ["/xml"]],
    [{ document: "pdf" }, []],
    [{ document: "", host: "b.test" }, ["https://b.test/"]],
    [{ status: "", reason: "", host: "", code: "", type: "", q: "gone" }, ["/gone"]],
  ])("%j", async (query, expected) => {
    expect(await paths(query)).toEqual(expected);
  });

  test("for a host matches both schemes, and no longer host name", async () => {
    const found = await paths({ host: "a.test" });
    expect(found).toContain("http://a.test/plain");
    expect(found.join()).not.toContain("evil");
  });
});

describe("sorted", () => {
  test.each(RECORD_SORTS.flatMap((sort) => [[sort, "asc"] as const, [sort, "desc"] as const]))(
    "by %s, %s: short pages have the same records in the same order as one long page",
    async (sort, order) => {
      const allAtOnce = await ask({ sort, order, limit: "1000" });
      expect(allAtOnce.records.length).toBe(16);
      expect(allAtOnce.cursor).toBeNull();
      const urls: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof ask>> = await ask({ sort, order, limit: "2", cursor });
        urls.push(...page.records.map(({ url }) => url));
        cursor = page.cursor;
      }
      expect(urls).toEqual(allAtOnce.records.map(({ url }) => url));
    },
  );

  test.each([
    ["rank", "desc", ["/gone", "/1000", "/Big"]],
    ["rank", "asc", ["/1000", "/Big", "/gone"]],
    ["inLinks", "desc", ["/1000", "/Big", "/gone"]],
    ["inLinks", "asc", ["/gone", "/Big", "/1000"]],
  ])("by %s, %s: records that were not analyzed come last", async (sort, order, expected) => {
    expect(await paths({ sort, order, limit: "3" })).toEqual(expected);
    expect((await ask({ sort, order })).records.at(-1)).toMatchObject({ rank: null, inLinks: null });
  });

  test("by URL, the cursor is the last URL", async () => {
    const { records, cursor } = await ask({ limit: "3" });
    expect(cursor).toBe(records.at(-1)?.url);
  });

  test.each(["asc", "desc"])("%s, records without a value come last", async (order) => {
    const { records } = await ask({ sort: "bytes", order });
    const bytes = records.map((record) => record.bytes);
    expect(bytes.slice(-2)).toEqual([null, null]);
    const known = bytes.filter((each) => each !== null);
    expect(known).toEqual(known.toSorted((a, b) => (order === "asc" ? a - b : b - a)));
  });

  test.each(["https://a.test/", "[]", '[{"a":1},"b"]'])(
    "by size, a cursor of another order is refused: %s",
    async (cursor) => {
      const { status, message } = await ask({ sort: "bytes", cursor });
      expect([status, message]).toEqual([400, expect.stringContaining("cursor")]);
    },
  );
});
