import { expect, test } from "vitest";
import { crawlRequest } from "../../../src/api/crawls/crawl-request.ts";
import { DEFAULT_ACTIONS } from "../../../src/crawl/page/page-actions.ts";

const parse = (body: Record<string, unknown>) => crawlRequest.safeParse({ url: "https://a.test/", ...body });
const mistakes = (renderOptions: unknown, render = "auto"): string[] =>
  parse({ render, renderOptions }).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("nothing is done on a page unless it is said", () => {
  expect(parse({}).data?.renderOptions).toEqual(DEFAULT_ACTIONS);
});

test.each([
  [{ waitFor: "main:has(> .list) li:nth-child(3)" }],
  [{ click: ["button.more", "[role=link]"], scroll: 100, dismissBanners: true }],
  [{ viewport: { width: 390 } }],
  [{ viewport: { width: 4_096, height: 100 } }],
])("%j is taken", (renderOptions) => {
  expect(mistakes(renderOptions)).toEqual([]);
});

test.each([
  [{ waitFor: "[" }, "renderOptions.waitFor: it is not a CSS selector"],
  [{ click: [""] }, "renderOptions.click.0: "],
  [{ click: ["a", ">>"] }, "renderOptions.click.1: it is not a CSS selector"],
  [{ click: Array(21).fill("a") }, "renderOptions.click: "],
  [{ click: ["x".repeat(501)] }, "renderOptions.click.0: "],
  [{ scroll: 101 }, "renderOptions.scroll: "],
  [{ scroll: -1 }, "renderOptions.scroll: "],
  [{ viewport: { width: 99 } }, "renderOptions.viewport.width: "],
  [{ viewport: { height: 4_097 } }, "renderOptions.viewport.height: "],
  [{ viewPort: {} }, "renderOptions: there is no viewPort (did you mean viewport?)"],
])("%j is refused", (renderOptions, expected) => {
  expect(mistakes(renderOptions)).toEqual([expect.stringContaining(expected)]);
});

test.each([{ waitFor: "a" }, { click: ["a"] }, { scroll: 1 }, { dismissBanners: true }, { viewport: { width: 800 } }])(
  "%j is refused where no page is drawn",
  (renderOptions) => {
    expect(mistakes(renderOptions, "never")).toEqual([
      expect.stringContaining("render: `renderOptions` are for pages"),
    ]);
  },
);
