import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import { logError } from "../core/log.ts";
import { LANE_BUDGET_MS } from "./full-lane.ts";
import type { Gate, LendRequest } from "./gate-protocol.ts";
import type { PolicyInForce } from "./guest-limits.ts";
import type { HostHolder, HostMemory } from "./host-holder.ts";
import { type HostState, leaseEndOf, recordAnswer, restUntil } from "./host-state.ts";
import { restAfter } from "./pace.ts";
import { HostBusy, type HostHold, type RobotsRead, type RobotsRequest } from "./robots-file.ts";
import {
  exchangesKey,
  isFresh,
  isRefusedToOthers,
  limitRetry,
  type RobotsExchange,
  type RobotsFile,
} from "./robots-state.ts";
import { crawlDelayMsOf, type Later } from "./robots-verdict.ts";

/**
 * Reads and remembers the robots.txt of a host's origins. A request for one counts like any other request to its host:
 * it waits for the lane and keeps the pace, and the host rests by its duration.
 */

export interface ReaderSurroundings {
  /** Outlives the reader. */
  storage: { get<T>(key: string): T | undefined; put(key: string, value: unknown): void };
  clock: Clock;
  fetchRobots(origin: string, request: RobotsRequest, before: RobotsFile | undefined): Promise<RobotsRead>;
  /** The gate of another host. */
  gate(host: string): Pick<Gate, "lend" | "settle">;
  /** Names the process. A lane of another process is dead. */
  boot: string;
  /** Keeps the gate in memory until this ends. */
  keepAlive(work: Promise<unknown>): void;
}

/** The shortest delay that is quoted while a robots.txt is being read, in real time. */
export const ROBOTS_RETRY_MS = 1_000;
/** The longest one, in real time. */
const MAX_READING_RETRY_MS = 30_000;
/** The longest wait for a lane of the host to which a robots.txt redirects, in real time. */
const MAX_BORROWING_MS = 60_000;
/** In real time. */
const POLL_MS = 250;
/** The origins whose robots.txt is kept in memory; all others are in storage. */
const MAX_FILES_IN_MEMORY = 16;

/** The crawl that needs an origin's robots.txt, and what it may ask for it. */
interface Asker {
  origin: string;
  /** A product token. */
  agent: string;
  /** As in `AdmitRequest`. */
  privateHosts: readonly string[];
}

/** A request for a robots.txt under way. */
interface Reading {
  /** Ends with the file, or earlier if a redirect leads to another host. */
  answer: Promise<RobotsFile | Later>;
  startedAt: number;
}

export class RobotsReader {
  readonly #around: ReaderSurroundings;
  readonly #host: HostMemory;
  readonly #files = new LRUCache<string, RobotsFile>({ max: MAX_FILES_IN_MEMORY });
  /** By origin. */
  readonly #readings = new Map<string, Reading>();
  readonly #holder: HostHolder;

  constructor(around: ReaderSurroundings, host: HostMemory, holder: HostHolder) {
    this.#around = around;
    this.#host = host;
    this.#holder = holder;
  }

  /** Whether no robots.txt is being read. */
  get isAtRest(): boolean {
    return this.#readings.size === 0;
  }

