// Native in workerd and synchronous: crypto.subtle costs a turn of the event loop.
import { createHash } from "node:crypto";

/** The digest in hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Like `sha256Of`, for bytes that arrive in chunks. It needs little memory, however many there are. */
export function startSha256(): { update(chunk: Uint8Array): void; digest(): string } {
  const hash = createHash("sha256");
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest("hex") };
}
