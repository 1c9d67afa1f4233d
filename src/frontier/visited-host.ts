import { type Clock, systemClock } from "../core/clock.ts";
import type { ResourceAnswered } from "../fetch/browser/render-gateway.ts";
import { decideHostFailure } from "../host/host-failure.ts";
import type { LaneReport } from "../host/host-state.ts";
import { type LanePacer, pacerOf } from "../host/pace.ts";
import type { OpenLane } from "./use-lane.ts";

/**
 * A host that a rendered page visits beside its own: one lane, in which requests follow one another without a rest, as
 * those of one visit, but with the least delay of a host that is not one's own. The host rests afterwards by the whole
 * duration.
 */
export class VisitedHost {
  readonly #lane: OpenLane;
  readonly #clock: Pick<Clock, "now" | "sleep">;
  readonly #pacer: LanePacer;
  readonly #report: LaneReport;
  #startedAt: number | null = null;
  #drops: number;
  /** When the first request began, in real time, as durations are. */
  #beganAt = 0;
  /** From the first request to the end of the last one. */
  #durationMs = 0;
  #bytes = 0;

  constructor(lane: OpenLane, clock: Pick<Clock, "now" | "sleep">) {
    this.#lane = lane;
    this.#clock = clock;
    const { token, drops = 0 } = lane.grant;
    this.#pacer = pacerOf(lane.grant);
    this.#drops = drops;
    this.#report = { token, nextAt: 0, lastDurationMs: null, answered: false, failure: null };
  }

  /**
   * Waits for the host's pace before the first request, and for the least delay before the others. False if no further
   * request may be sent.
   */
  async waitForStart(): Promise<boolean> {
    const now = this.#clock.now();
    if (this.#report.failure !== null || now > this.#lane.grant.lastStartAt) return false;
    if (this.#startedAt === null) {
      this.#startedAt = this.#pacer.start(now);
      await this.#clock.sleep(this.#startedAt - now);
      this.#beganAt = systemClock.now();
    } else await this.#clock.sleep(this.#pacer.startWithin(now) - now);
    return true;
  }

  /** Records a request that has ended. */
  finish(answered: ResourceAnswered): void {
    const { bodyBytes = 0, httpStatus, retryAfterMs, detail } = answered;
    this.#durationMs = systemClock.now() - this.#beganAt;
    this.#bytes += bodyBytes;
    const host = decideHostFailure(this.#drops, answered);
    this.#drops = host.drops;
    this.#report.lastDurationMs = this.#durationMs;
    this.#report.lastBodyBytes = this.#bytes;
    if (httpStatus !== null) this.#report.answered = true;
    if (host.failed) this.#report.failure = { retryAfterMs, why: detail };
  }

  async settle(): Promise<void> {
    const { gate, policy, grant } = this.#lane;
    this.#pacer.finish(this.#clock.now(), this.#durationMs, this.#bytes);
    const { crawlDelayMs } = grant.pace;
    const { nextAt } = this.#pacer;
    await gate.settle({ ...this.#report, nextAt, drops: this.#drops, sending: [], policy, crawlDelayMs });
  }
}
