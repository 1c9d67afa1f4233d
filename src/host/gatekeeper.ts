import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import { logError } from "../core/log.ts";
import { LANE_BUDGET_MS } from "./full-lane.ts";
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
import { admitLane, bookSlots, type HostState, lendLane, namesBefore, recordAnswer, settleLane } from "./host-state.ts";
import { type Pace, restMs } from "./pace.ts";
import { HostBusy, type HostHold, type RobotsRead, type RobotsRequest } from "./robots-file.ts";
import { exchangesKey, isFresh, limitRetry, type RobotsExchange, type RobotsFile } from "./robots-state.ts";
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
import { hostStateOf, limitWaits } from "./stored-state.ts";

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
  /** Resolves when `admit` no longer waits for a robots.txt. */
  patience(): Promise<void>;
  /** Keeps the gate in memory until this ends. */
  keepAlive(work: Promise<unknown>): void;
}

/** The longest wait for a lane of the host to which a robots.txt redirects. Like the next two, it is real time. */
const MAX_BORROWING_MS = 60_000;
const POLL_MS = 250;
const RETRY_MS = 1_000;
/** The longest delay that is quoted while a robots.txt is being read, in real time. */
const MAX_READING_RETRY_MS = 30_000;
/** The origins whose robots.txt is kept in memory; all others are in storage. */
const MAX_FILES_IN_MEMORY = 16;

/** A request for a robots.txt under way. */
interface Reading {
  /** Ends with the file, or earlier if a redirect leads to another host. */
  answer: Promise<RobotsFile | Later>;
  startedAt: number;
}

export class Gatekeeper implements Gate {
  readonly #around: Surroundings;
  #state: HostState | undefined;
  readonly #robots = new LRUCache<string, RobotsFile>({ max: MAX_FILES_IN_MEMORY });
  /** By origin. */
  readonly #readings = new Map<string, Reading>();
  /** A request for a robots.txt of this host is under way, or about to start. */
  #isBusy = false;
  /** Another gate waits for a lane here. Until this time no batch gets one. */
  #reservedUntil = 0;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Whether it may leave memory: no lane holds the host, no robots.txt is being read, and the rest is in storage. */
  get isAtRest(): boolean {
    return !this.#isBusy && this.#readings.size === 0 && this.#laneEndsAt(this.#load()) <= this.#now;
  }

