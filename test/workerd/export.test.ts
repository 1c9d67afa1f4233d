import { env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readSitemap } from "../../src/media/sitemap/sitemap.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";
import { listedIn } from "../listed-in.ts";
import { readCsv } from "../read-csv.ts";
import { ask, crawlOf, fetchParts, joinParts, parseLines, SEED, storePage, urlOf } from "./exported-crawl.ts";
import { useModelLedger } from "./platform/model-ledger.ts";

/** Exports are whole, or refused. Parts link to one another. All are streamed. */

useModelLedger();

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a crawl with more URLs than a part holds", () => {
  const ROWS = 20_500;

  test("jsonl: every record once, in order", async () => {
    const crawl = await crawlOf(ROWS);
    const all = await fetchParts(crawl, "format=jsonl");
    expect(all).toHaveLength(2);
    const records = parseLines(all);
    expect(records.map(({ url }) => url)).toEqual([SEED, ...Array.from({ length: ROWS }, (_, i) => urlOf(i + 1))]);
    const json = await (await ask(`/api/crawls/${crawl}/records?limit=3`)).json<{ result: unknown }>();
    expect(json.result).toEqual({ records: records.slice(0, 3), cursor: records[2]?.url });
  });

  test("csv: one header, and every row follows RFC 4180", async () => {
    const crawl = await crawlOf(ROWS);
    const skipped = readCsv(joinParts(await fetchParts(crawl, "format=csv&status=skipped")));
    expect(new Set(skipped.slice(1).map(([, status]) => status))).toEqual(new Set(["skipped"]));
    const rows = readCsv(joinParts(await fetchParts(crawl, "format=csv")));
    expect(rows).toHaveLength(ROWS + 2);
    expect(rows.filter(([first]) => first === "url")).toHaveLength(1);
    expect(rows[2]?.slice(0, 2)).toEqual([urlOf(1), "completed"]);
    expect(rows[2]).toContain("'=Title, 1");
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([rows[0]?.length]));
  });

  test("sitemap: each part is a sitemap of completed pages only", async () => {
    const all = await fetchParts(await crawlOf(31_000), "format=sitemap");
    expect(all).toHaveLength(2);
    const found: string[] = [];
    for (const { text } of all) {
      const chunks = new Response(text).body as unknown as AsyncIterable<Uint8Array>;
      const { format, pages, problem, truncated } = listedIn(
        await readSitemap(chunks, SEED, "application/xml", canonicalize),
      );
      expect([format, problem, truncated]).toEqual(["urlset", null, null]);
      for (const { url, lastmod } of pages) {
        found.push(url);
        expect(lastmod).toBe(Number(url.slice(SEED.length, -4)) % 2 === 0 ? 86_400_000 * 10_000 : null);
      }
    }
    const expected = Array.from({ length: 31_000 }, (_, i) => i + 1).filter((i) => i % 3 !== 0);
    expect(found).toEqual(expected.map(urlOf));
  });

  test("the ledger is read only as far as the client reads", async () => {
    const crawl = await crawlOf(ROWS);
    let queries = 0;
    const LEDGER = {
      prepare: (sql: string) => {
        if (sql.includes("FROM urls")) queries += 1;
        return env.LEDGER.prepare(sql);
      },
    } as unknown as D1Database;
    const response = await ask(`/api/crawls/${crawl}/export?format=jsonl`, { LEDGER });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).value?.byteLength).toBeLessThan(100_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    // The end of the part: one read of rows without conditions, two for each window of pages with large fields. A chunk
    // has a few hundred records, and one more chunk is made ahead.
    expect(queries).toBeLessThanOrEqual(6);
    await reader.cancel();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(queries).toBeLessThanOrEqual(6);
  });

  test("the answer breaks off if the ledger fails", async () => {
    const crawl = await crawlOf(ROWS);
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let queries = 0;
    const LEDGER = {
      prepare: (sql: string) => {
        if (sql.includes("FROM urls") && ++queries === 3) throw new Error("the ledger is away");
        return env.LEDGER.prepare(sql);
      },
    } as unknown as D1Database;
    const response = await ask(`/api/crawls/${crawl}/export?format=csv`, { LEDGER });
    await expect(response.text()).rejects.toThrow();
    expect(log).toHaveBeenCalled();
  });
});

describe("formats", () => {
  test("that the export makes come with 24 pages in each part, and are then stored", async () => {
    const crawl = await crawlOf(40);
    const completed = [...Array.from({ length: 40 }, (_, i) => i + 1)].filter((i) => i % 3 !== 0);
    for (const i of completed) await storePage(crawl, urlOf(i));
    for (let time = 0; time < 2; time++) {
      const all = await fetchParts(crawl, "format=jsonl&formats=text,rawHtml&status=completed");
      expect(all.map(({ text }) => text.trimEnd().split("\n").length)).toEqual([24, 3]);
      for (const { url, text, rawHtml, problem } of parseLines(all)) {
        expect(problem).toBeUndefined();
        expect(text).toBeTypeOf("string");
        expect(rawHtml).toContain(`Text of ${url}`);
      }
    }
    expect(await new Mirror(env.MIRROR).content(crawl, urlOf(1))).toHaveProperty("text");
  });

  test("of a page that cannot be read are missing with a reason, and the other pages have their formats", async () => {
    const crawl = await crawlOf(4, { formats: ["markdown"] });
    await storePage(crawl, urlOf(1), "# One\n");
    await storePage(crawl, urlOf(4), "# Four\n");
    const problem = "it is not in the mirror";
    expect(parseLines(await fetchParts(crawl, "format=jsonl&formats=markdown&status=completed"))).toMatchObject([
      { markdown: "# One\n" },
      { url: urlOf(2), problem },
      { markdown: "# Four\n" },
    ]);
    expect(joinParts(await fetchParts(crawl, "format=markdown"))).toContain(
      `fetchedAt: "1970-01-01T00:00:01.000Z"\nproblem: "${problem}"\n---\n\n---\n`,
    );
  });
});

