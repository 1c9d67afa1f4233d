import { DurableObject } from "cloudflare:workers";
import type { Reason } from "../crawl/reason.ts";
import { crawlDelayOf, decideRobots } from "../robots/match.ts";
import {
  admitLane,
  bookSlots,
  FRESH_HOST,
  type HostState,
  LANE_BUDGET_MS,
  type LaneGrant,
  type LaneReport,
  recordAnswer,
  settleLane,
} from "./host-state.ts";
import { type Pace, restMs } from "./pace.ts";
import { fetchRobots, isFresh, type RobotsFile } from "./robots-file.ts";

/**
 * The host gate: one Durable Object per host name. It holds that host's robots.txt, its pace, its back-off, and the one lane that may
 * fetch from it now; all crawls share it. A thin shell over `robots/`, `pace.ts` and `host-state.ts`.
 */

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
    /** Whether it may be fetched is all that is asked; it will not be, so it takes no place in a lane. */
    robotsOnly?: boolean;
    /** Which sitemaps its origin's robots.txt names is asked too. */
    sitemaps?: boolean;
  }[];
  policy: LanePolicy;
}

export type Verdict =
  | { kind: "go" }
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
  policy: LanePolicy;
}

/** What the gate would say of a URL now, and why; times are milliseconds since the Unix epoch. */
export interface Inspection {
  robots: {
    /** `later`: it has to be read first, and the host rests until `retryAt`. `own`: it is not asked for. */
    state: RobotsFile["state"] | "later" | "own";
    /** Null while robots.txt has not said. */
    allowed: boolean | null;
    /** The line that decided, such as "Disallow: /private"; null where none matched. */
    rule: string | null;
    /** The group that applied: the token, `*`, or null. */
    agent: string | null;
    /** Why there is no file to go by. */
    detail: string | null;
    fetchedAt: number | null;
    /** The first of its silences in a row. */
    silentSince: number | null;
    /** It is asked again then. */
    retryAt: number | null;
  };
  crawlDelayMs: number | null;
  /** No request starts before this; what a lane has planned is counted in. */
  nextAt: number;
  /** Failures of the host in a row. */
  failures: number;
  /** Whether a lane is out. */
  busy: boolean;
  /** The rest that a fetch as long as the last one would be followed by. */
  restMs: number;
}

export class HostGate extends DurableObject<Env> {
  #state: HostState | undefined;
  readonly #robots = new Map<string, RobotsFile>();
  #turn: Promise<unknown> = Promise.resolve();

  /** Asks for the group of URLs that a batch holds for this host. One call at a time: a robots.txt may have to be fetched first. */
  async admit(request: AdmitRequest): Promise<Admission> {
    return this.#inTurn(() => this.#admit(request));
  }

