import type { Clock } from "../core/clock.ts";
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
import { restMs } from "./pace.ts";
import { HostBusy, type RobotsRead, type RobotsRequest, type Turn } from "./robots-file.ts";
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
 * What a host gate decides and remembers: that host's robots.txt, its pace, its back-off, and the one lane that may fetch from it now, for
 * all crawls. It knows no platform: the Durable Object around it (host-gate.ts) brings storage, time and the network, a test its own.
 */

/** What is around a gatekeeper. */
export interface Surroundings {
  /** Outlives the object. */
  storage: { get<T>(key: string): T | undefined; put(key: string, value: unknown): void };
  clock: Clock;
  fetchRobots(origin: string, request: RobotsRequest, before: RobotsFile | undefined): Promise<RobotsRead>;
  /** Another host's. */
  gate(host: string): Pick<Gate, "lend" | "settle">;
  /** Whether robots.txt of this host is not asked for. */
  isOwn(hostname: string): boolean;
  /** Names the process; a lane of another one is dead. */
  boot: string;
}

/** For a place at the host to which a robots.txt redirects. */
const MAX_LENDING_WAIT_MS = 60_000;
const ASKING_AGAIN_MS = 250;
const LATER_MS = 1_000;

export class Gatekeeper implements Gate {
  readonly #around: Surroundings;
  #state: HostState | undefined;
  readonly #robots = new Map<string, RobotsFile>();
  readonly #asking = new Map<string, Promise<RobotsFile>>();
  /** A request for a robots.txt of this host is out, or about to be. */
  #isBusy = false;
  /** Another gate waits for a place; until then no lane is granted. */
  #owedUntil = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Whether all that it knows stands in its storage, and nobody is about to come back to it: no lane is out, and no robots.txt is asked for. */
  get isAtRest(): boolean {
    return !this.#isBusy && this.#asking.size === 0 && this.#laneEndsAt(this.#load()) <= this.#now;
  }

  async admit(request: AdmitRequest): Promise<Admission> {
    return this.#inTurn(() => this.#admit(request));
  }

  async inspect(request: InspectRequest): Promise<Inspection> {
    return this.#inTurn(() => this.#inspect(request));
  }

