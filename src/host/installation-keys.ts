import { type IdentityEnv, identityIn } from "../fetch/request/identity.ts";
import type { InstallationKey } from "../store/installation/installation-key.ts";

/**
 * The keys by which a host may name the installation as its owner's: the thumbprints of its identity, the newest first,
 * and its own random key, which outlives them.
 */
export async function installationKeys(env: IdentityEnv, stored: Pick<InstallationKey, "read">): Promise<string[]> {
  const identity = identityIn(env);
  return [...(identity?.keys ?? []).map(({ id }) => id), await stored.read()];
}
