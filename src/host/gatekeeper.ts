import { lineOf } from "./crawl-turns.ts";
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
import { type CountrySurroundings, HostCountryReader } from "./host-country.ts";
import {
  admitLane,
  bookSlots,
  type HostState,
  leaseEndOf,
  lendLane,
  lossOf,
  namesBefore,
  settleLane,
} from "./host-state.ts";
import { type Pace, restMs } from "./pace.ts";
import { RETRY_MS, type ReaderSurroundings, RobotsReader } from "./robots-reader.ts";
import { exchangesKey, type RobotsExchange } from "./robots-state.ts";
import { crawlDelayMsOf, decisionOf, describeRobots, judge, OWN, UNDECIDED, UNREAD } from "./robots-verdict.ts";
import { hostStateOf, limitWaits } from "./stored-state.ts";

/**
 * The decisions and the memory of a host gate: the host's robots.txt, its pace, its back-off, and the one lane that may
 * fetch from it now, for all crawls. It knows no platform: storage, time and network come from the Durable Object
 * (host-gate.ts) or from a test.
 */

interface Surroundings extends ReaderSurroundings, CountrySurroundings {
  /** Whether this is a host of the operator's own, whose robots.txt is not read. */
  isOwn(hostname: string): boolean;
  /** Resolves when `admit` no longer waits for a robots.txt. */
  patience(): Promise<void>;
}

export class Gatekeeper implements Gate {
  readonly #around: Surroundings;
  readonly #robots: RobotsReader;
  readonly #country: HostCountryReader;
  #state: HostState | undefined;
  /** Another gate waits for a lane here. Until this time no batch gets one. */
  #reservedUntil = 0;

  constructor(around: Surroundings) {
    this.#around = around;
    const memory = { load: () => this.#load(), save: (state: HostState) => this.#save(state) };
    this.#robots = new RobotsReader(around, memory);
    this.#country = new HostCountryReader(around);
  }

  /** Whether it may leave memory: no lane holds the host, nobody is being asked, and the rest is in storage. */
  get isAtRest(): boolean {
    return this.#robots.isAtRest && this.#country.isAtRest && leaseEndOf(this.#load(), this.#around.boot) <= this.#now;
  }

  async status({ crawl, origins, agent, policy }: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }> {
    const files = origins.map((origin) => (this.#isOwn(origin) ? OWN : this.#robots.known(origin)));
    const delays = files.map((file) => crawlDelayMsOf(file, agent));
    return {
      ...this.#describe(crawl, policy, delays.reduce(maxOf, null)),
      robots: files.map((file) => (file === undefined ? UNREAD : describeRobots(file))),
    };
  }

  async recall({ origin, url, agent, uses, withExchanges }: RecallRequest): Promise<Recollection> {
    const file = this.#isOwn(origin) ? OWN : this.#robots.known(origin);
    const exchanges = withExchanges ? this.#around.storage.get<RobotsExchange[]>(exchangesKey(origin)) : undefined;
    if (file === undefined) return { status: UNREAD, robots: null, decision: url === null ? null : UNDECIDED };
    return {
      status: describeRobots(file),
      robots: file.state === "read" ? file.robots : null,
      decision: url === null ? null : decisionOf(file, { agent, uses }, url),
      ...(exchanges === undefined ? {} : { exchanges }),
    };
  }

  async inspect(request: InspectRequest): Promise<Inspection> {
    const { crawl, origin, url, agent, uses, policy, countries, privateHosts = [] } = request;
    if (countries !== undefined) {
      const country = await this.#country.explain(new URL(origin).hostname, countries);
      if (country.allowed !== true) {
        const file = this.#robots.known(origin);
        const robots = { ...(file === undefined ? UNREAD : describeRobots(file)), ...UNDECIDED };
        return { ...this.#describe(crawl, policy, crawlDelayMsOf(file, agent)), robots, country };
      }
      const { countries: _, ...allowed } = request;
      return { ...(await this.inspect(allowed)), country };
    }
    const file = this.#isOwn(origin) ? OWN : await this.#robots.read({ origin, agent, privateHosts }, policy);
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
      ...(crawl === undefined ? {} : { line: lineOf(state.crawls, crawl, this.#around.clock.speed, this.#now) }),
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
    for (const { url, origin, agent, uses, countries, isNew = false, privateHosts = [], ...wants } of urls) {
      const abroad =
        countries === undefined ? null : await this.#country.judge(new URL(origin).hostname, countries, patience);
      if (abroad !== null) {
        verdicts.push(abroad);
        continue;
      }
      const asker = { origin, agent, privateHosts };
      const file = this.#isOwn(origin) ? OWN : await this.#robots.read(asker, policy, patience);
      const verdict = judge(file, { agent, uses, isNew }, url, this.#now) ?? this.#lossFor(isNew, wants.robotsOnly);
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

  /** The verdict on a URL that would be fetched if its host were not down. */
  #lossFor(isNew: boolean, robotsOnly = false): Verdict | null {
    const loss = robotsOnly ? null : lossOf(this.#load(), isNew, this.#now);
    return loss === null ? null : { kind: "denied", ...loss };
  }

  #slotsOf(urls: AdmitRequest["urls"], pace: Pace, policy: LanePolicy): ReturnType<typeof admitLane> {
    const state = this.#load();
    const now = this.#now;
    const { speed } = this.#around.clock;
    this.#reservedUntil = Math.min(this.#reservedUntil, now + this.#realTime(RETRY_MS));
    if (this.#robots.isBusy || now < this.#reservedUntil) {
      const delayMs = this.#robots.later().retryAt - now;
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

  async lend({ origin, agent, policy }: LendRequest): Promise<{ lent: Lent } | { retryAt: number }> {
    const now = this.#now;
    const state = this.#load();
    if (this.#robots.isBusy || leaseEndOf(state, this.#around.boot) > now) {
      this.#reservedUntil = now + this.#realTime(RETRY_MS);
      return { retryAt: now };
    }
    const crawlDelayMs = crawlDelayMsOf(this.#robots.known(origin), agent);
    const token = crypto.randomUUID();
    const { boot, clock } = this.#around;
    const lane = { ...policy, concurrency: 1, pace: { ...policy, crawlDelayMs }, token, boot, speed: clock.speed };
    const grant = lendLane(state, { ...lane, keys: [`robots.txt ${token}`] }, now);
    this.#save(state);
    if (grant === null) return { retryAt: state.nextAt };
    this.#reservedUntil = 0;
    return { lent: { token, startAt: grant.startAt, crawlDelayMs } };
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

function maxOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
