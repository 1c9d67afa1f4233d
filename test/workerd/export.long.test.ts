import { createExecutionContext, env } from "cloudflare:test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { ask, crawlOf, fetchParts, joinParts, parseLines, SEED, storePage, urlOf } from "./exported-crawl.ts";
import { Faults, faultyDatabase } from "./faulty.ts";
import { useModelLedger } from "./platform/model-ledger.ts";

/** Exports that take long: a table of many records, and formats of many pages. */

useModelLedger();

describe("a crawl with more URLs than a part holds", () => {
  const ROWS = 20_500;

  test("parquet: every record once in one part, with the values of jsonl in the types of their fields", async () => {
    const crawl = await crawlOf(ROWS);
    await env.LEDGER.prepare("UPDATE urls SET rank = seq % 256, in_links = seq WHERE crawl = ?1 AND seq % 2 = 0")
      .bind(crawl)
      .run();
    const response = await ask(`/api/crawls/${crawl}/export?format=parquet`);
    expect(response.headers.get("content-disposition")).toMatch(/filename="a\.test-[0-9a-f]{8}\.parquet"/);
    expect(response.headers.get("link")).toBeNull();
    const file = await response.arrayBuffer();
    const { row_groups: groups, schema } = parquetMetadata(file);
    expect(groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_000, 10_000, 501]);
    const types = Object.fromEntries(
      schema.slice(1).map(({ name, type, converted_type }) => [name, [type, converted_type]]),
    );
    expect(types).toMatchObject({
      url: ["BYTE_ARRAY", "UTF8"],
      fetchedAt: ["INT64", "TIMESTAMP_MILLIS"],
      asset: ["BOOLEAN", undefined],
      inLinks: ["INT64", undefined],
    });
    const rows = await parquetReadObjects({ file });
    const plain = rows.map((row) =>
      JSON.parse(JSON.stringify(row, (_, value) => (typeof value === "bigint" ? Number(value) : value))),
    );
    // Fields have columns of their own, and this crawl reads none.
    const lines = parseLines(await fetchParts(crawl, "format=jsonl"));
    expect(plain).toEqual(lines.map(({ fields: _, extracted: __, ...record }: Record<string, unknown>) => record));
    const skipped = await (await ask(`/api/crawls/${crawl}/export?format=parquet&status=skipped`)).arrayBuffer();
    expect(new Set((await parquetReadObjects({ file: skipped })).map(({ status }) => status))).toEqual(
      new Set(["skipped"]),
    );
  });
});

describe("formats", () => {
  test("that the crawl stored come with 200 pages in each part", async () => {
    const crawl = await crawlOf(310, { formats: ["markdown"] });
    for (let i = 1; i <= 310; i++) if (i % 3 !== 0) await storePage(crawl, urlOf(i), `# Page ${i}\n`);
    const all = await fetchParts(crawl, "format=jsonl&formats=markdown");
    expect(all.map(({ text }) => text.trimEnd().split("\n").length)).toEqual([300, 11]);
    for (const { url, status, markdown, problem } of parseLines(all)) {
      const i = Number(url.slice(SEED.length, -4));
      expect([url, markdown]).toEqual([url, status === "completed" ? `# Page ${i}\n` : undefined]);
      expect(problem).toBeUndefined();
    }
    const documents = joinParts(await fetchParts(crawl, "format=markdown"));
    const front = (i: number) =>
      `---\nurl: "${urlOf(i)}"\ntitle: "=Title, ${i}"\nfetchedAt: "1970-01-01T00:00:01.000Z"\n---\n\n# Page ${i}\n\n`;
    const expected = Array.from({ length: 310 }, (_, i) => i + 1).filter((i) => i % 3 !== 0);
    expect(documents).toBe(expected.map(front).join(""));
  });

  test.each(["export?format=jsonl&formats=markdown&parts=true", "records?formats=markdown&limit=200"])(
    "of 200 pages take no more queries than Workers Free allows: %s",
    async (path) => {
      const crawl = await crawlOf(310, { formats: ["markdown"] });
      for (let i = 1; i <= 310; i++) if (i % 3 !== 0) await storePage(crawl, urlOf(i), `# Page ${i}\n`);
      const count = new Faults(0, "before");
      const bindings = { ...env, LEDGER: faultyDatabase(env.LEDGER, count) };
      const headers = { authorization: "Bearer test-token" };
      const answer = await app.request(`/api/crawls/${crawl}/${path}`, { headers }, bindings, createExecutionContext());
      expect((await answer.text()).match(/# Page \d+/g)?.length).toBeGreaterThan(130);
      expect(count.calls).toBeLessThanOrEqual(50);
    },
  );
});
