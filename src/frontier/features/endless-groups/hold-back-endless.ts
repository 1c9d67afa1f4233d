import { inTurns } from "../../../core/turns.ts";
import type { Discovery } from "../../../crawl/crawl.ts";
import { endlessKey, isInside, isSample, isSlowed } from "../../../scope/endless-groups.ts";
import { KnownWords } from "../../../scope/known-words.ts";
import { hostOf } from "../../../url/host-key.ts";
import { type Attempt, sitemapUrls } from "../../attempt.ts";
import type { Gathering } from "../../commit/gathering.ts";
import type { FindingDeps } from "../../needs.ts";
import type { Findings } from "../feature.ts";
import { byRule, MAX_WITHHELD, nameOf, toFound } from "../same-pages/refuse-same-pages.ts";

/** Holds back found URLs of groups whose pages say nothing new any more. */

interface Held {
  discovery: Discovery;
  host: string;
  rule: string;
}

/**
 * `fresh`: what a commit may add. Returns what is left of it. URLs that a sitemap lists, or
 * a page of another group that says something, are left: somebody vouches for them. One in 50 of the others is left as
 * a sample.
 */
export async function holdBackEndless(
  fresh: Discovery[],
  { attempts, gathering, deps }: Findings,
): Promise<Discovery[]> {
  const { id, options } = gathering.context.crawl;
  if (options.keepEndless || options.dryRun || fresh.length === 0) return fresh;
  const candidates = await slowedAmong(fresh, attempts, gathering, deps);
  if (candidates.length === 0) return fresh;
  const left = new Set(fresh);

  const rules = [...new Map(candidates.map((one) => [nameOf(one), { host: one.host, rule: one.rule }])).values()];
  const [counts, rows] = [
    await deps.withheldUrls.counts(id, rules),
    await deps.records.among(
      id,
      candidates.map(({ discovery }) => discovery.url),
    ),
  ];
  const known = new Set(rows.map(({ url }) => url));
  const held = candidates.flatMap(({ discovery, host, rule }) => {
    const { url, via } = discovery;
    if (known.has(url)) return [];
    const name = nameOf({ host, rule });
    const count = counts.get(name) ?? 0;
    if (isSample(id, url, count, MAX_WITHHELD)) return [];
    left.delete(discovery);
    gathering.found.delete(url);
    // An isolate remembers what it has listed, and the look at the end removes what is listed twice.
    if (gathering.seen.isRecent(heldKey(url))) return [];
    if (count >= MAX_WITHHELD) {
      gathering.refuse(via ?? "", "urls", "nothing-new", [url]);
      return [];
    }
    counts.set(name, count + 1);
    return [{ host, rule, url: { url, same: [], found: toFound(discovery, gathering) } }];
  });
  gathering.hold(byRule(held), heldKey);
  return [...left];
}

/** The key under which the seen filter remembers a URL that is held back. No URL has a space. */
function heldKey(url: string): string {
  return `held ${url}`;
}

async function slowedAmong(
  fresh: readonly Discovery[],
  attempts: readonly Attempt[],
  { context }: Gathering,
  { groupCounts, endlessHosts, learned }: FindingDeps,
): Promise<Held[]> {
  const { id } = context.crawl;
  const sitemaps = sitemapUrls(attempts);
  const watched = fresh.filter(
    ({ url, via, kind, redirects }) =>
      kind === "page" &&
      redirects === 0 &&
      via !== null &&
      !sitemaps.has(via) &&
      hostOf(via) === hostOf(url) &&
      groupCounts.watches(id, hostOf(url)),
  );
  if (watched.length === 0) return [];
  const slowed = await endlessHosts.slowedAmong(id, [...new Set(watched.map(({ url }) => hostOf(url)))]);
  if (slowed.length === 0) return [];
  const hosts = await endlessHosts.read(id, slowed, learned);
  const words = new Map([...hosts].map(([host, { known }]) => [host, KnownWords.from(known)]));
  // A page may have 100,000 links.
  const groupOfPages = new Map<string, string | null>();
  const groupOfPage = (page: string) => {
    if (!groupOfPages.has(page)) groupOfPages.set(page, groupCounts.groupOf(id, page, hosts.get(hostOf(page))));
    return groupOfPages.get(page) ?? null;
  };
  const held: Held[] = [];
  await inTurns(watched, (discovery) => {
    const { url, via } = discovery;
    const known = hosts.get(hostOf(url));
    if (known === undefined || via === null) return;
    const group = groupCounts.groupOf(id, url, known);
    if (group === null || !isSlowed(known, group)) return;
    if (!isInside(known, words.get(hostOf(url)) ?? KnownWords.from(""), group, via, groupOfPage)) return;
    held.push({ discovery, host: hostOf(url), rule: endlessKey(group) });
  });
  return held;
}
