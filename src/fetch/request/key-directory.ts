import { createHash } from "node:crypto";
import type { Identity } from "./identity.ts";
import { loadSignatures, signerOf } from "./message-signer.ts";

/**
 * The key directory: the public keys of the installation, signed by each of them, so that nobody can serve them as
 * their own (draft-ietf-webbotauth-httpsig-protocol, "Directory Format" and "Possession Proof on the Directory
 * Response").
 */

export const DIRECTORY_PATH = "/.well-known/http-message-signatures-directory";
export const DIRECTORY_TYPE = "application/http-message-signatures-directory+json";

/** A key that is removed verifies for this long. */
const MAX_AGE_S = 3_600;
/** Longer than MAX_AGE_S: a copy from a cache must be valid too. */
const DIRECTORY_LIFETIME_S = 86_400;

/** `authority`: the host of the request, with its port unless it is the default. `now` in milliseconds. */
export async function keyDirectory(
  { keys }: Identity,
  authority: string,
  now: number,
  lifetimeS = DIRECTORY_LIFETIME_S,
): Promise<{ body: string; headers: Headers }> {
  const { appendSignature, component, createSignature } = await loadSignatures();
  const jwks = keys.map(({ id, jwk: { kty, crv, x } }) => ({ kty, crv, kid: id, x, use: "sig" }));
  const body = JSON.stringify({ keys: jwks });
  const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
  let headers = new Headers({
    "content-type": DIRECTORY_TYPE,
    // The digest is that of the body as it is sent, so nobody may compress it on its way (RFC 9530, section 2).
    "cache-control": `public, max-age=${MAX_AGE_S}, no-transform`,
    "content-digest": digest,
  });
  const created = Math.floor(now / 1_000);
  for (const [i, { id, jwk }] of keys.entries()) {
    const fields = await createSignature(
      {
        kind: "response",
        status: 200,
        fields: [{ name: "content-digest", value: digest }],
        request: { kind: "request", method: "GET", targetUri: `https://${authority}${DIRECTORY_PATH}`, fields: [] },
      },
      {
        label: i === 0 ? "binding" : `binding${i}`,
        components: [component("@authority", { req: true }), "content-digest"],
        parameters: { created, expires: created + lifetimeS, keyid: id, tag: "http-message-signatures-directory" },
        signer: await signerOf(jwk),
      },
    );
    headers = appendSignature(headers, fields);
  }
  return { body, headers };
}
