import { createHash } from "node:crypto";

/** Fixed values for the tests of the archive: ids, a date and a small body. */

export const ID = "11111111-1111-4111-8111-111111111111";
export const OTHER_ID = "22222222-2222-4222-8222-222222222222";
export const INFO_ID = "33333333-3333-4333-8333-333333333333";
export const DATE = Date.UTC(2026, 10, 21, 10, 20, 30, 456);

export const HELLO = new TextEncoder().encode("hello");
export const HELLO_SHA256 = sha256(HELLO);

/** The digest in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
