import type { Crawl, Discovery } from "../../crawl/crawl.ts";
import { TEST_PRIORITY } from "../../crawl/page/url-kind.ts";
import type { WithheldUrl } from "../../crawl/watch/withheld-url.ts";
import { chooseWithheld } from "../../scope/choose-withheld.ts";
import { EMPTY_ENDLESS, endlessKey, groupOfKey, isSlowed } from "../../scope/endless-groups.ts";
import { drawnPlace, EMPTY_SAME_PAGES, reduceUrl } from "../../scope/same-page-rules.ts";
import { isFull, mustLookAtWithheld } from "../../store/ledger/advance.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { emptyCommit } from "../../store/ledger/ledger-commit.ts";
import type { WithheldDecision, WithheldRow } from "../../store/ledger/waiting/withheld-urls.ts";
import { compileCrawl } from "../context.ts";
import type { Deps } from "../deps.ts";
import { BatchHook } from "../hook/ask-hook.ts";
import type { CommitDeps, WithheldDeps } from "../needs.ts";
import { Gathering } from "./gathering.ts";

/**
 * The end of a crawl that holds URLs back (scope/choose-withheld.ts): while nothing else is open, it sets in motion the
 * tests of each rule, and what no rule holds back any more. Whatever stops it, it starts again from the rows.
 */

/** Rules and URLs of one transaction. A rule holds back 10,000 URLs at most. */
const RULES_AT_ONCE = 50;
const URLS_AT_ONCE = 20_000;
/** Of a slowed group, beside one in 50 of its URLs: of 200 URLs, one in 50 may be none that is new. */
const LAST_SAMPLES = 25;
/** Transactions of one call that set nothing in motion. The next repair of the crawl goes on. */
const MAX_LOOKS = 100;

/** Like `moved`, with what is set in motion, for the caller to send. The crawl has ended if that is nothing. */
export async function settleWithheld(moved: Moved, deps: WithheldDeps, hook = hookOf(deps)): Promise<Moved> {
  let last = moved;
  for (let looks = 0; looks < MAX_LOOKS && last.state !== null && mustLookAtWithheld(last.state); looks++) {
    const next = await look(moved.crawl, deps, hook);
    if (next === null) break;
    const queued = [...last.queued, ...next.queued];
    const sitemaps = [...last.sitemaps, ...next.sitemaps];
    last = { ...last, queued, sitemaps, told: [...last.told, ...next.told], state: next.state };
  }
  return last;
}

/**
 * Releases at once what groups hold back of which this isolate has just found a sample new. The look at the end makes
 * up for what fails here, and does all with a hook, for which a batch may have no calls left. Null if there is nothing.
 */
export async function releaseQuickened({ crawl, state }: Moved, deps: CommitDeps): Promise<Moved | null> {
  const quickened = deps.groupCounts.takeQuickened(crawl);
  if (quickened.length === 0 || deps.hook !== null || state?.status !== "running" || isFull(state)) return null;
  const released: WithheldDecision[] = [];
  const discoveries: Discovery[] = [];
  for (const { host, group } of quickened) {
    const rows = await deps.withheldUrls.rowsOf(crawl, host, endlessKey(group));
    if (rows.length === 0) continue;
    const decided = await decideGroup(crawl, host, group, rows, deps);
    released.push({ host, rule: endlessKey(group), ...decided.decision });
    discoveries.push(...decided.found);
  }
  if (released.length === 0) return null;
  const [moved] = await deps.ledger.commit([{ ...emptyCommit(crawl), discoveries, released }], deps.clock.now());
  return moved ?? null;
}

function hookOf(deps: WithheldDeps): BatchHook | null {
  return deps.hook === null ? null : new BatchHook(deps.hook, deps);
}

async function look(id: string, deps: WithheldDeps, hook: BatchHook | null): Promise<Moved | null> {
  const crawl = await deps.ledger.crawl(id);
  if (crawl === null) return null;
  const released: WithheldDecision[] = [];
  const found: Discovery[] = [];
  let urls = 0;
  for (const { host, rule } of await deps.withheldUrls.open(id, RULES_AT_ONCE)) {
    const rows = await deps.withheldUrls.rowsOf(id, host, rule);
    const group = groupOfKey(rule);
    const decided =
      group === null ? await decideRule(id, host, rows, deps) : await decideGroup(id, host, group, rows, deps);
    released.push({ host, rule, ...decided.decision });
    found.push(...decided.found);
    urls += rows.reduce((sum, row) => sum + row.urls.length, 0);
    if (urls >= URLS_AT_ONCE) break;
  }
  const discoveries = hook === null ? found : await askAbout(crawl, found, deps, hook);
  const [moved] = await deps.ledger.commit([{ ...emptyCommit(id), discoveries, released }], deps.clock.now());
  return moved ?? null;
}

