import { systemClock } from "../../core/clock.ts";
import type { Send } from "./devtools.ts";
import type { PausedRequest, TabListener } from "./tab.ts";

/** The requests of one page: counted while they wait for an answer, so that whoever draws it knows when it is quiet. */

export type ErrorReason = "Failed" | "Aborted" | "BlockedByClient";
/** Refuses the request. */
export type Fail = (why: ErrorReason) => Promise<void>;

export abstract class TabRequests implements TabListener {
  /** Requests that wait for an answer. */
  inFlight = 0;
  /** Requests that got one, or none. */
  answers = 0;
  protected isOver = false;
  #wake: (() => void) | undefined;

  onRequest(paused: PausedRequest, send: Send, isMainDocument: boolean): void {
    this.inFlight += 1;
    const fail: Fail = async (errorReason) => send("Fetch.failRequest", { requestId: paused.requestId, errorReason });
    void this.handle(paused, send, fail, isMainDocument)
      // A request of a frame that is gone has nobody to answer. What fails before an answer must not hang.
      .catch(() => fail("Failed").catch(() => undefined))
      .finally(() => {
        this.inFlight -= 1;
        this.answers += 1;
        if (this.inFlight === 0) this.#wake?.();
      });
  }

  /** Resolves when no request is in flight, or after `maxMs`. */
  async silence(maxMs: number): Promise<void> {
    if (this.inFlight === 0) return;
    await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), systemClock.sleep(maxMs)]);
  }

  /** Refuses all requests from now on. */
  end(): void {
    this.isOver = true;
  }

  /** Answers or refuses a request. */
  protected abstract handle(paused: PausedRequest, send: Send, fail: Fail, isMainDocument: boolean): Promise<void>;
}
