import {
  type ComparedPage,
  compareContent,
  findNoise,
  hashContent,
  type SameContent,
} from "../../../changes/compare/same-content.ts";
import { logWarning } from "../../../core/log.ts";
import type { UrlStatus } from "../../../crawl/page/status.ts";
import { TEST_PRIORITY } from "../../../crawl/page/url-kind.ts";
import { ALL_SAID, type PageWants } from "../../../fetch/request/page-request.ts";
import { partsOfUrl, removePart, type UrlPart } from "../../../scope/same-page-parts.ts";
import {
  type HostSamePages,
  hasLapsed,
  isAudited,
  isOpen,
  isSupported,
  learnExample,
  reduceUrl,
  ruleOf,
  type SamePageRule,
  samePageKey,
} from "../../../scope/same-page-rules.ts";
import { hostOf } from "../../../url/host-key.ts";
import { type Attempt, unfetchedAttempt } from "../../attempt.ts";
import type { Need } from "../../lane/invocations.ts";
import { LaneLessons } from "../../lane/lane-lessons.ts";
import type { OpeningDeps } from "../../needs.ts";
import { crawlAndHost, isNewPage, type PageWork, type Work } from "../../work.ts";
import { type Feature, mayBeWebPage, type Opening, type PageSteps, type Turn } from "../feature.ts";
import { type Probe, probeOf } from "../probe.ts";
import { explainSamePages } from "./explain-same-pages.ts";
import { refuseSamePages } from "./refuse-same-pages.ts";
import { wholeOf } from "./same-page-partners.ts";
import { type PageText, SamePageTexts } from "./same-page-texts.ts";

/**
 * Same pages: skips URLs whose reduced form is stored, and learns from the pages that it fetches. An
 * example needs both pages, so text is made only of pages that have a partner while their part is still open.
 */

export const samePages: Feature<"version"> = {
  open: async (opening) => (mayBeWebPage(opening) ? LaneSamePages.open(opening) : null),
  found: refuseSamePages,
  explain: explainSamePages,
};

type Learn = (known: HostSamePages) => HostSamePages;

type Reduction = NonNullable<ReturnType<typeof reduceUrl>>;

type Both<T> = readonly [T, T];
/** `other sessions`: the pages are the same but for the sessions in their links. */
type Compared = Exclude<SameContent, "numbers" | "links"> | "other sessions";

/** Pages of a host that are requested twice to find out what changes from visit to visit. */
const MAX_CONTROLS = 3;
/** Pages with which one page is compared, to learn what its host repeats. */
const PARTNERS = 3;

class LaneSamePages implements PageSteps<"version"> {
  readonly #deps: OpeningDeps;
  readonly #probe: Probe;
  readonly #hosts: LaneLessons<HostSamePages, Learn>;
  /** By crawl and host: those of which a rule holds no more. */
  readonly #lapsed = new Set<string>();
  readonly #parts = new Map<Work, readonly UrlPart[]>();
  /** Of reduced forms, by crawl and URL. */
  readonly #statuses = new Map<string, UrlStatus>();
  readonly #texts: SamePageTexts;
  readonly #fetched: PageWork[] = [];
  /** The URLs without what rules in use leave out; emptied when a rule changes. */
  readonly #reductions = new Map<string, Reduction | null>();
  /** Reduced forms with which URLs of this lane may be compared. */
  readonly #bases = new Set<string>();

