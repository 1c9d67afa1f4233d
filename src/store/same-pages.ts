import { EMPTY_SAME_PAGES, type HostSamePages, hasLapsed } from "../scope/same-page-rules.ts";
import { LearnedHosts } from "./learned-hosts.ts";
import { planReopening } from "./withheld-urls.ts";

/** What crawls have learned of the same pages of hosts. */
export class SamePages extends LearnedHosts<HostSamePages> {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    super(db, "same_pages", EMPTY_SAME_PAGES);
    this.#db = db;
  }

  /** A crawl does not end between the withdrawal of a rule and the release of what it has held back. */
  protected override planAlso(crawl: string, host: string, before: HostSamePages, after: HostSamePages) {
    return hasLapsed(before, after) ? [planReopening(this.#db, crawl, host)] : [];
  }
}
