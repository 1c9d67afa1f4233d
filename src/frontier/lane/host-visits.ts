import { RpcTarget } from "cloudflare:workers";
import { logError } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Refusal, ResourceAnswered } from "../../fetch/browser/render-gateway.ts";
import type { RobotsFile } from "../../host/robots-state.ts";
import { decisionOf, OWN } from "../../host/robots-verdict.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import { isPublicHost } from "../../url/public-address.ts";
import { type Lane, strictest } from "../batch/admit.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";
import { VisitedHost } from "../visits/visited-host.ts";
import { askForLane, GATE_PATIENCE_MS } from "./ask-for-lane.ts";
import { leaseLeftMs } from "./lane-deadline.ts";

/** What is needed of a crawl to visit hosts for it. */
export type Visitor = Pick<CrawlContext, "agent" | "uses" | "rightsOn" | "scope" | "mayBePrivate"> & {
  crawl: Pick<Crawl, "id" | "epoch" | "options">;
};

export type VisitDeps = Pick<Deps, "clock" | "gate">;

/**
 * Decides what the pages of a browser may request. Requests to the host of a lane that is held already belong to the
 * visit that it makes: robots.txt is asked, and they go one after the other. Another host is visited in a lane of its
 * own, which is held until the end. So each host rests by the whole duration of the visit.
 */
export class HostVisits extends RpcTarget {
  readonly #visitor: Visitor;
  /** Null without one: then all hosts are visited. */
  readonly #lane: Lane | null;
  readonly #deps: VisitDeps;
  /** By host, as soon as its gate is asked. A host that may not be visited now is not asked again. */
  readonly #visited = new Map<string, Promise<VisitedHost | "busy">>();
  /** By origin. */
  readonly #robots = new Map<string, Promise<RobotsFile | null>>();
  /** What the lane's own host did to requests. */
  #failure: ResourceAnswered | null = null;

  constructor(visitor: Visitor, lane: Lane | null, deps: VisitDeps) {
    super();
    this.#visitor = visitor;
    this.#lane = lane;
    this.#deps = deps;
  }

  /** Waits until a URL may be requested. Returns why it is refused; otherwise whether its host may be private. */
  protected async visit(url: string): Promise<{ mayBePrivate: boolean } | Refusal> {
    const { scope, mayBePrivate: isNamed } = this.#visitor;
    // A page of the web asks for nothing else in this network, whatever the operator allows.
    const mayBePrivate = scope.privateHosts === "any" ? scope.hosts.has(hostOf(url)) : isNamed(url);
    // Before a gate is asked, which would ask for robots.txt.
    if (!mayBePrivate && !isPublicHost(hostKey(url))) return "private-address";
    const isHere = hostKey(url) === this.#lane?.host;
    const visited = isHere ? null : await this.#visit(url);
    if (visited === "busy" || visited === "robots") return visited;
    const isAllowed = await this.#isAllowed(url).catch(gateFailed);
    if (isAllowed === null) return "busy";
    if (!isAllowed) return "robots";
    if (visited === null) await this.#waitWithin();
    else if (!(await visited.waitForStart())) return "busy";
    return { mayBePrivate };
  }

  protected async note(url: string, answered: ResourceAnswered): Promise<void> {
    if (hostKey(url) !== this.#lane?.host) {
      const visited = await this.#visited.get(hostKey(url));
      if (visited instanceof VisitedHost) visited.finish(answered);
      return;
    }
    if (answered.hostFailed) this.#failure ??= answered;
  }

  /** Gives the lanes of other hosts back. Returns how the lane's own host failed its requests; null if it did not. */
  async end(): Promise<ResourceAnswered | null> {
    for (const visiting of this.#visited.values()) {
      const visited = await visiting.catch(() => "busy" as const);
      if (visited !== "busy") await visited.settle();
    }
    return this.#failure;
  }

  /** Waits for the least delay after the last request of the lane. */
  async #waitWithin(): Promise<void> {
    const { clock } = this.#deps;
    const now = clock.now();
    await clock.sleep((this.#lane?.pacer.startWithin(now) ?? now) - now);
  }

  async #visit(url: string): Promise<VisitedHost | "busy" | "robots"> {
    const host = hostKey(url);
    const known = this.#visited.get(host);
    if (known !== undefined) return known;
    const { crawl } = this.#visitor;
    // The lane that is held waits with it.
    const leaseMs = this.#lane === null ? GATE_PATIENCE_MS : leaseLeftMs(this.#lane, this.#deps.clock);
    const patienceMs = Math.min(leaseMs, GATE_PATIENCE_MS);
    const asking = askForLane(url, crawl, this.#visitor, this.#deps, { patienceMs }).catch(gateFailed);
    const opening = asking.then((lane) => (lane?.kind === "open" ? new VisitedHost(lane, this.#deps.clock) : "busy"));
    this.#visited.set(host, opening);
    if ((await asking)?.kind !== "denied") return opening;
    // Another URL of the host may be allowed.
    this.#visited.delete(host);
    return "robots";
  }

  /** Each origin's robots.txt is asked for once, because a page of scripts may have a hundred requests. */
  async #isAllowed(url: string): Promise<boolean> {
    const origin = originOf(url);
    const reading = this.#robots.get(origin) ?? this.#readRobots(origin, url);
    this.#robots.set(origin, reading);
    const { agent, uses } = this.#visitor;
    const file = await reading;
    return file !== null && decisionOf(file, { agent, uses }, url).allowed === true;
  }

  /** Null if it cannot be read, which forbids everything. */
  async #readRobots(origin: string, url: string): Promise<RobotsFile | null> {
    const { agent, uses, rightsOn, crawl } = this.#visitor;
    const policy = this.#lane?.policy ?? strictest([crawl.options]);
    const gate = this.#deps.gate(hostKey(url));
    // It waits until the file has been read.
    const { state } = (await gate.inspect({ origin, url, agent, uses, ...rightsOn(url), policy })).robots;
    if (state === "own" || state === "allow-all") return OWN;
    if (state !== "read") return null;
    const { robots, status } = await gate.recall({ origin, url: null, agent, uses });
    return robots === null ? null : { state: "read", robots, fetchedAt: status.fetchedAt ?? 0 };
  }
}

/** A gate that does not answer lets nothing through. What it keeps from the page is missed as at a busy host. */
function gateFailed(error: unknown): null {
  logError("gate-not-asked", error, {});
  return null;
}
