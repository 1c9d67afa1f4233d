import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { exportWacz } from "../../src/reading/exports/export-archive.ts";

type Index = Parameters<typeof exportWacz>[1];
type Deps = Parameters<typeof exportWacz>[2];

const crawl = {
  id: "c",
  createdAt: Date.UTC(2026, 0, 1),
  options: { urls: ["https://a.test/"], userAgent: "test", pageRobots: true, search: true },
} as unknown as Crawl;

/** Texts of a WACZ with one pack of this size, and as many pages as texts. */
async function textsOf(packBytes: number, texts: readonly string[]): Promise<string[]> {
  const index = {
    packs: async () => [{ name: "p", start: 0, bytes: packBytes }],
    texts: async () => new Map(texts.map((text, n) => [`https://a.test/${n}`, text])),
    async *records() {
      for (const n of texts.keys()) {
        const where = { pack: "p", offset: n, length: 1, sha256: "0".repeat(64), revisits: null };
        yield { url: `https://a.test/${n}`, fetchedAt: 0, status: 200, contentType: "text/html", ...where, page: PAGE };
      }
    },
  } as unknown as Index;
  const packs = { stream: async () => new Response(new Uint8Array(packBytes)).body };
  const part = await exportWacz(crawl, index, { packs } as unknown as Deps);
  const bytes = new Uint8Array(await new Response(part.open(0)).arrayBuffer());
  expect(bytes.byteLength).toBe(part.bytes);
  const pages = new TextDecoder().decode(unzipSync(bytes)["pages/pages.jsonl"]).trim().split("\n").slice(1);
  return pages.map((line) => (JSON.parse(line) as { text: string }).text);
}
const PAGE = { title: "A page", depth: 1 };

test("the texts of pages in a WACZ take half of what their records take", async () => {
  const long = "word ".repeat(20_000);
  const texts = await textsOf(40_000, [long, long, "short"]);
  expect(texts.map(({ length }) => length)).toEqual([expect.closeTo(6_700, -2), expect.closeTo(6_700, -2), 5]);
});

test("each page has a thousand characters at least, and none is cut within one", async () => {
  const texts = await textsOf(10, ["😀".repeat(700), "x".repeat(1_500)]);
  expect(texts.map(({ length }) => length)).toEqual([1_000, 1_000]);
  expect((await textsOf(10, [`x${"😀".repeat(700)}`]))[0]?.isWellFormed()).toBe(true);
});
