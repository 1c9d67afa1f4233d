import { logWarning } from "../../../core/log.ts";
import { consequencesOf } from "../../../crawl/page/reason.ts";
import { TEST_PRIORITY } from "../../../crawl/page/url-kind.ts";
import type { PageWants } from "../../../fetch/request/page-request.ts";
import {
  endlessKey,
  type HostEndless,
  isHot,
  isInside,
  isJudged,
  isSample,
  isSlowed,
  type JudgedPage,
  learnPages,
  quickenedGroups,
} from "../../../scope/endless-groups.ts";
import { KnownWords } from "../../../scope/known-words.ts";
import { type PageSayings, sayingsOf } from "../../../scope/page-sayings.ts";
import { groupsOf } from "../../../scope/url-groups.ts";
import { hostOf } from "../../../url/host-key.ts";
import { type Attempt, unfetchedAttempt } from "../../attempt.ts";
import { LaneLessons } from "../../lane/lane-lessons.ts";
import type { OpeningDeps } from "../../needs.ts";
import { isNewPage, type PageWork, type Work } from "../../work.ts";
import { type Feature, mayBeWebPage, type Opening, type PageSteps, type Turn } from "../feature.ts";
import { type Probe, probeOf } from "../probe.ts";
import { MAX_WITHHELD } from "../same-pages/refuse-same-pages.ts";
import { explainEndless } from "./explain-endless.ts";
import { holdBackEndless } from "./hold-back-endless.ts";

/**
 * Endless groups: skips most URLs of slowed groups, and judges the pages that it fetches. A page is judged
 * only if its group is large, so small crawls read no text for this.
 */

export const endlessGroups: Feature<"said"> = {
  open: async (opening) => (mayBeWebPage(opening) ? LaneEndless.open(opening) : null),
  fresh: holdBackEndless,
  explain: explainEndless,
};

class LaneEndless implements PageSteps<"said"> {
  readonly #probe: Probe;
  readonly #deps: OpeningDeps;
  readonly #hosts: LaneLessons<HostEndless, JudgedPage>;
  /** By crawl and URL: those that list URLs of the lane. */
  readonly #sitemaps = new Set<string>();
  readonly #known = new Map<HostEndless, KnownWords>();

  private constructor(probe: Probe, deps: OpeningDeps) {
    this.#probe = probe;
    this.#deps = deps;
    this.#hosts = new LaneLessons(deps.endlessHosts, deps.learned, learnPages);
  }

