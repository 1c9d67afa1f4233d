import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideTrap, type TrapRules, variantPattern } from "../../../src/scope/traps.ts";

const RULES: TrapRules = { maxUrlLength: 2048, maxPathDepth: 20, maxRepeatedSegments: 2 };
const HOST = "https://example.com";

function verdict(rules: Partial<TrapRules>, tail: string, via = "/"): string {
  const decision = decideTrap({ ...RULES, ...rules }, HOST + tail, HOST + via);
  return decision === null ? "none" : `${decision.reason}: ${decision.detail}`;
}

describe("length and depth", () => {
  test.each<[Partial<TrapRules>, string, string]>([
    [{ maxUrlLength: 22 }, "/aa", "none"],
    [{ maxUrlLength: 22 }, "/aaa", "too-long: 23 characters"],
    [{ maxUrlLength: 22 }, "/?a", "none"],
    [{ maxUrlLength: 22 }, "/?aa", "too-long: 23 characters"],
    [{ maxPathDepth: 2 }, "/a/b", "none"],
    [{ maxPathDepth: 2 }, "/a/b/", "none"],
    [{ maxPathDepth: 2 }, "//a//b//", "none"],
    [{ maxPathDepth: 2 }, "/a/b?c=/d/e", "none"],
    [{ maxPathDepth: 2 }, "/a/b/c", "path-depth: 3 path segments, the crawl takes 2"],
    [{ maxPathDepth: 0 }, "/", "none"],
    [{ maxPathDepth: 0 }, "/a", "path-depth: 1 path segments, the crawl takes 0"],
  ])("%j: %s: %s", (rules, tail, expected) => expect(verdict(rules, tail)).toBe(expected));
});

describe("repeated segments", () => {
  test.each([
    // One segment.
    ["/a/a", "none"],
    ["/a/a/a", "a stands 3 times in a row"],
    ["/x/aa/aa/aa/aa/y", "aa stands 4 times in a row"],
    ["/a//a/a/", "a stands 3 times in a row"],
    ["/a/a/b/a/a", "none"],
    ["/a/A/a", "none"],
    ["/a/aa/aaa", "none"],
    ["/1/1/1", "none"],
    ["/1/1/1/1/1/1", "none"],
    ["/1/1/1/a/a/a", "a stands 3 times in a row"],
    // Runs.
    ["/a/b/c", "none"],
    ["/a/b/a", "none"],
    ["/a/b/c/b", "none"],
    ["/a/b/c/b/c", "b/c stands 2 times in a row"],
    ["/a/b/c/b/c/b/c", "b/c stands 3 times in a row"],
    ["/a/b/c/b/c/b", "b/c stands 2 times in a row"],
    ["/a/b/c/b/c/d", "b/c stands 2 times in a row"],
    ["/a/b/c/a/b/c", "a/b/c stands 2 times in a row"],
    ["/a/b/c/d/e/a/b/c/d/e", "a/b/c/d/e stands 2 times in a row"],
    ["/a/b/c/d/e/f/a/b/c/d/e/f", "none"],
    ["/a/b/c/x/b/c", "none"],
    ["/2020/12/2020/12", "none"],
    ["/2020/a/2020/a", "2020/a stands 2 times in a row"],
    // Long loops and irregular ones.
    ["/aa/1/aa/2/aa/3/aa", "none"],
    ["/aa/1/aa/2/aa/3/aa/4/aa", "aa stands 5 times"],
    ["/a/1/a/2/a/3/a/4/a", "none"],
    ["/20/a/20/b/20/c/20/d/20", "none"],
    // Neither query nor host.
    ["/?a/a/a/a", "none"],
    ["/a/a?/a/a", "none"],
    ["/example.com/example.com", "none"],
  ])("%s: %s", (tail, expected) =>
    expect(verdict({}, tail)).toBe(expected === "none" ? expected : `repeated-segments: ${expected}`),
  );

  test.each([
    [0, "/a/b", "none"],
    [0, "/a/a", "a stands 2 times in a row"],
    [1, "/a/b/c", "none"],
    [1, "/a/a", "a stands 2 times in a row"],
    [1, "/a/b/a/b", "a/b stands 2 times in a row"],
    [3, "/a/a/a", "none"],
    [3, "/a/a/a/a", "a stands 4 times in a row"],
    [3, "/a/b/a/b", "none"],
    [3, "/a/b/a/b/a/b", "a/b stands 3 times in a row"],
  ])("at %i, %s: %s", (maxRepeatedSegments, tail, expected) =>
    expect(verdict({ maxRepeatedSegments }, tail)).toBe(
      expected === "none" ? expected : `repeated-segments: ${expected}`,
    ),
  );
});

