import { isLogInHost } from "../../crawl/log-in.ts";
import type { Secrets } from "../../fetch/answer/answer.ts";
import type { Entry, RenderGateway, ResourceAnswered } from "../../fetch/browser/render-gateway.ts";
import { hostOf } from "../../url/host-key.ts";
import type { Lane } from "../batch/admit.ts";
import { HostVisits, type VisitDeps, type Visitor } from "../lane/host-visits.ts";

/**
 * Decides what the pages of a log-in may request: by robots.txt and the pace of each host, as a rendered page. Cookies
 * are the browser's own, so none is noted; headers of the session go to the hosts of the log-in.
 */
export class LogInGateway extends HostVisits implements RenderGateway {
  readonly #hosts: readonly string[];
  readonly #headersFor: (url: string) => Secrets;

  /** `hosts`: those of the log-in. `headersFor`: the session's own headers for a URL. */
  constructor(
    visitor: Visitor,
    lane: Lane | null,
    hosts: readonly string[],
    headersFor: (url: string) => Secrets,
    deps: VisitDeps,
  ) {
    super(visitor, lane, deps);
    this.#hosts = hosts;
    this.#headersFor = headersFor;
  }

  async enter(url: string): Promise<Entry> {
    const visit = await this.visit(url);
    if (typeof visit === "string") return { kind: "refused", why: visit };
    return { kind: "go", headers: isLogInHost(this.#hosts, hostOf(url)) ? this.#headersFor(url) : {}, ...visit };
  }

  async leave(url: string, answered: ResourceAnswered): Promise<void> {
    await this.note(url, answered);
  }

  /** Nothing of a log-in is archived. */
  async unarchived(): Promise<[]> {
    return [];
  }
}
