import { allowedActionsOf, type CrawlOptions } from "../../crawl/crawl-options.ts";
import { consequencesOf } from "../../crawl/page/reason.ts";
import { leaveOutActions } from "../../fetch/reading/leave-out-actions.ts";
import { findPageLinks, type PageLinks } from "../../graph/page-links.ts";
import { mergeLinks } from "../../media/links/links.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { type CrawlCommit, emptyCommit } from "../../store/ledger/ledger-commit.ts";
import type { LoweredPage } from "../../store/ledger/waiting/lowered.ts";
import { readLinkLines } from "../../store/mirror/kept-links.ts";
import { type Attempt, knownAttempt, redirectTargetOf } from "../attempt.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";
import { type BatchHook, HookFailure } from "../hook/ask-hook.ts";
import type { LookAgainDeps } from "../needs.ts";
import { gather } from "./gather.ts";
import { obeyLimits } from "./obey-limits.ts";
import { rememberLinks } from "./remember-links.ts";

/**
 * Looks again at the links of pages whose depth was lowered after they were read (store/ledger/waiting/lowered.ts).
 * Their links are kept in packs, so nothing is fetched. One transaction commits what a look found, and that it was
 * done. So a look that is interrupted loses nothing, and two at once change nothing more than one.
 */

/** Pages whose links are gathered and committed together. */
const PAGES_AT_ONCE = 25;
/** Looks of one caller. The next commit or the heartbeat goes on with what is left. */
const MOST_LOOKS = 20;
/** A look with a hook calls it, and a request may start 32 invocations. */
const MOST_WITH_HOOK = 1;

/** Returns what the looks set in motion. Throws HookFailure. */
export async function lookAgain(context: CrawlContext, deps: LookAgainDeps, hook: BatchHook | null): Promise<Moved[]> {
  const all: Moved[] = [];
  for (let looks = hook === null ? MOST_LOOKS : MOST_WITH_HOOK; looks > 0; looks--) {
    const pages = await deps.lowered.next(context.crawl.id, PAGES_AT_ONCE);
    if (pages.length === 0) break;
    const moved = await look(pages, context, deps, hook);
    all.push(...moved);
    if (moved.some(({ state }) => state?.status !== "running" && state?.status !== "watching")) break;
  }
  return all;
}

async function look(
  pages: readonly LoweredPage[],
  context: CrawlContext,
  deps: LookAgainDeps,
  hook: BatchHook | null,
): Promise<Moved[]> {
  const attempts: Attempt[] = [];
  const reopened: string[] = [];
  const unread: string[] = [];
  const read = await readKeptLinks(context.crawl.id, pages, deps);
  for (const [i, page] of pages.entries()) {
    const leads = leadsOf(page, read[i] ?? null, context.crawl.options);
    if (leads === "fetch") reopened.push(page.row.url);
    else if (leads === "unread") unread.push(page.row.url);
    else attempts.push(toAttempt(page, leads, context, deps.clock.now()));
  }
  await noteUnread(unread, "they are not kept", context, deps);
  try {
    const { commit, links } = await gather(context, attempts, deps, hook);
    const { discoveries, sitemaps, joinedHosts, withheld, depths, forOthers } = commit;
    const looked = { read: depths?.read ?? [], looked: pages.map(({ row }) => row.url), reopened };
    const found = { discoveries, sitemaps, joinedHosts, withheld, forOthers };
    return await settle({ ...found, depths: looked }, links, context, deps);
  } catch (failure) {
    if (!(failure instanceof HookFailure)) throw failure;
    return giveUpOrTryAgain(failure, pages, context, deps);
  }
}

/** The kept links of these pages; null for a page that has none, or whose pack is missing. */
async function readKeptLinks(
  crawl: string,
  pages: readonly LoweredPage[],
  { packs }: Pick<Deps, "packs">,
): Promise<(PageLinks | null)[]> {
  const lines = new Map<string, Promise<Uint8Array | null>>();
  return Promise.all(
    pages.map(async ({ row, links }) => {
      if (links === null) return null;
      const key = `${links.pack} ${links.offset}`;
      const reading = lines.get(key) ?? readLinkLines(crawl, links, packs);
      lines.set(key, reading);
      const read = await reading;
      return read === null ? null : findPageLinks(read, row.url);
    }),
  );
}

