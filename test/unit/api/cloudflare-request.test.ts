import { describe, expect, test } from "vitest";
import { basicAuthorization, cookieHeader } from "../../../src/api/cloudflare/cloudflare-headers.ts";
import { readCloudflareRequest } from "../../../src/api/cloudflare/cloudflare-request.ts";

/** What becomes of a body that was written for Cloudflare's /crawl. */

const SEED = "https://a.test/";
const NOW = Date.UTC(2026, 0, 1);
const INSTALLATION = {
  userAgent: "Orbweaver/0.2",
  store: "warc",
  maxCostUsd: 0,
  documents: [],
  privateAccess: "none",
  allowAddresses: false,
} as const;

function read(body: Record<string, unknown>) {
  const { options, messages } = readCloudflareRequest({ url: SEED, ...body }, INSTALLATION, NOW);
  return { options, messages, said: messages.map(({ message }) => message).join("\n") };
}

function refusal(body: Record<string, unknown>): string {
  try {
    read(body);
  } catch (error) {
    return String(error);
  }
  throw new Error(`it was taken: ${JSON.stringify(body)}`);
}

describe("options", () => {
  test("have Cloudflare's defaults", () => {
    const { options } = read({});
    expect(options).toMatchObject({ urls: [SEED], limit: 10, depth: 100_000, source: "all", formats: ["html"] });
    expect(options).toMatchObject({ includeSubdomains: false, includeExternalLinks: false, headers: {} });
  });

  test("have the window and the element to wait for, unless no page is drawn", () => {
    const body = { viewport: { width: 390, height: 844, isMobile: true }, waitForSelector: { selector: ".list" } };
    const { options, said } = read({ ...body, renderOptions: { scroll: 3, waitFor: "#other" } });
    expect(options.renderOptions).toEqual({
      waitFor: ".list",
      click: [],
      scroll: 3,
      dismissBanners: false,
      viewport: { width: 390, height: 844 },
    });
    expect(said).toContain("Without effect on the browser here: viewport.isMobile.");
    expect(read({ ...body, render: false }).said).toContain("no page is drawn: viewport, waitForSelector.");
    expect(refusal({ viewport: { width: 9, height: 9 } })).toContain("width");
    expect(refusal({ render: false, renderOptions: { scroll: 1 } })).toContain("are for pages that a browser draws");
  });

  test("take the store of the installation if the request names none", () => {
    expect(read({}).options.store).toBe("warc");
    expect(read({ store: "files" }).options.store).toBe("files");
    const onThisMachine = readCloudflareRequest({ url: SEED }, { ...INSTALLATION, store: "files" }, NOW);
    expect(onThisMachine.options.store).toBe("files");
  });

  test("have a webhook, whose secret is in the messages, because the answer has no other place for it", () => {
    const { options, said } = read({ webhook: "https://receiver.test/hook" });
    expect(options.webhook).toMatchObject({ url: "https://receiver.test/hook" });
    expect(said).toContain(options.webhook?.secret);
    expect(read({}).said).not.toContain("webhook");
  });

  test("have modifiedSince", () => {
    const modifiedSince = Math.floor(Date.now() / 1000) - 7 * 86_400;
    expect(read({ modifiedSince }).options.modifiedSince).toBe(modifiedSince);
    expect(read({}).options.modifiedSince).toBeNull();
  });

  test("include our own parameters in the same body", () => {
    const { options } = read({ urls: ["https://b.test/"], limit: 100_000, politeness: { minDelayMs: 5 } });
    expect(options).toMatchObject({
      urls: [SEED, "https://b.test/"],
      limit: 100_000,
      politeness: { minDelayMs: 5, delayFactor: 5 },
    });
  });

  test("include no parameter that only Cloudflare has", () => {
    const body = {
      render: false,
      maxAge: 5,
      cookies: [],
      gotoOptions: {},
      authenticate: { username: "", password: "" },
    };
    const { headers: before, ...known } = read({ render: false }).options;
    const { headers: after, ...options } = read({ ...body, viewport: { width: 390 }, x: 1 }).options;
    expect([options, before, after]).toEqual([known, {}, { authorization: "Basic Og==" }]);
  });

  test.each([
    [{ limit: 0 }, "limit"],
    [{ limit: 100_001 }, "limit"],
    [{ formats: ["pdf"] }, "formats"],
    [{ source: "feeds" }, "source"],
    [{ maxAge: 604_801 }, "maxAge"],
    [{ maxAge: -1 }, "maxAge"],
    [{ modifiedSince: Date.now() }, "it is in the future; it counts seconds"],
    [{ modifiedSince: Math.floor(Date.now() / 1000) - 400 * 86_400 }, "more than a year ago"],
    [{ modifiedSince: "2026-03-01" }, "modifiedSince"],
    [{ render: "no" }, "render"],
    [{ authenticate: { username: "a:b", password: "c" } }, "username"],
    [{ setExtraHTTPHeaders: { a: "b\r\nc: d" } }, "setExtraHTTPHeaders"],
    [{ cookies: [{ name: "a", value: "b; c" }] }, "value"],
    [{ gotoOptions: { referer: "a\nb" } }, "referer"],
  ])("%j is refused", (body, words) => {
    expect(refusal(body)).toContain(words);
  });
});

