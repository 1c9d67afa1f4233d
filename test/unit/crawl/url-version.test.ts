import { expect, test } from "vitest";
import { type UrlVersion, versionsPage } from "../../../src/crawl/page/url-version.ts";

function version(time: number, changes: Partial<UrlVersion> = {}): UrlVersion {
  return {
    crawl: "c",
    time,
    status: "completed",
    reason: null,
    detail: null,
    httpStatus: 200,
    contentType: "text/html",
    bytes: 1,
    sha256: "a",
    ...changes,
  };
}

const GONE = { status: "errored", reason: "http-status", detail: "410", httpStatus: 410, sha256: null } as const;
const MOVED = { status: "skipped", reason: "redirected", httpStatus: 301, sha256: null } as const;

test("a version says whether it differs from the one before it", () => {
  const found = [
    version(8, { sha256: "a", crawl: "d" }),
    version(7, { ...MOVED, detail: "to https://a.test/c" }),
    version(6, { ...MOVED, detail: "to https://a.test/b" }),
    version(5, GONE),
    version(4, GONE),
    version(3, { sha256: "b" }),
    version(2, { sha256: "a", crawl: "d" }),
    version(1, { sha256: "a" }),
  ];
  const { versions, cursor } = versionsPage(found, 10);
  expect(versions.map(({ changed }) => changed)).toEqual([true, true, true, false, true, true, false, null]);
  expect(cursor).toBeNull();
});

test("the last version of a page is compared with the first of the next page", () => {
  const found = [version(4), version(3, { sha256: "b" }), version(2, { sha256: "b" })];
  const { versions, cursor } = versionsPage(found, 2);
  expect(versions.map(({ time, changed }) => [time, changed])).toEqual([
    [4, true],
    [3, false],
  ]);
  expect(cursor).toBe("3.c");
  expect(versionsPage(found.slice(2), 2)).toMatchObject({ versions: [{ time: 2, changed: null }], cursor: null });
  expect(versionsPage([], 2)).toEqual({ versions: [], cursor: null });
});