  /** The origin's robots.txt as last read. */
  known(origin: string): RobotsFile | undefined {
    const stored = this.#files.get(origin) ?? this.#around.storage.get<RobotsFile>(robotsKey(origin));
    if (stored === undefined) return undefined;
    const file = limitRetry(stored, this.#now);
    this.#files.set(origin, file);
    return file;
  }

  /**
   * The origin's robots.txt. It is read first when it is missing, old, or due again after a failure. A caller with
   * `patience` waits no longer than that.
   */
  async read(asker: Asker, policy: PolicyInForce, patience?: () => Promise<void>): Promise<RobotsFile | Later> {
    const { origin } = asker;
    const known = this.known(origin);
    const isForOthers = known !== undefined && isRefusedToOthers(known, asker.privateHosts);
    if (known !== undefined && isFresh(known, this.#now) && !isForOthers) return known;
    const reading = this.#readings.get(origin) ?? this.#startReading(asker, policy, isForOthers ? undefined : known);
    if (!("answer" in reading)) return reading;
    return patience === undefined
      ? reading.answer
      : Promise.race([reading.answer, patience().then(() => this.later())]);
  }

  /** The delay grows with the time that the reading takes, so that a host that hangs costs few messages. */
  later(): Later {
    const now = this.#now;
    const startedAt = Math.min(now, ...[...this.#readings.values()].map((reading) => reading.startedAt));
    const delayMs = Math.min(
      Math.max(now - startedAt, this.#realTime(ROBOTS_RETRY_MS)),
      this.#realTime(MAX_READING_RETRY_MS),
    );
    return { state: "later", retryAt: now + delayMs };
  }

  /** Starts to read a robots.txt, unless the host is taken or rests. The gate goes on when nobody waits for it. */
  #startReading(asker: Asker, policy: PolicyInForce, known: RobotsFile | undefined): Reading | Later {
    const { origin, agent, privateHosts } = asker;
    const state = this.#host.load();
    const now = this.#now;
    if (this.#holder.isBusy) return this.later();
    const leaseEnd = leaseEndOf(state, this.#around.boot);
    const busyUntil = Math.max(state.nextAt, Math.min(leaseEnd, now + this.#realTime(LANE_BUDGET_MS)));
    if (busyUntil > now) return { state: "later", retryAt: busyUntil };
    // A redirect to another host may take a while, and the waiting batch may be what holds that host: the batch does
    // not wait.
    const { promise: elsewhere, resolve: leave } = Promise.withResolvers<Later>();
    const holdHost = (url: string) => {
      const { hostname } = new URL(url);
      if (hostname === new URL(origin).hostname) return this.#holder.hold(policy, state);
      leave(this.later());
      return this.#borrowLane(hostname, { origin: new URL(url).origin, agent, policy });
    };
    const request = { ...policy, answeredBefore: state.answered, privateHosts, holdHost };
    const file = this.#fetchFile(origin, agent, request, known, state);
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

  async #fetchFile(
    origin: string,
    agent: string,
    request: RobotsRequest & PolicyInForce,
    before: RobotsFile | undefined,
    state: HostState,
  ): Promise<RobotsFile> {
    const read = await this.#around.fetchRobots(origin, request, before);
    const { file, durationMs, bodyBytes = 0, answered, exchanges } = read;
    this.#files.set(origin, file);
    this.#around.storage.put(robotsKey(origin), file);
    if (answered) state.answered = true;
    // An answer that forbids for now has its own, growing delays, and does not show that the host is well.
    const isHealthy = answered && "fetchedAt" in file;
    const report = { lastDurationMs: durationMs, lastBodyBytes: bodyBytes, answered: isHealthy, failure: null };
    recordAnswer(state, report, this.#now);
    const pace = { ...request, crawlDelayMs: crawlDelayMsOf(file, agent) };
    restUntil(state, this.#now + restAfter(durationMs, bodyBytes, pace), this.#now);
    this.#host.save(state);
    if (exchanges !== undefined) this.#keepExchanges(origin, exchanges);
    return file;
  }

  /** Stores the answers for archives. If they are too large they are dropped: the gate goes on without them. */
  #keepExchanges(origin: string, exchanges: RobotsExchange[]): void {
    try {
      this.#around.storage.put(exchangesKey(origin), exchanges);
    } catch (error) {
      logError("robots-not-kept", error, { host: new URL(origin).host });
    }
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
        const { token, startAt, crawlDelayMs, pace = { ...request.policy, crawlDelayMs } } = answer.lent;
        await this.#sleepUntil(startAt);
        return {
          release: async (durationMs, answered, bodyBytes = 0) => {
            const nextAt = this.#now + restAfter(durationMs, bodyBytes, pace);
            const report = {
              token,
              nextAt,
              lastDurationMs: durationMs,
              lastBodyBytes: bodyBytes,
              answered,
              failure: null,
            };
            await gate.settle({ ...report, sending: [], policy: request.policy, crawlDelayMs });
          },
        };
      }
      if (answer.retryAt > deadline) throw new HostBusy(host, answer.retryAt);
      await this.#sleepUntil(Math.max(answer.retryAt, this.#now + this.#realTime(POLL_MS)));
    }
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
}

const robotsKey = (origin: string) => `robots:${origin}`;
