import type { NoticeAnswer } from "../../src/fetch/request/post-notice.ts";
import type { Random } from "./platform/random.ts";

/** Receivers of notices that fail, hang and die. */

const HOUR_MS = 3_600_000;
/** Failures in a row after which a notice is accepted: the fifth attempt comes within three hours. */
const MAX_FAILURES = 4;

export const ok = { status: 204, retryAfterMs: null, detail: null };
const failed = (status: number | null): NoticeAnswer => ({ status, retryAfterMs: null, detail: "it failed" });

/** How each receiver treats a notice. `nth`: the number of attempts before. `age`: milliseconds since the start. */
export type Receiver = (nth: number, random: Random, age: number) => NoticeAnswer & { ms: number };
export const failing: Receiver = (nth, random) =>
  nth < MAX_FAILURES && random.chance(0.5)
    ? { ...failed(random.oneOf([500, 404, null])), ms: 100 }
    : { ...ok, ms: 100 };
export const hanging: Receiver = (nth, random) =>
  nth < MAX_FAILURES && random.chance(0.5) ? { ...failed(null), ms: 15_000 } : { ...ok, ms: 200 };
export const dead: Receiver = (_, __, age) => (age < HOUR_MS ? { ...failed(null), ms: 1_000 } : { ...ok, ms: 50 });
export const slow: Receiver = () => ({ ...ok, ms: 10_000 });
