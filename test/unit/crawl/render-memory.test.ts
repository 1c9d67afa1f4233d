import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideRender,
  EMPTY_RENDER_MEMORY,
  learnRender,
  lessonOf,
  type PatternRenders,
  type PlainPage,
  renderPattern,
} from "../../../src/crawl/page/render-memory.ts";
import { hashId } from "../../../src/media/id-hash.ts";

const URL = "https://a.test/p/1";
const HTML = { contentType: "text/html; charset=utf-8", shell: null, shellDoubt: null, textLength: 500 };
const SHELL: PlainPage = { ...HTML, shell: "its <div> is empty", textLength: 0 };
const DOUBT: PlainPage = { ...HTML, shellDoubt: "it has 130 characters of text", textLength: 130 };
const gained = (streak: number, mostText: number): PatternRenders => ({ streak, mostText });
const inVain = (streak: number): PatternRenders => ({ streak: -streak, mostText: -1 });

test.each([
  ["never", SHELL, null, false],
  ["never", DOUBT, gained(20, 5_000), false],
  ["always", HTML, inVain(20), true],
  ["always", { ...HTML, contentType: "text/plain" }, null, false],
  ["auto", { ...SHELL, contentType: "application/pdf" }, null, false],
  ["auto", HTML, null, false],
  ["auto", SHELL, null, true],
  ["auto", SHELL, inVain(2), true],
  ["auto", SHELL, inVain(3), false],
  ["auto", DOUBT, null, true],
  ["auto", DOUBT, inVain(1), true],
  ["auto", DOUBT, inVain(2), false],
  ["auto", DOUBT, gained(1, 0), true],
  ["auto", HTML, gained(3, 450), true],
  ["auto", HTML, gained(2, 450), false],
  ["auto", HTML, gained(20, 400), false],
  ["auto", { ...HTML, textLength: null }, gained(20, 400), false],
] as const)("%s %j after %j: %s", (mode, page, known, render) => {
  expect(hashId(URL) % 20).not.toBe(0);
  expect(decideRender(mode, page, known, URL).render).toBe(render);
});

test("Why a page is drawn, and why a shell is not, is said", () => {
  expect(decideRender("auto", SHELL, null, URL).why).toBe("its <div> is empty");
  expect(decideRender("auto", SHELL, inVain(3), URL).why).toBe(
    "its <div> is empty; a browser changed nothing on the last 3 pages like /p/*",
  );
  expect(decideRender("auto", HTML, gained(4, 450), URL).why).toBe("the last 4 pages like /p/* needed a browser");
  expect(decideRender("auto", DOUBT, null, URL).why).toBe(
    "perhaps scripts make what it shows: it has 130 characters of text",
  );
});

test("Of the pages that a browser does not change, one in 20 tests whether that is still so", () => {
  const urls = Array.from({ length: 2_000 }, (_, i) => `https://a.test/p/${i}`);
  const tests = (page: PlainPage) => urls.filter((url) => decideRender("auto", page, inVain(20), url).render);
  expect(tests(SHELL).length).toBeGreaterThan(60);
  expect(tests(SHELL).length).toBeLessThan(140);
  expect(tests(DOUBT)).toEqual(tests(SHELL));
  expect(tests(HTML)).toEqual([]);
});

const text = (textLength: number | null, links = 0) => ({ textLength, links: Array<string>(links).fill("a") });

test.each([
  [text(0), text(99), false],
  [text(0), text(100), true],
  [text(1_000), text(1_499), false],
  [text(1_000), text(1_500), true],
  [text(1_000, 0), text(1_000, 2), false],
  [text(1_000, 0), text(1_000, 3), true],
  [text(1_000, 10), text(1_000, 17), false],
  [text(1_000, 10), text(1_000, 18), true],
  [text(1_000, 10), text(0, 0), false],
])("%j drawn as %j gains: %s", (plain, drawn, hasGained) => {
  expect(lessonOf(plain, drawn)).toEqual({ plainText: plain.textLength, hasGained });
});

test("A page of unknown length teaches nothing", () => {
  expect(lessonOf(text(null), text(10))).toBeNull();
  expect(lessonOf(text(10), text(null))).toBeNull();
});

test.each([
  ["https://a.test/", "/"],
  ["https://a.test/index.html", "/"],
  ["https://a.test/shop", "/*"],
  ["https://a.test/shop/", "/shop/"],
  ["https://a.test/shop/red-shoe.html", "/shop/*.html"],
  ["https://a.test/shop/42/red?color=3&size=4", "/shop/#/*?color=*&size=*"],
  ["https://a.test/a/b/c/d/e/f", "/a/b/c/**/*"],
])("%s is like %s", (url, pattern) => {
  expect(renderPattern(url)).toBe(pattern);
});

describe("learning", () => {
  const learn = (lessons: readonly boolean[], plainText = 10) =>
    lessons.reduce((memory, hasGained) => learnRender(memory, URL, { plainText, hasGained }), EMPTY_RENDER_MEMORY);

  test.each([
    [[true], 1],
    [[true, true, false], -1],
    [[false, false, true], 1],
    [Array<boolean>(30).fill(true), 20],
    [Array<boolean>(30).fill(false), -20],
  ])("%j counts as %i in a row", (lessons, streak) => {
    expect(learn(lessons)["/p/*"]?.streak).toBe(streak);
  });

  test("The most text of pages that gained is kept", () => {
    const memory = learnRender(learn([true], 300), URL, { plainText: 200, hasGained: true });
    expect(memory["/p/*"]).toEqual({ streak: 2, mostText: 300 });
    expect(learnRender(memory, URL, { plainText: 900, hasGained: false })["/p/*"]?.mostText).toBe(300);
  });

  test("A host has the 100 patterns that were learned last, and what says nothing new writes nothing", () => {
    const url = fc.nat(150).map((n) => `https://a.test/${"abcdefghijklmnop"[n % 16]}${"x".repeat(n)}/p`);
    const lesson = fc.record({ url, hasGained: fc.boolean(), plainText: fc.nat(3_000) });
    fc.assert(
      fc.property(fc.array(lesson, { maxLength: 300 }), (lessons) => {
        let memory = EMPTY_RENDER_MEMORY;
        for (const { url, ...one } of lessons) {
          const before = memory;
          memory = learnRender(memory, url, one);
          if (JSON.stringify(memory) === JSON.stringify(before)) expect(memory).toBe(before);
          expect(memory[renderPattern(url)]?.streak).toSatisfy((streak: number) => streak > 0 === one.hasGained);
        }
        const learned = Object.values(memory);
        expect(learned.length).toBeLessThanOrEqual(100);
        expect(JSON.stringify(memory).length).toBeLessThan(20_000);
        expect(learned.every(({ streak }) => streak !== 0 && Math.abs(streak) <= 20)).toBe(true);
      }),
    );
  });
});

test("Of a site whose shells and whole pages have one pattern, exactly the shells are drawn", () => {
  let memory = EMPTY_RENDER_MEMORY;
  const drawn: number[] = [];
  for (let i = 0; i < 100; i++) {
    const url = `https://a.test/p/${i}`;
    const page = i % 10 === 3 ? SHELL : { ...HTML, textLength: 400 + i };
    const known = memory[renderPattern(url)] ?? null;
    if (!decideRender("auto", page, known, url).render) continue;
    drawn.push(i);
    memory = learnRender(memory, url, { plainText: page.textLength ?? 0, hasGained: page === SHELL });
  }
  expect(drawn).toEqual([3, 13, 23, 33, 43, 53, 63, 73, 83, 93]);
});
