import { expect, test } from "vitest";
import { mementoPath, readReplayAddress, replayPrefix } from "../../../src/api/replay/replay-address.ts";

const PLAIN = { crawl: "c-1", key: null, timeMap: null, digits: null };
const KEY = "1790000000.0af3";

test.each([
  ["/replay/c-1/https://a.test/b?c=/d", PLAIN, "https://a.test/b?c=/d"],
  [`/replay/c-1/${KEY}/https://a.test/`, { ...PLAIN, key: KEY }, "https://a.test/"],
  ["/replay/c-1/20261121093000/https://a.test/", { ...PLAIN, digits: "20261121093000" }, "https://a.test/"],
  [`/replay/c-1/${KEY}/2026/http://a.test/1`, { ...PLAIN, key: KEY, digits: "2026" }, "http://a.test/1"],
  ["/replay/c-1/timemap/link/https://a.test/?q", { ...PLAIN, timeMap: "link" }, "https://a.test/?q"],
  [
    `/replay/c-1/${KEY}/timemap/json/20261121/https://a.test/`,
    { crawl: "c-1", key: KEY, timeMap: "json", digits: "20261121" },
    "https://a.test/",
  ],
])("%s has all parts of its address", (path, place, url) => {
  expect(readReplayAddress(`http://localhost${path}`)).toEqual({ ...place, url });
  expect(replayPrefix(place as Parameters<typeof replayPrefix>[0]) + url).toBe(path);
});

test.each([
  ["/replay/c-1/https:/a.test/", "https://a.test/"],
  ["/replay/c-1/2026/HTTP:/a.test/", "http://a.test/"],
])("%s has the slashes that a proxy merged", (path, url) => {
  expect(readReplayAddress(`http://localhost${path}`)?.url).toBe(
    url.replace(/^http:/, path.includes("HTTP") ? "HTTP:" : "http:"),
  );
});

test.each([
  ["/replay/c-1/favicon.ico", "favicon.ico"],
  ["/replay/c-1/timemap/cdxj/https://a.test/", "timemap/cdxj/https://a.test/"],
])("%s asks for what is no URL", (path, url) => {
  expect(readReplayAddress(`http://localhost${path}`)).toEqual({ ...PLAIN, url });
});

test.each(["/replay/c-1/", "/replay/c-1", "/api/crawls", "/replays/c-1/https://a.test/"])("%s is none", (path) => {
  expect(readReplayAddress(`http://localhost${path}`)).toBeNull();
});

test("the path of a memento names its crawl, its time and its URL", () => {
  expect(mementoPath("c-1", "20261121093000", "https://a.test/")).toBe("/replay/c-1/20261121093000/https://a.test/");
});
