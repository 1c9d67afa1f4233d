import { describe, expect, test } from "vitest";
import { learnTopic, learnWaiting, type PageLesson } from "../../../src/topic/course/learn-topic.ts";
import { type FoundLink, scoreLink, scoreLinkText } from "../../../src/topic/course/score-link.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";
import { beginTopic, type TopicState } from "../../../src/topic/course/topic-state.ts";

/** So that words whose pages were off the subject fall below it. */
const SAYS_NOTHING = 0.05;

const state = beginTopic({ words: "garbage collection", examples: [] });
const lens = lensOf(state);
/** The hash of this URL lifts it not. */
const PLAIN: FoundLink = { url: "https://a.example/b", host: "a.example", textScore: 0, pageRelevance: 0, hops: 0 };
const LUCKY = Array.from({ length: 100 }, (_, i) => ({ ...PLAIN, url: `https://a.example/${i}` })).find(
  (link) => scoreLink(state, link).isLucky,
) as FoundLink;
const SAMPLE = { terms: [], seen: "", title: "" };
const scoreOf = (link: Partial<FoundLink>, by: TopicState = state) => scoreLink(by, { ...PLAIN, ...link }).score;

describe("the words of a link", () => {
  const score = (url: string, text = "", around = "") => scoreLinkText(lens, { url, text, around });
  const nothing = "https://a.example/x";

  test("all of the subject's words in the anchor text give the most", () => {
    expect(score(nothing, "Garbage collection")).toBeGreaterThan(0.9);
    expect(score(nothing, "Garbage")).toBeLessThan(score(nothing, "Garbage collection"));
    expect(score(nothing, "Next page")).toBe(SAYS_NOTHING);
  });

  test("the URL says less than the anchor text, and the words around it still less", () => {
    const byUrl = score("https://a.example/garbage-collection.html");
    const byWords = score(nothing, "here", "about garbage collection");
    expect(score(nothing, "Garbage collection")).toBeGreaterThan(byUrl);
    expect(byUrl).toBeGreaterThan(byWords);
    expect(byWords).toBeGreaterThan(0);
  });

  test("words beside each other, as in the subject, say more than apart", () => {
    const around = (words: string) => score(nothing, "here", words);
    expect(around("a garbage collection of heaps")).toBeGreaterThan(around("a collection of heaps of garbage"));
    expect(around("a garbage collection of heaps")).toBeLessThan(1);
  });

  test("the title of its page says a little of a link", () => {
    const under = (title: string | null) => scoreLinkText(lens, { url: nothing, text: "4.2", around: "", title });
    expect(under("Garbage collection")).toBeGreaterThan(0);
    expect(under("Garbage collection")).toBeLessThan(score(nothing, "here", "about garbage collection"));
    expect(under(null)).toBe(SAYS_NOTHING);
  });

  test("a form of a word, or a name that has it as a part, says almost as much", () => {
    expect(score(nothing, "Collecting garbage")).toBeGreaterThan(0.8);
    expect(score(nothing, "GarbageCollector")).toBeGreaterThan(0.8);
    expect(score(nothing, "garbagecollector")).toBeGreaterThan(0.1);
  });

  test("words of a URL may be encoded, in camel case, or in its host", () => {
    expect(score("https://a.example/Garbage%20Collection")).toBeGreaterThan(0.5);
    expect(score("https://a.example/GarbageCollection")).toBeGreaterThan(0.5);
    expect(score("https://garbage-collection.example/")).toBeGreaterThan(0.5);
    expect(score("https://a.example/%zz")).toBe(SAYS_NOTHING);
    expect(score("no URL")).toBe(SAYS_NOTHING);
  });
});

describe("the score of a link", () => {
  test("rises with its page, its words and its host", () => {
    expect(scoreOf({ pageRelevance: 0.8 })).toBeGreaterThan(scoreOf({ pageRelevance: 0.4 }));
    expect(scoreOf({ textScore: 0.8 })).toBeGreaterThan(scoreOf({ textScore: 0.4 }));
    const lesson: PageLesson = {
      url: "https://a.example/",
      host: "a.example",
      relevance: 0.9,
      sample: SAMPLE,
      found: null,
    };
    const other = { ...lesson, url: "https://b.example/", host: "b.example", relevance: 0 };
    const learned = learnTopic(state, [lesson, lesson, lesson, other, other, other]);
    expect(scoreOf({ host: "a.example" }, learned)).toBeGreaterThan(scoreOf({ host: "b.example" }, learned));
  });

  test("what an irrelevant page passes on halves for each page on the way, three times, and then ends", () => {
    const from = { score: 0, page: 0, text: 0, host: 0, hops: 0, isLucky: false };
    const passesOn = (hops: number, page: number) =>
      scoreLink(state, { ...PLAIN, pageRelevance: 0.1, hops, from: { ...from, page } }).page;
    expect(passesOn(0, 0.9)).toBe(0.1);
    expect([passesOn(1, 0.8), passesOn(2, 0.4), passesOn(3, 0.2), passesOn(4, 0.9)]).toEqual([0.4, 0.2, 0.1, 0.1]);
  });

  test("links of a page that is not what its own link promised count little, and hosts of such pages too", () => {
    const from = { score: 0.9, page: 0.1, text: 1, host: 0.3, hops: 0, isLucky: false };
    const promising = { textScore: 1, pageRelevance: 0.05, hops: 1 };
    expect(scoreOf({ ...promising, from })).toBeLessThan(scoreOf(promising) / 3);
    const lesson: PageLesson = {
      url: "https://a.example/",
      host: "a.example",
      relevance: 0.05,
      sample: SAMPLE,
      found: from,
    };
    const learned = learnTopic(state, Array(10).fill(lesson));
    expect(scoreOf({ textScore: 1 }, learned)).toBeLessThan(scoreOf({ textScore: 1, host: "b.example" }, learned) / 2);
  });

  test("an irrelevant seed passes nothing on", () => {
    expect(scoreLink(state, { ...PLAIN, hops: 1 }).page).toBe(0);
  });

  test("the hash of a URL lifts one link in ten, whatever its words", () => {
    const links = Array.from({ length: 2_000 }, (_, i) =>
      scoreLink(state, { ...PLAIN, url: `https://a.example/${i}` }),
    );
    const lucky = links.filter(({ isLucky }) => isLucky);
    expect(lucky.length).toBeGreaterThan(150);
    expect(lucky.length).toBeLessThan(250);
    const plain = links.find(({ isLucky }) => !isLucky)?.score ?? 1;
    expect(lucky.every(({ score }) => score > plain)).toBe(true);
    expect(links.every(({ score, isLucky }) => isLucky || score === plain)).toBe(true);
    expect(scoreOf({ ...LUCKY, pageRelevance: 1, textScore: 1 })).toBeGreaterThan(scoreOf(LUCKY));
  });

  test("falls with what its host has waiting, so that one site does not fill the queue", () => {
    const crowded = learnWaiting(state, new Map([["a.example", 500]]));
    const link = { textScore: 0.9 };
    expect(scoreOf(link, crowded)).toBeLessThan(scoreOf(link));
    expect(scoreOf({ ...link, host: "b.example" }, crowded)).toBe(scoreOf(link));
    expect(scoreLink(state, { ...PLAIN, ...link }, 500).score).toBe(scoreOf(link, crowded));
  });
});
