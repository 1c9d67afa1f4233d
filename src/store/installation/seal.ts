/**
 * Encrypts what must not be read in the database: AES-256-GCM of Web Crypto, with the key of the installation, which is
 * a secret of the Worker and stands in no database. What is sealed for one name cannot be opened for another.
 * https://developers.cloudflare.com/workers/runtime-apis/web-crypto/
 */

/** Bytes of a nonce (NIST SP 800-38D, section 8.2). A new one is drawn for each seal. */
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const encoder = new TextEncoder();

/** The key of the installation is missing, is another one, or is no key. `message` is for people. */
export class SealProblem extends Error {}

export const NO_KEY =
  "This installation has no SESSION_KEY, with which sessions, request headers and secrets of webhooks are encrypted. Set it: openssl rand -base64 32 | npx wrangler secret put SESSION_KEY";

/** The text, encrypted, in base64. Throws SealProblem without a usable key. */
export async function seal(text: string, name: string, key: string | undefined): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: encoder.encode(name) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, await importKey(key), encoder.encode(text)));
  return toBase64(Uint8Array.from([...nonce, ...sealed]));
}

/**
 * Throws SealProblem for what was sealed with another key or for another name. `what`: names it for people, as the
 * beginning of a sentence. `remedy`: what they do about it.
 */
export async function unseal(
  sealed: string,
  name: string,
  key: string | undefined,
  { what, remedy }: { what: string; remedy: string },
): Promise<string> {
  const bytes = fromBase64(sealed);
  const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, NONCE_BYTES), additionalData: encoder.encode(name) };
  const imported = await importKey(key);
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, imported, bytes.subarray(NONCE_BYTES)));
  } catch {
    throw new SealProblem(`${what} was encrypted with another SESSION_KEY. ${remedy}`);
  }
}

/**
 * HMAC-SHA-256 of a text with the key of the installation, in hexadecimal: without the key, nobody can find the text by
 * trying. Throws SealProblem without a usable key.
 */
export async function digestWith(text: string, key: string | undefined): Promise<string> {
  const bytes = keyBytes(key);
  const hmac = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", hmac, encoder.encode(text)));
  return Array.from(signed, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function importKey(key: string | undefined): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", keyBytes(key), "AES-GCM", false, ["encrypt", "decrypt"]);
}

function keyBytes(key: string | undefined): Uint8Array<ArrayBuffer> {
  if (key === undefined || key === "") throw new SealProblem(NO_KEY);
  const bytes = fromBase64(key);
  if (bytes.length !== KEY_BYTES)
    throw new SealProblem(`SESSION_KEY is no base64 of ${KEY_BYTES} bytes: openssl rand -base64 ${KEY_BYTES}`);
  return bytes;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Nothing for what is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text.trim().replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}
