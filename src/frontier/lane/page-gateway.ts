import { RpcTarget } from "cloudflare:workers";
import { logError } from "../../core/log.ts";
import { keepsArchive } from "../../crawl/crawl-options.ts";
import type { ExchangeName } from "../../fetch/browser/exchanges.ts";
import type { Entry, RenderGateway, ResourceAnswered } from "../../fetch/browser/render-gateway.ts";
import type { RobotsFile } from "../../host/robots-state.ts";
import { decisionOf, OWN } from "../../host/robots-verdict.ts";
import { refusedAction } from "../../scope/scope.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import { isPublicHost } from "../../url/public-address.ts";
import type { Lane } from "../batch/admit.ts";
import type { Deps } from "../deps.ts";
import type { OpenFeatures } from "../features/open-features.ts";
import { VisitedHost } from "../visits/visited-host.ts";
import { type PageWork, workAt } from "../work.ts";
import { askForLane } from "./ask-for-lane.ts";
import { leaseLeftMs } from "./lane-deadline.ts";

/**
 * What the features send, and note of answers. As for any request: cookies of the page's own host alone, a session for
 * its hosts, and the crawl's own headers for its seeds' origins.
 */
type HostAccess = Pick<OpenFeatures, "secretsFor" | "receive">;

type GatewayDeps = Pick<Deps, "archiveIndex" | "clock" | "gate">;

/**
 * Decides what a rendered page may request. Requests to the page's own host belong to the visit that its lane makes:
 * robots.txt is asked, and they go one after the other. Another host is visited in a lane of its own, which is held
 * until the page is drawn. So each host rests by the whole duration of the visit.
 */
export class PageGateway extends RpcTarget implements RenderGateway {
  readonly #work: PageWork;
  readonly #lane: Lane;
  readonly #features: HostAccess;
  readonly #deps: GatewayDeps;
  /** By host, as soon as its gate is asked. A host that may not be visited now is not asked again. */
  readonly #visited = new Map<string, Promise<VisitedHost | "busy">>();
  /** By origin. */
  readonly #robots = new Map<string, Promise<RobotsFile | null>>();
  /** What the page's own host did to its requests. */
  #failure: ResourceAnswered | null = null;

  constructor(work: PageWork, lane: Lane, features: HostAccess, deps: GatewayDeps) {
    super();
    this.#work = work;
    this.#lane = lane;
    this.#features = features;
    this.#deps = deps;
  }

  async enter(url: string): Promise<Entry> {
    const { scope, mayBePrivate: isNamed } = this.#work.context;
    // A page of the web asks for nothing else in this network, whatever the operator allows.
    const mayBePrivate = scope.privateHosts === "any" ? scope.hosts.has(hostOf(url)) : isNamed(url);
    // Before a gate is asked, which would ask for robots.txt.
    if (!mayBePrivate && !isPublicHost(hostKey(url))) return { kind: "refused", why: "private-address" };
    if (refusedAction(scope, { url }) !== null) return { kind: "refused", why: "action" };
    const isHere = hostKey(url) === this.#lane.host;
    const visited = isHere ? null : await this.#visit(url);
    if (visited === "busy" || visited === "robots") return { kind: "refused", why: visited };
    const isAllowed = await this.#isAllowed(url).catch(gateFailed);
    if (isAllowed === null) return { kind: "refused", why: "busy" };
    if (!isAllowed) return { kind: "refused", why: "robots" };
    if (visited === null) await this.#waitWithin();
    else if (!(await visited.waitForStart())) return { kind: "refused", why: "busy" };
    return { kind: "go", headers: this.#features.secretsFor(workAt(this.#work, url)), mayBePrivate };
  }

  async leave(url: string, answered: ResourceAnswered): Promise<void> {
    const { setCookies } = answered;
    if (setCookies !== undefined) this.#features.receive(workAt(this.#work, url), { setCookies });
    if (hostKey(url) !== this.#lane.host) {
      const visited = await this.#visited.get(hostKey(url));
      if (visited instanceof VisitedHost) visited.finish(answered);
      return;
    }
    if (answered.hostFailed) this.#failure ??= answered;
  }

  /** Two pages that are drawn at once may both get the same name; `write-packs.ts` stores it once for a batch. */
  async unarchived(names: ExchangeName[]): Promise<ExchangeName[]> {
    const { id, options } = this.#work.context.crawl;
    return keepsArchive(options) ? this.#deps.archiveIndex.unarchived(id, names) : [];
  }

  /** Gives the lanes of other hosts back. Returns how the page's own host failed its requests; null if it did not. */
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
    await clock.sleep(this.#lane.pacer.startWithin(now) - now);
  }

  async #visit(url: string): Promise<VisitedHost | "busy" | "robots"> {
    const host = hostKey(url);
    const known = this.#visited.get(host);
    if (known !== undefined) return known;
    const { context } = this.#work;
    // The page's own lane waits with it.
    const leaseMs = leaseLeftMs(this.#lane, this.#deps.clock);
    const asking = askForLane(url, context.crawl, context, this.#deps, leaseMs).catch(gateFailed);
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
    const { agent, uses } = this.#work.context;
    const file = await reading;
    return file !== null && decisionOf(file, { agent, uses }, url).allowed === true;
  }

  /** Null if it cannot be read, which forbids everything. */
  async #readRobots(origin: string, url: string): Promise<RobotsFile | null> {
    const { agent, uses, rightsOn } = this.#work.context;
    const { policy } = this.#lane;
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
