import { LRUCache } from "lru-cache";
import { hashOf, type PageVersion } from "../../changes/page-version.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "../../changes/template/host-template.ts";
import { learnVersions, type NewVersion } from "../../changes/template/learn-versions.ts";
import { noteSame, type SameVisit } from "../../changes/template/shared-rounds.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import { ignoredElementsOf } from "../../crawl/watch/ignored-elements.ts";
import type { StoredVersionRequest } from "../../fetch/reading/read-page.ts";
import { readRenderedPage, type Stores } from "../../store/mirror/read-mirror.ts";
import type { Store } from "../../store/store.ts";
import type { CrawlContexts } from "../context.ts";
import { type Invocations, NoInvocationLeft } from "./invocations.ts";

/**
 * What a host's pages have in common, as far as visits have learned it. A host is first learned from some of its stored
 * pages, when a page of it differs for the first time. Later each version that says something else is learned once. The
 * table is an estimate, so it is written seldom: what an isolate loses, others have learned too.
 */

/** Stored pages of a host from which its template is learned first. Five are the least that a template needs. */
export const TEMPLATE_SAMPLE = 25;
/** What is learned before the table is written again. */
const WRITE_EVERY = 8;
/**
 * Second looks that a host may have on a day: this share of the visits that were counted, or so many if that is more.
 */
const MOST_LOOKS = 0.05;
const LEAST_LOOKS = 10;

/** The deps of the pipeline keep the templates of this file, so it names what it uses by itself. */
export interface HostTemplateDeps extends Stores, Pick<Store, "dueVisits" | "templates"> {
  contexts: CrawlContexts;
  invocations: Invocations;
  readVersion(stored: StoredPage, request: StoredVersionRequest): Promise<PageVersion | null>;
}

/** A version that is told. */
export interface ToldVersion extends Pick<NewVersion, "before" | "after"> {
  url: string;
  /** The hash of its answer. */
  sha256: string | null;
  /** Whether `before` is the first version of its page. */
  isFirst: boolean;
}

interface Known {
  template: HostTemplate;
  /** What it has learned since it was written. */
  unwritten: number;
  /** Visits of a day, which is counted in days since 1970. */
  visits: number;
  day: number;
}

/** Null if nothing is known of the host. */
export async function readTemplate(
  crawl: string,
  host: string,
  { templates }: Pick<Store, "templates">,
): Promise<HostTemplate | null> {
  const stored = (await templates.read([crawl], host)).get(crawl);
  return stored === undefined ? null : (JSON.parse(stored) as HostTemplate);
}

export class HostTemplates {
  /** 100 kB of JSON each at most. */
  readonly #known = new LRUCache<string, Known>({ max: 50 });
  /** Versions that were learned. */
  readonly #versions = new LRUCache<string, true>({ max: 5_000 });

  async of(crawl: Crawl, host: string, deps: HostTemplateDeps): Promise<HostTemplate> {
    const key = keyOf(crawl, host);
    const known = this.#known.get(key);
    if (known !== undefined) return known.template;
    const written = await readTemplate(crawl.id, host, deps);
    const template = written ?? (await learnHost(crawl, host, deps));
    if (written === null) await deps.templates.write(crawl.id, host, JSON.stringify(template));
    // Another visit may have read it, and learned, meanwhile.
    const others = this.#known.get(key);
    if (others !== undefined) return others.template;
    this.#known.set(key, { template, unwritten: 0, visits: 0, day: 0 });
    return template;
  }

  /** Keeps what a visit has taught. `isEvidence`: it is written at once, as what second looks found is. */
  async keep(
    crawl: Crawl,
    host: string,
    template: HostTemplate,
    isEvidence: boolean,
    deps: HostTemplateDeps,
  ): Promise<void> {
    const key = keyOf(crawl, host);
    const known = this.#known.get(key) ?? { template, unwritten: 0, visits: 0, day: 0 };
    if (!isEvidence && !isTaught(known.template, template)) {
      this.#known.set(key, { ...known, template });
      return;
    }
    const unwritten = known.unwritten + 1;
    const isDue = isEvidence || unwritten >= WRITE_EVERY || hasNewShared(known.template, template);
    this.#known.set(key, { ...known, template, unwritten: isDue ? 0 : unwritten });
    if (isDue) await deps.templates.write(crawl.id, host, JSON.stringify(template));
  }

