import { keepsArchive } from "../../crawl/crawl-options.ts";
import type { ExchangeName } from "../../fetch/browser/exchanges.ts";
import type { Entry, RenderGateway, ResourceAnswered } from "../../fetch/browser/render-gateway.ts";
import { refusedAction } from "../../scope/scope.ts";
import type { Lane } from "../batch/admit.ts";
import type { Deps } from "../deps.ts";
import type { OpenFeatures } from "../features/open-features.ts";
import { type PageWork, workAt } from "../work.ts";
import { HostVisits } from "./host-visits.ts";

/**
 * What the features send, and note of answers. As for any request: cookies of the page's own host alone, a session for
 * its hosts, and the crawl's own headers for its seeds' origins.
 */
type HostAccess = Pick<OpenFeatures, "secretsFor" | "receive">;

type GatewayDeps = Pick<Deps, "archiveIndex" | "clock" | "gate">;

/** Decides what a rendered page may request. */
export class PageGateway extends HostVisits implements RenderGateway {
  readonly #work: PageWork;
  readonly #features: HostAccess;
  readonly #deps: GatewayDeps;

  constructor(work: PageWork, lane: Lane, features: HostAccess, deps: GatewayDeps) {
    super(work.context, lane, deps);
    this.#work = work;
    this.#features = features;
    this.#deps = deps;
  }

  async enter(url: string): Promise<Entry> {
    if (refusedAction(this.#work.context.scope, { url }) !== null) return { kind: "refused", why: "action" };
    const visit = await this.visit(url);
    if (typeof visit === "string") return { kind: "refused", why: visit };
    return { kind: "go", headers: this.#features.secretsFor(workAt(this.#work, url)), ...visit };
  }

  async leave(url: string, answered: ResourceAnswered): Promise<void> {
    const { setCookies } = answered;
    if (setCookies !== undefined) this.#features.receive(workAt(this.#work, url), { setCookies });
    await this.note(url, answered);
  }

  /** Two pages that are drawn at once may both get the same name; `write-packs.ts` stores it once for a batch. */
  async unarchived(names: ExchangeName[]): Promise<ExchangeName[]> {
    const { id, options } = this.#work.context.crawl;
    return keepsArchive(options) ? this.#deps.archiveIndex.unarchived(id, names) : [];
  }
}
