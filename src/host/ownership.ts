import type { Clock } from "../core/clock.ts";
import { logError } from "../core/log.ts";
import type { TextResolution } from "../fetch/transport/resolver.ts";
import { describeEvidence, findOwnHostEvidence, type OwnHostEvidence, type OwnHosts } from "../url/own-host.ts";
import { isAddress, isPublicHost } from "../url/public-address.ts";
import { LANE_BUDGET_MS } from "./full-lane.ts";
import type { Ownership } from "./gate-protocol.ts";
import type { PolicyInForce } from "./guest-limits.ts";
import type { HostHolder, HostMemory } from "./host-holder.ts";
import { leaseEndOf, recordAnswer } from "./host-state.ts";
import { namesKey, PROOF_PATH, type ProofRead, proofNameOf } from "./ownership-proof.ts";
import type { HostHold, RobotsRequest } from "./robots-file.ts";
import type { RobotsFile } from "./robots-state.ts";
import { crawlDelayMsOf, decisionOf, type Later } from "./robots-verdict.ts";

/**
 * Knows whether a gate's host is the operator's own, and asks the host for a proof when a crawl wants more than a guest
 * gets. Its DNS record comes first, which costs the host nothing, then its file, after its robots.txt and at its pace.
 */

export interface OwnershipSurroundings {
  /** Outlives the reader. */
  storage: { get<T>(key: string): T | undefined; put(key: string, value: unknown): void };
  clock: Clock;
  boot: string;
  /** What OWN_HOSTS lists. */
  ownHosts: OwnHosts;
  /** What a proof may name. */
  installationKeys(): Promise<string[]>;
  /** Asks DNS for the TXT records of a name. */
  resolveText(name: string): Promise<TextResolution>;
  fetchProof(origin: string, request: ProofRequest, hold: HostHold, keys: readonly string[]): Promise<ProofRead>;
  /** Keeps the gate in memory until this ends. */
  keepAlive(work: Promise<unknown>): void;
}

type ProofRequest = Pick<RobotsRequest, "userAgent" | "from" | "timeoutMs" | "privateHosts">;

/** Who asks, and what is known of the origin's robots.txt. */
interface ProofAsker {
  origin: string;
  agent: string;
  privateHosts: readonly string[];
  file: RobotsFile | Later;
}

/** What was asked for. Times are milliseconds since the Unix epoch. */
interface Proofs {
  /** Null if nothing proves it. */
  proven: { evidence: OwnHostEvidence; until: number } | null;
  /** By place: `dns`, or an origin. */
  failed: Record<string, { why: string; until: number }>;
}

const KEY = "ownership";
const NONE: Proofs = { proven: null, failed: {} };
const PROVEN_MS = 86_400_000;
const FAILED_MS = 3_600_000;

export class OwnershipReader {
  readonly #around: OwnershipSurroundings;
  readonly #host: HostMemory;
  readonly #holder: HostHolder;
  #reading: Promise<void> | undefined;

  constructor(around: OwnershipSurroundings, host: HostMemory, holder: HostHolder) {
    this.#around = around;
    this.#host = host;
    this.#holder = holder;
  }

  /** Whether nobody is being asked. */
  get isAtRest(): boolean {
    return this.#reading === undefined;
  }

