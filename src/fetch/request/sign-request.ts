import { randomBytes } from "node:crypto";
import { clockOf } from "../../core/clock.ts";
import { type Identity, type IdentityEnv, identityIn, signingKey } from "./identity.ts";
import { DIRECTORY_PATH } from "./key-directory.ts";
import { loadSignatures, signerOf } from "./message-signer.ts";

/**
 * Signs the requests of a crawl, so that a site can tell them from those of somebody who only uses our name (Web Bot
 * Auth: RFC 9421 with the profile of draft-ietf-webbotauth-httpsig-protocol, "Generating HTTP Message Signature").
 */

/** A signature can be used again until it expires, so it lives for as long as Cloudflare's documentation advises. */
const SIGNATURE_LIFETIME_S = 60;
/** In bytes. Verifiers may use it to find signatures that are used again. */
const NONCE_BYTES = 64;
const LABEL = "sig1";

/** The headers that sign a GET of `url`: none without an identity. A redirect is signed anew, for its own host. */
export async function signatureHeaders(
  url: string,
  env: IdentityEnv & { CLOCK?: string },
): Promise<Record<string, string>> {
  const identity = identityIn(env);
  if (identity === null) return {};
  return signGet(url, identity, clockOf(env).now(), randomBytes(NONCE_BYTES).toString("base64"));
}

/** `now` in milliseconds since the epoch, `nonce` in base64. */
export async function signGet(
  url: string,
  identity: Identity,
  now: number,
  nonce: string,
  lifetimeS = SIGNATURE_LIFETIME_S,
): Promise<Record<string, string>> {
  const { component, createSignature } = await loadSignatures();
  const { id, jwk } = signingKey(identity, now);
  const signer = await signerOf(jwk);
  const agent = agentOf(identity);
  const created = Math.floor(now / 1_000);
  const { signature, signatureInput } = await createSignature(
    { kind: "request", method: "GET", targetUri: url, fields: [{ name: "signature-agent", value: agent }] },
    {
      label: LABEL,
      components: [
        "@authority",
        identity.form === "string" ? "signature-agent" : component("signature-agent", { key: LABEL }),
      ],
      parameters: {
        created,
        keyid: id,
        alg: signer.algorithm,
        expires: created + lifetimeS,
        nonce,
        tag: "web-bot-auth",
      },
      signer,
    },
  );
  return { "signature-agent": agent, "signature-input": signatureInput, signature };
}

/**
 * Cloudflare's verifiers, and others that follow the first drafts, know a String with the origin of the directory:
 * https://developers.cloudflare.com/bots/reference/bot-verification/web-bot-auth/. The working group's draft wants a
 * Dictionary with the URL of the directory itself. One request can have only one of them.
 */
function agentOf({ address, form }: Identity): string {
  return form === "string" ? `"${address}"` : `${LABEL}="${address}${DIRECTORY_PATH}"`;
}
