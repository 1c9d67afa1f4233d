import type { Crawl, CrawlUrl, Discovery } from "../../crawl/crawl.ts";
import type {
  Answered,
  DocumentAnswer,
  FetchResult,
  Outcome,
  PageFetched,
  PageResult,
} from "../../crawl/page/outcome.ts";
import type { TOPIC_EXHAUSTED } from "../../crawl/page/status.ts";
import type { ExplainStep } from "../../crawl/report/explanation.ts";
import type { Secrets } from "../../fetch/answer/answer.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import type { LearnedByHost } from "../../store/learned/learned.ts";
import type { CrawlCommit, Settled } from "../../store/ledger/ledger-commit.ts";
import { hostOf } from "../../url/host-key.ts";
import type { Attempt } from "../attempt.ts";
import type { Lane, Waiting } from "../batch/admit.ts";
import type { Gathering } from "../commit/gathering.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";
import type { BatchHook } from "../hook/ask-hook.ts";
import type { Need } from "../lane/invocations.ts";
import type { Answer } from "../lane/lane-driver.ts";
import type { CommitDeps, FindingDeps, OpeningDeps, SettleDeps } from "../needs.ts";
import type { SecondLook } from "../visits/look-twice.ts";
import type { PageWork, Work } from "../work.ts";

/**
 * A feature of a page: what it wants of pages, what it decides about their URLs, and what it does with their answers.
 * The list of features (list.ts) is all that lane, document, stored page and visit know of them. Each step is optional.
 */
export interface Feature<Wanted extends keyof PageWants = never> extends PageSteps<Wanted> {
  /**
   * Gives further steps, with the state of one lane, or of one document that is read without a lane. Null if the
   * feature has no state for these URLs. It reads what the crawl has learned, with few queries for all URLs together,
   * and what cannot be read is not known: it throws only if a page may be lost by that.
   */
  open?(opening: Opening): Promise<PageSteps<Wanted> | null>;
  /** Decides about a URL before its host's gate is asked. Null if it may go. */
  due?(work: Work, now: number): NotFetched | null;
  /** What it adds to the record of a page; what is null or undefined is left out. */
  facts?(page: PageFetched): Facts;
  /** What it says of a URL, by the rule that decides. Null if it has nothing to say. */
  explain?(asked: ExplainedUrl): Promise<FeatureStep | null> | FeatureStep | null;
  /** Takes URLs out of what was found, before it is known which of them are new (gather.ts). */
  found?(findings: Findings): Promise<void>;
  /** Takes URLs out of the new ones, or gives them another priority. Throws HookFailure. */
  fresh?(fresh: Discovery[], findings: Findings): Promise<Discovery[]>;
  /** What it adds to the transaction that settles the attempts. */
  gather?(findings: Findings): Promise<Partial<CrawlCommit>> | Partial<CrawlCommit>;
  /** The status with which a running crawl ends now, by what the feature has learned of it. Null if it goes on. */
  ends?(context: CrawlContext): EarlyEnd | null;
  /**
   * Takes attempts out of a commit that the ledger refused because of the feature. Null if it was refused for another
   * reason.
   */
  recommit?(error: unknown, attempts: readonly Attempt[], deps: CommitDeps): Promise<Recommit> | null;
  /** Learns from what a transaction has settled. It may be lost: a kill comes between. */
  committed?(commit: Committed): Promise<void>;
  /**
   * Decides on an attempt by what is stored. Throws what cannot be read, which is no answer: the URL comes again.
   * `look`: null without a lane.
   */
  settle?(attempt: Attempt, deps: SettleDeps, look: SecondLook | null): Promise<Attempt>;
}

