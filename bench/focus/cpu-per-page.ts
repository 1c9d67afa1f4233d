/**
 * CPU time of what a page fetcher does for a subject: to read its copy of the lens, the page's relevance and all links.
 */

import { learnTopic } from "../../src/topic/course/learn-topic.ts";
import { readRelevance } from "../../src/topic/course/read-relevance.ts";
import { scoreLinkText } from "../../src/topic/course/score-link.ts";
import { lensOf, type TopicLens } from "../../src/topic/course/topic-lens.ts";
import { beginTopic } from "../../src/topic/course/topic-state.ts";
import { cpuMsOf } from "../../test/unit/cpu-time.ts";
import { median } from "../median.ts";
import type { WebPage } from "./web.ts";

export interface PageCost {
  /** Means of the pages. */
  characters: number;
  links: number;
  /** The median of the turns, in milliseconds. */
  cpuMs: number;
}

const PAGES = 500;
const LEARNED = 200;
const TURNS = 7;
/** UTF-16 code units of longer pages. Texts are read up to 40,000. */
const LONG_PAGES = [10_000, 40_000];
const LONG = 50;

/** The pages as they are, and then pages of each of the lengths in `LONG_PAGES`. */
export function costPerPage(web: readonly WebPage[]): PageCost[] {
  const step = Math.floor(web.length / PAGES);
  const pages = web.filter((_, i) => i % step === 0).slice(0, PAGES);
  const begun = beginTopic({ words: "database server configuration", examples: [] });
  const lens = lensOf(begun);
  const lessons = pages.slice(0, LEARNED).map((page, i) => {
    const { sample } = readRelevance(lens, page);
    return { url: page.url, host: page.host, relevance: i % 3 === 0 ? 0.8 : 0.1, sample, found: null };
  });
  const learned = lensOf(learnTopic(begun, lessons));
  return [pages, ...LONG_PAGES.map((length) => lengthen(web, length))].map((all) => measure(web, all, learned));
}

/** Real texts joined to pages of a length, with the links of one of them. */
function lengthen(web: readonly WebPage[], length: number): WebPage[] {
  const texts = web.filter(({ manual }) => manual !== "home");
  const step = Math.floor(texts.length / LONG);
  return Array.from({ length: LONG }, (_, i) => {
    let text = "";
    for (let at = i * step; text.length < length; at++) text += texts[at % texts.length]?.text ?? "";
    return { ...(texts[i * step] as WebPage), text: text.slice(0, length) };
  });
}

function measure(web: readonly WebPage[], pages: readonly WebPage[], lens: TopicLens): PageCost {
  const work = () => {
    for (const page of pages) {
      const own = structuredClone(lens);
      readRelevance(own, page);
      for (const link of page.links) scoreLinkText(own, { ...link, url: web[link.target]?.url ?? "" });
    }
  };
  work();
  const turns = Array.from({ length: TURNS }, () => cpuMsOf(work) / pages.length);
  const mean = (value: (page: WebPage) => number) => pages.reduce((sum, page) => sum + value(page), 0) / pages.length;
  return {
    characters: mean(({ text }) => text.length),
    links: mean(({ links }) => links.length),
    cpuMs: median(turns),
  };
}
