import type { Fetching } from "../../frontier/deps.ts";
import type { LanePolicy } from "../../host/gate-protocol.ts";
import { describeOwnership } from "../../host/ownership.ts";
import { PROOF_PATH, proofNameOf } from "../../host/ownership-proof.ts";
import { productToken } from "../../robots/product-token.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import { isAddress, isPublicHost } from "../../url/public-address.ts";

/** Whose host it is, and how its owner can show that. */
interface OwnershipReport {
  /** `URL.host`. */
  host: string;
  isOwn: boolean;
  /** In words. */
  says: string;
  /** The key that a proof names. */
  key: string;
  /** The proof by a file: its URL. */
  file: string;
  /** The proof by DNS: the name of a TXT record. Null if the host has no public name. */
  dns: string | null;
}

/** Wants all, so that the gate looks for a proof. */
const POLICY: Omit<LanePolicy, "userAgent"> = {
  ...{ minDelayMs: 0, maxDelayMs: 0, delayFactor: 0, concurrency: 1, timeoutMs: 10_000 },
};

/**
 * Looks for proofs that are due, at the host's pace and after its robots.txt. Of a private host nothing is asked: the
 * operator names it. `url` is canonical; `key`: the newest one.
 */
export async function readOwnership(
  url: string,
  { userAgent, key }: { userAgent: string; key: string },
  deps: Pick<Fetching, "gate">,
): Promise<OwnershipReport> {
  const host = hostOf(url);
  const hostname = hostKey(url);
  const origin = originOf(url);
  const gate = deps.gate(hostname);
  const asked = {
    origin,
    agent: productToken(userAgent),
    policy: { ...POLICY, userAgent },
    ignoreRobots: true,
  } as const;
  const hasName = isPublicHost(hostname);
  const { ownership = { evidence: null, failed: [] } } = hasName
    ? await gate.inspect({ ...asked, url, uses: [] })
    : await gate.status({ ...asked, origins: [origin] });
  const isOwn = ownership.evidence !== null;
  const says = describeOwnership(host, ownership);
  const dns = hasName && !isAddress(hostname) ? proofNameOf(hostname) : null;
  return {
    ...{ host, isOwn, key, dns, file: `${origin.replace(/:\d+$/, "")}${PROOF_PATH}` },
    says: isOwn || hasName ? says : `${says}; a crawl names a private host as one's own by ownHosts (--own ${host})`,
  };
}