/** The steps on the way of one URL, in the order in which they are taken. */
export interface PageSteps<Wanted extends keyof PageWants = never> {
  /** Worker invocations that the URL may need beside its own. */
  invocations?(work: Work): Partial<Need>;
  /**
   * Decides about a URL whose turn has come. It decides at once, so that no other URL of the lane comes in between.
   * Whatever is decided, by whichever feature, `end` follows. Null if the URL may go.
   */
  before?(work: Work): Turn | null;
  /** Prepares what the request needs, and may ask the host. Null if the URL may go. */
  ready?(work: PageWork): Promise<NotFetched | null>;
  /** What is wanted of the page: all fields that belong to the feature. An asset is no page (request-of-work.ts). */
  wants?(work: PageWork): Pick<PageWants, Wanted>;
  /** What is secret of a request to the lane's host, for a page or on its behalf. */
  secrets?(work: PageWork): Secrets;
  /** Notes an answer of the lane's host, to the request of a page or to one on its behalf. */
  receive?(work: PageWork, answered: Pick<Answered, "setCookies">): void;
  /**
   * Takes the answer to a page, as the features before have left it, and gives it on, or another one in its place. It
   * may ask the page's host for more. `lane`: that needs a lane, or another one, so the URL is sent again without an
   * attempt.
   */
  after?(work: PageWork, answer: Answer<FetchResult>): Promise<FetchResult | "lane">;
  /**
   * Ends the turn of a URL, and learns from its attempt; null if it has none. It must not throw for want of a lesson.
   */
  end?(work: Work, attempt: Attempt | null): Promise<void> | void;
  /** Stores what was learned, before the pages are committed. Throws if pages may be lost without it. */
  close?(): Promise<void>;
}

export type Facts = { [Name in keyof Outcome]?: Outcome[Name] | null | undefined };

/** A URL that somebody asks about (reading/explain/explain.ts). */
export interface ExplainedUrl {
  crawl: Crawl;
  url: string;
  record: CrawlUrl | null;
  isSeed: boolean;
  /** Whether it is no page: what pages show, and media files. */
  isAsset: boolean;
  deps: Pick<Deps, "ledger" | "records" | "packs" | "samePages" | "endlessHosts">;
}

/**
 * What the crawl has learned of the URL's host. Undefined if `isOff`, and for URLs to which no learned rule applies.
 */
export async function learnedOf<Learned>(
  { crawl, url, isSeed, isAsset }: ExplainedUrl,
  store: LearnedByHost<Learned>,
  isOff: boolean,
): Promise<Learned | undefined> {
  return isOff || isSeed || isAsset ? undefined : (await store.find(crawl.id, hostOf(url)))?.learned;
}

/** `refuses`: whether a step that is not `ok` keeps the crawl from fetching the URL. */
export interface FeatureStep {
  step: ExplainStep;
  refuses: boolean;
}

/** What the attempts of one crawl bring. Whatever is taken out of it is counted, or held back (gathering.ts). */
export interface Findings {
  attempts: readonly Attempt[];
  /** Those of rows that were queued. */
  queued: readonly Attempt[];
  gathering: Gathering;
  /** The hook of the batch; null if there is none. */
  hook: BatchHook | null;
  deps: FindingDeps;
}

export type EarlyEnd = typeof TOPIC_EXHAUSTED;

/** `afterwards`: to be called when they are committed, without those that were taken out. */
export interface Recommit {
  attempts: Attempt[];
  afterwards(): Promise<void>;
}

export interface Committed {
  context: CrawlContext;
  attempts: readonly Attempt[];
  /** What the transaction added, if the crawl was open. */
  discoveries: readonly Discovery[];
  settled: readonly Settled[];
}

/** Where features are opened. */
export interface Opening {
  /** The URLs that are fetched, or the one whose document is read. */
  works: readonly Work[];
  /** The host of the lane. */
  host: string;
  /** The document that is read without a lane; null in a lane. */
  document: DocumentAnswer | null;
  ask: Ask;
  /** Has a browser visit the host, as one request of the lane. Null if there is no time for it, or without a lane. */
  visit<T>(run: (lane: Lane, leaseMs: number) => Promise<T>): Promise<T | null>;
  /** Waits for another URL of the lane. */
  wait<T>(event: Promise<T>): Promise<T>;
  deps: OpeningDeps;
}

/**
 * Requests a page of the host that has no row, at the pace of the lane. `work`: the page on whose behalf. Null if there
 * is no time for it, and always without a lane.
 */
export type Ask = (url: string, work: PageWork, wants: PageWants) => Promise<Answer<PageResult> | null>;

/** What becomes of a URL that is not fetched now. */
export type NotFetched =
  | { kind: "decided"; attempt: Attempt }
  /** It is sent again, without an attempt; `waiting`: null if its turn may come at once. */
  | { kind: "later"; waiting: Omit<Waiting, "work"> | null };

/** `behind`: the URL's turn comes after the others of the lane. */
export type Turn = NotFetched | { kind: "behind" };

/** Whether a page may be compared with others of its host, and drawn. A document that no lane holds is no web page. */
export function mayBeWebPage({ document }: Opening): boolean {
  return document === null || document.large !== undefined;
}