  /**
   * Learns a version that is told, unless it was learned before: a visit that could not be settled comes again.
   */
  async learn(crawl: Crawl, { url, sha256, isFirst, ...fed }: ToldVersion, deps: HostTemplateDeps): Promise<void> {
    const { host } = new URL(url);
    const name = `${keyOf(crawl, host)} ${url} ${sha256}`;
    if (this.#versions.has(name)) return;
    this.#versions.set(name, true);
    const template = await this.of(crawl, host, deps);
    const isUnknown = isFirst && template.sampled?.includes(hashOf(url)) !== true;
    await this.keep(crawl, host, learnVersions(template, [{ ...fed, isUnknown }]), false, deps);
  }

  /** Notes a visit that found its page unchanged (`noteSame`), where the template is at hand. */
  noteUnchanged(crawl: Crawl, host: string, visit: SameVisit, isValidated: boolean): void {
    const key = keyOf(crawl, host);
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.set(key, { ...known, template: noteSame(known.template, visit, isValidated) });
  }

  /** Counts a visit of a day. What another isolate counts is not known here, so the limit is never too high. */
  countVisit(crawl: Crawl, host: string, day: number): void {
    const key = keyOf(crawl, host);
    const known = this.#known.get(key);
    if (known !== undefined) this.#known.set(key, { ...known, visits: known.day === day ? known.visits + 1 : 1, day });
  }

  /** How many second looks a host may have on a day. */
  mostLooks(crawl: Crawl, host: string, day: number): number {
    const known = this.#known.get(keyOf(crawl, host));
    const visits = known?.day === day ? known.visits : 0;
    return Math.max(LEAST_LOOKS, Math.floor(visits * MOST_LOOKS));
  }
}

/** Whether a visit has taught what outlives this isolate. What the last page showed is for the next visit alone. */
function isTaught(before: HostTemplate, template: HostTemplate): boolean {
  const { pulses: old, ...had } = before;
  const { pulses, ...has } = template;
  const names = Object.keys({ ...had, ...has }) as (keyof typeof has)[];
  return old?.places !== pulses?.places || names.some((name) => had[name] !== has[name]);
}

/** Whether it is new that a change came to most pages: digests tell it by its time, so it is written at once. */
function hasNewShared({ rounds: before = {} }: HostTemplate, { rounds = {} }: HostTemplate): boolean {
  if (before === rounds) return false;
  return Object.entries(rounds).some(([key, { isShared }]) => isShared === true && before[key]?.isShared !== true);
}

function keyOf({ id }: Crawl, host: string): string {
  return `${id} ${host}`;
}

/**
 * A page that cannot be read teaches nothing. Where that is so of most, the platform is at fault: throws, and nothing
 * is learned.
 */
async function learnHost(crawl: Crawl, host: string, deps: HostTemplateDeps): Promise<HostTemplate> {
  const { agent } = deps.contexts.of(crawl, "none");
  const ignoredElements = ignoredElementsOf(crawl.options.watch);
  const versions = new Map<string, NewVersion>();
  const failures: unknown[] = [];
  const urls = await deps.dueVisits.someCompleted(crawl.id, host, TEMPLATE_SAMPLE);
  // Some pages alone would be another template.
  if (deps.invocations.left < urls.length) throw new NoInvocationLeft(`not enough are left to learn ${host}`);
  for (const url of urls) {
    const reading = readSample(crawl, url, { url, agent, ignoredElements }, deps);
    const after = await reading.catch((error: unknown) => void failures.push(error));
    if (after) versions.set(url, { before: null, after });
  }
  if (failures.length > versions.size) throw failures[0];
  return { ...learnVersions(EMPTY_TEMPLATE, [...versions.values()]), sampled: [...versions.keys()].map(hashOf) };
}

async function readSample(
  crawl: Crawl,
  url: string,
  request: StoredVersionRequest,
  deps: HostTemplateDeps,
): Promise<PageVersion | null> {
  const stored = await readRenderedPage(crawl, url, deps);
  return stored === null ? null : deps.readVersion(stored, request);
}
