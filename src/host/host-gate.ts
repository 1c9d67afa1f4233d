import { DurableObject } from "cloudflare:workers";
import { crawlDelayOf, decideRobots } from "../robots/match.ts";
import type {
  Admission,
  AdmitRequest,
  HostStatus,
  Inspection,
  InspectRequest,
  LanePolicy,
  RobotsStatus,
  SettleRequest,
  StatusRequest,
  Verdict,
} from "./gate-protocol.ts";
import {
  admitLane,
  bookSlots,
  FRESH_HOST,
  type HostState,
  LANE_BUDGET_MS,
  recordAnswer,
  settleLane,
} from "./host-state.ts";
import { restMs } from "./pace.ts";
import { fetchRobots, isFresh, type RobotsFile } from "./robots-file.ts";

/**
 * The host gate: one Durable Object per host name. It holds that host's robots.txt, its pace, its back-off, and the one lane that may
 * fetch from it now; all crawls share it. A thin shell over `robots/`, `pace.ts` and `host-state.ts`.
 */

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

  /** What is known now. It asks nobody and waits for nothing: a robots.txt that is slow to come is no reason not to know. */
  async status({ origins, agent, policy }: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }> {
    const files = origins.map((origin) => (this.#isOwn(origin) ? OWN : this.#kept(origin)));
    const delays = files.map((file) => crawlDelayMsOf(file, agent));
    const state = this.#state ?? this.ctx.storage.kv.get<HostState>("host") ?? FRESH_HOST;
    return {
      ...this.#describe(state, policy, delays.reduce(maxOf, null)),
      robots: files.map((file) => (file === undefined ? UNREAD : describeRobots(file))),
    };
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
    return {
      ...this.#describe(state, policy, crawlDelayMsOf(file, agent)),
      robots: { ...describeRobots(file), ...decisionOf(file, agent, url) },
    };
  }

  #describe(state: HostState, policy: LanePolicy, crawlDelayMs: number | null): HostStatus {
    const lane = state.lane?.boot === this.#boot && state.lane.expiresAt > Date.now() ? state.lane : null;
    return {
      crawlDelayMs,
      nextAt: Math.max(state.nextAt, lane?.endsAt ?? 0),
      failures: state.failures,
      failingSince: state.failingSince ?? null,
      failureWhy: state.failureWhy ?? null,
      busy: lane !== null,
      restMs: restMs(state.lastDurationMs, { ...policy, crawlDelayMs }),
    };
  }

  async #admit({ urls, policy }: AdmitRequest): Promise<Admission> {
    const state = this.#load();
    const verdicts: (Verdict | null)[] = [];
    let crawlDelayMs: number | null = null;
    const sitemaps: Admission["sitemaps"] = {};
    for (const { url, origin, agent, ...wants } of urls) {
      const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy, state);
      const verdict = judge(file, agent, url, Date.now());
      verdicts.push(verdict === null && wants.robotsOnly ? { kind: "allowed" } : verdict);
      if (wants.sitemaps && file.state === "read") sitemaps[origin] = file.robots.sitemaps;
      if (verdict === null) crawlDelayMs = maxOf(crawlDelayMs, crawlDelayMsOf(file, agent));
    }
    const pace = { ...policy, crawlDelayMs };
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
    const kept = this.#kept(origin);
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
    this.ctx.storage.kv.put(robotsKey(origin), file);
    if (answered) state.answered = true;
    // One that asks to be left alone has its own, growing delays, and is no proof of the host's health.
    const isHealthy = answered && "fetchedAt" in file;
    recordAnswer(state, { lastDurationMs: durationMs, answered: isHealthy, failure: null }, now);
    const pace = { ...policy, crawlDelayMs: crawlDelayMsOf(file, agent) };
    state.nextAt = Math.max(state.nextAt, Date.now() + restMs(durationMs, pace));
    return file;
  }

  #kept(origin: string): RobotsFile | undefined {
    return this.#robots.get(origin) ?? this.ctx.storage.kv.get<RobotsFile>(robotsKey(origin));
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

const robotsKey = (origin: string) => `robots:${origin}`;

function crawlDelayMsOf(file: RobotsFile | Later | undefined, agent: string): number | null {
  const seconds = file?.state === "read" ? crawlDelayOf(file.robots, agent) : null;
  return seconds === null ? null : seconds * 1000;
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

const UNREAD: RobotsStatus = { state: "unread", detail: null, fetchedAt: null, silentSince: null, retryAt: null };

function describeRobots(file: RobotsFile | Later): RobotsStatus {
  if (file === OWN) return { ...UNREAD, state: "own" };
  if ("fetchedAt" in file) return { ...UNREAD, state: file.state, fetchedAt: file.fetchedAt };
  if (file.state === "later") return { ...UNREAD, state: file.state, retryAt: file.retryAt };
  const { state, detail, firstAt, retryAt } = file;
  return { ...UNREAD, state, detail, silentSince: firstAt, retryAt };
}

function decisionOf(
  file: RobotsFile | Later,
  agent: string,
  url: string,
): Pick<Inspection["robots"], "allowed" | "rule" | "agent"> {
  if (file.state === "read") return decideRobots(file.robots, agent, url);
  const isFinal = file.state === "given-up" || (file.state === "unreachable" && file.final);
  return { allowed: file.state === "allow-all" ? true : isFinal ? false : null, rule: null, agent: null };
}

function maxOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
