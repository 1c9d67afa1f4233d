import type { Identity } from "./tokens.ts";

/**
 * Signatures for values that stand in for a token, such as sessions and replay keys. The key is the token's digest:
 * nothing has to be stored, and a signature is void when its token is removed or loses rights.
 */

const encoder = new TextEncoder();

/** In hex. A signature for one `purpose` is not valid for another. */
export async function signatureOf(purpose: string, content: string, identity: Identity): Promise<string> {
  return toHex(await sign(purpose, content, identity));
}

/** The identity that signed it, null if there is none. Compares with each, in constant time. */
export async function signerOf(
  purpose: string,
  content: string,
  signature: string,
  accepted: readonly Identity[],
): Promise<Identity | null> {
  if (!/^[0-9a-f]{64}$/.test(signature)) return null;
  const given = fromHex(signature);
  const expected = await Promise.all(accepted.map((identity) => sign(purpose, content, identity)));
  const matches = expected.map((each) => crypto.subtle.timingSafeEqual(each, given));
  return accepted[matches.indexOf(true)] ?? null;
}

async function sign(purpose: string, content: string, { digest }: Identity): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", digest, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return crypto.subtle.sign("HMAC", key, encoder.encode(`orbweaver ${purpose} ${content}`));
}

function toHex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
