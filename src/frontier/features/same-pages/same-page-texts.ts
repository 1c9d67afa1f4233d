import type { PageVersion } from "../../../changes/page-version.ts";
import { reasonToLeave } from "../../../crawl/page/reason-to-leave.ts";
import { SENT_PLAINLY } from "../../../fetch/answer/answer.ts";
import { ALL_SAID } from "../../../fetch/request/page-request.ts";
import { readRenderedPage } from "../../../store/mirror/read-mirror.ts";
import { pageRequestOf, wantsOfUnlisted } from "../../lane/request-of-work.ts";
import type { OpeningDeps } from "../../needs.ts";
import type { PageWork } from "../../work.ts";
import type { Probe } from "../probe.ts";

/** Reads the pages with which those of a lane are compared. */

export interface PageText {
  version: PageVersion;
  links: readonly string[];
}

export class SamePageTexts {
  readonly #probe: Probe;
  readonly #deps: OpeningDeps;
  /** Pages of the lane, which are not stored yet, and those that were read. */
  readonly #pages = new Map<string, PageText>();

  constructor(probe: Probe, deps: OpeningDeps) {
    this.#probe = probe;
    this.#deps = deps;
  }

  keep({ row }: PageWork, url: string, page: PageText): void {
    this.#pages.set(`${row.crawl} ${url}`, page);
  }

  /**
   * Null if the page cannot be read now; `missing` if there is none. `hasRow`: whether the crawl knows the URL.
   * `mayAsk`: whether it is requested otherwise. A page that this isolate has fetched is stored by now.
   */
  async read(work: PageWork, url: string, hasRow: boolean, mayAsk: boolean): Promise<PageText | "missing" | null> {
    const known = this.#pages.get(`${work.row.crawl} ${url}`) ?? (await this.#readStored(work, url));
    const page = known === null && !hasRow && mayAsk ? await this.#request(work, url) : known;
    if (page !== null && page !== "missing") this.keep(work, url, page);
    return page;
  }

  async #readStored(work: PageWork, url: string): Promise<PageText | null> {
    const stored = await readRenderedPage(work.context.crawl, url, this.#deps);
    if (stored === null) return null;
    const { documents } = work.context.crawl.options;
    const wants = { ...wantsOfUnlisted(work), documents, version: ALL_SAID };
    const result = await this.#deps.readPage(stored, pageRequestOf(url, work.context, wants, SENT_PLAINLY));
    return result.kind === "page" && result.version !== null ? { version: result.version, links: result.links } : null;
  }

  async #request(work: PageWork, url: string): Promise<PageText | "missing" | null> {
    const result = await this.#probe(url, work);
    if (result === null || (result.kind === "rejected" && result.retryable)) return null;
    if (result.kind !== "page" || reasonToLeave(result) !== null) return "missing";
    return result.version === null ? null : { version: result.version, links: result.links };
  }
}
