import { createHash } from "node:crypto"; // native in workerd, of one piece or of many, and at once: crypto.subtle costs a turn of the event loop

/** Hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The same of bytes that come one after the other, in little memory however many. */
export function startSha256(): { update(chunk: Uint8Array): void; digest(): string } {
  const hash = createHash("sha256");
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest("hex") };
}
