import type { Truncation } from "../../crawl/truncation.ts";
import type { Deadline } from "../transport/deadline.ts";

/** An answer whose body is not read yet. */
export interface Readable {
  response: Response;
  /** When the request began. */
  startedAt: number;
  /** Ends the reading of the body. */
  signal: AbortSignal;
  /** Gets the number of bytes of the body that came, decompressed. */
  received: { bytes: number };
  /** Knows the duration so far. Time that the answer waits for our own limits is to be excluded from it. */
  deadline: Deadline;
  /** Why an answer of an archive is known to lack a part of its body. Absent for all others. */
  truncated?: Truncation;
}