  async status({ origins, agent, policy }: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }> {
    const files = origins.map((origin) => (this.#isOwn(origin) ? OWN : this.#kept(origin)));
    const delays = files.map((file) => crawlDelayMsOf(file, agent));
    const state = this.#state ?? this.#around.storage.get<HostState>("host") ?? FRESH_HOST;
    return {
      ...this.#describe(state, policy, delays.reduce(maxOf, null)),
      robots: files.map((file) => (file === undefined ? UNREAD : describeRobots(file))),
    };
  }

  async recall({ origin, url, agent, uses }: RecallRequest): Promise<Recollection> {
    const file = this.#isOwn(origin) ? OWN : this.#kept(origin);
    if (file === undefined) return { status: UNREAD, robots: null, decision: url === null ? null : UNDECIDED };
    return {
      status: describeRobots(file),
      robots: file.state === "read" ? file.robots : null,
      decision: url === null ? null : decisionOf(file, { agent, uses }, url),
    };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
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
    const open = urls.filter((_, i) => verdicts[i] === null);
    const isHeld = this.#isBusy || this.#now < this.#owedUntil;
    const { slots, grant } = isHeld
      ? { slots: open.map(() => ({ kind: "wait", delayMs: LATER_MS }) as const), grant: null }
      : admitLane(
          state,
          {
            keys: open.map(({ crawl, url }) => `${crawl} ${url}`),
            pace,
            concurrency: policy.concurrency,
            timeoutMs: policy.timeoutMs,
            token: crypto.randomUUID(),
            boot: this.#around.boot,
          },
          this.#now,
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

  async settle(request: SettleRequest): Promise<number[][]> {
    const state = this.#load();
    const now = this.#now;
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
    const now = this.#now;
    if (kept !== undefined && isFresh(kept, now)) {
      this.#robots.set(origin, kept);
      return kept;
    }
    if (this.#isBusy || this.#asking.has(origin)) return { state: "later", retryAt: now + LATER_MS };
    const busyUntil = Math.max(state.nextAt, Math.min(this.#laneEndsAt(state), now + LANE_BUDGET_MS));
    if (busyUntil > now) return { state: "later", retryAt: busyUntil };
    // A file that another host has to give may take a while, and the batch that asks may be what keeps that host: it does not wait.
    const { promise: elsewhere, resolve: leave } = Promise.withResolvers<null>();
    const turn = (url: string) => {
      const { hostname } = new URL(url);
      if (hostname === new URL(origin).hostname) return this.#turnHere(policy, state);
      leave(null);
      return this.#turnThere(hostname, { origin: new URL(url).origin, agent, policy });
    };
    const asking = this.#askRobots(origin, agent, { ...policy, answeredBefore: state.answered, turn }, kept, state);
    this.#asking.set(origin, asking);
    const done = () => this.#asking.delete(origin);
    asking.then(done, (error) => {
      done();
      console.error("robots.txt could not be asked for", origin, error);
    });
    return (await Promise.race([asking, elsewhere])) ?? { state: "later", retryAt: this.#now + LATER_MS };
  }

  async #askRobots(
    origin: string,
    agent: string,
    request: RobotsRequest & LanePolicy,
    kept: RobotsFile | undefined,
    state: HostState,
  ): Promise<RobotsFile> {
    const { file, durationMs, answered } = await this.#around.fetchRobots(origin, request, kept);
    this.#robots.set(origin, file);
    this.#around.storage.put(robotsKey(origin), file);
    if (answered) state.answered = true;
    // One that asks to be left alone has its own, growing delays, and is no proof of the host's health.
    const isHealthy = answered && "fetchedAt" in file;
    recordAnswer(state, { lastDurationMs: durationMs, answered: isHealthy, failure: null }, this.#now);
    const pace = { ...request, crawlDelayMs: crawlDelayMsOf(file, agent) };
    state.nextAt = Math.max(state.nextAt, this.#now + restMs(durationMs, pace));
    this.#save(state);
    return file;
  }

  /** Leave for one request of a robots.txt at this host. */
  async #turnHere(policy: LanePolicy, state: HostState): Promise<Turn> {
    // From now on nothing is lent.
    this.#isBusy = true;
    await this.#idle(state);
    return {
      done: async (durationMs) => {
        this.#isBusy = false;
        state.nextAt = Math.max(state.nextAt, this.#now + restMs(durationMs, { ...policy, crawlDelayMs: null }));
      },
    };
  }

  /** The same at another host, to which one redirects: it has a gate and a pace of its own. Throws HostBusy. */
  async #turnThere(host: string, request: LendRequest): Promise<Turn> {
    const gate = this.#around.gate(host);
    for (const deadline = this.#now + MAX_LENDING_WAIT_MS; ; ) {
      const answer = await gate.lend(request);
      if ("lent" in answer) {
        const { token, startAt, crawlDelayMs } = answer.lent;
        await this.#sleepUntil(startAt);
        return {
          done: async (durationMs, answered) => {
            const nextAt = this.#now + restMs(durationMs, { ...request.policy, crawlDelayMs });
            const report = { token, nextAt, lastDurationMs: durationMs, answered, failure: null };
            await gate.settle({ ...report, sending: [], policy: request.policy, crawlDelayMs });
          },
        };
      }
      if (answer.retryAt > deadline) throw new HostBusy(host, answer.retryAt);
      await this.#sleepUntil(Math.max(answer.retryAt, this.#now + ASKING_AGAIN_MS));
    }
  }

  /** Waits for the lane that may be out, and for the pace. */
  async #idle(state: HostState): Promise<void> {
    while (this.#laneEndsAt(state) > this.#now) await this.#sleepUntil(this.#now + ASKING_AGAIN_MS);
    await this.#sleepUntil(state.nextAt);
  }

  /** When a lane that is out has run out at the latest; 0 where none is. */
  #laneEndsAt({ lane }: HostState): number {
    return lane?.boot === this.#around.boot ? lane.expiresAt : 0;
  }

  async lend({ origin, agent, policy }: LendRequest): Promise<{ lent: Lent } | { retryAt: number }> {
    const now = this.#now;
    const state = this.#load();
    if (this.#isBusy || this.#laneEndsAt(state) > now) {
      this.#owedUntil = now + LATER_MS;
      return { retryAt: now };
    }
    const startAt = Math.max(now, state.nextAt);
    if (startAt - now > LANE_BUDGET_MS) return { retryAt: startAt };
    this.#owedUntil = 0;
    const crawlDelayMs = crawlDelayMsOf(this.#kept(origin), agent);
    const token = crypto.randomUUID();
    const request = {
      pace: { ...policy, crawlDelayMs },
      concurrency: 1,
      timeoutMs: policy.timeoutMs,
      boot: this.#around.boot,
    };
    admitLane(state, { ...request, keys: [`robots.txt ${token}`], token }, now);
    this.#save(state);
    return { lent: { token, startAt, crawlDelayMs } };
  }

  #kept(origin: string): RobotsFile | undefined {
    return this.#robots.get(origin) ?? this.#around.storage.get<RobotsFile>(robotsKey(origin));
  }

  #isOwn(origin: string): boolean {
    return this.#around.isOwn(new URL(origin).hostname);
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