  async status({ crawl, origins, agent, policy }: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }> {
    const files = origins.map((origin) => (this.#isOwn(origin) ? OWN : this.#knownRobots(origin)));
    const delays = files.map((file) => crawlDelayMsOf(file, agent));
    return {
      ...this.#describe(crawl, policy, delays.reduce(maxOf, null)),
      robots: files.map((file) => (file === undefined ? UNREAD : describeRobots(file))),
    };
  }

  async recall({ origin, url, agent, uses, withExchanges }: RecallRequest): Promise<Recollection> {
    const file = this.#isOwn(origin) ? OWN : this.#knownRobots(origin);
    const exchanges = withExchanges ? this.#around.storage.get<RobotsExchange[]>(exchangesKey(origin)) : undefined;
    if (file === undefined) return { status: UNREAD, robots: null, decision: url === null ? null : UNDECIDED };
    return {
      status: describeRobots(file),
      robots: file.state === "read" ? file.robots : null,
      decision: url === null ? null : decisionOf(file, { agent, uses }, url),
      ...(exchanges === undefined ? {} : { exchanges }),
    };
  }

  async inspect({ crawl, origin, url, agent, uses, policy }: InspectRequest): Promise<Inspection> {
    const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy);
    return {
      ...this.#describe(crawl, policy, crawlDelayMsOf(file, agent)),
      robots: { ...describeRobots(file), ...decisionOf(file, { agent, uses }, url) },
    };
  }

  #describe(crawl: string | undefined, policy: LanePolicy, crawlDelayMs: number | null): HostStatus {
    const state = this.#load();
    const lane = state.lane?.boot === this.#around.boot && state.lane.expiresAt > this.#now ? state.lane : null;
    return {
      crawlDelayMs,
      nextAt: Math.max(state.nextAt, lane?.endsAt ?? 0),
      failures: state.failures,
      failingSince: state.failingSince,
      failureWhy: state.failureWhy,
      busy: lane !== null,
      restMs: restMs(state.lastDurationMs, { ...policy, crawlDelayMs }),
      before: crawl === undefined ? [] : namesBefore({ ...state, lane }, crawl, this.#around.clock.speed, this.#now),
    };
  }

  async admit({ urls, policy }: AdmitRequest): Promise<Admission> {
    const verdicts: (Verdict | null)[] = [];
    let crawlDelayMs: number | null = null;
    const sitemaps: Admission["sitemaps"] = {};
    let waited: Promise<void> | undefined;
    const patience = () => {
      waited ??= this.#around.patience();
      return waited;
    };
    for (const { url, origin, agent, uses, ...wants } of urls) {
      const file = this.#isOwn(origin) ? OWN : await this.#robotsOf(origin, agent, policy, patience);
      const verdict = judge(file, { agent, uses }, url, this.#now);
      verdicts.push(verdict === null && wants.robotsOnly ? { kind: "allowed" } : verdict);
      if (wants.sitemaps && file.state === "read") sitemaps[origin] = file.robots.sitemaps;
      if (verdict === null) crawlDelayMs = maxOf(crawlDelayMs, crawlDelayMsOf(file, agent));
    }
    const pace = { ...policy, crawlDelayMs };
    const asked = urls.filter((_, i) => verdicts[i] === null);
    const slots = this.#slotsOf(asked, pace, policy);
    const nextSlot = slots.slots.values();
    return {
      verdicts: verdicts.map((verdict, i) => verdict ?? verdictOf(nextSlot.next().value, urls[i]?.url ?? "")),
      lane: slots.grant === null ? null : { ...slots.grant, pace, concurrency: policy.concurrency },
      sitemaps,
    };
  }

  #slotsOf(urls: AdmitRequest["urls"], pace: Pace, policy: LanePolicy): ReturnType<typeof admitLane> {
    const state = this.#load();
    const now = this.#now;
    const { speed } = this.#around.clock;
    this.#reservedUntil = Math.min(this.#reservedUntil, now + this.#realTime(RETRY_MS));
    if (this.#isBusy || now < this.#reservedUntil) {
      const delayMs = this.#later().retryAt - now;
      return { slots: urls.map(() => ({ kind: "wait", delayMs, before: [] })), grant: null };
    }
    const keys = urls.map(({ crawl, url }) => `${crawl} ${url}`);
    const epochs = Object.fromEntries(
      urls.flatMap(({ crawl, epoch }) => (epoch === undefined ? [] : [[crawl, epoch]])),
    );
    const { boot } = this.#around;
    const answer = admitLane(state, { ...policy, keys, epochs, pace, token: crypto.randomUUID(), boot, speed }, now);
    this.#save(state);
    return answer;
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
   * its duration. A caller with `patience` waits no longer than that.
   */
  async #robotsOf(
    origin: string,
    agent: string,
    policy: LanePolicy,
    patience?: () => Promise<void>,
  ): Promise<RobotsFile | Later> {
    const known = this.#knownRobots(origin);
    if (known !== undefined && isFresh(known, this.#now)) return known;
    const reading = this.#readings.get(origin) ?? this.#startReading(origin, agent, policy, known);
    if (!("answer" in reading)) return reading;
    return patience === undefined
      ? reading.answer
      : Promise.race([reading.answer, patience().then(() => this.#later())]);
  }

  /** Starts to read a robots.txt, unless the host is taken or rests. The gate goes on when nobody waits for it. */
  #startReading(origin: string, agent: string, policy: LanePolicy, known: RobotsFile | undefined): Reading | Later {
    const state = this.#load();
    const now = this.#now;
    if (this.#isBusy) return this.#later();
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
    const file = this.#readRobots(origin, agent, request, known, state);
    const reading = { answer: Promise.race([file, elsewhere]), startedAt: now };
    this.#readings.set(origin, reading);
    const forget = () => this.#readings.delete(origin);
    const ended = file.then(forget, (error) => {
      forget();
      logError("robots-not-read", error, { host: new URL(origin).host });
    });
    this.#around.keepAlive(ended);
    return reading;
  }

  /** The delay grows with the time that the reading takes, so that a host that hangs costs few messages. */
  #later(): Later {
    const now = this.#now;
    const startedAt = Math.min(now, ...[...this.#readings.values()].map((reading) => reading.startedAt));
    const delayMs = Math.min(Math.max(now - startedAt, this.#realTime(RETRY_MS)), this.#realTime(MAX_READING_RETRY_MS));
    return { state: "later", retryAt: now + delayMs };
  }

  async #readRobots(
    origin: string,
    agent: string,
    request: RobotsRequest & LanePolicy,
    before: RobotsFile | undefined,
    state: HostState,
  ): Promise<RobotsFile> {
    const { file, durationMs, answered, exchanges } = await this.#around.fetchRobots(origin, request, before);
    this.#robots.set(origin, file);
    this.#around.storage.put(robotsKey(origin), file);
    if (exchanges !== undefined) this.#around.storage.put(exchangesKey(origin), exchanges);
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
    // A redirect may lead back here while another origin's file is being read.
    while (this.#isBusy) await this.#sleepUntil(this.#now + this.#realTime(POLL_MS));
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
    const crawlDelayMs = crawlDelayMsOf(this.#knownRobots(origin), agent);
    const token = crypto.randomUUID();
    const { boot, clock } = this.#around;
    const lane = { ...policy, concurrency: 1, pace: { ...policy, crawlDelayMs }, token, boot, speed: clock.speed };
    const grant = lendLane(state, { ...lane, keys: [`robots.txt ${token}`] }, now);
    this.#save(state);
    if (grant === null) return { retryAt: state.nextAt };
    this.#reservedUntil = 0;
    return { lent: { token, startAt: grant.startAt, crawlDelayMs } };
  }

  #knownRobots(origin: string): RobotsFile | undefined {
    const stored = this.#robots.get(origin) ?? this.#around.storage.get<RobotsFile>(robotsKey(origin));
    if (stored === undefined) return undefined;
    const file = limitRetry(stored, this.#now);
    this.#robots.set(origin, file);
    return file;
  }

  #isOwn(origin: string): boolean {
    return this.#around.isOwn(new URL(origin).hostname);
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
    this.#state ??= hostStateOf(this.#around.storage.get("host"));
    limitWaits(this.#state, this.#around.clock.speed, this.#now);
    return this.#state;
  }

  #save(state: HostState): void {
    state.asOf = this.#now;
    this.#around.storage.put("host", state);
  }
}

type Slot = ReturnType<typeof admitLane>["slots"][number];

function verdictOf(slot: Slot | undefined, url: string): Verdict {
  if (slot?.kind === "go") return slot;
  if (slot?.kind === "poison") return { kind: "denied", reason: "poison", detail: "it ended its worker twice" };
  if (slot === undefined || slot.before.length === 0) return { kind: "wait", delayMs: slot?.delayMs ?? 0, why: null };
  const why = `another crawl has its turn on ${new URL(url).hostname} (${slot.before.join(", ")})`;
  return { kind: "wait", delayMs: slot.delayMs, why };
}

const robotsKey = (origin: string) => `robots:${origin}`;

function maxOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