/**
 * Where a page leads, as it was read. `fetch`: only another request can tell. `unread`: it was stored, and its links
 * are not kept, or not any more.
 */
function leadsOf(
  { status, reason, detail, httpStatus, links }: LoweredPage,
  kept: PageLinks | null,
  options: CrawlOptions,
): Pick<Attempt, "links" | "redirect"> | "fetch" | "unread" {
  if (kept !== null) {
    const { pageRobots } = options;
    const allowed = mergeLinks(kept.links, kept.url).filter(({ nofollow }) => !pageRobots || !nofollow);
    const { follow } = leaveOutActions(allowed, kept.links, allowedActionsOf(options));
    return { links: pageRobots && kept.followsNone ? [] : follow.map(({ url }) => url), redirect: null };
  }
  if (status === "completed" || (status === "skipped" && links !== null)) return "unread";
  // A URL that was opened since is read at its present depth.
  if (status !== "skipped" || reason === null) return NOWHERE;
  if (reason === "redirected") {
    const redirect = redirectTargetOf(detail ?? "");
    return redirect === "cut off" ? "fetch" : { links: [], redirect };
  }
  return consequencesOf(reason).isFollowed && httpStatus !== null ? "fetch" : NOWHERE;
}

const NOWHERE = { links: [], redirect: null };

function toAttempt(
  { row, sha256, rendered, tries }: LoweredPage,
  leads: Pick<Attempt, "links" | "redirect">,
  context: CrawlContext,
  now: number,
): Attempt {
  const { id, epoch } = context.crawl;
  const alone = tries === 0 ? {} : { askAlone: true as const };
  const hint = { crawl: id, epoch, url: row.url, sitemap: false, visit: null, failures: 0, ...alone };
  return knownAttempt({ kind: "page", hint, row, context, lost: false }, { ...leads, sha256, rendered }, now);
}

/** Commits a look. */
async function settle(
  found: Pick<CrawlCommit, "discoveries" | "sitemaps" | "joinedHosts" | "withheld" | "depths" | "forOthers">,
  links: Iterable<string>,
  context: CrawlContext,
  deps: LookAgainDeps,
): Promise<Moved[]> {
  const { id } = context.crawl;
  const moved = await deps.ledger.commit([{ ...emptyCommit(id), ...found }], deps.clock.now());
  rememberLinks(moved, [{ crawl: id, links }], deps);
  return Promise.all(moved.map((each) => obeyLimits(each, context, deps)));
}

/**
 * A page on which the hook fails is asked about alone the next time. If it fails again, its links are not followed
 * further, as those of a page that is read.
 */
async function giveUpOrTryAgain(
  failure: HookFailure,
  pages: readonly LoweredPage[],
  context: CrawlContext,
  deps: LookAgainDeps,
): Promise<Moved[]> {
  const failed = new Set(failure.works.map(({ row }) => row.url));
  const over = pages.flatMap(({ row, tries }) => (tries > 0 && failed.has(row.url) ? row.url : []));
  await deps.lowered.countFailure(context.crawl.id, [...failed]);
  if (over.length === 0) throw failure;
  await noteUnread(over, failure.message, context, deps);
  const none = { discoveries: [], sitemaps: [], joinedHosts: [], withheld: [], forOthers: {} };
  return settle({ ...none, depths: { read: [], looked: over, reopened: [] } }, [], context, deps);
}

async function noteUnread(
  urls: readonly string[],
  why: string,
  { crawl }: CrawlContext,
  deps: Pick<Deps, "clock" | "ledger">,
): Promise<void> {
  if (urls.length === 0) return;
  const which = urls.length === 1 ? urls[0] : `${urls.length} pages such as ${urls[0]}`;
  const what = `a nearer way was found to ${which}, but the links there could not be looked at again: ${why}`;
  await deps.ledger.noteFailure([crawl.id], what, deps.clock.now());
}
