import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { IDENTITY_KEY_PREFIX, newIdentityKey } from "./identity-key.ts";

/**
 * The identity of a state folder: a file with variables of the Worker, for this user alone. While it is there, all
 * crawls of the folder sign their requests. `serve --identity` makes it.
 */

export function identityFileOf(state: string): string {
  return join(state, "identity.json");
}

/** The variables; none without the file. Throws UserError for a file that cannot be read. */
export function readIdentityFile(state: string): Record<string, string> {
  const file = identityFileOf(state);
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch (error) {
    throw new UserError(
      `${file} cannot be read (${error instanceof Error ? error.message : error}). Mend it, or delete it: then requests are not signed.`,
    );
  }
}

/** Makes the file, or gives it another address. A key that is there stays. */
export function writeIdentityFile(state: string, address: string, at: Date): void {
  const known = readIdentityFile(state);
  const hasKey = Object.keys(known).some((name) => name.startsWith(IDENTITY_KEY_PREFIX));
  const { name, secret } = newIdentityKey(at);
  const variables = { ...known, IDENTITY_ADDRESS: address, ...(hasKey ? {} : { [name]: secret }) };
  writeFileSync(identityFileOf(state), `${JSON.stringify(variables, null, 2)}\n`, { mode: 0o600 });
}
