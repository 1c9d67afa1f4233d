import type { Use } from "../robots/content-signal.ts";
import { OPTIONS, type Options, storedDefaults, type Values } from "./options/option-table.ts";
import { readActions } from "./page/page-actions.ts";
import type { Watch } from "./watch/watch.ts";

/** The options of a crawl, complete with defaults, as the ledger stores them. */

type Requested = Values<Options>;

/** Unlike in a request, there is no object `options`: its members stand beside the others. The table describes each. */
export interface CrawlOptions extends Omit<Requested, "url" | "options" | "watch">, Scope {
  /** The crawl stays and visits its pages again; null is a crawl that ends. */
  watch: Watch | null;
}
type Scope = Requested["options"];

export type Politeness = CrawlOptions["politeness"];
export type RenderMode = CrawlOptions["render"];
export type Store = CrawlOptions["store"];
export const STORES = OPTIONS.store.choices;
export type TrapLimits = CrawlOptions["traps"];

/** Limits that can change until the crawl ends. */
export type AmendedLimits = Partial<
  Pick<
    CrawlOptions,
    "name" | "limit" | "maxCostUsd" | "maxBytes" | "maxDurationS" | "modelCalls" | "modelCostUsd" | "watch"
  >
>;

/** Options that may hold a password. They are never shown or logged. */
const SECRETS = ["headers", "webhook"] as const satisfies (keyof CrawlOptions)[];

type PublicOptions = Omit<CrawlOptions, (typeof SECRETS)[number]>;

export function withoutSecrets(options: CrawlOptions): PublicOptions {
  const shown: Partial<CrawlOptions> = { ...options };
  for (const name of SECRETS) delete shown[name];
  return shown as PublicOptions;
}

/** Whether the crawl follows a subject. */
export function hasTopic({ topic, like, likeTexts }: Pick<CrawlOptions, "topic" | "like" | "likeTexts">): boolean {
  return topic !== "" || like.length > 0 || likeTexts.length > 0;
}

/** The uses that a site may refuse. */
export function usesOf({ crawlPurposes, contentUse }: CrawlOptions): Use[] {
  return [...crawlPurposes, `use=${contentUse}`];
}

/** Whether only its owner may see the crawl: it was somebody who read its pages, and has not shared them. */
export function isPrivate({ session, shared }: Pick<CrawlOptions, "session" | "shared">): boolean {
  return session !== "" && !shared;
}

/** The patterns of actions that a crawl with a session may do; null without one. */
export function allowedActionsOf({
  session,
  allowActions,
}: Pick<CrawlOptions, "session" | "allowActions">): readonly string[] | null {
  return session === "" ? null : allowActions;
}

/** Whether the answers become records of WARC files. A dry run keeps nothing. */
export function keepsArchive({ store, dryRun }: Pick<CrawlOptions, "store" | "dryRun">): boolean {
  return store === "warc" && !dryRun;
}

/** Whether the crawl does not follow all links, however deep. */
export function hasDepthLimit({ depth }: Pick<CrawlOptions, "depth">): boolean {
  return depth < DEFAULT_OPTIONS.depth;
}

/** Parses stored options. Options that an earlier version did not know get their defaults. Throws on invalid JSON. */
export function readOptions(json: string): CrawlOptions {
  const stored = JSON.parse(json) as CrawlOptions;
  const politeness = { ...DEFAULT_POLITENESS, ...stored.politeness };
  const renderOptions = readActions(stored.renderOptions);
  const traps = { ...DEFAULT_TRAPS, ...stored.traps };
  const watch = stored.watch ? { ...NEWER_OF_WATCH, ...stored.watch } : null;
  return { ...DEFAULT_OPTIONS, ...stored, politeness, renderOptions, traps, watch };
}

/** What an earlier version's watches lack. */
const NEWER_OF_WATCH: Pick<Watch, "tell"> = { tell: OPTIONS["watch.tell"].default };

const { url: _url, urls: _urls, userAgent: _userAgent, options: scope, ...others } = storedDefaults();

/** All options except the seeds and the user agent of the installation. */
export const DEFAULT_OPTIONS: Omit<CrawlOptions, "urls" | "userAgent"> = { ...others, ...scope, watch: null };
export const DEFAULT_POLITENESS: Politeness = DEFAULT_OPTIONS.politeness;
export const DEFAULT_TRAPS: TrapLimits = DEFAULT_OPTIONS.traps;
