import { hostOf } from "../url/host-key.ts";
import type { OwnHostEvidence } from "../url/own-host.ts";
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
import { exceedsGuestLimits, GUEST_DELAY_MS, inForce, type PolicyInForce } from "./guest-limits.ts";
import { type CountrySurroundings, HostCountryReader } from "./host-country.ts";
import { HostHolder } from "./host-holder.ts";
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
import { OwnershipReader, type OwnershipSurroundings } from "./ownership.ts";
import { type Pace, restMs } from "./pace.ts";
import { type ReaderSurroundings, ROBOTS_RETRY_MS, RobotsReader } from "./robots-reader.ts";
import { exchangesKey, type RobotsExchange, type RobotsFile } from "./robots-state.ts";
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

interface Surroundings extends ReaderSurroundings, CountrySurroundings, OwnershipSurroundings {
  /** Resolves when `admit` no longer waits for a robots.txt. */
  patience(): Promise<void>;
}

export class Gatekeeper implements Gate {
  readonly #around: Surroundings;
  readonly #holder: HostHolder;
  readonly #robots: RobotsReader;
  readonly #ownership: OwnershipReader;
  readonly #country: HostCountryReader;
  #state: HostState | undefined;
  /** Another gate waits for a lane here. Until this time no batch gets one. */
  #reservedUntil = 0;

