import { hashId } from "../../media/id-hash.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { collapseIds } from "../../scope/traps.ts";
import { isIndexName, partsOf, splitExtension } from "../../sections/url-parts.ts";
import type { RenderMode } from "../crawl-options.ts";
import type { RenderLesson } from "./outcome.ts";

/**
 * Decides whether a browser draws a page that was fetched, and remembers what drawing it brought. The page itself says
 * most (media/html/rendering/shell.ts). What earlier pages of its URL pattern have shown decides the rest: pages that
 * look like shells and never gain are not drawn any more, and pages with as little text as those that gained are drawn
 * too. Each page that is drawn teaches, and of the others one in 20 is drawn as a test.
 */

/** A page as the server sent it. */
export interface PlainPage {
  contentType: string;
  /** As in `PageFetched`. */
  shell?: string | null;
  shellDoubt?: string | null;
  textLength?: number | null;
}

/** What a browser made of the pages of one pattern. */
export interface PatternRenders {
  /** How many in a row gained, or as a negative number did not; 20 at most. */
  streak: number;
  /** The most characters that a page had before it gained; -1 if none did. */
  mostText: number;
}

/** By pattern; the pattern that was drawn last comes last. */
export type RenderMemory = Readonly<Record<string, PatternRenders>>;

export const EMPTY_RENDER_MEMORY: RenderMemory = {};

interface RenderDecision {
  render: boolean;
  /**
   * Why a browser draws the page, or why none does although it looks like a shell, for people; null for a plain page.
   */
  why: string | null;
}

const PLAIN: RenderDecision = { render: false, why: null };

/** Pages in a row after which a pattern is known. */
const KNOWN = 3;
/** Pages in a row that are drawn on a doubt. */
const TRIALS = 2;
const TEST_EVERY = 20;
const MAX_STREAK = 20;
/** Patterns of a host. */
const MAX_PATTERNS = 100;
const MAX_PATTERN = 150;
/** Directories that a pattern names. */
const MAX_DIRS = 3;
/** A drawn page gains if it has half as much again, and more than a line. */
const MIN_SHARE = 1.5;
const MIN_TEXT = 100;
const MIN_LINKS = 3;
/** A page has about as little text as another one. */
const NEARLY = 1.2;

/** `known`: what is remembered of the pattern of its URL; null if nothing is. */
export function decideRender(
  mode: RenderMode,
  page: PlainPage,
  known: PatternRenders | null,
  url: string,
): RenderDecision {
  // Only HTML has scripts.
  if (mode === "never" || kindOf(page.contentType).replay !== "html") return PLAIN;
  if (mode === "always") return { render: true, why: "the crawl renders every page" };
  const { streak, mostText } = known ?? { streak: 0, mostText: -1 };
  const isTest = hashId(url) % TEST_EVERY === 0;
  const { shell = null, shellDoubt = null, textLength = null } = page;
  if (shell !== null) {
    if (streak > -KNOWN) return { render: true, why: shell };
    const others = `a browser changed nothing on the last ${-streak} pages like ${renderPattern(url)}`;
    return isTest
      ? { render: true, why: `${shell}; ${others}, and this one tests it` }
      : { render: false, why: `${shell}; ${others}` };
  }
  if (streak >= KNOWN && textLength !== null && textLength <= NEARLY * mostText)
    return { render: true, why: `the last ${streak} pages like ${renderPattern(url)} needed a browser` };
  if (shellDoubt === null || (streak <= -TRIALS && !isTest)) return PLAIN;
  return { render: true, why: `perhaps scripts make what it shows: ${shellDoubt}` };
}

/** Compares a page with what a browser drew of it. Null if that says nothing. */
export function lessonOf(
  plain: { textLength?: number | null; links: readonly string[] },
  drawn: { textLength?: number | null; links: readonly string[] },
): RenderLesson | null {
  if (plain.textLength == null || drawn.textLength == null) return null;
  const gain = drawn.textLength - plain.textLength;
  const hasText = drawn.textLength >= MIN_SHARE * plain.textLength && gain >= MIN_TEXT;
  const hasLinks = drawn.links.length >= MIN_SHARE * plain.links.length + MIN_LINKS;
  return { plainText: plain.textLength, hasGained: hasText || hasLinks };
}

/** The memory with one more lesson. It stays the same object if the lesson says nothing new. */
export function learnRender(memory: RenderMemory, url: string, { plainText, hasGained }: RenderLesson): RenderMemory {
  const pattern = renderPattern(url);
  const known = memory[pattern] ?? { streak: 0, mostText: -1 };
  const streak = hasGained ? Math.max(known.streak, 0) + 1 : Math.min(known.streak, 0) - 1;
  const learned = {
    streak: Math.max(-MAX_STREAK, Math.min(streak, MAX_STREAK)),
    mostText: hasGained ? Math.max(known.mostText, plainText) : known.mostText,
  };
  if (learned.streak === known.streak && learned.mostText === known.mostText) return memory;
  const others = Object.entries(memory).filter(([name]) => name !== pattern);
  return Object.fromEntries([...others.slice(1 - MAX_PATTERNS), [pattern, learned]]);
}

/**
 * The path with `*` for the page's name and `#` for ids: `/shop/#/*.html?page=*`. A directory's own page is `/shop/`.
 */
export function renderPattern(url: string): string {
  const { dirs, name, query } = partsOf(url);
  const shown = dirs.slice(0, MAX_DIRS).map((dir) => `/${collapseIds(dir)}`);
  const deeper = dirs.length > MAX_DIRS ? "/**" : "";
  const page = isIndexName(name) ? "" : `*${splitExtension(name)[1]}`;
  return `${shown.join("")}${deeper}/${page}${query}`.slice(0, MAX_PATTERN);
}
