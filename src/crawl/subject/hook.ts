import type { FieldValue } from "../../media/html/fields/field-rule.ts";

/**
 * The entrypoint of a hook: a Worker of one's own that is bound as `HOOK` and decides about URLs and pages. It is
 * called with a list, once for each batch and point, and answers with a list of the same length: null or `{}` changes
 * nothing. Many URLs come in several calls. Each method may be missing. A call has 5 seconds (`HOOK_LIMIT_MS`), and may
 * be repeated for the same items. It is not asked about assets, nor about the visits of a watch that find nothing new.
 */
export interface CrawlHook {
  /** New URLs of pages that passed scope, before they are queued. Not asked about seeds. */
  urlsFound?(urls: readonly FoundUrl[]): HookAnswers<OnFound>;
  /** Pages before they are fetched, seeds included. Their hosts may make them wait afterwards. */
  pagesDue?(pages: readonly DuePage[]): HookAnswers<OnDue>;
  /**
   * Pages before they are stored: those that were read for the first time, and those that a watch found changed.
   */
  pagesRead?(pages: readonly ReadPage[]): HookAnswers<OnRead>;
}

export type HookPoint = keyof CrawlHook;

type Answers<Verdict> = readonly (Verdict | null | undefined)[];
export type HookAnswers<Verdict> = Answers<Verdict> | Promise<Answers<Verdict>>;

export interface FoundUrl {
  /** The id of the crawl. */
  crawl: string;
  /** Canonical. */
  url: string;
  /** The page, sitemap or redirect that led to it; null for one that was submitted. */
  via: string | null;
  /** Links from a seed. */
  depth: number;
  /** From −999 to 999; the highest goes first. */
  priority: number;
}

export interface DuePage extends Omit<FoundUrl, "priority"> {
  /** Earlier attempts. */
  attempts: number;
}

export interface ReadPage extends Omit<FoundUrl, "priority"> {
  httpStatus: number | null;
  /** The Content-Type of the answer. */
  contentType: string | null;
  title: string | null;
  /** A BCP 47 tag, as the page writes it. */
  language: string | null;
  /** The main content, at most `MAX_HOOK_TEXT` characters. */
  text: string;
  /** Canonical URLs of the links that may be followed. */
  links: readonly string[];
}

export interface OnFound {
  /** Refuse the URL: why, for people. It is counted as refused by the hook, and is not crawled. */
  refuse?: string;
  /** A whole number from 0 to 999; 0 is an ordinary page, 900 a preferred one. */
  priority?: number;
}

export interface OnDue {
  /** Do not fetch the page: why, for people. It ends `skipped`, reason `hook`. */
  drop?: string;
}

export interface OnRead {
  /**
   * Do not store the page: why, for people. It ends `skipped`, reason `hook`; its links are followed. For a page that
   * a watch found changed, the version before stays, and nothing is told.
   */
  drop?: string;
  /** Fields to add to its record; they replace fields of the same name that rules read. */
  fields?: Record<string, FieldValue | null>;
  /**
   * URLs to follow beside the page's own links, relative to it or absolute. Scope and gates decide on them as usual.
   */
  links?: string[];
}

/** Real time for one call, in milliseconds. */
export const HOOK_LIMIT_MS = 5_000;
/** Characters of a page's text that a hook gets. */
export const MAX_HOOK_TEXT = 50_000;
