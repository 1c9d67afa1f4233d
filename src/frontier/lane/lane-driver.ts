import { type Clock, systemClock } from "../../core/clock.ts";
import { logError } from "../../core/log.ts";
import type { Answered, PageRejected } from "../../crawl/page/outcome.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import { reject, SENT_PLAINLY, type Sending } from "../../fetch/answer/answer.ts";
import { LANE_BUDGET_MS, REMEMBERED_FETCHES } from "../../host/full-lane.ts";
import type { Admission, Gate, LanePolicy, SettleRequest } from "../../host/gate-protocol.ts";
import { decideHostFailure } from "../../host/host-failure.ts";
import type { HostFailure, LaneReport } from "../../host/host-state.ts";
import type { LanePacer } from "../../host/pace.ts";
import { deadlineLeftMs, leaseLeftMs, untilDeadline } from "./lane-deadline.ts";

/**
 * Drives one lane, whatever is fetched in it: when a request starts, when the lane is over, what the answers say of the
 * host, and what the gate is told at the end.
 */

/** A lane that a gate has granted. */
export interface OpenLane {
  /** Its gate. A stub that has thrown may stay broken, so each call gets its own. */
  gate(): Gate;
  policy: LanePolicy;
  grant: NonNullable<Admission["lane"]>;
  pacer: LanePacer;
}

/** Where the requests of a lane run. */
export interface Place {
  /** Rests, and holds no one up meanwhile. */
  rest(sleep: Promise<void>): Promise<void>;
  /** Runs a request when there is room for it. */
  run<T>(request: () => Promise<T>): Promise<T>;
  /** Whether no further request may start, whatever the host allows. */
  readonly isClosed: boolean;
}

/** A result, and when it came. */
export interface Answer<T> {
  result: T | PageRejected;
  now: number;
}

const OPEN_PLACE: Place = { rest: (sleep) => sleep, run: (request) => request(), isClosed: false };

/** What a result says of its host. */
type Sign = Pick<Answered, "httpStatus" | "retryAfterMs"> &
  Partial<Pick<PageRejected, "hostFailed" | "dropped" | "reason" | "detail">>;

