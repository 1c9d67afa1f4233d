import type { Discovery } from "../../../crawl/crawl.ts";
import type { UrlStatus } from "../../../crawl/page/status.ts";
import { PREFERRED_PRIORITY, pagePriority } from "../../../crawl/page/url-kind.ts";
import type { Withheld, WithheldUrl } from "../../../crawl/watch/withheld-url.ts";
import {
  type HostSamePages,
  isAudited,
  reduceUrl,
  type SamePageRule,
  samePageKey,
  takesAnyValue,
} from "../../../scope/same-page-rules.ts";
import { variantPattern } from "../../../scope/traps.ts";
import { hostOf } from "../../../url/host-key.ts";
import { type Attempt, sitemapUrls } from "../../attempt.ts";
import { decideLink, type Gathering } from "../../commit/gathering.ts";
import type { FindingDeps } from "../../needs.ts";
import type { Findings } from "../feature.ts";

/** Holds back found URLs that differ from another one only in parts that never change the page. */

/** URLs that a rule holds back. A site with a new session in each link has no end of them: the others are refused. */
export const MAX_WITHHELD = 10_000;
/**
 * One in 20 of so many URLs of a rule that holds for any value is tested at once: these rules may have no end of them.
 */
const MAX_AUDITED = 2_000;

interface Duplicate {
  discovery: Discovery;
  host: HostSamePages;
  /** The first of the rules that leave out its parts. */
  rule: SamePageRule;
  /** Whether there may be any number of such URLs, as with sessions. */
  isEndless: boolean;
  reduced: string;
  /** Other URLs that rules reduce to the same form. */
  twins: readonly string[];
}

/**
 * A URL is held back if its reduced form is stored or on its way, or takes its place, or if the page is stored by
 * another such URL. At the end of the crawl some of them test the rule (frontier/commit/settle-withheld.ts). The rules
 * are those of the hosts of `attempts`, whose pages hold most of the links; URLs of other hosts are skipped in their
 * lanes. URLs that lanes have skipped are held back, too.
 */
export async function refuseSamePages({ attempts, gathering, deps }: Findings): Promise<void> {
  const withheld = [...skippedOf(attempts), ...(await holdBack(attempts, gathering, deps))];
  gathering.hold(byRule(withheld), (url) => url);
}

/** The URLs that lanes have skipped. */
function skippedOf(attempts: readonly Attempt[]): OneWithheld[] {
  return attempts.flatMap(({ work: { row }, withheld }) =>
    withheld === null
      ? []
      : [{ host: hostOf(row.url), rule: withheld.rule, url: { url: row.url, same: withheld.same, found: null } }],
  );
}

type OneWithheld = Omit<Withheld, "urls"> & { url: WithheldUrl };

export function byRule(withheld: readonly OneWithheld[]): Withheld[] {
  return [...Map.groupBy(withheld, nameOf).values()].flatMap((group) =>
    group.slice(0, 1).map(({ host, rule }) => ({ host, rule, urls: group.map(({ url }) => url) })),
  );
}

