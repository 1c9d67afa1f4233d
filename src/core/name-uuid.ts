import { createHash } from "node:crypto";

/**
 * The UUID of a name within a namespace: version 5, RFC 9562 section 5.5. `namespace`: a UUID. The same two always give
 * the same UUID. It is a few lines over the runtime's SHA-1, so no package is needed.
 */
export function nameUuid(namespace: string, name: string): string {
  const digest = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name)
    .digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
