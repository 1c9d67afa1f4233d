import { expect, test } from "vitest";
import { toRequest } from "../../../src/cli/flags/crawl-flags.ts";

test.each([
  ["example.com/a", "https://example.com/a"],
  ["http://example.com/", "http://example.com/"],
  ["localhost:3000", "http://localhost:3000"],
  ["127.0.0.1:8080/x", "http://127.0.0.1:8080/x"],
  ["[::1]/", "http://[::1]/"],
  ["localhost.example.com", "https://localhost.example.com"],
  ["1.2.3.example", "https://1.2.3.example"],
  ["ftp://example.com/", "ftp://example.com/"],
])("%s is taken for %s", (typed, url) => {
  expect(toRequest([typed], {})).toMatchObject({ urls: [url], limit: 1_000 });
});

test("flags become the API's words, in its units", () => {
  const flags = {
    delay: 0.25,
    concurrency: 8,
    timeout: 3,
    header: ["X-A: b:c"],
    limit: 5,
    search: true,
    cookies: true,
  };
  expect(toRequest(["a.test"], flags)).toMatchObject({
    limit: 5,
    search: true,
    keepCookies: true,
    politeness: { minDelayMs: 250, maxConcurrencyPerHost: 8 },
    timeoutMs: 3_000,
    headers: { "X-A": "b:c" },
  });
});

test("--max-time is the API's time limit", () => {
  expect(toRequest(["a.test"], { maxTime: 1_800 })).toMatchObject({ maxDurationS: 1_800 });
});

test("--bandwidth, --from and --max-bytes are the API's options", () => {
  expect(toRequest(["a.test"], { bandwidth: 50_000, from: "me@a.test", maxBytes: 2_000_000 })).toMatchObject({
    politeness: { maxBytesPerSecond: 50_000 },
    from: "me@a.test",
    maxBytes: 2_000_000,
  });
});

test("--webhook is the API's webhook, with its events and its secret, which need it", () => {
  expect(toRequest(["a.test"], {}).webhook).toBeUndefined();
  const flags = { webhook: "receiver.test/hook", webhookEvents: ["crawl.failed"], webhookSecret: "whsec_x" };
  const webhook = { url: "https://receiver.test/hook", events: ["crawl.failed"], secret: "whsec_x" };
  expect(toRequest(["a.test"], flags)).toMatchObject({ webhook });
  expect(() => toRequest(["a.test"], { webhookSecret: "whsec_x" })).toThrow("needs --webhook URL");
});

test("--markdown is one of the API's formats, and without it there is none", () => {
  expect(toRequest(["a.test"], { markdown: true })).toMatchObject({ formats: ["markdown"] });
  expect(toRequest(["a.test"], {}).formats).toBeUndefined();
});

test("what is done on a page is `renderOptions`, and needs pages that are drawn", () => {
  expect(toRequest(["a.test"], { render: "auto" }).renderOptions).toBeUndefined();
  const flags = { render: "auto", waitFor: ".list", click: [".more"], scroll: 3, dismissBanners: true };
  expect(toRequest(["a.test"], { ...flags, viewport: "390x844" }).renderOptions).toEqual({
    waitFor: ".list",
    click: [".more"],
    scroll: 3,
    dismissBanners: true,
    viewport: { width: 390, height: 844 },
  });
  expect(() => toRequest(["a.test"], { click: [".more"], scroll: 3 })).toThrow("--click, --scroll can only be done");
  expect(() => toRequest(["a.test"], { render: "never", waitFor: "a" })).toThrow("--wait-for can only be done");
  expect(() => toRequest(["a.test"], { render: "auto", viewport: "390" })).toThrow("not WIDTHxHEIGHT");
});
