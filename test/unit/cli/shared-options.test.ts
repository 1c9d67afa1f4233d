import { expect, test } from "vitest";
import { byteCount, pastTime, period, remoteUrl, since } from "../../../src/cli/flags/shared-options.ts";

test.each([
  ["2026-03-01", "2026-03-01T00:00:00Z"],
  ["2026-03-01T10:30", "2026-03-01T10:30:00Z"],
  ["2026-03-01T10:30:00+02:00", "2026-03-01T08:30:00Z"],
  ["2026-03-01T10:30:00.900Z", "2026-03-01T10:30:00Z"],
])("%s is %s", (typed, iso) => {
  expect(pastTime(typed)).toBe(Date.parse(iso) / 1000);
});

test.each([
  ["12h", 43_200],
  ["7d", 604_800],
  ["2w", 1_209_600],
])("%s is %d s ago", (typed, seconds) => {
  expect(Math.abs(Date.now() / 1000 - pastTime(typed) - seconds)).toBeLessThan(2);
});

test.each(["yesterday", "7", "7m", "March 2026", "2026", "2026-13-01", "-7d", ""])("%j is not a time", (typed) => {
  expect(() => pastTime(typed)).toThrow("It must be a date");
});

test.each([
  ["0", 0],
  ["500000", 500_000],
  ["500kB", 500_000],
  ["2 GB", 2_000_000_000],
  ["1.5m", 1_500_000],
])("%s is %i bytes", (typed, bytes) => {
  expect(byteCount(typed)).toBe(bytes);
});

test.each(["", "much", "-1", "1e9", "5 apples", "GB"])("%j is not a number of bytes", (typed) => {
  expect(() => byteCount(typed)).toThrow("It must be a number of bytes");
});

test.each([
  ["12h", 43_200],
  ["7d", 604_800],
])("a period of %s has %d s", (typed, seconds) => {
  expect(period(typed)).toBe(seconds);
});

test.each(["2026-03-01", "7", "7m", "-7d", ""])("%j is not a period", (typed) => {
  expect(() => period(typed)).toThrow("It must be a period");
});

test.each([
  ["127.0.0.1:8787", "http://127.0.0.1:8787"],
  ["localhost:8787", "http://localhost:8787"],
  ["[::1]:8787", "http://[::1]:8787"],
  ["crawler.example.com", "https://crawler.example.com"],
  ["https://crawler.example.com/", "https://crawler.example.com/"],
  ["http://10.0.0.1:8787", "http://10.0.0.1:8787"],
])("--remote %s is %s", (typed, url) => {
  expect(remoteUrl(typed)).toBe(url);
});

test.each(["ftp://crawler.example.com", "http://", "two words", ""])("--remote %j is refused", (typed) => {
  expect(() => remoteUrl(typed)).toThrow("It must be the address of an Orbweaver");
});

test("a list of changes begins at a cursor, a day or a time ago", () => {
  const day = (ago: number) => `${new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;
  expect(since("17")).toBe("17");
  expect([day(0), day(1)]).toContain(since("today"));
  expect([day(1), day(2)]).toContain(since("Yesterday"));
  expect(since("2026-11-21")).toBe("2026-11-21T00:00:00.000Z");
  expect(Date.now() - Date.parse(since("7d")) - 7 * 86_400_000).toBeLessThan(2_000);
  for (const wrong of ["", "last week", "2026-13-41", "-1"]) expect(() => since(wrong)).toThrow("yesterday");
});
