import { EMPTY_SAME_PAGES, type HostSamePages, hasLapsed } from "../../scope/same-page-rules.ts";
import { planReopening } from "../ledger/waiting/withheld-urls.ts";
import { LearnedByHost } from "./learned.ts";

/** What crawls have learned of the same pages of hosts. */
export class SamePages extends LearnedByHost<HostSamePages> {
  constructor(db: D1Database) {
    super(db, "same_pages", EMPTY_SAME_PAGES);
  }

  /** A crawl does not end between the withdrawal of a rule and the release of what it has held back. */
  protected override planAlso(crawl: string, host: string, before: HostSamePages, after: HostSamePages) {
    return hasLapsed(before, after) ? [planReopening(this.db, crawl, host)] : [];
  }
}
