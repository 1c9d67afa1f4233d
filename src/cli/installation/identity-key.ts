import { generateKeyPairSync } from "node:crypto";
import { UserError } from "../errors.ts";

/** Makes what an installation signs its requests with (Web Bot Auth). */

/** A variable of the Worker, whose name says when the key was made, and its secret value. */
export interface IdentityKey {
  name: string;
  secret: string;
}

export const IDENTITY_KEY_PREFIX = "IDENTITY_KEY_";

/** Two keys must not be made in the same second. */
export function newIdentityKey(at: Date): IdentityKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { kty, crv, x, d } = privateKey.export({ format: "jwk" });
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return { name: `${IDENTITY_KEY_PREFIX}${time}`, secret: JSON.stringify({ kty, crv, x, d }) };
}

/** The origin of an https address. Throws UserError. */
export function checkIdentityAddress(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol === "https:") return url.origin;
  throw new UserError(
    `--identity takes the https address at which sites reach this server and its keys, such as https://crawler.example.com, not "${address}".`,
    2,
  );
}