describe("sessions", () => {
  const A = "0a1b2c3d4e5f6a7b";
  const B = "f0e1d2c3b4a5f6e7";
  const LONG_A = `${A}01234567`;
  const LONG_B = `${B}01234567`;
  const UUID_A = "550e8400-e29b-41d4-a716-446655440000";
  const UUID_B = "0f14d0ab-9605-4a62-a9e4-5ed26688389b";
  test.each([
    [`/?sid=${A}`, `/?sid=${B}`, "sid"],
    [`/?a=b&SID=${A}`, `/c?Sid=${B}&d`, "sid"],
    [`/a;sid=${A}`, `/b;c;sid=${B}?d`, "sid"],
    [`/sid=${A}/a`, `/sid=${B}/b`, "sid"],
    [`/sid/${A}/a`, `/sid/${B}`, "sid"],
    [`/sid/${A}/a`, `/b?sid=${B}`, "sid"],
    [`/PHPSESSID/${A}/`, `/PHPSESSID/${B}/`, "phpsessid"],
    [`/sid/${UUID_A}/a`, `/sid/${UUID_B}/a`, "sid"],
    ["/?session_id=aB3-dE5_fG7hI9jK", "/?session_id=Zx9-cV8_bN7mQ6wE", "session_id"],
    [`/?s=${LONG_A}`, `/?s=${LONG_B}`, "s"],
    [`/?session=${LONG_A}&sid=${A}`, `/?session=${LONG_A}&sid=${B}`, "sid"],
    // The same session, and none.
    [`/?sid=${A}`, `/a/?b&sid=${A}`, null],
    [`/?sid=${A}`, `/sid/${A}/`, null],
    [`/sid/${A}/?sid=${B}`, `/?sid=${B}`, null],
    ["/", `/?sid=${B}`, null],
    [`/?sid=${A}`, "/", null],
    [`/?sid=${A}`, `/?session=${B}`, null],
    // Not marked.
    [`/?id=${A}`, `/?id=${B}`, null],
    [`/?side=${A}`, `/?side=${B}`, null],
    [`/?asid=${A}`, `/?asid=${B}`, null],
    [`/?a=/sid/${A}`, `/?a=/sid/${B}`, null],
    [`/${A}/sid`, `/${B}/sid`, null],
    // No ids.
    [`/?sid=${A.slice(1)}`, `/?sid=${B.slice(1)}`, null],
    [`/?s=${LONG_A.slice(1)}`, `/?s=${LONG_B.slice(1)}`, null],
    [`/?token=${A}`, `/?token=${B}`, null],
    ["/?sid=1234567890123456", "/?sid=6543210987654321", null],
    ["/?sid=abcdefghijklmnop", "/?sid=ponmlkjihgfedcba", null],
    [`/?sid=${A}.a`, `/?sid=${B}.a`, null],
    [`/session/${UUID_A}/a`, `/session/${UUID_B}/a`, null],
    [`/token/${LONG_A}/`, `/token/${LONG_B}/`, null],
    ["/session/10-tips-for-better-code", "/session/5-Ways-Towards-Better-Code", null],
  ])("from %s to %s: %s", (via, tail, name) =>
    expect(verdict({}, tail, via)).toBe(name === null ? "none" : `session-id: ${name} differs from the page's`),
  );

  test("are compared within one host", () => {
    const to = (url: string) => decideTrap(RULES, url, `https://example.com/?sid=${A}`)?.reason;
    expect(to(`http://example.com:8080/?sid=${B}`)).toBe("session-id");
    expect(to(`https://other.example/?sid=${B}`)).toBeUndefined();
    expect(decideTrap(RULES, `https://sid/${B}`, `https://sid/${A}`)).toBeNull();
  });

  test("do not show their ids in the detail", () => {
    const id = fc.stringMatching(/^[0-9A-Za-z]{20}a1[0-9A-Za-z]{20}$/);
    fc.assert(
      fc.property(id, id, (a, b) => {
        const expected = a === b ? "none" : "session-id: sid differs from the page's";
        expect(verdict({}, `/a?sid=${a}`, `/b?sid=${b}`)).toBe(expected);
      }),
    );
  });
});

