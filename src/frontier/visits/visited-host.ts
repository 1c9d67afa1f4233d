import { type Clock, systemClock } from "../../core/clock.ts";
import type { ResourceAnswered } from "../../fetch/browser/render-gateway.ts";
import { LaneDriver, type OpenLane } from "../lane/lane-driver.ts";

/**
 * A host that a rendered page visits beside its own: one lane, in which requests follow one another without a rest, as
 * those of one visit, but with the least delay of a host that is not one's own. The host rests afterwards by the whole
 * duration.
 */
export class VisitedHost {
  readonly #driver: LaneDriver;
  /** When the first request began, and when the last one ended, in real time, as durations are. Null before that. */
  #beganAt: number | null = null;
  #endedAt: number | null = null;
  #bodyBytes = 0;
  #httpStatus: number | null = null;

  constructor(lane: OpenLane, clock: Clock) {
    this.#driver = new LaneDriver(lane, clock);
  }

  /**
   * Waits for the host's pace before the first request, and for the least delay before the others. False if no further
   * request may be sent.
   */
  async waitForStart(): Promise<boolean> {
    if (this.#beganAt !== null) return this.#driver.beginWithin();
    const mayStart = await this.#driver.begin();
    if (mayStart) this.#beganAt = systemClock.now();
    return mayStart;
  }

  /** Records a request that has ended. */
  finish(answered: ResourceAnswered): void {
    this.#endedAt = systemClock.now();
    this.#bodyBytes += answered.bodyBytes ?? 0;
    this.#httpStatus ??= answered.httpStatus;
    this.#driver.judge(answered);
  }

  /** Gives the lane back. The visit is one request to the host. */
  async settle(): Promise<void> {
    if (this.#beganAt !== null) {
      const durationMs = (this.#endedAt ?? systemClock.now()) - this.#beganAt;
      this.#driver.end({ durationMs, bodyBytes: this.#bodyBytes, httpStatus: this.#httpStatus, retryAfterMs: null });
    }
    await this.#driver.settle();
  }
}
