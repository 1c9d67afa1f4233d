import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { MODEL_USES, mayShowModel } from "../../src/passes/extract/may-show-model.ts";

const isShown = (options: Partial<CrawlOptions>) => {
  const gate = () => {
    throw new Error("the gate is not asked here");
  };
  const crawl = { options: { ...DEFAULT_OPTIONS, ...MODEL_USES, ...options } } as Pick<Crawl, "options">;
  return mayShowModel(crawl, "https://a.test/", { gate });
};

test("what was read with a session goes to no model, unless its crawl is shared", async () => {
  expect(await isShown({})).toBeNull();
  expect(await isShown({ session: "wiki" })).toMatch(/read with a session/);
  expect(await isShown({ session: "wiki", shared: true })).toBeNull();
});
