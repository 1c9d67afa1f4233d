import type { Clock } from "../core/clock.ts";
import { logError } from "../core/log.ts";
import type {
  Admission,
  AdmitRequest,
  Gate,
  HostStatus,
  Inspection,
  InspectRequest,
  LanePolicy,
  LendRequest,
  Lent,
  RecallRequest,
  Recollection,
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
import { type Pace, restMs } from "./pace.ts";
import { HostBusy, type HostHold, type RobotsRead, type RobotsRequest } from "./robots-file.ts";
import { isFresh, type RobotsFile } from "./robots-state.ts";
import {
  crawlDelayMsOf,
  decisionOf,
  describeRobots,
  judge,
  type Later,
  OWN,
  UNDECIDED,
  UNREAD,
} from "./robots-verdict.ts";

/**
 * The decisions and the memory of a host gate: the host's robots.txt, its pace, its back-off, and the one lane that may
 * fetch from it now, for all crawls. It knows no platform: storage, time and network come from the Durable Object
 * (host-gate.ts) or from a test.
 */

interface Surroundings {
  /** Outlives the gatekeeper. */
  storage: { get<T>(key: string): T | undefined; put(key: string, value: unknown): void };
  clock: Clock;
  fetchRobots(origin: string, request: RobotsRequest, before: RobotsFile | undefined): Promise<RobotsRead>;
  /** The gate of another host. */
  gate(host: string): Pick<Gate, "lend" | "settle">;
  /** Whether this is a host of the operator's own, whose robots.txt is not read. */
  isOwn(hostname: string): boolean;
  /** Names the process. A lane of another process is dead. */
  boot: string;
}

/** The longest wait for a lane of the host to which a robots.txt redirects. Like the next two, it is real time. */
const MAX_BORROWING_MS = 60_000;
const POLL_MS = 250;
const RETRY_MS = 1_000;

export class Gatekeeper implements Gate {
  readonly #around: Surroundings;
  #state: HostState | undefined;
  readonly #robots = new Map<string, RobotsFile>();
  /** Requests for robots.txt under way, by origin. */
  readonly #reading = new Map<string, Promise<RobotsFile>>();
  /** A request for a robots.txt of this host is under way, or about to start. */
  #isBusy = false;
  /** Another gate waits for a lane here. Until this time no batch gets one. */
  #reservedUntil = 0;
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Whether it may leave memory: no lane holds the host, no robots.txt is being read, and the rest is in storage. */
  get isAtRest(): boolean {
    return !this.#isBusy && this.#reading.size === 0 && this.#laneEndsAt(this.#load()) <= this.#now;
  }

  async admit(request: AdmitRequest): Promise<Admission> {
    return this.#runAlone(() => this.#admit(request));
  }

  async inspect(request: InspectRequest): Promise<Inspection> {
    return this.#runAlone(() => this.#inspect(request));
  }

  async status({ origins, agent, policy }: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }> {
    const files = origins.map((origin) => (this.#isOwn(origin) ? OWN : this.#knownRobots(origin)));
    const delays = files.map((file) => crawlDelayMsOf(file, agent));
    const state = this.#state ?? this.#around.storage.get<HostState>("host") ?? FRESH_HOST;
    return {
      ...this.#describe(state, policy, delays.reduce(maxOf, null)),
      robots: files.map((file) => (file === undefined ? UNREAD : describeRobots(file))),
    };
  }

  async recall({ origin, url, agent, uses }: RecallRequest): Promise<Recollection> {
    const file = this.#isOwn(origin) ? OWN : this.#knownRobots(origin);
    if (file === undefined) return { status: UNREAD, robots: null, decision: url === null ? null : UNDECIDED };
    return {
      status: describeRobots(file),
      robots: file.state === "read" ? file.robots : null,
      decision: url === null ? null : decisionOf(file, { agent, uses }, url),
    };
  }

  /** Runs after all earlier calls of this kind have ended. */
  #runAlone<T>(work: () => Promise<T>): Promise<T> {
    const call = this.#lastCall.then(work);
    this.#lastCall = call.catch(() => undefined);
    return call;
  }

  async #inspect({ origin, url, agent, uses, policy }: InspectRequest): Promise<Inspection> {
    const state = this.#load();
    const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy, state);
    this.#save(state);
    return {
      ...this.#describe(state, policy, crawlDelayMsOf(file, agent)),
      robots: { ...describeRobots(file), ...decisionOf(file, { agent, uses }, url) },
    };
  }

  #describe(state: HostState, policy: LanePolicy, crawlDelayMs: number | null): HostStatus {
    const lane = state.lane?.boot === this.#around.boot && state.lane.expiresAt > this.#now ? state.lane : null;
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
    for (const { url, origin, agent, uses, ...wants } of urls) {
      const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy, state);
      const verdict = judge(file, { agent, uses }, url, this.#now);
      verdicts.push(verdict === null && wants.robotsOnly ? { kind: "allowed" } : verdict);
      if (wants.sitemaps && file.state === "read") sitemaps[origin] = file.robots.sitemaps;
      if (verdict === null) crawlDelayMs = maxOf(crawlDelayMs, crawlDelayMsOf(file, agent));
    }
    const pace = { ...policy, crawlDelayMs };
    const keys = urls.filter((_, i) => verdicts[i] === null).map(({ crawl, url }) => `${crawl} ${url}`);
    const isReserved = this.#isBusy || this.#now < this.#reservedUntil;
    const { slots, grant } = isReserved
      ? { slots: keys.map(() => ({ kind: "wait", delayMs: this.#realTime(RETRY_MS) }) as const), grant: null }
      : this.#grantLane(state, crypto.randomUUID(), keys, pace, policy);
    this.#save(state);
    const nextSlot = slots.values();
    return {
      verdicts: verdicts.map((verdict) => {
        if (verdict !== null) return verdict;
        const slot = nextSlot.next().value;
        if (slot?.kind === "go") return slot;
        if (slot?.kind === "poison") return { kind: "denied", reason: "poison", detail: "it ended its worker twice" };
        return { kind: "wait", delayMs: slot?.delayMs ?? 0, why: null };
      }),
      lane: grant === null ? null : { ...grant, pace, concurrency: policy.concurrency },
      sitemaps,
    };
  }

  async settle(request: SettleRequest): Promise<number[][]> {
    const state = this.#load();
    const now = this.#now;
    const { speed } = this.#around.clock;
    settleLane(state, request, now);
    const pace = { ...request.policy, crawlDelayMs: request.crawlDelayMs };
    const delays = request.sending.map((booking) =>
      bookSlots(state, booking, { pace, concurrency: request.policy.concurrency, speed }, now),
    );
    this.#save(state);
    return delays;
  }

  /**
   * The origin's robots.txt as last read. It is read first when it is missing, old, or due again after a failure. That
   * request counts like any other request to this host: it waits for the lane and keeps the pace, and the host rests by
   * its duration.
   */
  async #robotsOf(origin: string, agent: string, policy: LanePolicy, state: HostState): Promise<RobotsFile | Later> {
    const known = this.#knownRobots(origin);
    const now = this.#now;
    if (known !== undefined && isFresh(known, now)) {
      this.#robots.set(origin, known);
      return known;
    }
    if (this.#isBusy || this.#reading.has(origin)) return this.#later();
    const busyUntil = Math.max(state.nextAt, Math.min(this.#laneEndsAt(state), now + this.#realTime(LANE_BUDGET_MS)));
    if (busyUntil > now) return { state: "later", retryAt: busyUntil };
    // A redirect to another host may take a while, and the waiting batch may be what holds that host: the batch does
    // not wait.
    const { promise: elsewhere, resolve: leave } = Promise.withResolvers<Later>();
    const holdHost = (url: string) => {
      const { hostname } = new URL(url);
      if (hostname === new URL(origin).hostname) return this.#holdThisHost(policy, state);
      leave(this.#later());
      return this.#borrowLane(hostname, { origin: new URL(url).origin, agent, policy });
    };
    const request = { ...policy, answeredBefore: state.answered, holdHost };
    const reading = this.#readRobots(origin, agent, request, known, state);
    this.#reading.set(origin, reading);
    const forget = () => this.#reading.delete(origin);
    reading.then(forget, (error) => {
      forget();
      logError("robots-not-read", error, { host: new URL(origin).host });
    });
    return Promise.race([reading, elsewhere]);
  }

  #later(): Later {
    return { state: "later", retryAt: this.#now + this.#realTime(RETRY_MS) };
  }

  async #readRobots(
    origin: string,
    agent: string,
    request: RobotsRequest & LanePolicy,
    before: RobotsFile | undefined,
    state: HostState,
  ): Promise<RobotsFile> {
    const { file, durationMs, answered } = await this.#around.fetchRobots(origin, request, before);
    this.#robots.set(origin, file);
    this.#around.storage.put(robotsKey(origin), file);
    if (answered) state.answered = true;
    // An answer that forbids for now has its own, growing delays, and does not show that the host is well.
    const isHealthy = answered && "fetchedAt" in file;
    recordAnswer(state, { lastDurationMs: durationMs, answered: isHealthy, failure: null }, this.#now);
    const pace = { ...request, crawlDelayMs: crawlDelayMsOf(file, agent) };
    state.nextAt = Math.max(state.nextAt, this.#now + restMs(durationMs, pace));
    this.#save(state);
    return file;
  }

  /** Holds this host for one request of a robots.txt. */
  async #holdThisHost(policy: LanePolicy, state: HostState): Promise<HostHold> {
    // From now on no lane is lent.
    this.#isBusy = true;
    await this.#waitUntilFree(state);
    return {
      release: async (durationMs) => {
        this.#isBusy = false;
        state.nextAt = Math.max(state.nextAt, this.#now + restMs(durationMs, { ...policy, crawlDelayMs: null }));
      },
    };
  }

  /**
   * Holds another host, to which a robots.txt redirects: that host's gate lends a lane at that host's pace. Throws
   * HostBusy.
   */
  async #borrowLane(host: string, request: LendRequest): Promise<HostHold> {
    const gate = this.#around.gate(host);
    for (const deadline = this.#now + this.#realTime(MAX_BORROWING_MS); ; ) {
      const answer = await gate.lend(request);
      if ("lent" in answer) {
        const { token, startAt, crawlDelayMs } = answer.lent;
        await this.#sleepUntil(startAt);
        return {
          release: async (durationMs, answered) => {
            const nextAt = this.#now + restMs(durationMs, { ...request.policy, crawlDelayMs });
            const report = { token, nextAt, lastDurationMs: durationMs, answered, failure: null };
            await gate.settle({ ...report, sending: [], policy: request.policy, crawlDelayMs });
          },
        };
      }
      if (answer.retryAt > deadline) throw new HostBusy(host, answer.retryAt);
      await this.#sleepUntil(Math.max(answer.retryAt, this.#now + this.#realTime(POLL_MS)));
    }
  }

  /** Waits until no lane holds the host and its rest is over. */
  async #waitUntilFree(state: HostState): Promise<void> {
    while (this.#laneEndsAt(state) > this.#now) await this.#sleepUntil(this.#now + this.#realTime(POLL_MS));
    await this.#sleepUntil(state.nextAt);
  }

  /** The end of the lease of the lane that holds the host; 0 without one. */
  #laneEndsAt({ lane }: HostState): number {
    return lane?.boot === this.#around.boot ? lane.expiresAt : 0;
  }

  async lend({ origin, agent, policy }: LendRequest): Promise<{ lent: Lent } | { retryAt: number }> {
    const now = this.#now;
    const state = this.#load();
    if (this.#isBusy || this.#laneEndsAt(state) > now) {
      this.#reservedUntil = now + this.#realTime(RETRY_MS);
      return { retryAt: now };
    }
    const startAt = Math.max(now, state.nextAt);
    if (startAt - now > this.#realTime(LANE_BUDGET_MS)) return { retryAt: startAt };
    this.#reservedUntil = 0;
    const crawlDelayMs = crawlDelayMsOf(this.#knownRobots(origin), agent);
    const token = crypto.randomUUID();
    const pace = { ...policy, crawlDelayMs };
    this.#grantLane(state, token, [`robots.txt ${token}`], pace, { ...policy, concurrency: 1 });
    this.#save(state);
    return { lent: { token, startAt, crawlDelayMs } };
  }

  #knownRobots(origin: string): RobotsFile | undefined {
    return this.#robots.get(origin) ?? this.#around.storage.get<RobotsFile>(robotsKey(origin));
  }

  #isOwn(origin: string): boolean {
    return this.#around.isOwn(new URL(origin).hostname);
  }

  #grantLane(state: HostState, token: string, keys: string[], pace: Pace, { concurrency, timeoutMs }: LanePolicy) {
    const { boot, clock } = this.#around;
    return admitLane(state, { keys, pace, concurrency, timeoutMs, token, boot, speed: clock.speed }, this.#now);
  }

  /** Real time as a duration of this gate's clock. */
  #realTime(ms: number): number {
    return ms * this.#around.clock.speed;
  }

  get #now(): number {
    return this.#around.clock.now();
  }

  async #sleepUntil(time: number): Promise<void> {
    await this.#around.clock.sleep(time - this.#now);
  }

  #load(): HostState {
    this.#state ??= this.#around.storage.get<HostState>("host") ?? structuredClone(FRESH_HOST);
    return this.#state;
  }

  #save(state: HostState): void {
    this.#around.storage.put("host", state);
  }
}

const robotsKey = (origin: string) => `robots:${origin}`;

function maxOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