async function holdBack(attempts: readonly Attempt[], gathering: Gathering, deps: FindingDeps): Promise<OneWithheld[]> {
  const { found, context } = gathering;
  const { id, options } = context.crawl;
  if (options.keepDuplicates || options.dryRun || found.size === 0) return [];
  const hosts = [...new Set(attempts.map(({ work }) => hostOf(work.row.url)))];
  const known = await deps.samePages.read(id, hosts, deps.learned);
  if (known.size === 0) return [];
  const duplicates = [...found.values()].flatMap((discovery): Duplicate[] => {
    const host = known.get(hostOf(discovery.url));
    if (host === undefined || !mayBeRefused(discovery)) return [];
    const found = reduceUrl(host, discovery.url);
    const rule = found?.rules[0];
    if (found === null || rule === undefined) return [];
    const { reduced } = found;
    const twins = deps.samePagePartners.twinsOf(id, found).filter((twin) => reduceUrl(host, twin)?.reduced === reduced);
    const isEndless = found.rules.some((one) => takesAnyValue(host, one));
    return [{ discovery, host, rule, isEndless, reduced, twins }];
  });
  if (duplicates.length === 0) return [];
  const statuses = new Map<string, UrlStatus>();
  const asked = [...new Set(duplicates.flatMap(({ reduced, twins }) => [reduced, ...twins]))];
  for (const { url, status } of await deps.records.among(id, asked)) statuses.set(url, status);
  for (const { outcome } of attempts) statuses.set(outcome.url, outcome.status);
  const sitemaps = sitemapUrls(attempts);
  const rules = duplicates.map(({ discovery, rule }) => ({ host: hostOf(discovery.url), rule: samePageKey(rule) }));
  const counts = await deps.withheldUrls.counts(id, [...new Map(rules.map((one) => [nameOf(one), one])).values()]);
  return duplicates.flatMap(({ discovery, host, rule, isEndless, reduced, twins }): OneWithheld[] => {
    const { url, via } = discovery;
    const isOfCopy = isEndless && via !== null && reduceUrl(host, via) !== null;
    const ofRule = { host: hostOf(url), rule: samePageKey(rule) };
    const count = counts.get(nameOf(ofRule)) ?? 0;
    const mayTest = !isOfCopy && !(isEndless && count >= MAX_AUDITED);
    if (isAudited(id, url) && mayTest) return [];
    const status = statuses.get(reduced);
    const twin = twins.find((other) => other !== url && statuses.get(other) === "completed");
    if (twin === undefined && status !== undefined && !isGood(status)) return [];
    const isNew = twin === undefined && status === undefined && !found.has(reduced);
    // What scope does not take by its reduced form it may take by this one.
    if (isNew && !replace(discovery, reduced, gathering)) return [];
    found.delete(url);
    if (count >= MAX_WITHHELD) {
      gathering.refuse(via ?? "", sitemaps.has(via ?? "") ? "sitemaps" : "urls", "same-page", [url]);
      return [];
    }
    counts.set(nameOf(ofRule), count + 1);
    const same = [status === "completed" || twin === undefined ? reduced : twin];
    const ofCopy = isOfCopy ? { ofCopy: true as const } : {};
    return [{ ...ofRule, url: { url, same, ...ofCopy, found: toFound(discovery, gathering) } }];
  });
}

export function nameOf({ host, rule }: Omit<OneWithheld, "url">): string {
  return `${host} ${rule}`;
}

/** With the priority that it gets if it is alone of its pattern. */
export function toFound(discovery: Discovery, { context: { topic } }: Gathering): WithheldUrl["found"] {
  const { url: _, kind: __, ...found } = discovery;
  const isPreferred = discovery.priority >= PREFERRED_PRIORITY;
  const score = topic === null ? null : (discovery.found?.score ?? 1);
  return { ...found, priority: pagePriority({ isPreferred, score, nth: null }) };
}

/** Assets are not compared, and the target of a redirect has what its source does not have. */
function mayBeRefused({ kind, redirects, via }: Discovery): boolean {
  return kind === "page" && redirects === 0 && via !== null;
}

/** Whether the page is stored, or may be yet. */
function isGood(status: UrlStatus): boolean {
  return status === "completed" || status === "queued" || status === "pending";
}

/** Finds the reduced form instead. False if scope refuses it. */
function replace(discovery: Discovery, reduced: string, gathering: Gathering): boolean {
  const pattern =
    discovery.pattern !== null && variantPattern(reduced) === discovery.pattern ? discovery.pattern : null;
  const found = { ...discovery, url: reduced, pattern, chain: pattern === null ? 0 : discovery.chain, lastmod: null };
  if (!decideLink(gathering.context, found).accept) return false;
  gathering.add(found);
  return true;
}
