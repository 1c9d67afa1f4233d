import type { Attempt } from "../attempt.ts";
import type { Lane, Waiting } from "../batch/admit.ts";
import { type Batch, BatchFailure } from "../batch/batch.ts";
import { type WrittenPack, writePacks } from "../commit/write-packs.ts";
import type { Work } from "../work.ts";
import { untilDeadline } from "./lane-deadline.ts";

/** What becomes of the URLs of a lane, until its batch commits them. */
export class KeptPages {
  readonly attempts: Attempt[] = [];
  /** The packs of its large pages; the others are packed with the batch. */
  readonly packs: WrittenPack[] = [];
  /** URLs that were not started, because the host failed, the time ran out, or the batch holds too much text. */
  readonly unfetched: Work[] = [];
  /** URLs to send again later, without an attempt. */
  readonly waiting: Waiting[] = [];
  /** URLs whose results could not be kept, through a fault of the platform. The lane ended with the first. */
  readonly faults: { work: Work; failure: BatchFailure }[] = [];
  readonly #lane: Lane;
  readonly #batch: Batch;

  constructor(lane: Lane, batch: Batch) {
    this.#lane = lane;
    this.#batch = batch;
  }

  get isEmpty(): boolean {
    return this.attempts.length + this.packs.length === 0;
  }

  hold(attempt: Attempt): Attempt {
    this.attempts.push(attempt);
    this.#batch.hold(attempt);
    return attempt;
  }

  noteFault(work: Work, error: unknown): void {
    this.faults.push({ work, failure: new BatchFailure("fetch", error) });
  }

  /** Writes what the lane holds into a pack. Pages before the last one can still go into the batch's pack. */
  async pack(last: Work): Promise<void> {
    const batch = this.#batch;
    const held = this.attempts.splice(0);
    let kept = held;
    try {
      if (batch.hook !== null) kept = await batch.hook.askRead(held);
      const written = await untilDeadline(writePacks(kept, [], batch.deps), [this.#lane], batch.deps.clock);
      for (const one of held) batch.release(one);
      this.packs.push(...written.packs);
      this.attempts.push(...written.attempts);
    } catch (error) {
      this.noteFault(last, error);
      const { own = [], others = [] } = Object.groupBy(kept, ({ work }) => (work === last ? "own" : "others"));
      for (const one of own) {
        batch.release(one);
        batch.releaseText(one);
      }
      this.attempts.push(...others);
    }
  }
}