describe("messages", () => {
  test.each([
    [{}, "auto", true],
    [{ render: true }, "auto", true],
    [{ render: false }, "never", false],
  ])("say of %j which pages are rendered", (body, render, isSaid) => {
    const { options, said } = read(body);
    expect(options.render).toBe(render);
    expect(said.includes("Only pages that are empty without their scripts are rendered")).toBe(isSaid);
  });

  test("name unknown parameters, and those that need a browser or a model", () => {
    const { said } = read({
      colour: "red",
      options: { includeEverything: true },
      politeness: { minDelay: 1 },
      waitForSelector: { selector: "a", hidden: true },
      waitForTimeout: 5,
      gotoOptions: { waitUntil: "load", timeout: 5_000 },
      jsonOptions: { prompt: "x" },
    });
    expect(said).toContain("Unknown parameters are ignored: colour, options.includeEverything, politeness.minDelay.");
    expect(said).toContain(
      "Without effect on the browser here: waitForTimeout, waitForSelector.hidden, gotoOptions.waitUntil.",
    );
    expect(said).toContain("it needs a language model: jsonOptions.");
  });

  test("name at most 20 of thousands of parameters", () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${"x".repeat(500)}${i}`, 1]));
    expect(read(body).said.length).toBeLessThan(2_000);
    expect(read(body).said).toContain("and 4980 more");
  });

  test("name formats that differ from Cloudflare's", () => {
    expect(read({}).said).toContain('"rawHtml" is the page as the server sent it');
    expect(read({ formats: ["markdown"] }).messages.map(({ code }) => code)).toEqual([1001]);
    expect(read({ formats: ["html", "rawHtml"], render: false }).messages).toEqual([]);
    expect(read({ formats: ["json"] }).said).toContain("No language model reads it");
  });
});

describe("request headers", () => {
  test("prefer our headers over Cloudflare's setExtraHTTPHeaders", () => {
    const { options } = read({
      setExtraHTTPHeaders: { "X-A": "1", "X-B": "1" },
      headers: { "X-B": "2" },
      gotoOptions: { referer: "https://r.test/" },
    });
    expect(options.headers).toEqual({ "X-A": "1", "X-B": "2", referer: "https://r.test/" });
  });

  test.each([
    [{ username: "Aladdin", password: "open sesame" }, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="], // RFC 7617 2
    [{ username: "test", password: "123£" }, "Basic dGVzdDoxMjPCow=="], // RFC 7617 2.1
  ])("%j", (credentials, value) => {
    expect(basicAuthorization(credentials)).toBe(value);
    expect(read({ authenticate: credentials }).options.headers).toEqual({ authorization: value });
  });

  test.each([
    [0, 300_000],
    [5, 100],
    [12_000.4, 12_000],
    [9_000_000, 300_000],
  ])("a timeout of %d ms", (timeout, timeoutMs) => {
    expect(read({ gotoOptions: { timeout } }).options.timeoutMs).toBe(timeoutMs);
    expect(read({ gotoOptions: { timeout }, timeoutMs: 700 }).options.timeoutMs).toBe(700);
  });

  test.each<[string, Record<string, unknown>, string[], boolean]>([
    ["of no domain", {}, [SEED], true],
    ["of the seed's host", { domain: "a.test" }, [SEED], true],
    ["of a domain above it", { domain: ".EXAMPLE.test" }, ["https://www.example.test/"], true],
    ["of a domain that only ends alike", { domain: "ample.test" }, ["https://example.test/"], false],
    ["of a top level", { domain: "test" }, [SEED], false],
    ["of another host", { domain: "b.test" }, [SEED], false],
    ["of one seed's host among two", { domain: "a.test" }, [SEED, "https://b.test/"], false],
    ["of the seed's URL", { url: "https://a.test/login" }, [SEED], true],
    ["of another URL", { url: "https://b.test/" }, [SEED], false],
    ["of no URL at all", { url: "a.test" }, [SEED], false],
    ["of a path", { path: "/admin" }, [SEED], false],
    ["that is secure", { secure: true }, [SEED], true],
    ["that is secure, for http", { secure: true }, ["http://a.test/"], false],
    ["that has expired", { expires: NOW / 1000 - 1 }, [SEED], false],
    ["that has not", { expires: NOW / 1000 + 1 }, [SEED], true],
    ["of the session", { expires: -1 }, [SEED], true],
  ])("a cookie %s", (_, facts, seeds, isSent) => {
    const { value, left } = cookieHeader([{ name: "s", value: "1", ...facts }], seeds, NOW);
    expect([value, left]).toEqual(isSent ? ["s=1", []] : [null, ["s"]]);
  });

  test("join cookies in one header, and a message names the others", () => {
    const cookies = [
      { name: "a", value: "1" },
      { name: "b", value: "secret", path: "/b" },
      { name: "c", value: "3" },
    ];
    const { options, said } = read({ cookies });
    expect(options.headers).toEqual({ cookie: "a=1; c=3" });
    expect(said).toMatch(/Cookies that are not sent, .*: b\./);
    expect(said).not.toContain("secret");
  });
});