  /** What would be said of a URL, without a lane. It takes its turn too: robots.txt is asked for as `admit` asks for it. */
  async inspect(request: InspectRequest): Promise<Inspection> {
    return this.#inTurn(() => this.#inspect(request));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #inspect({ origin, url, agent, policy }: InspectRequest): Promise<Inspection> {
    const state = this.#load();
    const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy, state);
    this.#save(state);
    const crawlDelayS = file.state === "read" ? crawlDelayOf(file.robots, agent) : null;
    const crawlDelayMs = crawlDelayS === null ? null : crawlDelayS * 1000;
    const lane = state.lane?.boot === this.#boot && state.lane.expiresAt > Date.now() ? state.lane : null;
    return {
      robots: inspectRobots(file, agent, url),
      crawlDelayMs,
      nextAt: Math.max(state.nextAt, lane?.endsAt ?? 0),
      failures: state.failures,
      busy: lane !== null,
      restMs: restMs(state.lastDurationMs, { ...policy, crawlDelayMs }),
    };
  }

  async #admit({ urls, policy }: AdmitRequest): Promise<Admission> {
    const state = this.#load();
    const verdicts: (Verdict | null)[] = [];
    let crawlDelayS: number | null = null;
    const sitemaps: Admission["sitemaps"] = {};
    for (const { url, origin, agent, ...wants } of urls) {
      const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy, state);
      const verdict = judge(file, agent, url, Date.now());
      verdicts.push(verdict === null && wants.robotsOnly ? { kind: "allowed" } : verdict);
      if (wants.sitemaps && file.state === "read") sitemaps[origin] = file.robots.sitemaps;
      if (verdict === null && file.state === "read") {
        crawlDelayS = maxOf(crawlDelayS, crawlDelayOf(file.robots, agent));
      }
    }
    const pace = { ...policy, crawlDelayMs: crawlDelayS === null ? null : crawlDelayS * 1000 };
    const open = urls.filter((_, i) => verdicts[i] === null);
    const { slots, grant } = admitLane(
      state,
      {
        keys: open.map(({ crawl, url }) => `${crawl} ${url}`),
        pace,
        concurrency: policy.concurrency,
        timeoutMs: policy.timeoutMs,
        token: crypto.randomUUID(),
        boot: this.#boot,
      },
      Date.now(),
    );
    this.#save(state);
    let at = 0;
    return {
      verdicts: verdicts.map((verdict) => {
        if (verdict !== null) return verdict;
        const slot = slots[at++];
        if (slot?.kind === "go") return slot;
        if (slot?.kind === "poison") return { kind: "denied", reason: "poison", detail: "it ended its worker twice" };
        return { kind: "wait", delayMs: slot?.delayMs ?? 0, why: null };
      }),
      lane: grant === null ? null : { ...grant, pace, concurrency: policy.concurrency },
      sitemaps,
    };
  }

  /** Reports a lane, frees the host, and quotes for each entry of `sending` a delay in milliseconds per URL. */
  async settle(request: SettleRequest): Promise<number[][]> {
    const state = this.#load();
    const now = Date.now();
    settleLane(state, request, now);
    const pace = { ...request.policy, crawlDelayMs: request.crawlDelayMs };
    const delays = request.sending.map((booking) =>
      bookSlots(state, booking, { pace, concurrency: request.policy.concurrency }, now),
    );
    this.#save(state);
    return delays;
  }

  /**
   * The origin's robots.txt as last read; asked for first where it is missing, old, or was silent and is due again. That request
   * counts like any other of this host: it waits while a lane is out, keeps the pace, and its duration is the host's.
   */
  async #robotsOf(origin: string, agent: string, policy: LanePolicy, state: HostState): Promise<RobotsFile | Later> {
    const key = `robots:${origin}`;
    const kept = this.#robots.get(origin) ?? this.ctx.storage.kv.get<RobotsFile>(key);
    const now = Date.now();
    if (kept !== undefined && isFresh(kept, now)) {
      this.#robots.set(origin, kept);
      return kept;
    }
    const laneEndsAt = state.lane?.boot === this.#boot ? state.lane.expiresAt : 0;
    const busyUntil = Math.max(state.nextAt, Math.min(laneEndsAt, now + LANE_BUDGET_MS));
    if (busyUntil > now) return { state: "later", retryAt: busyUntil };
    const rest = restMs(0, { ...policy, crawlDelayMs: null });
    const request = { ...policy, restMs: rest, answeredBefore: state.answered };
    const { file, durationMs, answered } = await fetchRobots(origin, request, kept, this.env);
    this.#robots.set(origin, file);
    this.ctx.storage.kv.put(key, file);
    recordAnswer(state, { lastDurationMs: durationMs, answered, failure: null }, now);
    const crawlDelayS = file.state === "read" ? crawlDelayOf(file.robots, agent) : null;
    const pace = { ...policy, crawlDelayMs: crawlDelayS === null ? null : crawlDelayS * 1000 };
    state.nextAt = Math.max(state.nextAt, Date.now() + restMs(durationMs, pace));
    return file;
  }

  /** The operator's own host: the only ones whose robots.txt is not read. */
  #isOwn(origin: string): boolean {
    return (this.env.OWN_HOSTS ?? "").toLowerCase().split(/\s+/).includes(new URL(origin).hostname);
  }

  get #boot(): string {
    return this.env.BOOT ?? "";
  }

  #load(): HostState {
    this.#state ??= this.ctx.storage.kv.get<HostState>("host") ?? structuredClone(FRESH_HOST);
    return this.#state;
  }

  #save(state: HostState): void {
    this.ctx.storage.kv.put("host", state);
  }
}

const OWN: RobotsFile = { state: "allow-all", fetchedAt: 0 };

/** robots.txt comes first, and cannot be asked for before `retryAt`. */
interface Later {
  state: "later";
  retryAt: number;
}

/** What robots.txt says of a URL, or null when it may be fetched. */
function judge(file: RobotsFile | Later, agent: string, url: string, now: number): Verdict | null {
  switch (file.state) {
    case "allow-all":
      return null;
    case "later":
      return {
        kind: "wait",
        delayMs: Math.max(1_000, file.retryAt - now),
        why: null,
      };
    case "silent":
      return { kind: "wait", delayMs: Math.max(1_000, file.retryAt - now), why: file.detail };
    case "given-up":
      return { kind: "denied", reason: "robots-unreachable", detail: file.detail };
    case "unreachable":
      return file.final
        ? { kind: "denied", reason: file.reason, detail: file.detail }
        : { kind: "failed", reason: file.reason, detail: file.detail, delayMs: Math.max(1_000, file.retryAt - now) };
    case "read": {
      const decision = decideRobots(file.robots, agent, url);
      if (decision.allowed) return null;
      return { kind: "denied", reason: "robots", detail: `robots.txt: ${decision.rule} (for ${decision.agent})` };
    }
  }
}

function inspectRobots(file: RobotsFile | Later, agent: string, url: string): Inspection["robots"] {
  const none = { rule: null, agent: null, detail: null, fetchedAt: null, silentSince: null, retryAt: null };
  const { state } = file;
  if (state === "read") return { ...none, state, ...decideRobots(file.robots, agent, url), fetchedAt: file.fetchedAt };
  if (file === OWN) return { ...none, state: "own", allowed: true };
  if (state === "allow-all") return { ...none, state, allowed: true, fetchedAt: file.fetchedAt };
  if (state === "later") return { ...none, state, allowed: null, retryAt: file.retryAt };
  const allowed = state === "given-up" || (state === "unreachable" && file.final) ? false : null;
  return { ...none, state, allowed, detail: file.detail, silentSince: file.firstAt, retryAt: file.retryAt };
}

function maxOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