test("the first rule that a URL breaks gives the reason", () => {
  const rules = { maxUrlLength: 70, maxPathDepth: 3 };
  const session = "sid=0a1b2c3d4e5f6a7b";
  const tails = [
    `/a/a/a/a?${session}&${"b".repeat(70)}`,
    `/a/a/a/a?${session}`,
    `/a/a/a?${session}`,
    `/a/a?${session}`,
  ];
  const reasons = tails.map((tail) => verdict(rules, tail, "/?sid=f0e1d2c3b4a5f6e7").split(":")[0]);
  expect(reasons).toEqual(["too-long", "path-depth", "repeated-segments", "session-id"]);
});

describe("properties of paths", () => {
  const segment = fc.stringMatching(/^[a-z]{2,5}$/);

  test("distinct segments are no trap", () => {
    fc.assert(
      fc.property(fc.uniqueArray(segment, { maxLength: 20 }), (segments) => {
        expect(verdict({}, `/${segments.join("/")}`)).toBe("none");
      }),
    );
  });

  test("a loop of any length is found, whatever is before and after it", () => {
    const some = fc.array(segment, { maxLength: 3 });
    const loop = fc.array(segment, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(some, loop, some, (before, around, after) => {
        const path = [...before, ...Array.from({ length: 5 }, () => around).flat(), ...after].join("/");
        expect(verdict({ maxPathDepth: 100 }, `/${path}`)).toContain("repeated-segments: ");
      }),
    );
  });

  test("numbers may repeat", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 }), (numbers) => {
        expect(verdict({}, `/${numbers.join("/")}`)).toBe("none");
      }),
    );
  });
});

