import { expect, test } from "vitest";
import type { PageFetched } from "../../src/crawl/outcome.ts";
import { ASKS_NOTHING } from "../../src/fetch/page-request.ts";
import { readPage } from "../../src/fetch/read-page.ts";

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

test("the text for the index has up to a megabyte, and the page says what is cut", async () => {
  const long = await read(`${"word ".repeat(399_999)}end`);
  expect(long.text?.length).toBeGreaterThan(990_000);
  expect(long.leftOut.problem).toBe(
    "only the first 50% of its text can be searched, because it is longer than a megabyte",
  );
  const short = await read(`${"word ".repeat(190_000)}end`);
  expect([short.text?.endsWith("end"), short.leftOut.problem]).toEqual([true, null]);
});

test("a crawl without search says nothing of the index", async () => {
  expect(await read("word ".repeat(400_000), false)).toMatchObject({ text: null, leftOut: { problem: null } });
});
