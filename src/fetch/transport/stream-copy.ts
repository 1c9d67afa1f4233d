import { joinBytes } from "../../core/join-bytes.ts";
import { type ByteLease, bodies, NoRoom } from "./byte-budget.ts";
import type { Deadline } from "./deadline.ts";
import { FREE_BODY_BYTES } from "./read-body.ts";

/** Keeps a copy of a body while somebody reads it, up to a limit. */
export class StreamCopy {
  readonly #limit: number;
  readonly #leaseMs: number;
  readonly #reservedBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #hasEnded = false;
  #lease: ByteLease | null = null;
  #foundNoRoom = false;

  /**
   * `limit`: in bytes. `leaseMs`: for how long a copy of more than FREE_BODY_BYTES reserves memory. `reservedBytes`:
   * the memory for the copy, and for what is made of it.
   */
  constructor(limit: number, leaseMs: number, reservedBytes: number) {
    this.#limit = limit;
    this.#leaseMs = leaseMs;
    this.#reservedBytes = reservedBytes;
  }

  /** The response with a body that is copied as it is read. The wait for memory does not count for `deadline`. */
  of(response: Response, deadline: Deadline): Response {
    if (response.body === null) {
      this.#hasEnded = true;
      return response;
    }
    const copying = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        await this.#add(chunk, deadline);
        controller.enqueue(chunk);
      },
      flush: () => {
        this.#hasEnded = true;
      },
    });
    return new Response(response.body.pipeThrough(copying), response);
  }

  /** What was read, up to the limit. The copy then holds nothing more. */
  take(): Uint8Array<ArrayBuffer> {
    return joinBytes(this.#chunks.splice(0));
  }

  /** Whether the body was read to its end, and is within the limit. */
  get isComplete(): boolean {
    return this.#hasEnded && this.#length <= this.#limit;
  }

  /** Whether the copy had to end because other bodies hold the memory. The body that is read then fails, too. */
  get foundNoRoom(): boolean {
    return this.#foundNoRoom;
  }

  /** Gives the reserved memory back. */
  release(): void {
    this.#lease?.release();
  }

  async #add(chunk: Uint8Array, deadline: Deadline): Promise<void> {
    const room = Math.max(0, this.#limit - this.#length);
    this.#length += chunk.byteLength;
    if (room === 0) return;
    if (this.#length > FREE_BODY_BYTES && this.#lease === null) await this.#reserve(deadline);
    this.#chunks.push(chunk.slice(0, room));
  }

  async #reserve(deadline: Deadline): Promise<void> {
    const taking = bodies.take(this.#reservedBytes, this.#leaseMs, deadline.patienceMs());
    this.#lease = await deadline.exclude(taking).catch((error: unknown) => {
      this.#foundNoRoom = error instanceof NoRoom;
      throw error;
    });
  }
}
