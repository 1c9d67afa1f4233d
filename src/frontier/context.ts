import { LRUCache } from "lru-cache";
import type { Crawl } from "../crawl/crawl.ts";
import { allowedActionsOf, usesOf } from "../crawl/crawl-options.ts";
import { compileFields, type RulesOf } from "../crawl/page/page-fields.ts";
import { NO_SECRETS, type Secrets } from "../fetch/answer/answer.ts";
import { describedExtensions, refusedExtensions } from "../media/kind/kinds.ts";
import type { Use } from "../robots/content-signal.ts";
import { productToken } from "../robots/product-token.ts";
import { nonPageExtension } from "../scope/extensions.ts";
import { compileLanguagePreference, type LinkLanguage, NOTHING_SAID } from "../scope/language-preference.ts";
import { compileScope, type Scope } from "../scope/scope.ts";
import { compileUrlPattern } from "../scope/url-pattern.ts";
import { hostOf, originOf } from "../url/host-key.ts";
import { type PrivateAccess, privateHostsOf } from "../url/private-access.ts";
import type { MissingAnswer } from "./features/soft-404/missing-answer.ts";
import type { TopicCourse } from "./features/topic/topic-course.ts";
import { type HostRights, namedHostsOf, rightsOf } from "./lane/host-rights.ts";

/** A crawl with what is compiled from its options once: its scope, its preferences, its product token. */
export interface CrawlContext {
  crawl: Crawl;
  scope: Scope;
  /** Null for a crawl without a subject. `said`: the language that a page says of its link, and its own. */
  topic: TopicCourse | null;
  /** Whether the crawl prefers it to other pages. */
  isPreferred(url: string, said?: LinkLanguage): boolean;
  /** Whether a link leads to a media file that the crawl describes, by its extension. */
  isMedia(url: string): boolean;
  /** The rules by which fields of a page are read. */
  rulesOf: RulesOf;
  agent: string;
  /** Uses of pages that a site may refuse by a content signal. */
  uses: readonly Use[];
  /** The crawl's own request headers, decrypted; none where nothing is asked for. */
  headers: Secrets;
  /** Whether they may go there. */
  isSeedOrigin(url: string): boolean;
  /**
   * Whether its host is that of a seed or one that the crawl names as one's own: it may be private on one's machine.
   */
  mayBePrivate(url: string): boolean;
  /** What the crawl may do on its host, for the host's gate. */
  rightsOn(url: string): HostRights;
  /** By origin, as far as this isolate has asked. `unclear`: it could not be asked, or its answer said nothing. */
  missing: LRUCache<string, MissingAnswer | "unclear">;
}

const MAX_ORIGINS = 1_000;

type Compiled = Omit<CrawlContext, "crawl" | "topic">;

/**
 * Caches what was compiled for as long as a crawl's hosts stay the same; of its options, only a list of seeds grows.
 */
export class CrawlContexts {
  readonly #compiled = new LRUCache<string, Compiled>({ max: 32 });

  of(
    crawl: Crawl,
    access: PrivateAccess,
    { topic = null, headers = NO_SECRETS }: Partial<Pick<CrawlContext, "topic" | "headers">> = {},
  ): CrawlContext {
    const key = `${access} ${crawl.id} ${crawl.hosts.join(" ")} ${crawl.options.urls.length}`;
    const known = this.#compiled.get(key) ?? compileCrawl(crawl, access);
    this.#compiled.set(key, known);
    return { ...known, crawl, topic, headers };
  }
}

export function compileCrawl({ options, hosts }: Pick<Crawl, "options" | "hosts">, access: PrivateAccess): Compiled {
  const namedHosts = namedHostsOf(options);
  const seedOrigins = new Set(options.urls.map(originOf));
  const described = describedExtensions(options);
  const preferred = options.preferPatterns.map(compileUrlPattern);
  const prefersLanguage = compileLanguagePreference([...options.languages, ...options.preferLanguages]);
  return {
    scope: compileScope({
      ...options,
      hosts,
      privateHosts: privateHostsOf(access, namedHosts),
      allowActions: allowedActionsOf(options),
      belowSeeds: options.belowSeeds ? options.urls : [],
      nonPageExtensions: refusedExtensions(options),
    }),
    isPreferred: (url, said = NOTHING_SAID) => preferred.some((matches) => matches(url)) || prefersLanguage(url, said),
    isMedia: (url) => described.size > 0 && nonPageExtension(url, described) !== null,
    rulesOf: compileFields(options.fields),
    agent: productToken(options.userAgent),
    uses: usesOf(options),
    headers: NO_SECRETS,
    isSeedOrigin: (url) => seedOrigins.has(originOf(url)),
    mayBePrivate: (url) => namedHosts.has(hostOf(url)),
    rightsOn: rightsOf(options),
    missing: new LRUCache({ max: MAX_ORIGINS }),
  };
}
