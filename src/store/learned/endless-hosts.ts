import {
  EMPTY_ENDLESS,
  type EndlessGroup,
  endlessKey,
  type HostEndless,
  quickenedGroups,
} from "../../scope/endless-groups.ts";
import { planReopeningRule } from "../ledger/waiting/withheld-urls.ts";
import { LearnedByHost } from "./learned.ts";

/** Which groups of URLs crawls have found endless, by host. */
export class EndlessHosts extends LearnedByHost<HostEndless> {
  constructor(db: D1Database) {
    super(db, "endless_hosts", EMPTY_ENDLESS);
  }

  /** A crawl does not end between a sample that is new and the release of what its group has held back. */
  protected override planAlso(crawl: string, host: string, before: HostEndless, after: HostEndless) {
    return quickenedGroups(before, after).map((group) => planReopeningRule(this.db, crawl, host, endlessKey(group)));
  }

  /** The hosts among these (`URL.host`) that have a slowed group. What is known of their pages is not read. */
  async slowedAmong(crawl: string, hosts: readonly string[]): Promise<string[]> {
    const results = await this.all<{ host: string }>(
      `SELECT DISTINCT e.host FROM json_each(?2) j CROSS JOIN endless_hosts e ON e.crawl = ?1 AND e.host = j.value
         CROSS JOIN json_each(e.learned, '$.groups') g WHERE g.value ->> 'isSlowed' = 1`,
      [crawl, JSON.stringify(hosts)],
    );
    return results.map(({ host }) => host);
  }

  /** The slowed groups of the crawl, at most 100, without what is known of their pages. */
  async slowed(crawl: string): Promise<{ group: string; facts: EndlessGroup }[]> {
    const results = await this.all<{ name: string; facts: string }>(
      `SELECT g.key AS name, g.value AS facts FROM endless_hosts e CROSS JOIN json_each(e.learned, '$.groups') g
         WHERE e.crawl = ?1 AND g.value ->> 'isSlowed' = 1 ORDER BY e.host, g.key LIMIT 100`,
      [crawl],
    );
    return results.map(({ name, facts }) => ({ group: name, facts: JSON.parse(facts) as EndlessGroup }));
  }
}
