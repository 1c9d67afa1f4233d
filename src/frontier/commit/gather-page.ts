import { inTurns } from "../../core/turns.ts";
import type { Discovery } from "../../crawl/crawl.ts";
import { ORDINARY_PRIORITY, PREFERRED_PRIORITY } from "../../crawl/page/url-kind.ts";
import { NOTHING_SAID } from "../../scope/language-preference.ts";
import { variantPattern } from "../../scope/traps.ts";
import { originOf } from "../../url/host-key.ts";
import type { Attempt } from "../attempt.ts";
import { foundOf } from "../features/topic/topic-course.ts";
import type { PageWork } from "../work.ts";
import { decideLink, type Gathering } from "./gathering.ts";

/**
 * Gathers a page's links, or its redirect target. `isDuplicate`: its links are not followed, because too many pages
 * with its content led to it.
 */
export async function gatherPage(
  attempt: Attempt,
  work: PageWork,
  gathering: Gathering,
  isDuplicate: boolean,
): Promise<void> {
  const { row, context } = work;
  if (attempt.redirect !== null) followRedirect(work, attempt.redirect, attempt.cookies, gathering);
  if (context.crawl.options.source === "sitemaps") return;
  gathering.refuseSample(row.url, "urls", "nofollow", attempt.nofollow);
  if (attempt.actions !== undefined) gathering.refuseSample(row.url, "urls", "action", attempt.actions);
  gathering.refuseSample(row.url, "urls", "link-limit", attempt.dropped.links);
  if (attempt.dropped.postForms !== undefined)
    gathering.refuseSample(row.url, "urls", "post-form", attempt.dropped.postForms);
  const links: string[] = [];
  await inTurns(attempt.links, (url) => {
    if (!gathering.isKnown(url, row.depth + 1)) links.push(url);
  });
  if (isDuplicate) {
    gathering.refuse(row.url, "urls", "duplicate-page", links);
    gathering.notes.set(row.url, noteOnCopy(context));
    return;
  }
  const page = variantPattern(row.url);
  const hreflangs = new Map(attempt.alternates.map(({ url, language }) => [url, language]));
  const language = attempt.outcome.language ?? null;
  const scoreOf = context.topic?.scoresOf({ ...attempt, url: row.url, found: foundOf(row.found) });
  await inTurns(links, (url) => {
    const said = { target: hreflangs.get(url) ?? null, page: language };
    const link = place(work, url, page, said);
    if (scoreOf !== undefined) link.found = scoreOf(url);
    gathering.decide(link, "urls");
  });
}

/** The note on a page whose links are not followed, for people. */
function noteOnCopy({ crawl }: PageWork["context"]): string {
  return `; pages with the same content lead to it (${crawl.options.traps.maxDuplicates}), so its links are not followed`;
}

/** A link as it goes into the ledger, ranked later. `page`: the variant pattern of the page that holds it. */
function place({ row, context }: PageWork, url: string, page: string | null, said = NOTHING_SAID): Discovery {
  const pattern = page !== null && variantPattern(url) === page ? page : null;
  return {
    url,
    kind: "page",
    via: row.url,
    depth: row.depth + 1,
    priority: context.isPreferred(url, said) ? PREFERRED_PRIORITY : ORDINARY_PRIORITY,
    redirects: 0,
    chain: pattern === null ? 0 : row.chain + 1,
    pattern,
    lastmod: null,
    cookies: null,
  };
}

/**
 * Decides on a redirect's target like on any link, at the depth of the page that redirects and with its score. A host
 * to which a seed redirects joins. A seed may redirect to another path than its own.
 */
function followRedirect(work: PageWork, target: string, cookies: string | null, gathering: Gathering): void {
  const { row, context } = work;
  const reached = { depth: row.depth, redirects: row.redirects + 1, cookies };
  const found = foundOf(row.found);
  const link = { ...place(work, target, variantPattern(row.url)), ...reached, ...(found === null ? {} : { found }) };
  const decision = decideLink(context, link);
  const isOfSeed = !decision.accept && row.depth === 0;
  const joins = isOfSeed && decision.reason === "off-host";
  if (!decision.accept && !joins && !(isOfSeed && decision.reason === "not-below")) {
    gathering.notes.set(row.url, `, which scope refuses: ${decision.detail}`);
    return;
  }
  if (joins) gathering.joinedOrigins.add(originOf(target));
  gathering.add(link);
}