async function decideRule(
  id: string,
  host: string,
  rows: readonly WithheldRow[],
  deps: WithheldDeps,
): Promise<{ decision: Pick<WithheldDecision, "rows" | "released">; found: Discovery[] }> {
  // The rules are read after the rows: a withdrawal after that changes the versions of the rows.
  const known = (await deps.samePages.find(id, host))?.learned ?? EMPTY_SAME_PAGES;
  const urls = nearestOf(rows);
  const lost = new Set(urls.flatMap((url) => url.same));
  for (const { url, status } of await deps.records.among(id, [...lost]))
    if (status !== "errored" && status !== "disallowed") lost.delete(url);
  const { released, tests, kept, isOpen } = chooseWithheld(urls, {
    tested: rows.reduce((sum, { tested }) => sum + tested, 0),
    isRuled: (url) => reduceUrl(known, url) !== null,
    isStored: (url) => !lost.has(url),
    orderOf: (url) => drawnPlace(id, url),
  });
  const taken = [...released.map((url) => ({ url, isTest: false })), ...tests.map((url) => ({ url, isTest: true }))];
  return {
    decision: {
      rows: rewrite(rows, kept, new Set(tests.map(({ url }) => url)), isOpen),
      released: taken.map(({ url, isTest }) => ({ url: url.url, isTest })),
    },
    found: taken.flatMap(({ url, isTest }) => toDiscovery(url, isTest) ?? []),
  };
}

/**
 * What a group holds back that is slowed no more, or its last samples. What has got a row since is held back no more,
 * either.
 */
async function decideGroup(
  id: string,
  host: string,
  group: string,
  rows: readonly WithheldRow[],
  deps: WithheldDeps,
): ReturnType<typeof decideRule> {
  const known = (await deps.endlessHosts.find(id, host))?.learned ?? EMPTY_ENDLESS;
  const all = nearestOf(rows);
  const found = all.filter((url) => url.found !== null).map(({ url }) => url);
  const taken = new Set((await deps.records.among(id, found)).map(({ url }) => url));
  const held = all.filter(({ url }) => !taken.has(url));
  const isTest = isSlowed(known, group);
  const tested = rows.reduce((sum, row) => sum + row.tested, 0);
  const inOrder = held.toSorted((a, b) => drawnPlace(id, a.url) - drawnPlace(id, b.url));
  const released = isTest ? inOrder.slice(0, Math.max(0, LAST_SAMPLES - tested)) : held;
  const urls = new Set(released.map(({ url }) => url));
  return {
    decision: {
      rows: rewrite(
        rows,
        held.filter(({ url }) => !urls.has(url)),
        isTest ? urls : new Set(),
        false,
      ),
      released: released.map(({ url }) => ({ url, isTest })),
    },
    found: released.flatMap((url) => toDiscovery(url, isTest) ?? []),
  };
}

/** What is left when the hook has been asked, as about any URL that is found. Throws HookFailure. */
async function askAbout(
  crawl: Crawl,
  found: readonly Discovery[],
  deps: Pick<Deps, "seen">,
  hook: BatchHook,
): Promise<Discovery[]> {
  const gathering = new Gathering({ crawl, topic: null, ...compileCrawl(crawl, "all") }, deps.seen.of(crawl.id));
  for (const discovery of found) gathering.found.set(discovery.url, discovery);
  const left = await hook.askFound(found, [], gathering);
  const tests = new Set(found.flatMap(({ url, priority }) => (priority === TEST_PRIORITY ? [url] : [])));
  return left.map((discovery) => (tests.has(discovery.url) ? { ...discovery, priority: TEST_PRIORITY } : discovery));
}

/** Each URL once, as it was found nearest to a seed. */
function nearestOf(rows: readonly WithheldRow[]): WithheldUrl[] {
  const nearest = new Map<string, WithheldUrl>();
  for (const one of rows.flatMap(({ urls }) => urls)) {
    const known = nearest.get(one.url);
    if (known === undefined || depthOf(one) < depthOf(known)) nearest.set(one.url, one);
  }
  return [...nearest.values()];
}

/** A URL with a row has its depth there. */
function depthOf({ found }: WithheldUrl): number {
  return found?.depth ?? Number.POSITIVE_INFINITY;
}

function toDiscovery({ url, found }: WithheldUrl, isTest: boolean): Discovery | null {
  if (found === null) return null;
  return { ...found, url, kind: "page", ...(isTest ? { priority: TEST_PRIORITY } : {}) };
}

/** The rows with the URLs that stay held back, each once. */
function rewrite(
  rows: readonly WithheldRow[],
  kept: readonly WithheldUrl[],
  tests: ReadonlySet<string>,
  isOpen: boolean,
): WithheldDecision["rows"] {
  const left = new Map(kept.map((url) => [url.url, url]));
  const uncounted = new Set(tests);
  return rows.map((row) => {
    const own = [...new Set(row.urls.map(({ url }) => url))];
    const urls = own.flatMap((url) => left.get(url) ?? []);
    for (const { url } of urls) left.delete(url);
    const tested = own.filter((url) => uncounted.delete(url)).length;
    return { ...row, urls, tested: row.tested + tested, isOpen };
  });
}
