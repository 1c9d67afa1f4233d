import {
  type CountedLines,
  joinSiblings,
  LEAST_SIBLINGS,
  type SiblingCounts,
  type SiblingLines,
  sharedWithAll,
} from "../../changes/template/sibling-lines.ts";
import { type CrawlTemplate, packTemplate } from "../../crawl/page/crawl-template.ts";
import { learnPatterns } from "../../sections/learn-patterns.ts";
import { findPattern, type PatternTree } from "../../sections/pattern-tree.ts";
import { originOf } from "../../url/host-key.ts";

/** Decides which pages are siblings, and which of them are read to learn their template. */

/** Groups of ten siblings and more whose template is learned: the largest. The pages of others keep their text. */
const MAX_GROUPS = 24;
/** Pages that are read of these together: reading one again takes some 10 ms. */
const MAX_SAMPLED_PAGES = 384;
/** Pages that are read of one group. With fewer than 16, no line of a sample is above the margin (sibling-lines.ts). */
const MOST_OF_GROUP = 96;
const LEAST_OF_GROUP = 16;
/** Pages of smaller groups that are read. */
const MOST_OF_SMALL = 96;

/** Siblings: the pages of one pattern. */
export interface SiblingGroup {
  /** Its number in the tree. */
  pattern: number;
  origin: string;
  /** The number of siblings. */
  pages: number;
  /** Those that are read. */
  urls: readonly string[];
}

export interface TemplatePlan {
  tree: PatternTree;
  groups: readonly SiblingGroup[];
  /** The number of pages of each origin. */
  origins: readonly (readonly [origin: string, pages: number])[];
}

/** `urls`: pages, or an evenly chosen `share` of them, 0 to 1, in the order of their URLs. */
export function planTemplate(urls: readonly string[], share: number): TemplatePlan {
  const tree = learnPatterns(urls);
  const pagesOf = (some: readonly string[]) => Math.round(some.length / share);
  const byPattern = Map.groupBy(urls, (url) => findPattern(url, tree));
  // Pages of many origins are no siblings.
  byPattern.delete(tree.others);
  const all = [...byPattern].map(([pattern, some]): SiblingGroup => {
    return { pattern, origin: originOf(some[0] ?? ""), pages: pagesOf(some), urls: some };
  });
  all.sort((a, b) => b.urls.length - a.urls.length || a.pattern - b.pattern);
  const large = all.filter(({ urls: some }) => some.length >= LEAST_SIBLINGS).slice(0, MAX_GROUPS);
  const most = Math.max(
    LEAST_OF_GROUP,
    Math.min(MOST_OF_GROUP, Math.floor(MAX_SAMPLED_PAGES / Math.max(1, large.length))),
  );
  const small: SiblingGroup[] = [];
  let left = MOST_OF_SMALL;
  for (const group of all) {
    if (group.urls.length >= LEAST_SIBLINGS || group.urls.length > left) continue;
    small.push(group);
    left -= group.urls.length;
  }
  return {
    tree,
    groups: [...large.map((group) => ({ ...group, urls: chooseEvenly(group.urls, most) })), ...small],
    origins: [...Map.groupBy(urls, originOf)].map(([origin, some]) => [origin, pagesOf(some)]),
  };
}

function chooseEvenly(urls: readonly string[], most: number): string[] {
  const count = Math.min(most, urls.length);
  return Array.from({ length: count }, (_, at) => urls[Math.floor((at * urls.length) / count)] as string);
}

/** What was counted of a group. A page that cannot be read has no lines that could be lost. */
export function findInGroup(counts: SiblingCounts, { pages, urls }: SiblingGroup): SiblingLines | null {
  return counts.find(pages - (urls.length - counts.pages), isLarge(pages) ? LEAST_SIBLINGS : 1);
}

function isLarge(pages: number): boolean {
  return pages >= LEAST_SIBLINGS;
}

/**
 * The template of a crawl. `found`: what was found of the groups of the plan, in their order. A group of fewer than ten
 * pages has what at least half of its origin's pages have, too.
 */
export function joinTemplate(
  { tree, groups, origins }: TemplatePlan,
  found: readonly (SiblingLines | null)[],
): CrawlTemplate | null {
  const patterns = new Map<number, SiblingLines>();
  for (const [origin, pages] of origins) {
    const own = groups.flatMap((group, at) => (group.origin === origin ? [{ group, lines: found[at] ?? null }] : []));
    const all = joinSiblings(
      pages,
      own.flatMap(({ lines }) => lines ?? []),
    );
    for (const { group, lines } of own) {
      const left = isLarge(group.pages) ? lines : sharedWithAll(lines, all);
      if (left !== null) patterns.set(group.pattern, left);
    }
  }
  return patterns.size === 0 ? null : packTemplate(tree, patterns);
}

/** How far a crawl's template is learned. */
export interface TemplateProgress {
  /** The end of the crawl after which it is learned. */
  end: number;
  /** The share of the pages that is listed. */
  share: number;
  /** The last URL that was listed; null if all are. */
  after: string | null;
  listed: string[];
  plan: TemplatePlan | null;
  found: (SiblingLines | null)[];
  /** Pages of the next group that were read, and what was counted of them. */
  read: number;
  counted: CountedLines | null;
}
