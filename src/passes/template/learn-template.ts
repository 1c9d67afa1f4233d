import { LEAST_SIBLINGS, linesOfPage, type PageLines, SiblingCounts } from "../../changes/template/sibling-lines.ts";
import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { rest, takeTurn } from "../../core/turns.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { countPages, endOf, isFixed } from "../../crawl/page/crawl-template.ts";
import type { Deps } from "../../frontier/deps.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { PagePlaces } from "../../store/mirror/page-places.ts";
import type { PageStores } from "../../store/mirror/read-mirror.ts";
import { readPageContent } from "../page-content.ts";
import { findInGroup, joinTemplate, planTemplate, type TemplateProgress } from "./plan-template.ts";

/**
 * Learns the template of a crawl that has ended, in turns: whoever has time takes the next one, and the first who is
 * done fixes it. It follows from the crawl's rows and its stored pages, so it does not matter who that is.
 */

export type LearnDeps = PageStores & Pick<Deps, "crawlTemplates" | "readContent" | "meter">;

/** What a turn may do. */
export interface TurnBudget {
  /** Queries of rows. */
  queries: number;
  /** Stored pages that are read, and those among them whose text is not kept: each needs an invocation. */
  pages: number;
  made: number;
}

const ALL = Number.POSITIVE_INFINITY;
/** Enough for any template. */
export const WHOLE: Readonly<TurnBudget> = { queries: ALL, pages: ALL, made: ALL };

/** URLs from which patterns are learned: a sample of those of a large crawl. */
const MAX_LISTED = 5_000;
/** Rows of a query: some 5 ms of D1. */
const ROWS_PER_QUERY = 2_000;
/** Their texts are in memory together. */
const READS_AT_ONCE = 2;
const PARTS = ["text", "markdown"] as const;
const CPU_MS_PER_PAGE = 1;

/**
 * Takes a turn at the template of a crawl that has ended, and what it needs from the budget. Returns whether the
 * template is fixed now.
 */
export async function learnTemplate(crawl: Crawl, left: TurnBudget, deps: LearnDeps): Promise<boolean> {
  const end = endOf(crawl);
  if (end === null) return false;
  if (isFixed(crawl)) return true;
  const { crawlTemplates } = deps;
  const progress = await readProgress(crawl, end, countPages(crawl), deps);
  if ((await listPages(crawl, progress, left, deps)) && (await readSiblings(crawl, progress, left, deps))) {
    const template = progress.plan === null ? null : joinTemplate(progress.plan, progress.found);
    await crawlTemplates.fix(crawl, end, template);
    return true;
  }
  await crawlTemplates.putProgress(crawl.id, packJson(progress));
  return false;
}

async function readProgress(
  { id }: Crawl,
  end: number,
  pages: number,
  { crawlTemplates }: LearnDeps,
): Promise<TemplateProgress> {
  const bytes = await crawlTemplates.progress(id);
  const known = bytes === null ? null : unpackJson<TemplateProgress>(bytes);
  if (known?.end === end) return known;
  const share = Math.min(1, MAX_LISTED / pages);
  return { end, share, after: "", listed: [], plan: null, found: [], read: 0, counted: null };
}

/** False if the budget ended before the rows. */
async function listPages(
  { id }: Crawl,
  progress: TemplateProgress,
  left: TurnBudget,
  { crawlTemplates }: LearnDeps,
): Promise<boolean> {
  for (; progress.after !== null; left.queries -= 1) {
    if (left.queries <= 0) return false;
    const { after } = progress;
    const list = () => crawlTemplates.pages(id, after, ROWS_PER_QUERY, progress.share);
    const { last, pages } = await (after === "" ? list() : takeTurn(list));
    for (const [url, contentType] of pages) {
      // What siblings have in common is not in documents, and each would be read anew.
      const { isPage, isHeavy } = kindOf(contentType ?? "");
      if (isPage && !isHeavy) progress.listed.push(url);
    }
    progress.after = last;
  }
  if (progress.plan === null && progress.listed.length >= LEAST_SIBLINGS) {
    progress.plan = planTemplate(progress.listed, progress.share);
    progress.listed = [];
  }
  return true;
}

/** False if the budget ended before the pages. */
async function readSiblings(
  crawl: Crawl,
  progress: TemplateProgress,
  left: TurnBudget,
  deps: LearnDeps,
): Promise<boolean> {
  const { plan, found } = progress;
  for (const group of plan?.groups.slice(found.length) ?? []) {
    const counts = new SiblingCounts(progress.counted ?? undefined);
    const places = new PagePlaces(crawl.id, group.urls, deps);
    let { read } = progress;
    while (read < group.urls.length) {
      if (left.pages < READS_AT_ONCE || left.made < READS_AT_ONCE) {
        Object.assign(progress, { read, counted: counts.toData() });
        return false;
      }
      const some = group.urls.slice(read, read + READS_AT_ONCE);
      for (const lines of await Promise.all(some.map((url) => readLines(crawl, url, places, left, deps))))
        if (lines !== null) counts.add(lines);
      read += some.length;
      // The calls that read pages take turns themselves.
      await rest();
    }
    found.push(findInGroup(counts, group));
    Object.assign(progress, { read: 0, counted: null });
  }
  return true;
}

async function readLines(
  crawl: Crawl,
  url: string,
  places: PagePlaces,
  left: TurnBudget,
  deps: LearnDeps,
): Promise<PageLines | null> {
  left.pages -= 1;
  let isMade = false;
  const readContent: LearnDeps["readContent"] = (...args) => {
    isMade = true;
    return deps.readContent(...args);
  };
  const read = await readPageContent(crawl, url, PARTS, { ...deps, readContent }, await places.of(url));
  if (isMade) left.made -= 1;
  if (read === null) return null;
  deps.meter.add({ cpuMs: CPU_MS_PER_PAGE });
  const { text = "", markdown = "", metadata } = read.content;
  return linesOfPage({ text, markdown, headings: metadata.headings ?? [] });
}