describe("one request", () => {
  /** As on this machine, where the platform sets no limits. */
  const LOCAL = { BOOT: "test" } as Partial<Env>;
  const PAGES = 60;
  const FORMATS = ["markdown", "chunks", "llms", "llms-full", "jsonl&formats=markdown", "csv", "sitemap", "urls"];

  test("has the whole export of a crawl with more pages than a part, which are the parts joined", async () => {
    const crawl = await crawlOf(PAGES * 1.5);
    const completed = Array.from({ length: PAGES * 1.5 }, (_, i) => i + 1).filter((i) => i % 3 !== 0);
    for (const i of completed) await storePage(crawl, urlOf(i));
    for (const format of FORMATS) {
      const response = await ask(`/api/crawls/${crawl}/export?format=${format}`, LOCAL);
      expect([format, response.status, response.headers.get("link")]).toEqual([format, 200, null]);
      const whole = await response.text();
      expect([format, completed.filter((i) => !mentions(whole, i))]).toEqual([format, []]);
      expect(whole === joinParts(await fetchParts(crawl, `format=${format}`))).toBe(true);
    }
  });

  /** A sitemap escapes the ampersand. */
  const mentions = (text: string, i: number) => text.includes(urlOf(i).split("?")[0] as string);

  test.each(["markdown", "chunks", "llms", "llms-full", "jsonl&formats=markdown"])(
    "of %s is refused on Cloudflare with what to do if it would not be whole",
    async (format) => {
      const crawl = await crawlOf(40);
      for (let i = 1; i <= 40; i++) if (i % 3 !== 0) await storePage(crawl, urlOf(i));
      const response = await ask(`/api/crawls/${crawl}/export?format=${format}`);
      expect(response.status).toBe(409);
      expect(await response.text()).toMatch(
        /POST \/api\/crawls\/[^ ]*\/exports makes the file.*orbweaver export .*parts=true/,
      );
      const few = await crawlOf(30);
      for (let i = 1; i <= 30; i++) if (i % 3 !== 0) await storePage(few, urlOf(i));
      const whole = await ask(`/api/crawls/${few}/export?format=${format}`);
      expect([whole.status, whole.headers.get("link")]).toEqual([200, null]);
      expect(mentions(await whole.text(), 29)).toBe(true);
    },
  );

  test("of a sitemap is refused if it would need a second file", async () => {
    const response = await ask(`/api/crawls/${await crawlOf(31_000)}/export?format=sitemap`, LOCAL);
    expect(response.status).toBe(409);
    expect(await response.text()).toContain("more pages than one sitemap may list");
  });

  test("breaks off where a page's format cannot be made any more, and the next one continues", async () => {
    // The crawl stores Markdown, but these pages have none: they came while the answer was sent.
    const crawl = await crawlOf(60, { formats: ["markdown"], store: "files" });
    for (let i = 1; i <= 60; i++) if (i % 3 !== 0) await storePage(crawl, urlOf(i));
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const response = await ask(`/api/crawls/${crawl}/export?format=markdown`);
    await expect(response.text()).rejects.toThrow();
    const again = await (await ask(`/api/crawls/${crawl}/export?format=markdown`)).text();
    expect(again.match(/^url: /gm)).toHaveLength(40);
    expect(again).not.toContain("problem");
  });
});

describe("the answer", () => {
  test.each([
    ["jsonl", "application/x-ndjson", "jsonl"],
    ["csv", "text/csv; charset=utf-8", "csv"],
    ["markdown", "text/markdown; charset=utf-8", "md"],
    ["sitemap", "application/xml; charset=utf-8", "xml"],
    ["urls", "text/plain; charset=utf-8", "urls.txt"],
  ])("%s is sent as a download", async (format, type, extension) => {
    const crawl = await crawlOf(1);
    const { headers } = await ask(`/api/crawls/${crawl}/export?format=${format}`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": type,
      "content-disposition": `attachment; filename="a.test-${crawl.slice(0, 8)}.${extension}"`,
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none';/),
      "cache-control": "no-store",
    });
  });

  test.each([
    ["an export without a format", ""],
    ["an unknown format", "format=xlsx"],
    ["an unknown status", "format=csv&status=lost"],
    ["page formats in a csv", "format=csv&formats=markdown"],
    ["an unknown page format", "format=jsonl&formats=pdf"],
    ["a label of an archive", "format=warc&label=recipe"],
    ["a status of a graph", "format=graphml&status=completed"],
  ])("%s is refused", async (_, query) => {
    expect((await ask(`/api/crawls/${await crawlOf(1)}/export?${query}`)).status).toBe(400);
  });

  test.each([
    ["jsonl", ""],
    ["csv", /^url,.*\r\n$/],
    ["markdown", ""],
    ["sitemap", /<urlset [^>]*>\n<\/urlset>\n$/],
  ])("%s is valid without records", async (format, expected) => {
    const text = joinParts(await fetchParts(await crawlOf(1), `format=${format}&status=errored`));
    expect(text).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });
});