  constructor(around: Surroundings) {
    this.#around = around;
    const memory = { load: () => this.#load(), save: (state: HostState) => this.#save(state) };
    this.#holder = new HostHolder(around, memory);
    this.#robots = new RobotsReader(around, memory, this.#holder);
    this.#ownership = new OwnershipReader(around, memory, this.#holder);
    this.#country = new HostCountryReader(around);
  }

  /** Whether it may leave memory: no lane holds the host, nobody is being asked, and the rest is in storage. */
  get isAtRest(): boolean {
    const isAsking = this.#holder.isBusy || [this.#robots, this.#ownership, this.#country].some((one) => !one.isAtRest);
    return !isAsking && leaseEndOf(this.#load(), this.#around.boot) <= this.#now;
  }

  async status(request: StatusRequest): Promise<HostStatus & { robots: RobotsStatus[] }> {
    const { crawl, origins, agent, isNamedOwn } = request;
    const ownerships = origins.map((origin) => this.#ownership.describe(hostOf(origin), isNamedOwn));
    const isOwn = origins.length > 0 && ownerships.every(({ evidence }) => evidence !== null);
    const policy = inForce(request.policy, isOwn);
    const files = origins.map((origin) => (isOwn && request.ignoreRobots ? OWN : this.#robots.known(origin)));
    const delays = files.map((file) => crawlDelayMsOf(file, agent));
    const ownership = ownerships.find(({ evidence }) => evidence === null) ?? ownerships[0];
    return {
      ...this.#describe(crawl, policy, delays.reduce(maxOf, null)),
      ...(ownership === undefined ? {} : { ownership }),
      robots: files.map((file) => (file === undefined ? UNREAD : describeRobots(file))),
    };
  }

  async recall({ origin, url, agent, uses, withExchanges, ...rights }: RecallRequest): Promise<Recollection> {
    const isOwn = this.#ownership.known(hostOf(origin), rights.isNamedOwn) !== null;
    const file = isOwn && rights.ignoreRobots ? OWN : this.#robots.known(origin);
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
    const { crawl, origin, url, agent, uses, countries, isNamedOwn, policy: asked } = request;
    if (countries !== undefined) {
      const country = await this.#country.explain(new URL(origin).hostname, countries);
      if (country.allowed !== true) {
        const ownership = this.#ownership.describe(hostOf(origin), isNamedOwn);
        const policy = inForce(asked, ownership.evidence !== null);
        const file = this.#robots.known(origin);
        const robots = { ...(file === undefined ? UNREAD : describeRobots(file)), ...UNDECIDED };
        return { ...this.#describe(crawl, policy, crawlDelayMsOf(file, agent)), ownership, robots, country };
      }
      const { countries: _, ...allowed } = request;
      return { ...(await this.inspect(allowed)), country };
    }
    const { file } = await this.#look(request, asked);
    const ownership = this.#ownership.describe(hostOf(origin), isNamedOwn);
    return {
      ...this.#describe(crawl, inForce(asked, ownership.evidence !== null), crawlDelayMsOf(file, agent)),
      ownership,
      robots: { ...describeRobots(file), ...decisionOf(file, { agent, uses }, url) },
    };
  }

  /**
   * What decides on a URL: the robots.txt of its origin, and what shows that its host is the operator's own. Both are
   * asked for where that is due; a caller with `patience` waits no longer than that.
   */
  async #look(
    { origin, agent, privateHosts = [], isNamedOwn, ignoreRobots }: AskedUrl,
    asked: LanePolicy,
    patience?: () => Promise<void>,
  ): Promise<{ file: RobotsFile | Later; evidence: OwnHostEvidence | null }> {
    const known = this.#ownership.known(hostOf(origin), isNamedOwn);
    if (ignoreRobots && known !== null) return { file: OWN, evidence: known };
    const policy = inForce(asked, known !== null);
    const asker = { origin, agent, privateHosts };
    const file = await this.#robots.read(asker, policy, patience);
    const asksMore = ignoreRobots === true || exceedsGuestLimits(asked);
    if (known !== null || !asksMore) return { file, evidence: known };
    const evidence = await this.#ownership.prove({ ...asker, file }, policy, patience);
    return { file: ignoreRobots && evidence !== null ? OWN : file, evidence };
  }

  #describe(crawl: string | undefined, policy: PolicyInForce, crawlDelayMs: number | null): HostStatus {
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
      concurrency: policy.concurrency,
      ...(crawl === undefined ? {} : { line: lineOf(state.crawls, crawl, this.#around.clock.speed, this.#now) }),
      before: crawl === undefined ? [] : namesBefore({ ...state, lane }, crawl, this.#around.clock.speed, this.#now),
    };
  }

  async admit({ urls, policy: asked, laneMs }: AdmitRequest): Promise<Admission> {
    const verdicts: (Verdict | null)[] = [];
    let isOwn = true;
    let crawlDelayMs: number | null = null;
    const sitemaps: Admission["sitemaps"] = {};
    let waited: Promise<void> | undefined;
    const patience = () => {
      waited ??= this.#around.patience();
      return waited;
    };
    for (const about of urls) {
      const { url, origin, agent, uses, countries, isNew = false, robotsOnly = false } = about;
      const abroad =
        countries === undefined ? null : await this.#country.judge(new URL(origin).hostname, countries, patience);
      if (abroad !== null) {
        verdicts.push(abroad);
        continue;
      }
      const { file, evidence } = await this.#look(about, asked, patience);
      const verdict = judge(file, { agent, uses, isNew }, url, this.#now) ?? this.#lossFor(isNew, robotsOnly);
      verdicts.push(verdict === null && robotsOnly ? { kind: "allowed" } : verdict);
      if (about.sitemaps && file.state === "read") sitemaps[origin] = file.robots.sitemaps;
      if (verdict !== null) continue;
      if (evidence === null) isOwn = false;
      crawlDelayMs = maxOf(crawlDelayMs, crawlDelayMsOf(file, agent));
    }
    // URLs share a lane, so one whose host is a guest's slows them all.
    const policy = inForce(asked, isOwn);
    const pace = { ...policy, crawlDelayMs };
    const slots = this.#slotsOf(
      urls.filter((_, i) => verdicts[i] === null),
      pace,
      policy,
      laneMs,
    );
    const nextSlot = slots.slots.values();
    return {
      verdicts: verdicts.map((verdict, i) => verdict ?? verdictOf(nextSlot.next().value, urls[i]?.url ?? "")),
      lane:
        slots.grant === null
          ? null
          : { ...slots.grant, pace, concurrency: policy.concurrency, leastDelayMs: isOwn ? 0 : GUEST_DELAY_MS },
      sitemaps,
      rowsWritten: slots.rowsWritten,
    };
  }

  /** The verdict on a URL that would be fetched if its host were not down. */
  #lossFor(isNew: boolean, robotsOnly = false): Verdict | null {
    const loss = robotsOnly ? null : lossOf(this.#load(), isNew, this.#now);
    return loss === null ? null : { kind: "denied", ...loss };
  }

  #slotsOf(
    urls: AdmitRequest["urls"],
    pace: Pace,
    policy: PolicyInForce,
    laneMs: number | undefined,
  ): ReturnType<typeof admitLane> & { rowsWritten: number } {
    const state = this.#load();
    const now = this.#now;
    const { speed } = this.#around.clock;
    this.#reservedUntil = Math.min(this.#reservedUntil, now + this.#realTime(ROBOTS_RETRY_MS));
    if (this.#holder.isBusy || now < this.#reservedUntil) {
      const delayMs = this.#robots.later().retryAt - now;
      return { slots: urls.map(() => ({ kind: "wait", delayMs, before: [] })), grant: null, rowsWritten: 0 };
    }
    const keys = urls.map(({ crawl, url }) => `${crawl} ${url}`);
    const epochs = Object.fromEntries(
      urls.flatMap(({ crawl, epoch }) => (epoch === undefined ? [] : [[crawl, epoch]])),
    );
    const { boot } = this.#around;
    const longer = laneMs === undefined ? {} : { laneMs };
    const request = { ...policy, ...longer, keys, epochs, pace, token: crypto.randomUUID(), boot, speed };
    const answer = admitLane(state, request, now);
    // What a refusal changes is stored with the lane that holds the host, when it is settled.
    const isStored = answer.grant !== null || state.lane === null || answer.slots.some(({ kind }) => kind === "poison");
    if (isStored) this.#save(state);
    return { ...answer, rowsWritten: isStored ? 1 : 0 };
  }

  async settle(request: SettleRequest): Promise<number[][]> {
    const state = this.#load();
    const now = this.#now;
    const { speed } = this.#around.clock;
    settleLane(state, request, now);
    const pace = { ...request.policy, crawlDelayMs: request.crawlDelayMs };
    const delays = request.sending.map((booking) => bookSlots(state, booking, { ...request.policy, pace, speed }, now));
    this.#save(state);
    return delays;
  }

  async lend({ origin, agent, policy: asked }: LendRequest): Promise<{ lent: Lent } | { retryAt: number }> {
    const now = this.#now;
    const state = this.#load();
    if (this.#holder.isBusy || leaseEndOf(state, this.#around.boot) > now) {
      this.#reservedUntil = now + this.#realTime(ROBOTS_RETRY_MS);
      return { retryAt: now };
    }
    const crawlDelayMs = crawlDelayMsOf(this.#robots.known(origin), agent);
    const policy = inForce(asked, this.#ownership.known(hostOf(origin)) !== null);
    const pace = { ...policy, crawlDelayMs };
    const token = crypto.randomUUID();
    const { boot, clock } = this.#around;
    const lane = { ...policy, concurrency: 1, pace, token, boot, speed: clock.speed };
    const grant = lendLane(state, { ...lane, keys: [`robots.txt ${token}`] }, now);
    this.#save(state);
    if (grant === null) return { retryAt: state.nextAt };
    this.#reservedUntil = 0;
    return { lent: { token, startAt: grant.startAt, crawlDelayMs, pace } };
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

/** The part of a request that decides what is read for a URL. */
type AskedUrl = Pick<InspectRequest, "origin" | "agent" | "privateHosts" | "isNamedOwn" | "ignoreRobots">;

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
