import type { Reason } from "../crawl/page/reason.ts";
import type { Use } from "../robots/content-signal.ts";
import type { Robots } from "../robots/parse.ts";
import type { OwnHostEvidence } from "../url/own-host.ts";
import type { CrawlLine } from "./crawl-turns.ts";
import type { LaneGrant, LaneReport } from "./host-state.ts";
import type { Pace } from "./pace.ts";
import type { RobotsExchange, RobotsFile } from "./robots-state.ts";

/**
 * The calls of a host gate, with their requests and answers. Times are milliseconds since the Unix epoch.
 *
 * After a deployment a gate may run the older code for some minutes, and answer callers of the newer one, or the other
 * way round. So a field that was added later is optional, in a request and in an answer, and says what its absence
 * means. No field is removed.
 */

export interface Gate {
  /**
   * Decides on the URLs of this host in a batch. It may start to read a robots.txt, and waits half a second for it, in
   * real time. The gate then goes on reading.
   */
  admit(request: AdmitRequest): Promise<Admission>;
  /**
   * Reports what a lane did and frees the host. Answers with a delay in milliseconds per URL for each entry of
   * `sending`.
   */
  settle(request: SettleRequest): Promise<number[][]>;
  /** Says what `admit` would decide on a URL, and grants no lane. It waits until robots.txt has been read. */
  inspect(request: InspectRequest): Promise<Inspection>;
  /** Says what is known now. It sends no request and never waits, not even for a slow robots.txt. */
  status(request: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }>;
  /** Gives an origin's robots.txt as last read, and its decision on a URL. It sends no request and never waits. */
  recall(request: RecallRequest): Promise<Recollection>;
  /**
   * Lends a lane of one request to another gate, whose robots.txt redirects here; `settle` gives it back. It does not
   * wait for other calls: two gates whose files redirect to one another would wait for ever. When the lane returns, a
   * refused gate goes first.
   */
  lend(request: LendRequest): Promise<{ lent: Lent } | { retryAt: number }>;
}

export interface LanePolicy {
  minDelayMs: number;
  maxDelayMs: number;
  delayFactor: number;
  /** Connections at the same time. */
  concurrency: number;
  timeoutMs: number;
  userAgent: string;
  /** The From header of a request for robots.txt. A caller of an older version sends none. */
  from?: string;
  /** The bandwidth limit, see `Pace`. A caller of an older version has none. */
  maxBytesPerSecond?: number;
  /**
   * Whether a lane may have as many URLs as a message, where no other crawl waits for the host. A caller of an older
   * version does not say, and gets lanes of five seconds.
   */
  longLanes?: boolean;
  /** Whether a crawl asks with a session: as somebody, whose account must not suffer for it. */
  hasSession?: boolean;
}

export interface AdmitRequest {
  urls: {
    crawl: string;
    /** The crawl's epoch. Without it, the slots of an older epoch are kept until their time has passed. */
    epoch?: number;
    url: string;
    origin: string;
    agent: string;
    /** The purposes that a content signal may refuse. */
    uses: readonly Use[];
    /** Asks for the decision of robots.txt only. The URL is not fetched, so it needs no place in a lane. */
    robotsOnly?: boolean;
    /** Asks for the sitemaps in the origin's robots.txt too. */
    sitemaps?: boolean;
    /** `URL.host` values that may be private, for its robots.txt and the redirects of that. Absent for none. */
    privateHosts?: readonly string[];
    /** The crawl's `ownHosts` name its host. */
    isNamedOwn?: true;
    /** Whether robots.txt is not read if the host is the operator's own. */
    ignoreRobots?: true;
    /** The countries of the crawl, by their codes. Absent if the host may be in any. */
    countries?: readonly string[];
    /**
     * The crawl has had no answer yet, so it has nothing to lose: a host that is down is given up at once, as one that
     * has never answered is. A caller of an older version does not say.
     */
    isNew?: boolean;
  }[];
  policy: LanePolicy;
  /** As of `LaneRequest`. */
  laneMs?: number;
}

export type Verdict =
  /** `lost`: an earlier lane with this URL was lost, so it may have been fetched already. */
  | { kind: "go"; lost: boolean }
  /** The answer to `robotsOnly`: robots.txt allows it. */
  | { kind: "allowed" }
  /**
   * Not yet. `why` is for people; null when only the host's pace is the reason. Where other crawls have a turn first,
   * only the first waiting URL of each crawl names them.
   */
  | { kind: "wait"; delayMs: number; why: string | null }
  /** Final. */
  | { kind: "denied"; reason: Reason; detail: string }
  /** The answer of an older version when the host did not give its robots.txt. It counts as a failed try. */
  | { kind: "failed"; reason: Reason; detail: string; delayMs: number };

export interface Admission {
  /** One per URL, in the order of the request. */
  verdicts: Verdict[];
  /** `pace` and `concurrency`: what the host allows of the policy. */
  lane: (LaneGrant & { pace: Pace; concurrency: number } & VisitPace) | null;
  /** By origin, as written in its robots.txt; only origins that were asked for and whose file was read. */
  sitemaps: Record<string, readonly string[]>;
  /** Rows that the answer cost, without those of robots.txt files. An older gate does not say, and wrote one. */
  rowsWritten?: number;
}