describe("patterns of variants", () => {
  test.each([
    ["/", null],
    ["/a/b", null],
    ["/a.html", null],
    ["/abcdefghijklmnopqrst", null],
    ["/%D0%9F%D1%80", null],
    ["/a/12", "/a/#"],
    ["/2024/05/a-1.html", "/#/#/a-#.html"],
    ["/10-tips-for-better-code-in-2024", "/#-tips-for-better-code-in-#"],
    ["/v1.2/abc3def", "/v#.#/abc#def"],
    ["/a/0a1b2c3d4e5f6a7b", "/a/#"],
    ["/a/0a1b2c3d4e5f6a7b.html", "/a/#.html"],
    ["/a/0a1b2c3d4e5f6a7", "/a/#a#b#c#d#e#f#a#"],
    ["/a-name-0a1b2c3d4e5f6a7b", "/a-name-#"],
    ["/550e8400-e29b-41d4-a716-446655440000/b", "/#/b"],
    ["/name-550E8400-E29B-41D4-A716-446655440000", "/name-#"],
    ["/aB3-dE5_fG7hI9jK", "/#"],
    ["/%D0%9F1%D1%802", "/%D0%9F#%D1%80#"],
    ["/%2a1", "/%#a#"],
    ["/a?b", "/a?b"],
    ["/a?b=1", "/a?b"],
    ["/a?c=1&b=2&c=3", "/a?b&c"],
    ["/a1?b2=3&b4=5", "/a#?b#"],
    ["/?a%5B0%5D=b&a%5B1%5D=c", "/?a%5B#%5D"],
    ["/?7", "/?#"],
    ["/a?b=c?d=/1", "/a?b"],
  ])("%s: %s", (tail, pattern) => expect(variantPattern(HOST + tail)).toBe(pattern === null ? null : HOST + pattern));

  test("the pattern keeps the origin", () => {
    expect(variantPattern("http://127.0.0.1:8080/a")).toBeNull();
    expect(variantPattern("http://127.0.0.1:8080/a1")).toBe("http://127.0.0.1:8080/a#");
  });

  const word = fc.stringMatching(/^[a-z]{1,6}$/);

  test("numbers, ids and values make no difference, nor does the order of the query", () => {
    const id = fc.oneof(fc.uuid(), fc.nat().map(String), fc.stringMatching(/^[0-9a-f]{10}a1[0-9a-f]{10}$/));
    const query = fc.array(word, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(word, query, id, id, word, word, (name, keys, a, b, x, y) => {
        const one = `${HOST}/${name}/${a}/${name}?${keys.map((key) => `${key}=${x}`).join("&")}`;
        const other = `${HOST}/${name}/${b}/${name}?${keys
          .map((key) => `${key}=${y}`)
          .toReversed()
          .join("&")}`;
        expect(variantPattern(one)).toBe(variantPattern(other));
      }),
    );
  });

  test("words and keys make a difference", () => {
    fc.assert(
      fc.property(word, word, fc.nat(), (a, b, n) => {
        fc.pre(a !== b);
        expect(variantPattern(`${HOST}/${a}/${n}`)).not.toBe(variantPattern(`${HOST}/${b}/${n}`));
        expect(variantPattern(`${HOST}/?${a}=${n}`)).not.toBe(variantPattern(`${HOST}/?${b}=${n}`));
      }),
    );
  });

  test("no digit remains except in escapes", () => {
    const tail = fc.string({
      unit: fc.constantFrom("a", "Z", "0", "7", "-", "_", "/", "?", "&", "=", ";", "%D0", "%41", "%"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(tail, (text) => {
        const pattern = variantPattern(`${HOST}/${text}`) ?? `/${text}`;
        expect(pattern.replace(/%[0-9A-F]{2}/g, "")).not.toMatch(/[0-9]/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the worst URLs stay linear", () => {
  const n = 100_000;
  const rules: TrapRules = { maxUrlLength: n * 10, maxPathDepth: n * 10, maxRepeatedSegments: n * 10 };
  test.each([
    ["one segment", "/a".repeat(n)],
    ["numbers", "/1".repeat(n)],
    ["a number and a word", "/1/a".repeat(n)],
    ["slashes", "/".repeat(n)],
    [
      "long segments that differ at the end",
      Array.from({ length: n / 100 }, (_, at) => `/${"a".repeat(99)}${at}`).join(""),
    ],
    ["names", "/sid".repeat(n)],
    ["names and parameters", "/s;sid=".repeat(n)],
    ["a session's id that does not end", `/?sid=${"a1".repeat(n)}.`],
    ["a word", `/${"a-".repeat(n)}1`],
    ["almost UUIDs", `/${"0a0a0a0a-".repeat(n)}.`],
    ["escapes", "/%41%4".repeat(n)],
    ["parameters", `/?${"a1=b&".repeat(n)}`],
  ])("%s", (_, tail) => {
    // This takes milliseconds. Quadratic time would exceed the runner's timeout.
    expect(decideTrap(rules, HOST + tail, HOST + tail)).toBeNull();
    expect(variantPattern(HOST + tail)?.length ?? 0).toBeLessThanOrEqual(HOST.length + tail.length);
  });
});
