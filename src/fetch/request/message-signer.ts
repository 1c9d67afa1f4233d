import type { Signer } from "http-message-sig";
import type { PrivateJwk } from "./identity.ts";

/** Signs with an Ed25519 key. An isolate imports each key once. */

const signers = new Map<string, Promise<Signer>>();

export function signerOf(jwk: PrivateJwk): Promise<Signer> {
  const known = signers.get(jwk.d);
  if (known !== undefined) return known;
  const signer = importSigner(jwk);
  signers.set(jwk.d, signer);
  return signer;
}

async function importSigner(jwk: PrivateJwk): Promise<Signer> {
  const { webcrypto } = await loadSignatures();
  return webcrypto.signer(await crypto.subtle.importKey("jwk", jwk, { name: "Ed25519" }, false, ["sign"]));
}

/**
 * http-message-sig 0.3 is RFC 9421 in general, by the people of web-bot-auth, on which it rests. web-bot-auth 0.1.3
 * itself can write the superseded form of Signature-Agent alone
 * (https://github.com/cloudflare/web-bot-auth/issues/126); it verifies our requests in the tests. Loaded at the first
 * signature: most installations have no key.
 */
export async function loadSignatures(): Promise<typeof import("http-message-sig")> {
  return import("http-message-sig");
}