export class LaneDriver {
  readonly lane: OpenLane;
  readonly #clock: Clock;
  readonly #place: Place;
  readonly #report: Pick<LaneReport, "lastDurationMs" | "lastBodyBytes" | "fetches" | "answered" | "failure">;
  #drops: number;
  #isGivenBack = false;
  /** Whether it was given back before its results are committed, so that the gate has booked no slots yet. */
  #isEarly = false;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(lane: OpenLane, clock: Clock, place: Place = OPEN_PLACE) {
    this.lane = lane;
    this.#clock = clock;
    this.#place = place;
    this.#drops = lane.grant.drops ?? 0;
    this.#report = { lastDurationMs: null, answered: false, failure: null };
  }

  get hasFailed(): boolean {
    return this.#report.failure !== null;
  }

  /** Whether the next request may start within the time of a lane. */
  get isSoon(): boolean {
    return this.lane.pacer.nextAt - this.#clock.now() <= LANE_BUDGET_MS * this.#clock.speed;
  }

  /**
   * Sends one request at the host's pace. Null if the lane is over by then: its deadline covers the wait for the host
   * and for a place. Throws if it does not end before the deadline.
   */
  async send<T extends Answered>(request: (sending: Sending) => Promise<T>): Promise<Answer<T> | null> {
    const { pacer } = this.lane;
    const clock = this.#clock;
    // No place is taken for the rest before the request.
    if (!this.#isOver(pacer.nextAt)) await this.#place.rest(clock.sleep(pacer.nextAt - clock.now()));
    // A request begins when it has its place: before, no timeout and no duration runs.
    return this.#place.run(async () => {
      if (!(await this.begin())) return null;
      const sending = { ...SENT_PLAINLY, leaseMs: leaseLeftMs(this.lane, clock) };
      const result = await untilDeadline(
        surviving(() => request(sending)),
        [this.lane],
        clock,
      );
      this.end(result);
      return { result, now: clock.now() };
    });
  }

  /** Like `send`, and notes what the answer says of the host. */
  async ask<T extends Answered>(request: (sending: Sending) => Promise<T>): Promise<Answer<T> | null> {
    const answer = await this.send(request);
    if (answer !== null) this.judge(answer.result);
    return answer;
  }

  /** Waits for the host's pace. False if no further request may start. */
  async begin(): Promise<boolean> {
    const { pacer } = this.lane;
    const now = this.#clock.now();
    if (this.#isOver(Math.max(now, pacer.nextAt))) return false;
    await this.#clock.sleep(pacer.start(now) - now);
    return true;
  }

  /** Likewise for a request that belongs to a visit under way: it waits for the least delay alone. */
  async beginWithin(): Promise<boolean> {
    const now = this.#clock.now();
    if (this.#isOver(now)) return false;
    await this.#clock.sleep(this.lane.pacer.startWithin(now) - now);
    return true;
  }

  /** Notes a request that has ended. */
  end({ durationMs, bodyBytes = 0, httpStatus }: Answered): void {
    this.lane.pacer.finish(this.#clock.now(), durationMs, bodyBytes);
    this.#report.lastDurationMs = durationMs;
    this.#report.lastBodyBytes = bodyBytes;
    this.#report.fetches = [...(this.#report.fetches ?? []), { durationMs, bodyBytes }].slice(-REMEMBERED_FETCHES);
    if (httpStatus !== null) this.#report.answered = true;
  }

  /** Notes what a result says of the host. A host that has failed ends the lane. */
  judge(result: Sign): void {
    const { drops, failed } = decideHostFailure(this.#drops, result);
    this.#drops = drops;
    if (failed) this.#report.failure = failureOf(result);
  }

  /**
   * Gives the lane back at its deadline, unless that happens before: nothing that it waits for may hold its host. What
   * it has fetched is still committed.
   */
  settleInTime(): void {
    this.#deadline = setTimeout(() => void this.settle([], true), Math.max(0, deadlineLeftMs(this.lane, this.#clock)));
  }

  /**
   * Frees the host of a lane whose results were not committed, so that it does not wait for the lease to end. What they
   * say of the host is not told, because its URLs come again.
   */
  async release(): Promise<void> {
    // Nobody knows how long its last request took.
    this.lane.pacer.finish(this.#clock.now(), 0);
    Object.assign(this.#report, {
      lastDurationMs: null,
      lastBodyBytes: undefined,
      fetches: undefined,
      answered: false,
      failure: null,
    });
    this.#drops = this.lane.grant.drops ?? 0;
    await this.settle([], true);
  }

  /**
   * Frees the host of a lane whose results wait for those of other lanes. What then is to be sent gets its slots by
   * `settle`.
   */
  async settleEarly(): Promise<void> {
    this.#isEarly = !this.#isGivenBack;
    await this.settle([], true);
  }

  /**
   * Gives the lane back. Returns for each crawl of `sending` the delays to the slots that the gate books, in
   * milliseconds. What was fetched stands if the gate fails twice: the lane ends with its lease then, and the URLs get
   * their slots when they come. So do those of a lane that is back already. `unfinished`: what was fetched is not
   * committed.
   * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
   */
  async settle(sending: SettleRequest["sending"] = [], unfinished = false): Promise<number[][]> {
    clearTimeout(this.#deadline);
    if (this.#isGivenBack && (!this.#isEarly || sending.length === 0)) return [];
    const { policy, grant, pacer } = this.lane;
    // What the gate was told of the host once counts once.
    const report = this.#isGivenBack
      ? { lastDurationMs: null, answered: false, failure: null }
      : { ...this.#report, drops: this.#drops, ...(unfinished ? { unfinished } : {}) };
    this.#isGivenBack = true;
    const request: SettleRequest = {
      ...report,
      ...{ token: grant.token, nextAt: pacer.nextAt },
      ...{ sending, policy, crawlDelayMs: grant.pace.crawlDelayMs },
    };
    const settle = () => this.lane.gate().settle(request);
    return settle()
      .catch(settle)
      .catch((error: unknown) => {
        logError("lane-not-settled", error, { crawls: sending.map(({ crawl }) => crawl) });
        return [];
      });
  }

  #isOver(startAt: number): boolean {
    return this.#isGivenBack || this.hasFailed || this.#place.isClosed || startAt > this.lane.grant.lastStartAt;
  }
}

function failureOf({ reason, detail = "", httpStatus, retryAfterMs }: Sign): HostFailure {
  const why = reason === undefined ? detail : describeReason({ reason, detail });
  return httpStatus === null && reason !== undefined ? { retryAfterMs, why, reason } : { retryAfterMs, why };
}

/** An invocation that ends early (CPU, memory, a bug) costs its URL an attempt, and nothing else. */
export async function surviving<T>(invocation: () => Promise<T>): Promise<T | PageRejected> {
  const startedAt = systemClock.now();
  return invocation().catch((error: unknown) => {
    const detail = `the page ended its fetcher: ${error instanceof Error ? error.message : String(error)}`;
    return reject("parse", detail, { durationMs: systemClock.now() - startedAt, retryable: true });
  });
}
