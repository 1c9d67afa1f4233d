import { describe, expect, test } from "vitest";
import { CookieFileProblem, keepFor, readCookieFile } from "../../../src/fetch/request/cookie-file.ts";
import { cookieHeader, storeCookies } from "../../../src/fetch/request/cookie-jar.ts";

/** What browsers and tools write of their cookies, and what becomes of it. */

const NOW = Date.parse("2026-11-27T04:00:00Z");
const LATER = NOW / 1_000 + 86_400;

const NETSCAPE = [
  "# Netscape HTTP Cookie File",
  "",
  `#HttpOnly_.wiki.example\tTRUE\t/\tTRUE\t${LATER}\tsid\tabc=1`,
  "wiki.example\tFALSE\t/app\tFALSE\t0\tpart\tx",
  `.ads.test\tTRUE\t/\tFALSE\t${LATER}\ttrack\t1`,
  "wiki.example\tFALSE\t/\tFALSE\t5\told\tgone",
].join("\r\n");

describe("cookies.txt", () => {
  const jar = readCookieFile(NETSCAPE, NOW);

  test("gives what has not expired", () => {
    expect(jar).toEqual([
      {
        host: "wiki.example",
        isOfDomain: true,
        name: "sid",
        value: "abc=1",
        path: "/",
        secure: true,
        expiresAt: LATER * 1_000,
      },
      { host: "wiki.example", name: "part", value: "x", path: "/app", secure: false, expiresAt: null },
      {
        host: "ads.test",
        isOfDomain: true,
        name: "track",
        value: "1",
        path: "/",
        secure: false,
        expiresAt: LATER * 1_000,
      },
    ]);
  });

  test.each([
    ["https://wiki.example/", "sid=abc=1"],
    ["https://a.wiki.example/", "sid=abc=1"],
    ["https://wiki.example/app/x", "part=x; sid=abc=1"],
    ["http://wiki.example/app", "part=x"],
    ["http://wiki.example/", null],
    ["https://notwiki.example/", null],
    ["https://other.test/", null],
  ])("for %s", (url, header) => {
    expect(cookieHeader(jar, url, NOW)).toBe(header);
  });
});

describe("other files", () => {
  test("the storage state of Playwright", () => {
    const state = {
      cookies: [
        {
          name: "a",
          value: "1",
          domain: ".x.test",
          path: "/",
          expires: -1,
          httpOnly: true,
          secure: true,
          sameSite: "Lax",
        },
        { name: "b", value: "2", domain: "y.x.test", path: "/p", expires: LATER, httpOnly: false, secure: false },
      ],
      origins: [{ origin: "https://x.test", localStorage: [{ name: "token", value: "t" }] }],
    };
    expect(readCookieFile(JSON.stringify(state), NOW)).toEqual([
      { host: "x.test", isOfDomain: true, name: "a", value: "1", path: "/", secure: true, expiresAt: null },
      { host: "y.x.test", name: "b", value: "2", path: "/p", secure: false, expiresAt: LATER * 1_000 },
    ]);
  });

  test("an array, as a browser extension writes it", () => {
    const list = [
      { domain: "x.test", hostOnly: false, name: "a", value: "1", path: "/", secure: false, expirationDate: LATER },
    ];
    expect(readCookieFile(JSON.stringify(list), NOW)).toEqual([
      { host: "x.test", isOfDomain: true, name: "a", value: "1", path: "/", secure: false, expiresAt: LATER * 1_000 },
    ]);
  });

  test("a HAR: what answers set, and what requests carry besides", () => {
    const entry = (url: string, cookie: string, ...setCookies: string[]) => ({
      request: { url, headers: [{ name: "Cookie", value: cookie }], cookies: [] },
      response: { headers: setCookies.map((value) => ({ name: "Set-Cookie", value })) },
    });
    const har = {
      log: {
        entries: [
          entry("https://x.test/login", "old=1", "sid=first; Path=/; Secure; HttpOnly"),
          entry("https://x.test/a", "old=1; sid=second"),
          entry("https://cdn.test/a", "c=1"),
          entry("chrome-extension://abc/", "never=1"),
        ],
      },
    };
    const jar = readCookieFile(JSON.stringify(har), NOW);
    expect(cookieHeader(jar, "https://x.test/b", NOW)).toBe("old=1; sid=second");
    expect(cookieHeader(jar, "https://cdn.test/", NOW)).toBe("c=1");
    expect(jar).toHaveLength(3);
  });

  test.each([
    ["", "There are no cookies"],
    ["a page\nof text", "neither JSON nor cookies.txt"],
    ['{"secret": 12', "cannot be read"],
    ['{"secret": "hush"}', "neither `cookies`"],
    ["x.test\tTRUE\t/\tFALSE\t5\told\thush", "have expired"],
  ])("is refused: %j", (text, says) => {
    expect(() => readCookieFile(text, NOW)).toThrow(CookieFileProblem);
    try {
      readCookieFile(text, NOW);
    } catch (error) {
      expect(String(error)).toContain(says);
      expect(String(error)).not.toContain("hush");
    }
  });
});

test("only cookies that a host would get are kept", () => {
  const jar = readCookieFile(NETSCAPE, NOW);
  const names = (hosts: string[]) => keepFor(jar, hosts).kept.map(({ name }) => name);
  expect(keepFor(jar, ["wiki.example", "b.test"])).toMatchObject({ left: ["ads.test"], without: ["b.test"] });
  expect(names(["wiki.example:8443"])).toEqual(["sid", "part"]);
  expect(names(["a.wiki.example"])).toEqual(["sid"]);
  expect(names(["*.wiki.example"])).toEqual(["sid", "part"]);
  expect(names(["example"])).toEqual([]);
});

describe("an answer", () => {
  const jar = readCookieFile(`.x.test\tTRUE\t/\tFALSE\t${LATER}\tsid\told`, NOW);
  const at = (url: string, header: string) =>
    cookieHeader(storeCookies(jar, url, [header], NOW), "https://b.x.test/", NOW);

  test("replaces the cookie of its domain, for all hosts of that", () => {
    expect(at("https://a.x.test/", "sid=new; Domain=.X.test; Path=/")).toBe("sid=new");
  });

  test("sets no other cookie for its domain, and none of another's", () => {
    expect(at("https://a.x.test/", "other=1; Domain=x.test; Path=/")).toBe("sid=old");
    expect(at("https://a.x.test/", "sid=new; Domain=test; Path=/")).toBe("sid=old");
    expect(at("https://evil.test/", "sid=evil; Domain=x.test; Path=/")).toBe("sid=old");
  });
});
