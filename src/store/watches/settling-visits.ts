import { IN_OPEN } from "../ledger/open-crawls.ts";

/** Which visits a transaction settles, as SQL. ?1 is the crawl, and ?2 a JSON array with `url` and `visit` of each. */

/** The crawl, if it takes the outcomes of visits. One that was paused or began to crawl again meanwhile does. */
export const TAKES_VISITS = `(SELECT id FROM crawls
  WHERE id = ?1 AND every_s IS NOT NULL AND status ${IN_OPEN} AND deleting_at IS NULL)`;

/** The visits whose rows are as they were when the visit began. */
export const SETTLING = `json_each(?2) j CROSS JOIN urls u
  ON u.crawl = ${TAKES_VISITS} AND u.url = j.value ->> 'url' AND u.visits = j.value ->> 'visit'
  AND u.status NOT IN ('pending', 'queued', 'cancelled')`;
