import type { Reason } from "../crawl/reason.ts";
import type { Use } from "../robots/content-signal.ts";
import type { Robots } from "../robots/parse.ts";
import type { LaneGrant, LaneReport } from "./host-state.ts";
import type { Pace } from "./pace.ts";
import type { RobotsFile } from "./robots-state.ts";

/** What a host gate is asked, and what it answers. Times are milliseconds since the Unix epoch. */

export interface Gate {
  /** Asks for the group of URLs that a batch holds for this host. One call at a time: a robots.txt may have to be fetched first. */
  admit(request: AdmitRequest): Promise<Admission>;
  /** Reports a lane, frees the host, and quotes for each entry of `sending` a delay in milliseconds per URL. */
  settle(request: SettleRequest): Promise<number[][]>;
  /** What would be said of a URL, without a lane. It takes its turn too: robots.txt is asked for as `admit` asks for it. */
  inspect(request: InspectRequest): Promise<Inspection>;
  /** What is known now. It asks nobody and waits for nothing: a robots.txt that is slow to come is no reason not to know. */
  status(request: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }>;
  /** The robots.txt of an origin as it was last read, and what it says of a URL. It asks nobody and waits for nothing. */
  recall(request: RecallRequest): Promise<Recollection>;
  /**
   * A lane of one request for another gate, whose robots.txt leads here; `settle` gives it back. It takes no turn: two gates whose files
   * lead to one another would wait for ever. Who was refused comes first when the lane that is out is back.
   */
  lend(request: LendRequest): Promise<{ lent: Lent } | { retryAt: number }>;
}

export interface LanePolicy {
  minDelayMs: number;
  maxDelayMs: number;
  delayFactor: number;
  /** Connections at once. */
  concurrency: number;
  timeoutMs: number;
  userAgent: string;
}

export interface AdmitRequest {
  urls: {
    crawl: string;
    url: string;
    origin: string;
    agent: string;
    /** What it is to be used for. */
    uses: readonly Use[];
    /** Whether it may be fetched is all that is asked; it will not be, so it takes no place in a lane. */
    robotsOnly?: boolean;
    /** Which sitemaps its origin's robots.txt names is asked too. */
    sitemaps?: boolean;
  }[];
  policy: LanePolicy;
}

export type Verdict =
  /** `lost`: a lane that held it before was lost, so it may have been fetched already. */
  | { kind: "go"; lost: boolean }
  /** What `robotsOnly` asks: robots.txt lets it be fetched. */
  | { kind: "allowed" }
  /** Not now; `why` is for people, and null where it is the host's pace alone. */
  | { kind: "wait"; delayMs: number; why: string | null }
  /** Final. */
  | { kind: "denied"; reason: Reason; detail: string }
  /** The host could not be asked for its robots.txt: a failed try of this URL. */
  | { kind: "failed"; reason: Reason; detail: string; delayMs: number };

export interface Admission {
  /** One per URL of the request, in its order. */
  verdicts: Verdict[];
  lane: (LaneGrant & { pace: Pace; concurrency: number }) | null;
  /** By origin, as written in its robots.txt, where that was asked for and has been read. */
  sitemaps: Record<string, readonly string[]>;
}

export interface SettleRequest extends LaneReport {
  /** URLs of this host about to be sent, by crawl. */
  sending: { crawl: string; epoch: number; count: number }[];
  policy: LanePolicy;
  crawlDelayMs: number | null;
}

export interface InspectRequest {
  origin: string;
  url: string;
  agent: string;
  uses: readonly Use[];
  policy: LanePolicy;
}

/** One gate asks another. */
export interface LendRequest {
  /** Of the URL to which a robots.txt leads. */
  origin: string;
  agent: string;
  policy: LanePolicy;
}

export interface Lent {
  token: string;
  /** The request may start then. */
  startAt: number;
  /** What the host's own robots.txt asks for, where it is known. */
  crawlDelayMs: number | null;
}

export interface StatusRequest {
  /** Those whose robots.txt is of interest. */
  origins: string[];
  agent: string;
  policy: LanePolicy;
}

export interface RecallRequest {
  origin: string;
  /** What is asked about; null asks for the file alone. */
  url: string | null;
  agent: string;
  uses: readonly Use[];
}

/** What is kept of a robots.txt. */
export interface Recollection {
  status: RobotsStatus;
  /** Null where there is no file to go by. */
  robots: Robots | null;
  /** Of the URL; null where none was asked about. */
  decision: RobotsAnswer | null;
}

/** The same with what was asked, for those who show it. */
export interface RecalledRobots extends Recollection {
  origin: string;
  agent: string;
  /** Canonical; null where none was asked about. */
  url: string | null;
}

/** What robots.txt says of a URL. */
export interface RobotsAnswer {
  /** Null while robots.txt has not said. */
  allowed: boolean | null;
  /** The line that decided, such as "Disallow: /private"; null where none matched. */
  rule: string | null;
  /** The group that applied: the token, `*`, or null. */
  agent: string | null;
}

/** How a robots.txt stands; times are milliseconds since the Unix epoch. */
export interface RobotsStatus {
  /**
   * `later`: it has to be read first, and the host rests until `retryAt`. `own`: it is not asked for. `unread`: nobody has asked for it
   * so far.
   */
  state: RobotsFile["state"] | "later" | "own" | "unread";
  /** Why there is no file to go by. */
  detail: string | null;
  fetchedAt: number | null;
  /** The first of its silences in a row. */
  silentSince: number | null;
  /** It is asked again then. */
  retryAt: number | null;
}

/** How a host stands with us; times are milliseconds since the Unix epoch. */
export interface HostStatus {
  crawlDelayMs: number | null;
  /** No request starts before this; what a lane has planned is counted in. */
  nextAt: number;
  /** Failures of the host in a row. */
  failures: number;
  /** The first of them, and what the last one was. */
  failingSince: number | null;
  failureWhy: string | null;
  /** Whether a lane is out. */
  busy: boolean;
  /** The rest that a fetch as long as the last one would be followed by. */
  restMs: number;
}

/** What the gate would say of a URL now, and why. */
export interface Inspection extends HostStatus {
  robots: RobotsStatus & RobotsAnswer;
}