  /** What shows now that a host is one's own; null for nothing. `host`: `URL.host`. */
  known(host: string, isNamedOwn = false): OwnHostEvidence | null {
    const evidence = findOwnHostEvidence(host, this.#around.ownHosts, isNamedOwn);
    if (evidence !== null) return evidence;
    const { proven } = this.#proofs();
    return proven !== null && this.#isAhead(proven.until, PROVEN_MS) ? proven.evidence : null;
  }

  describe(host: string, isNamedOwn = false): Ownership {
    const evidence = this.known(host, isNamedOwn);
    const failed = evidence === null ? Object.values(this.#proofs().failed).map(({ why }) => why) : [];
    return { evidence, failed };
  }

  /**
   * The same, after proofs were asked for that are due, unless the host is taken or rests. A caller with `patience`
   * waits no longer than that; what comes later counts for the next one.
   */
  async prove(
    asker: ProofAsker,
    policy: PolicyInForce,
    patience?: () => Promise<void>,
  ): Promise<OwnHostEvidence | null> {
    const { host } = new URL(asker.origin);
    const known = this.known(host);
    if (known !== null) return known;
    this.#reading ??= this.#start(asker, policy);
    if (this.#reading === undefined) return null;
    await (patience === undefined ? this.#reading : Promise.race([this.#reading, patience()]));
    return this.known(host);
  }

  #start(asker: ProofAsker, policy: PolicyInForce): Promise<void> | undefined {
    const places = this.#duePlaces(asker);
    if (places.length === 0) return undefined;
    const reading = this.#ask(asker, policy, places)
      .catch((error: unknown) => logError("ownership-not-read", error, { host: new URL(asker.origin).host }))
      .finally(() => {
        this.#reading = undefined;
      });
    this.#around.keepAlive(reading);
    return reading;
  }

  /** Where a proof may stand that has not been looked for lately, and may be looked for now. */
  #duePlaces({ origin, file }: ProofAsker): string[] {
    const { hostname, port } = new URL(origin);
    const { failed } = this.#proofs();
    const hasName = !isAddress(hostname) && isPublicHost(hostname);
    // Who serves another port need not be who has the host.
    const isWhole = port === "" && (file.state === "read" || file.state === "allow-all");
    const places = [...(hasName ? ["dns"] : []), ...(isWhole && this.#isHostFree() ? [origin] : [])];
    return places.filter((place) => !this.#isAhead(failed[place]?.until ?? 0, FAILED_MS));
  }

  #isHostFree(): boolean {
    const state = this.#host.load();
    const { boot, clock } = this.#around;
    const now = clock.now();
    const isSoon = state.nextAt - now <= LANE_BUDGET_MS * clock.speed;
    return isSoon && leaseEndOf(state, boot) <= now && !this.#holder.isBusy;
  }

  async #ask(asker: ProofAsker, policy: PolicyInForce, places: readonly string[]): Promise<void> {
    const keys = await this.#around.installationKeys();
    const { hostname } = new URL(asker.origin);
    for (const place of places) {
      const isName = place === "dns";
      const why = isName ? await this.#askDns(hostname, keys) : await this.#askFile(asker, policy, keys);
      const where = isName ? proofNameOf(hostname) : `${asker.origin}${PROOF_PATH}`;
      const now = this.#around.clock.now();
      const { failed, proven } = this.#proofs();
      if (why === null) {
        const evidence: OwnHostEvidence = { kind: isName ? "dns" : "file", where };
        this.#around.storage.put(KEY, { proven: { evidence, until: now + PROVEN_MS }, failed: {} } satisfies Proofs);
        return;
      }
      const until = now + FAILED_MS;
      this.#around.storage.put(KEY, { proven, failed: { ...failed, [place]: { why, until } } } satisfies Proofs);
    }
  }

  /** Why it proves nothing; null if it does. */
  async #askDns(hostname: string, keys: readonly string[]): Promise<string | null> {
    const name = proofNameOf(hostname);
    const answer = await this.#around.resolveText(name);
    if (answer.kind === "unanswered")
      return `the resolver does not say what the TXT record of ${name} is: ${answer.why}`;
    if (answer.texts.some((text) => namesKey(text, keys))) return null;
    return answer.texts.length === 0 ? `${name} has no TXT record` : `the TXT record of ${name} does not name the key`;
  }

  async #askFile(
    { origin, agent, privateHosts, file }: ProofAsker,
    policy: PolicyInForce,
    keys: readonly string[],
  ): Promise<string | null> {
    const url = `${origin}${PROOF_PATH}`;
    if (decisionOf(file, { agent, uses: [] }, url).allowed !== true) return `robots.txt forbids ${url}`;
    const state = this.#host.load();
    const hold = await this.#holder.hold(policy, state, crawlDelayMsOf(file, agent));
    const read = await this.#around.fetchProof(origin, { ...policy, privateHosts }, hold, keys);
    const { durationMs: lastDurationMs, bodyBytes: lastBodyBytes, answered, failure } = read;
    recordAnswer(state, { lastDurationMs, lastBodyBytes, answered, failure }, this.#around.clock.now());
    this.#host.save(state);
    return read.why;
  }

  #proofs(): Proofs {
    return this.#around.storage.get<Proofs>(KEY) ?? NONE;
  }

  /** A clock that was set back makes nothing last longer. */
  #isAhead(time: number, mostMs: number): boolean {
    const leftMs = time - this.#around.clock.now();
    return leftMs > 0 && leftMs <= mostMs;
  }
}

/** What is known of a host, for people. */
export function describeOwnership(host: string, { evidence, failed }: Ownership): string {
  if (evidence !== null) return `${host} is one's own: ${describeEvidence(evidence)}`;
  return [`${host} is not shown to be one's own`, ...failed].join("; ");
}
