import { expect, test } from "vitest";
import type { PageFetched, PageResult } from "../../../src/crawl/page/outcome.ts";
import { rejectSoft404, toMissingAnswer } from "../../../src/frontier/features/soft-404/missing-answer.ts";

const page = (changes: Partial<PageFetched>) =>
  ({ kind: "page", sha256: "p", looksMissing: true, httpStatus: 200, ...changes }) as PageFetched;
const rejected = (reason: string, retryable: boolean) =>
  ({ kind: "rejected", reason, retryable, detail: "" }) as unknown as PageResult;

test.each<[name: string, sibling: PageResult, isSoft: boolean | null]>([
  ["says that there is no page", page({ sha256: "other" }), true],
  ["is the same page", page({ looksMissing: false }), true],
  ["is another page", page({ sha256: "other", looksMissing: false }), false],
  ["redirects to the page", { kind: "redirect", target: "https://a.test/x" } as PageResult, true],
  ["redirects elsewhere", { kind: "redirect", target: "https://a.test/" } as PageResult, false],
  ["is an error", rejected("http-status", false), false],
  ["fails for now", rejected("http-status", true), null],
  ["times out", rejected("timeout", true), null],
])("where the sibling %s", (_, sibling, isSoft) => {
  const missing = toMissingAnswer("https://a.test/no-such-page", sibling);
  if (missing === null) expect(isSoft).toBeNull();
  else expect(rejectSoft404("https://a.test/x", page({}), missing)?.reason).toBe(isSoft ? "soft-404" : undefined);
});
