import { diffVersions } from "../../changes/compare/diff-versions.ts";
import type { PageVersion } from "../../changes/page-version.ts";
import { fullView, type View, type ViewedPage, viewOf, viewVersion } from "../../changes/view-version.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { KeptVersion, VersionDiff } from "../../crawl/page/kept-version.ts";
import { ignoredElementsOf } from "../../crawl/watch/ignored-elements.ts";
import { NEWEST } from "../../crawl/watch/memento.ts";
import { productToken } from "../../robots/product-token.ts";
import { readRenderedPage, type Stores } from "../../store/mirror/read-mirror.ts";
import type { Deps } from "../deps.ts";
import { readTemplate } from "../lane/host-templates.ts";

/** Compares two versions of a page that a watch keeps. Times are milliseconds since the Unix epoch. */

interface DiffRequest {
  /** The version in force at this time; null for the one before `to`. */
  from: number | null;
  /** The version in force at this time; null for the newest one. */
  to: number | null;
  /** Whether to compare the entire main content, not only what counts for changes today. */
  isFull: boolean;
}

export type DiffDeps = VersionReading & Pick<Deps, "mementos" | "templates">;
type VersionReading = Stores & Pick<Deps, "readVersion">;

export type DiffResult =
  | ({ kind: "diff" } & VersionDiff)
  /** The crawl keeps no version of this URL. */
  | { kind: "none" }
  /** There is no version before this one, which is the first. */
  | { kind: "first"; version: KeptVersion }
  /** A version cannot be read. */
  | { kind: "unreadable"; version: KeptVersion };

/** `url`: canonical. Throws what reading a stored page throws. */
export async function diffPage(
  crawl: Crawl,
  url: string,
  { from, to, isFull }: DiffRequest,
  deps: DiffDeps,
): Promise<DiffResult> {
  const { mementos } = deps;
  const versionAt = (time: number) => mementos.versionInForce(crawl.id, url, time);
  const ignoredElements = isFull ? [] : ignoredElementsOf(crawl.options.watch);
  const now = await versionAt(to ?? NEWEST);
  const old = now === null ? null : await versionAt(from ?? now.fetchedAt - 1);
  if (now === null || old === null) {
    const first = await mementos.versionAfter(crawl.id, url, -1);
    return first === null ? { kind: "none" } : { kind: "first", version: first };
  }
  const [earlier, later, view, before, after] = await Promise.all([
    versionAt(old.fetchedAt - 1),
    mementos.versionAfter(crawl.id, url, now.fetchedAt),
    isFull ? fullView() : viewToday(crawl, { url, storedAt: old.fetchedAt }, deps),
    readVersion(crawl, url, old, ignoredElements, deps),
    readVersion(crawl, url, now, ignoredElements, deps),
  ]);
  if (before === null) return { kind: "unreadable", version: old };
  if (after === null) return { kind: "unreadable", version: now };
  return {
    kind: "diff",
    from: old,
    to: now,
    earlier: earlier?.fetchedAt ?? null,
    later: later?.fetchedAt ?? null,
    isFull,
    diff: diffVersions(before, after, view),
  };
}

/** The blocks of the version in force at a time, without what counts for no change today; null if it cannot be read. */
export async function readVersionAt(
  crawl: Crawl,
  url: string,
  time: number,
  deps: DiffDeps,
): Promise<readonly string[] | null> {
  const kept = await deps.mementos.versionInForce(crawl.id, url, time);
  if (kept === null) return null;
  const ignoredElements = ignoredElementsOf(crawl.options.watch);
  const [version, view] = await Promise.all([
    readVersion(crawl, url, kept, ignoredElements, deps),
    viewToday(crawl, { url, storedAt: kept.fetchedAt }, deps),
  ]);
  if (version === null) return null;
  return viewVersion(version, view).places.map((place) => version.blocks[place] ?? "");
}

/** What counts for changes today: not the host's template, and not what the user ignores. */
async function viewToday({ id, options }: Crawl, page: ViewedPage, deps: Pick<Deps, "templates">): Promise<View> {
  const template = await readTemplate(id, new URL(page.url).host, deps);
  return viewOf(template ?? undefined, options.watch?.ignore, page);
}

/** Null if it is stored no longer, or has no content. */
async function readVersion(
  crawl: Crawl,
  url: string,
  { packed, contentType, sha256 }: KeptVersion,
  ignoredElements: readonly string[],
  deps: VersionReading,
): Promise<PageVersion | null> {
  const row = packed === null ? null : { ...packed, contentType, sha256 };
  const page = await readRenderedPage(crawl, url, deps, row);
  const agent = productToken(crawl.options.userAgent);
  return page === null ? null : deps.readVersion(page, { url, agent, ignoredElements });
}
