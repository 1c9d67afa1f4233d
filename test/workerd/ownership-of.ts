import { env } from "cloudflare:test";
import type { OwnershipSurroundings } from "../../src/host/ownership.ts";
import { readOwnHosts } from "../../src/url/own-host.ts";

/** What a gate of a test knows of ownership: the test's OWN_HOSTS, which have most made-up names, and no proof. */
export function ownershipOf(): Pick<
  OwnershipSurroundings,
  "ownHosts" | "installationKeys" | "resolveText" | "fetchProof"
> {
  return {
    ownHosts: readOwnHosts(env.OWN_HOSTS),
    installationKeys: async () => ["the-key"],
    resolveText: async () => ({ kind: "found", texts: [] }),
    fetchProof: async (origin, _request, hold) => {
      await hold.release(5, true);
      return { why: `${origin} has no file`, durationMs: 5, bodyBytes: 0, answered: true, failure: null };
    },
  };
}