interface VisitPace {
  /**
   * The least time between the starts of two requests that are one visit, as those of a drawn page. A gate of an older
   * version does not say.
   */
  leastDelayMs?: number;
}

export interface SettleRequest extends LaneReport {
  /** The URLs of this host that are about to be sent, by crawl. */
  sending: { crawl: string; epoch: number; count: number }[];
  policy: LanePolicy;
  crawlDelayMs: number | null;
}

export interface InspectRequest {
  /** The crawl that asks, for `before` and `line`. */
  crawl?: string;
  origin: string;
  url: string;
  agent: string;
  uses: readonly Use[];
  /** As in `AdmitRequest`. */
  privateHosts?: readonly string[];
  /** As in `AdmitRequest`. If they refuse the host, its robots.txt is not read. */
  countries?: readonly string[];
  /** As in `AdmitRequest`. */
  isNamedOwn?: true;
  ignoreRobots?: true;
  policy: LanePolicy;
}

/** A request from one gate to another. */
export interface LendRequest {
  /** The origin of the URL to which a robots.txt redirects. */
  origin: string;
  agent: string;
  policy: LanePolicy;
}

export interface Lent {
  token: string;
  /** The earliest start of the request. */
  startAt: number;
  /** The Crawl-delay in the host's own robots.txt; null when it has none, or is not known. */
  crawlDelayMs: number | null;
  /** How the host rests after the request. A gate of an older version does not say. */
  pace?: Pace;
}

export interface StatusRequest {
  /** The crawl that asks, for `before`. */
  crawl?: string;
  /** The origins whose robots.txt is described. */
  origins: string[];
  agent: string;
  /** As in `AdmitRequest`. */
  isNamedOwn?: true;
  ignoreRobots?: true;
  policy: LanePolicy;
}

export interface RecallRequest {
  origin: string;
  /** The URL to decide on; null asks for the file alone. */
  url: string | null;
  agent: string;
  uses: readonly Use[];
  /** As in `AdmitRequest`. */
  isNamedOwn?: true;
  ignoreRobots?: true;
  /** Asks for the answers as they came, too. */
  withExchanges?: boolean;
}

/** A robots.txt as the gate has stored it. */
export interface Recollection {
  status: RobotsStatus;
  /** Null when no file was read. */
  robots: Robots | null;
  /** The decision on the URL; null when none was given. */
  decision: RobotsAnswer | null;
  /** The answers to the last request that had any; absent where an older version read the file. */
  exchanges?: RobotsExchange[];
}

/** A stored robots.txt with the request, for callers that show it. */
export interface RecalledRobots extends Recollection {
  origin: string;
  agent: string;
  /** Canonical; null when none was given. */
  url: string | null;
}

/** The decision of robots.txt on a URL. */
export interface RobotsAnswer {
  /** Null until robots.txt has been read. */
  allowed: boolean | null;
  /** The line that decided, such as "Disallow: /private"; null when no line matched. */
  rule: string | null;
  /** The product token of the group that applied, `*`, or null. */
  agent: string | null;
}

/** The state of a robots.txt. Times are milliseconds since the Unix epoch. */
export interface RobotsStatus {
  /**
   * `later`: the host rests until `retryAt`, then the file is read. `own`: the file is not read. `unread`: nobody has
   * needed it yet.
   */
  state: RobotsFile["state"] | "later" | "own" | "unread";
  /** Why the file could not be read. */
  detail: string | null;
  fetchedAt: number | null;
  /** The first failure in a row. */
  silentSince: number | null;
  /** When it is requested again. */
  retryAt: number | null;
}

/** The state of a host. Times are milliseconds since the Unix epoch. */
export interface HostStatus {
  crawlDelayMs: number | null;
  /** The earliest start of the next request, after those that a lane has planned. */
  nextAt: number;
  /** Failures of the host in a row. */
  failures: number;
  /** When the first of them happened, and the reason of the last. */
  failingSince: number | null;
  failureWhy: string | null;
  /** Whether a lane holds the host. */
  busy: boolean;
  /** The rest after a fetch as long as the last one. */
  restMs: number;
  /** Whose host it is, and the connections that it gets. An older gate does not say. */
  ownership?: Ownership;
  concurrency?: number;
  /** The ids of the crawls that have a turn before the one that asks, in order. An older gate does not say. */
  before?: string[];
  /** The URLs of the crawl that asks. An older gate does not say. */
  line?: CrawlLine;
}

/** Whether a host is the operator's own. */
export interface Ownership {
  /** Null if nothing shows it. */
  evidence: OwnHostEvidence | null;
  /** Why the last proofs failed, for people; empty if none was asked for. */
  failed: readonly string[];
}

/** The decision that the gate would make about a URL now, with its reasons. */
export interface Inspection extends HostStatus {
  robots: RobotsStatus & RobotsAnswer;
  /** Absent if the request names no countries, and in an answer of an older version. */
  country?: CountryAnswer;
}

/** The decision on the country of a host. */
export interface CountryAnswer {
  /** Null while the resolver does not answer. */
  allowed: boolean | null;
  /** How the country is known, or why it is not, for people. */
  detail: string;
}