  private constructor(probe: Probe, deps: OpeningDeps) {
    this.#probe = probe;
    this.#deps = deps;
    this.#hosts = new LaneLessons(deps.samePages, deps.learned, (known, steps) =>
      steps.reduce((host, step) => step(host), known),
    );
    this.#texts = new SamePageTexts(probe, deps);
  }

  /** One query for what is known, and one for the reduced forms of the lane's URLs, for each crawl. */
  static async open(opening: Opening): Promise<LaneSamePages> {
    const lane = new LaneSamePages(probeOf(opening), opening.deps);
    for (const [crawl, own] of Map.groupBy(opening.works.filter(isConcerned), ({ row }) => row.crawl)) {
      // Without the ledger's answer the URLs are fetched, and teach nothing.
      await lane.#read(crawl, own).catch((error) => {
        for (const work of own) lane.#parts.delete(work);
        logWarning("same-pages-not-read", { error: String(error) });
      });
    }
    return lane;
  }

  before(work: Work): Turn | null {
    const found = this.#skippable(work);
    const stored = found === null ? null : this.#storedOf(work as PageWork, found);
    if (found === null || stored === null) return this.#isBehind(work) ? { kind: "behind" } : null;
    return { kind: "decided", attempt: samePageAttempt(work, stored, found.rules, this.#deps.clock.now()) };
  }

  /**
   * Whether the URL's turn comes after the others of the lane: another one shows the same page by the rules, or is the
   * page with which this one is compared.
   */
  #isBehind(work: Work): boolean {
    if (work.kind === "sitemap" || !this.#parts.has(work)) return false;
    const own = [...this.#parts.keys()].filter((other): other is PageWork => other.row.crawl === work.row.crawl);
    const found = this.#reductionOf(work, work.row.url);
    if (found !== null) {
      const first =
        own.find(({ row }) => row.url === found.reduced) ??
        own.find((other) => this.#reductionOf(other, other.row.url)?.reduced === found.reduced);
      return first !== undefined && first !== work;
    }
    const host = this.#hostOf(work);
    const open = (this.#parts.get(work) ?? []).filter((part) => isOpen(host, part));
    const isUnfinished = ({ reduced }: UrlPart): boolean =>
      this.#statusOf(work, reduced) !== "completed" && own.some(({ row }) => row.url === reduced);
    return open.some(isUnfinished);
  }

  wants(work: PageWork): Pick<PageWants, "version"> {
    return { version: this.#isCompared(work) ? ALL_SAID : null };
  }

  invocations(work: Work): Partial<Need> {
    return { now: this.#isCompared(work) ? PARTNERS : 0 };
  }

  /** Whether the page's text is needed. */
  #isCompared(work: Work): boolean {
    if (work.kind === "sitemap") return false;
    const host = this.#hostOf(work);
    return (
      this.#tested(work) !== null ||
      this.#bases.has(keyOf(work, work.row.url)) ||
      (this.#parts.get(work) ?? []).some((part) => isOpen(host, part) && this.#partnerOf(work, part) !== null)
    );
  }

  /** Learns from a page or a redirect. A fault costs this example alone. */
  async end(work: Work, attempt: Attempt | null): Promise<void> {
    if (attempt === null || work.kind === "sitemap" || !this.#parts.has(work)) return;
    await this.#learnFrom(work, attempt).catch((error) =>
      logWarning("same-page-example-lost", { error: String(error) }),
    );
  }

  /**
   * Stores what was learned. A fault costs the examples. Throws if it was that a rule holds no more: that is stored
   * before the page that shows it, or pages that the rule holds back would be lost.
   */
  async close(): Promise<void> {
    const { samePagePartners } = this.#deps;
    for (const work of this.#fetched) {
      const { crawl, url } = work.row;
      for (const part of this.#parts.get(work) ?? []) samePagePartners.add(crawl, part, url);
      const found = this.#reductionOf(work, url);
      if (found !== null) samePagePartners.add(crawl, wholeOf(found), url);
    }
    await this.#hosts.store((error, key) => {
      if (this.#lapsed.has(key)) throw error;
      logWarning("same-pages-not-stored", { error: String(error) });
    });
  }

  async #read(crawl: string, works: readonly PageWork[]): Promise<void> {
    const hosts = [...new Set(works.map(({ row }) => hostOf(row.url)))];
    const parts = new Map(works.map((work) => [work, partsOfUrl(work.row.url)]));
    for (const [work, own] of parts) this.#parts.set(work, own);
    if ([...parts.values()].every(({ length }) => length === 0)) return;
    await this.#hosts.read(crawl, hosts);
    const reduced = works.flatMap((work) => {
      const all = this.#reductionOf(work, work.row.url);
      const known = all === null ? [] : [all.reduced, ...this.#deps.samePagePartners.twinsOf(crawl, all)];
      return [...(parts.get(work) ?? []).map((part) => part.reduced), ...known];
    });
    for (const [work, own] of parts) {
      for (const part of own) if (isOpen(this.#hostOf(work), part)) this.#bases.add(keyOf(work, part.reduced));
      const all = this.#reductionOf(work, work.row.url);
      if (all !== null && this.#skippable(work) === null) this.#bases.add(keyOf(work, all.reduced));
    }
    for (const { url, status } of await this.#deps.records.among(crawl, [...new Set(reduced)])) {
      this.#statuses.set(`${crawl} ${url}`, status);
    }
  }

  async #learnFrom(work: PageWork, attempt: Attempt): Promise<void> {
    const { outcome, redirect, version, links } = attempt;
    const { url } = work.row;
    const parts = this.#parts.get(work) ?? [];
    if (redirect !== null) this.#learnFromRedirect(work, redirect);
    if (outcome.status !== "completed") return;
    this.#statuses.set(keyOf(work, url), "completed");
    this.#fetched.push(work);
    if (version === null || outcome.truncated !== null) return;
    const page = { version, links };
    this.#texts.keep(work, url, page);
    await this.#audit(work, page);
    for (const part of parts) {
      const other = isOpen(this.#hostOf(work), part) ? this.#partnerOf(work, part) : null;
      if (other === null) continue;
      const found = await this.#compare(work, page, other, [part.part]);
      if (found === "unclear" || found === "other sessions") continue;
      const isSame = found === "same";
      // Sessions that differ may belong to different visits: only the reduced form decides against.
      if (!isSame && other !== part.reduced) continue;
      const content = hashContent(page.version, new Set(this.#hostOf(work).noise));
      const example = { ...part, url, other, isSame, isSample: other === part.reduced, content };
      this.#note(work, (host) => learnExample(host, example));
    }
  }

  /** A redirect to the URL without a part says that both are one page. Another one speaks against the rules. */
  #learnFromRedirect(work: PageWork, redirect: string): void {
    const { url } = work.row;
    const target = this.#reductionOf(work, redirect)?.reduced ?? redirect;
    for (const part of this.#parts.get(work) ?? []) {
      const reduced = this.#reductionOf(work, part.reduced)?.reduced ?? part.reduced;
      if (reduced !== target || part.reduced === url) continue;
      this.#note(work, (host) =>
        learnExample(host, { ...part, url, other: redirect, isSame: true, isSample: true, content: null }),
      );
    }
    const tested = this.#tested(work);
    if (tested !== null && tested.found.reduced !== target) this.#withdraw(work, tested.found, tested.stored);
  }

  /** Tests the rules that would have refused the page. */
  async #audit(work: PageWork, page: PageText): Promise<void> {
    const tested = this.#tested(work);
    if (tested === null) return;
    const { found, stored } = tested;
    const parts = found.rules.map(({ part }) => part);
    if ((await this.#compare(work, page, stored, parts)) === "different") this.#withdraw(work, found, stored);
  }

  #withdraw(work: PageWork, { reduced, rules }: Reduction, other: string): void {
    for (const { part, scope } of rules) {
      const { url } = work.row;
      const example = { part, scope, value: "", url, reduced, other, isSame: false, isSample: true, content: null };
      this.#note(work, (host) => learnExample(host, example));
    }
  }

  /** The rules that would refuse a page that is fetched all the same, and the URL by which the page is stored. */
  #tested(work: PageWork): { found: Reduction; stored: string } | null {
    const found = this.#parts.has(work) ? this.#reductionOf(work, work.row.url) : null;
    const stored = found === null ? null : this.#storedOf(work, found);
    return found === null || stored === null ? null : { found, stored };
  }

  /** What rules leave out of a URL that may be skipped. */
  #skippable(work: Work): Reduction | null {
    if (work.kind === "sitemap" || !this.#parts.has(work)) return null;
    const { crawl, url, depth, redirects, priority } = work.row;
    // A seed is what somebody asks for, and the target of a redirect has what its source does not have.
    if (depth === 0 || redirects > 0 || priority === TEST_PRIORITY || isAudited(crawl, url)) return null;
    return this.#reductionOf(work, url);
  }

  /**
   * Another URL of the page that is stored: the reduced form, or one that rules reduce to it. Null if there is none.
   */
  #storedOf(work: PageWork, found: Reduction): string | null {
    const { crawl, url } = work.row;
    if (this.#statusOf(work, found.reduced) === "completed") return found.reduced;
    const fetched = this.#fetched.flatMap(({ row }) => (row.crawl === crawl ? [row.url] : []));
    const twins = [...fetched, ...this.#deps.samePagePartners.twinsOf(crawl, found)];
    const isTwin = (twin: string) =>
      twin !== url &&
      this.#statusOf(work, twin) === "completed" &&
      this.#reductionOf(work, twin)?.reduced === found.reduced;
    return twins.find(isTwin) ?? null;
  }

  #reductionOf(work: PageWork, url: string): Reduction | null {
    const key = keyOf(work, url);
    const known = this.#reductions.get(key);
    if (known !== undefined) return known;
    const found = reduceUrl(this.#hostOf(work), url);
    this.#reductions.set(key, found);
    return found;
  }

  async #compare(work: PageWork, page: PageText, other: string, parts: readonly string[]): Promise<Compared> {
    const { url } = work.row;
    const mayAsk = (this.#parts.get(work) ?? []).some(({ reduced }) => reduced === other);
    const partner = await this.#texts.read(work, other, this.#statusOf(work, other) !== null, mayAsk);
    if (partner === null || partner === "missing") return partner === null ? "unclear" : "different";
    const compare = (): SameContent => this.#compareOnce(work, [page, partner], [url, other], parts);
    const found = compare();
    if (found === "links") return this.#hasOtherSessions(work, [page, partner], [url, other], parts);
    if (found !== "numbers") return found;
    if (this.#hostOf(work).controls >= MAX_CONTROLS) return "different";
    // The same URL again shows which numbers change by themselves.
    const again = await this.#probe(url, work);
    if (again?.kind !== "page" || again.version === null) return "unclear";
    const noise = findNoise(page.version, again.version);
    this.#note(work, (host) => ({
      ...host,
      noise: [...new Set([...host.noise, ...noise])],
      controls: Math.min(host.controls + 1, MAX_CONTROLS),
    }));
    const now = compare();
    return now === "numbers" || now === "links" ? "different" : now;
  }

  /** Compares the pages with the links that they would have without these parts, and without what rules leave out. */
  #compareOnce(work: PageWork, pages: Both<PageText>, urls: Both<string>, parts: readonly string[]): SameContent {
    const reduce = (link: string): string => {
      const reduced = parts.reduce(removePart, link);
      return hostOf(reduced) === hostOf(work.row.url)
        ? (this.#reductionOf(work, reduced)?.reduced ?? reduced)
        : reduced;
    };
    const compared = ([{ version, links }, url]: readonly [PageText, string]): ComparedPage => {
      return { version, links: new Set([url, ...links].map(reduce)) };
    };
    const noise = new Set(this.#hostOf(work).noise);
    return compareContent(compared([pages[0], urls[0]]), compared([pages[1], urls[1]]), noise);
  }

  /** Whether the links differ only in one more part of the URL that nothing is known of yet, as sessions do. */
  #hasOtherSessions(work: PageWork, pages: Both<PageText>, urls: Both<string>, parts: readonly string[]): Compared {
    const open = (this.#parts.get(work) ?? []).filter(
      (part) => !parts.includes(part.part) && !part.part.startsWith("/") && isOpen(this.#hostOf(work), part),
    );
    const isSameWithout = ({ part }: UrlPart) => this.#compareOnce(work, pages, urls, [...parts, part]) === "same";
    return open.some(isSameWithout) ? "other sessions" : "different";
  }

  /**
   * The URL with which a page is compared: its reduced form if that is stored, or if a rule with support predicts it;
   * else a page with another value of the part. Null if there is none.
   */
  #partnerOf(work: PageWork, part: UrlPart): string | null {
    const status = this.#statusOf(work, part.reduced);
    if (status === "completed") return part.reduced;
    const rule = ruleOf(this.#hostOf(work), part);
    if (status === null && rule !== null && isSupported(rule)) return part.reduced;
    const partner = this.#deps.samePagePartners.of(work.row.crawl, part);
    return partner === work.row.url ? null : partner;
  }

  #hostOf(work: PageWork): HostSamePages {
    return this.#hosts.of(work);
  }

  #statusOf(work: PageWork, url: string): UrlStatus | null {
    return this.#statuses.get(keyOf(work, url)) ?? null;
  }

  /** Takes a step of learning now, and again on what is stored. */
  #note(work: PageWork, step: Learn): void {
    const [before, after] = this.#hosts.teach(work, step);
    if (before === after) return;
    if (hasLapsed(before, after)) this.#lapsed.add(crawlAndHost(work.row));
    this.#reductions.clear();
  }
}

/** The attempt of a URL that is not fetched, because `stored`, the same page by these rules, is stored. */
function samePageAttempt(work: Work, stored: string, rules: readonly SamePageRule[], now: number): Attempt {
  const detail = `without ${rules.map(({ part }) => part).join(" and ")} it is ${stored}`;
  const [rule] = rules.map(samePageKey);
  const withheld = rule === undefined ? null : { rule, same: [stored] };
  return { ...unfetchedAttempt(work, "same-page", detail, now), withheld };
}

function keyOf({ row }: PageWork, url: string): string {
  return `${row.crawl} ${url}`;
}

/** Pages that are fetched for the first time. A dry run fetches none. */
function isConcerned(work: Work): work is PageWork {
  const { keepDuplicates, dryRun } = work.context.crawl.options;
  return isNewPage(work) && !keepDuplicates && !dryRun;
}
