import { describe, expect, test } from "vitest";
import {
  type CookieJar,
  cookieHeader,
  readJar,
  storeCookies,
  writeJar,
} from "../../../src/fetch/request/cookie-jar.ts";

const NOW = Date.UTC(2026, 0, 1);
const URL = "https://a.test/dir/page?q=/x/";

/** What a request for `to` sends after an answer of `from` has set these. */
const sentTo = (to: string, setCookies: string[], from = URL, jar: CookieJar = []) =>
  cookieHeader(storeCookies(jar, from, setCookies, NOW), to, NOW);

test.each<[setCookie: string, sent: string | null]>([
  ["a=1", "a=1"],
  [" a = 1 2 ; Path=/", "a=1 2"],
  ["a=b=c", "a=b=c"],
  ['a="q"', 'a="q"'],
  ["a=", "a="],
  ["=v", "v"],
  ["v", "v"],
  ["", null],
  ["=", null],
  ["; Path=/", null],
  ["a=\x01", null],
  ["a=1; x=\x7f", null],
  ["a=1\tb", "a=1\tb"],
  [`a=${"x".repeat(4_095)}`, `a=${"x".repeat(4_095)}`],
  [`a=${"x".repeat(4_096)}`, null],
  [`a=1; x=${"x".repeat(16_377)}`, "a=1"],
  [`a=1; x=${"x".repeat(16_378)}`, null],
  [`a=b${" ".repeat(60_000)}c`, null],
  ["a=1; Max-Age=1", "a=1"],
  ["a=1; Max-Age=0", null],
  ["a=1; Max-Age=-5", null],
  ["a=1; Max-Age=soon", "a=1"],
  ["a=1; Max-Age=", "a=1"],
  ["a=1; Expires=Wed, 31 Dec 2025 23:59:59 GMT", null],
  ["a=1; Expires=Thu, 01 Jan 2026 00:00:01 GMT", "a=1"],
  ["a=1; Expires=never", "a=1"],
  ["a=1; Expires=Wed, 31 Dec 2025 23:59:59 GMT; Max-Age=9", "a=1"],
  ["a=1; Domain=b.test", "a=1"],
  ["a=1; Domain=.test; HttpOnly; SameSite=Strict; Priority=High", "a=1"],
  ["a=1; Secure", "a=1"],
  ["__Secure-a=1", null],
  ["__secure-a=1; Secure", "__secure-a=1"],
  ["__Host-a=1; Secure; Path=/", "__Host-a=1"],
  ["__Host-a=1; Secure", null],
  ["__Host-a=1; Secure; Path=/; Domain=a.test", null],
  ["__Host-a", null],
])("Set-Cookie: %j sends %j", (setCookie, sent) => expect(sentTo(URL, [setCookie])).toBe(sent));

test.each<[from: string, path: string, to: string, isSent: boolean]>([
  ["/dir/page", "", "/dir/other", true],
  ["/dir/page", "", "/dir", true],
  ["/dir/page", "", "/dir/a/b?c", true],
  ["/dir/page", "", "/", false],
  ["/dir/page", "", "/dirs/x", false],
  ["/page", "", "/any/where", true],
  ["/dir/page", "Path=/", "/x", true],
  ["/dir/page", "Path=relative", "/dir/x", true],
  ["/dir/page", "Path=relative", "/x", false],
  ["/page", "Path=/dir/", "/dir/x", true],
  ["/page", "Path=/dir/", "/dir", false],
  ["/page", "Path=/dir", "/dir?x=1", true],
  ["/page", "Path=/dir; Path=/", "/x", true],
])("a cookie of %s with %j goes to %s: %s", (from, path, to, isSent) => {
  const sent = sentTo(`https://a.test${to}`, [`a=1; ${path}`], `https://a.test${from}`);
  expect(sent).toBe(isSent ? "a=1" : null);
});

describe("a cookie goes back to the host that set it, on any port", () => {
  test.each([
    ["https://a.test:8443/dir/", "a=1"],
    ["http://a.test/dir/", "a=1"],
    ["https://www.a.test/dir/", null],
    ["https://test/dir/", null],
  ])("%s gets %j", (to, sent) => expect(sentTo(to, ["a=1; Domain=a.test"])).toBe(sent));
});

test("a secure cookie goes to https alone, and http neither sets nor hides it", () => {
  expect(sentTo("http://a.test/dir/", ["a=1; Secure"])).toBeNull();
  expect(sentTo(URL, ["a=1; Secure"], "http://a.test/dir/")).toBeNull();
  const secure = storeCookies([], URL, ["a=secure; Secure"], NOW);
  expect(sentTo(URL, ["a=plain"], "http://a.test/dir/x", secure)).toBe("a=secure");
  expect(sentTo(URL, ["a=new"], URL, secure)).toBe("a=new");
});

test("longer paths come first, then older cookies; a replaced cookie keeps its place", () => {
  const jar = storeCookies([], URL, ["a=1; Path=/", "b=2; Path=/dir", "c=3; Path=/", "d=4; Path=/dir"], NOW);
  expect(cookieHeader(jar, URL, NOW)).toBe("b=2; d=4; a=1; c=3");
  expect(sentTo(URL, ["a=9; Path=/", "b=8; Path=/dir"], URL, jar)).toBe("b=8; d=4; a=9; c=3");
  expect(sentTo(URL, ["a=; Path=/; Max-Age=0"], URL, jar)).toBe("b=2; d=4; c=3");
});

test("an expired cookie is not sent, and is removed by the next answer", () => {
  const jar = storeCookies([], URL, ["a=1; Max-Age=10", "b=2"], NOW);
  expect(cookieHeader(jar, URL, NOW + 10_000)).toBe("b=2");
  expect(storeCookies(jar, URL, [], NOW + 10_000)).toHaveLength(1);
});

test("a jar holds 50 cookies of a host and 8,192 characters: the oldest go", () => {
  const many = Array.from({ length: 60 }, (_, i) => `n${i}=v`);
  const sent = sentTo(URL, many)?.split("; ") ?? [];
  expect([sent.length, sent[0], sent.at(-1)]).toEqual([50, "n10=v", "n59=v"]);
  const large = Array.from({ length: 5 }, (_, i) => `n${i}=${"x".repeat(3_000)}`);
  expect(storeCookies([], URL, large, NOW).map(({ name }) => name)).toEqual(["n3", "n4"]);
  const deep = Array.from({ length: 10 }, (_, i) => `n${i}=v; Path=/${"x".repeat(1_000)}`);
  expect(storeCookies([], URL, deep, NOW).map(({ name }) => name)).toEqual([
    "n2",
    "n3",
    "n4",
    "n5",
    "n6",
    "n7",
    "n8",
    "n9",
  ]);
});

test("a jar of a chain through many hosts holds 100 cookies", () => {
  let jar: CookieJar = [];
  const many = Array.from({ length: 50 }, (_, i) => `n${i}=v; Path=/`);
  for (let host = 0; host < 10; host++) jar = storeCookies(jar, `https://${host}.test/`, many, NOW);
  expect(new Set(jar.map(({ host }) => host))).toEqual(new Set(["8.test", "9.test"]));
  expect(jar).toHaveLength(100);
});

test("a jar is stored as text", () => {
  const jar = storeCookies([], URL, ["a=1; Max-Age=10", "b=2; Path=/"], NOW);
  expect(readJar(writeJar(jar))).toEqual(jar);
  expect([writeJar([]), readJar(null)]).toEqual([null, []]);
});
