/**
 * Signatures of notices by the Standard Webhooks specification, with WebCrypto. The official library also runs in
 * workerd, but computes SHA-256 in JavaScript, and signing takes ten lines.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */

const PREFIX = "whsec_";
/** "Random. Between 24 bytes (192 bits) and 64 bytes (512 bits)". */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const NEW_BYTES = 32;

export const SECRET_RULE = "a secret is whsec_ and 24 to 64 random bytes in base64";

export function makeSecret(): string {
  return PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(NEW_BYTES)));
}

export function isSecret(text: string): boolean {
  const bytes = keyOf(text)?.byteLength ?? 0;
  return bytes >= MIN_BYTES && bytes <= MAX_BYTES;
}

/** What a signature covers. */
interface SignedContent {
  /** Without full stops. */
  id: string;
  /** Of this attempt, in seconds since the Unix epoch. */
  timestampS: number;
  body: string;
}

/** The headers of an attempt. Throws RangeError if `secret` is none. */
export async function signedHeaders(
  secret: string,
  { id, timestampS, body }: SignedContent,
): Promise<Record<string, string>> {
  const bytes = keyOf(secret);
  if (bytes === null) throw new RangeError(SECRET_RULE);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const content = new TextEncoder().encode(`${id}.${timestampS}.${body}`);
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, content)));
  return { "webhook-id": id, "webhook-timestamp": String(timestampS), "webhook-signature": `v1,${signature}` };
}

/** The X-Firecrawl-Signature of a body: https://docs.firecrawl.dev/webhooks/security */
export async function firecrawlSignature(secret: string, body: string): Promise<string> {
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(body)));
  return `sha256=${Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Null for a text that is no secret. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  const encoded = secret.slice(PREFIX.length);
  if (!secret.startsWith(PREFIX) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return null;
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