  /** One query for each crawl that has fetched a large group of the host. */
  static async open(opening: Opening): Promise<LaneEndless> {
    const { deps } = opening;
    const lane = new LaneEndless(probeOf(opening), deps);
    for (const [crawl, works] of Map.groupBy(opening.works.filter(isConcerned), ({ row }) => row.crawl)) {
      const own = [...new Set(works.map(({ row }) => hostOf(row.url)))];
      const hosts = own.filter((host) => deps.groupCounts.watches(crawl, host));
      if (hosts.length === 0) continue;
      // Without the ledger's answer the URLs are fetched.
      await lane.#read(crawl, hosts, works).catch((error: unknown) => {
        lane.#hosts.forget(crawl, hosts);
        logWarning("endless-groups-not-read", { error: String(error) });
      });
    }
    return lane;
  }

  /** Where a group is slowed, another query finds the rows that a sitemap listed. */
  async #read(crawl: string, hosts: readonly string[], works: readonly PageWork[]): Promise<void> {
    await this.#hosts.read(crawl, hosts);
    const hasSlowed = (work: PageWork) => Object.values(this.#hosts.of(work).groups).some((group) => group.isSlowed);
    const vias = works.flatMap((work) => (work.row.via !== null && hasSlowed(work) ? work.row.via : []));
    for (const via of await this.#deps.sitemaps.among(crawl, [...new Set(vias)])) this.#sitemaps.add(`${crawl} ${via}`);
  }

  /** Most URLs of slowed groups are held back. */
  before(work: Work): Turn | null {
    if (!isConcerned(work)) return null;
    const { crawl, url, via, depth, redirects, priority } = work.row;
    // A seed is what somebody asks for, and the target of a redirect has what its source does not have.
    if (depth === 0 || redirects > 0 || priority === TEST_PRIORITY || via === null) return null;
    if (this.#sitemaps.has(`${crawl} ${via}`)) return null;
    const host = this.#hostOf(work);
    const groupOf = (each: string) => this.#deps.groupCounts.groupOf(crawl, each, host);
    const group = groupOf(url);
    if (group === null || !isSlowed(host, group) || isSample(crawl, url, 0, MAX_WITHHELD)) return null;
    if (hostOf(via) !== hostOf(url) || !isInside(host, this.#knownOf(host), group, via, groupOf)) return null;
    const attempt = unfetchedAttempt(work, "nothing-new", group, this.#deps.clock.now());
    return { kind: "decided", attempt: { ...attempt, withheld: { rule: endlessKey(group), same: [] } } };
  }

  wants(work: PageWork): Pick<PageWants, "said"> {
    return { said: isConcerned(work) && this.#judgedAs(work) !== null };
  }

  /** Counts a fetched page, and notes what it says. */
  async end(work: Work, attempt: Attempt | null): Promise<void> {
    if (attempt === null || !isConcerned(work)) return;
    const { outcome, said, links } = attempt;
    // A page that is not kept has no text here: new is what it leads to.
    const { isFollowed, visit } = consequencesOf(outcome.reason);
    const isLeft = isFollowed === true && visit === "removed";
    if (outcome.status !== "completed" && !isLeft) return;
    const { crawl, url } = work.row;
    const group = this.#judgedAs(work);
    this.#deps.groupCounts.countPage(crawl, url);
    if (group === null || (said === null && !isLeft)) return;
    const page = { group, says: this.#sayings(work, group, url, { said, links }) };
    const noise = await this.#findNoise(work, page);
    this.#hosts.note(work, { ...page, noise });
  }

  /**
   * Stores what was learned. A fault costs the judgement. Throws if it was that a sample is new: that is stored before
   * the page, or what its group holds back might be lost.
   */
  async close(): Promise<void> {
    await this.#hosts.store(
      (error, _, known, pages) => {
        if (quickenedGroups(known, learnPages(known, pages)).length > 0) throw error;
        logWarning("endless-groups-not-stored", { error: String(error) });
      },
      (before, after, { crawl, host }) => {
        for (const group of quickenedGroups(before, after)) this.#deps.groupCounts.noteQuickened(crawl, host, group);
      },
    );
  }

  #sayings(work: PageWork, group: string, url: string, { said, links }: LookedAt): PageSayings {
    const known = this.#hostOf(work);
    const isInGroup = (link: string, groups: readonly string[]): boolean =>
      hostOf(link) === hostOf(url) && this.#deps.groupCounts.narrowest(work.row.crawl, groups, known) === group;
    const { title = null, text = "", pictures = [] } = said ?? {};
    return sayingsOf({ url, title, text, links, pictures }, isInGroup);
  }

  #findNoise(work: PageWork, page: JudgedPage): Promise<number[]> {
    const { crawl, url } = work.row;
    const host = this.#hostOf(work);
    const look = async (asked: string): Promise<PageSayings | "gone" | null> => {
      const again = await this.#probe(asked, work, { said: true });
      if (again === null || (again.kind === "rejected" && again.retryable)) return null;
      return again.kind === "page" ? this.#sayings(work, page.group, asked, again) : "gone";
    };
    return this.#deps.groupCounts.looks.findNoise(crawl, url, page, host, this.#knownOf(host), look);
  }

  /** The group for which the page is judged; null if it is not. */
  #judgedAs(work: PageWork): string | null {
    const { crawl, url } = work.row;
    const host = this.#hostOf(work);
    const group = this.#deps.groupCounts.groupOf(crawl, url, host) ?? (isHot(host) ? groupsOf(url).at(-1) : null);
    return group != null && isJudged(host, group, url) ? group : null;
  }

  #knownOf(host: HostEndless): KnownWords {
    const known = this.#known.get(host) ?? KnownWords.from(host.known);
    this.#known.set(host, known);
    return known;
  }

  #hostOf(work: PageWork): HostEndless {
    return this.#hosts.of(work);
  }
}

type LookedAt = Pick<Attempt, "said" | "links">;

/** Pages that are fetched for the first time. A dry run fetches none. */
function isConcerned(work: Work): work is PageWork {
  const { keepEndless, dryRun } = work.context.crawl.options;
  return isNewPage(work) && !keepEndless && !dryRun;
}
