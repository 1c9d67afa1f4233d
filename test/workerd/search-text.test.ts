import { expect, test } from "vitest";
import type { PageFetched } from "../../src/crawl/page/outcome.ts";
import { readPage } from "../../src/fetch/reading/read-page.ts";
import { ASKS_NOTHING } from "../../src/fetch/request/page-request.ts";

const REQUEST = { ...ASKS_NOTHING, url: "https://example.com/", agent: "orbweaver", pageRobots: true };

async function read(text: string, search = true): Promise<PageFetched> {
  const body = new TextEncoder().encode(text);
  const page = await readPage(
    { body, contentType: "text/plain; charset=utf-8", headers: [], httpStatus: 200 },
    { ...REQUEST, search },
    1,
    1,
  );
  if (page.kind !== "page") throw new Error(page.detail);
  return page;
}

/** So many words of five bytes with their spaces, of which none is frequent. */
const words = (count: number) => Array.from({ length: count }, (_, i) => `${1_000 + (i % 9_000)} `).join("");

test("the text for the index has up to a megabyte, and the page says what is cut", async () => {
  const long = await read(`${words(399_999)}end`);
  expect(long.text?.length).toBeGreaterThan(990_000);
  expect(long.leftOut.problem).toBe(
    "only the first 50% of its text can be searched, because it is longer than a megabyte",
  );
  const short = await read(`${words(190_000)}end`);
  expect([short.text?.endsWith("end"), short.leftOut.problem]).toEqual([true, null]);
});

test("a word that a page repeats without end has so many places, and the page says so", async () => {
  const page = await read(`${"word ".repeat(30_000)}end`);
  expect(page.text?.match(/word/g)?.length).toBe(20_000);
  expect([page.text?.endsWith("end"), page.leftOut.problem]).toEqual([
    true,
    "only the first 20000 places of a word can be searched",
  ]);
});

test("a crawl without search says nothing of the index", async () => {
  expect(await read("word ".repeat(400_000), false)).toMatchObject({ text: null, leftOut: { problem: null } });
});
