import { createHash } from "node:crypto"; // synchronous, see archive/sha256.ts

/**
 * The identity of the installation: its address, and the keys that sign its requests (Web Bot Auth). Without a key, no
 * request is signed. `npm run deploy -- --identity` and `serve --identity` make one.
 * https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/
 */

/** The part of Env that holds it, besides the keys: IDENTITY_KEY_ and the time at which one was made. */
export interface IdentityEnv {
  IDENTITY_ADDRESS?: string;
  IDENTITY_FORM?: string;
}

/** A private key as a JWK (RFC 8037, section 2). */
export interface PrivateJwk {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  d: string;
}

interface IdentityKey {
  /** When it was made, in milliseconds since the epoch. */
  since: number;
  /** The JWK SHA-256 thumbprint (RFC 8037, appendix A.3), which names the key. */
  id: string;
  jwk: PrivateJwk;
}

export interface Identity {
  /** An https origin. Its key directory has the public keys. */
  address: string;
  /** How Signature-Agent is written (sign-request.ts). */
  form: "string" | "dictionary";
  /** At least one, the newest first. */
  keys: readonly [IdentityKey, ...IdentityKey[]];
}

/** A private key as JWK is a secret of this name, such as IDENTITY_KEY_20261123T083000Z. */
const KEY_NAME = /^IDENTITY_KEY_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** 32 bytes in base64url. */
const BYTES_32 = /^[\w-]{43}$/;

/** Null if requests are not signed: without an https address, or without a key that can be read. */
export function identityIn(env: IdentityEnv): Identity | null {
  const address = URL.parse(env.IDENTITY_ADDRESS ?? "");
  if (address?.protocol !== "https:") return null;
  const keys = Object.entries(env)
    .map(([name, secret]) => readKey(name, secret))
    .filter((key) => key !== null)
    .sort((a, b) => b.since - a.since);
  const [newest, ...older] = keys;
  if (newest === undefined) return null;
  const form = env.IDENTITY_FORM === "dictionary" ? "dictionary" : "string";
  return { address: address.origin, form, keys: [newest, ...older] };
}

function readKey(name: string, secret: unknown): IdentityKey | null {
  const [, year, month, day, hour, minute, second] = KEY_NAME.exec(name) ?? [];
  if (year === undefined || typeof secret !== "string") return null;
  const since = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const jwk = parseJwk(secret);
  return jwk === null || Number.isNaN(since) ? null : { since, id: thumbprintOf(jwk), jwk };
}

function parseJwk(secret: string): PrivateJwk | null {
  try {
    const { kty, crv, x, d } = JSON.parse(secret) as Record<string, unknown>;
    if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof d !== "string") return null;
    return BYTES_32.test(x) && BYTES_32.test(d) ? { kty, crv, x, d } : null;
  } catch {
    return null;
  }
}

/** RFC 7638, section 3: the digest of the required members, in the order of their names. */
export function thumbprintOf({ kty, crv, x }: Pick<PrivateJwk, "kty" | "crv" | "x">): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url");
}

/** Verifiers keep the directory for up to this long, so a new key signs only when they can know it. */
const ANNOUNCED_MS = 24 * 3_600_000;

/** The newest key that has stood in the directory for a day, or else the oldest: there is nothing better. */
export function signingKey({ keys }: Identity, now: number): IdentityKey {
  return keys.find(({ since }) => since + ANNOUNCED_MS <= now) ?? keys.at(-1) ?? keys[0];
}
