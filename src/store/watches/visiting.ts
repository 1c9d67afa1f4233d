import type { VisitOutcome } from "../../crawl/watch/watch.ts";
import { RELEVANT } from "../../topic/course/topic-state.ts";
import { sumOfUsages } from "../installation/usage-sql.ts";
import {
  assignFacts,
  OUTCOME_OF_VISIT_FACTS,
  readFacts,
  VERSION_COLUMNS,
  VERSION_OF_ROW,
  VISIT_FACTS,
} from "../ledger/fact-columns.ts";
import { type PageText, planIndexing, planReplacing } from "../records/search-index.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { planLies } from "./lying-hosts.ts";
import { SETTLING, TAKES_VISITS } from "./settling-visits.ts";
import { toStoredKnowledge } from "./stored-knowledge.ts";
import { planTrouble } from "./watch-hosts.ts";

/**
 * Settles visits: pages of a watch that were asked for again. A visit is not a state of its row, so every statement
 * tests that the row's visit count still is the one that the visit began with. The last statements raise it. An
 * unchanged visit writes one row, because none of its columns has an index.
 */

/**
 * A visit answers the signal that its row had when it began, unless it failed. A signal that came meanwhile stays, and
 * so does the time that it gave.
 */
const ANSWER_SIGNAL = {
  signalledAt: "CASE WHEN urls.signalled_at IS NOT o.signalled_at OR o.result = 'failed' THEN urls.signalled_at END",
  visitAt: `CASE WHEN urls.signalled_at IS o.signalled_at THEN o.visit_at
    ELSE coalesce(min(o.visit_at, urls.visit_at), urls.visit_at, o.visit_at) END`,
};

const STATUSES = ["completed", "disallowed", "skipped", "errored"] as const;
const moved = STATUSES.map((status) => `${status} = crawls.${status} + t.${status}`).join(", ");
const movements = STATUSES.map(
  (status) => `coalesce(sum((status = '${status}') - (was = '${status}')), 0) AS ${status}`,
).join(", ");

/** 1 if the row becomes a completed one with this note, -1 if it was one, and 0 if both or neither. */
const becomes = (note: "shell" | "rendered"): string => `CASE WHEN j.value ->> '$.outcome' IS NULL THEN 0 ELSE
        (j.value ->> '$.outcome.status' = 'completed' AND j.value ->> '$.outcome.${note}' IS NOT NULL)
        - (u.status = 'completed' AND u.${note} IS NOT NULL) END`;

/** Likewise, for a page that is relevant to the crawl's subject. */
const BECOMES_RELEVANT = `CASE WHEN j.value ->> '$.outcome' IS NULL THEN 0 ELSE
        coalesce(j.value ->> '$.outcome.status' = 'completed' AND j.value ->> '$.outcome.relevance' >= ${RELEVANT}, 0)
        - coalesce(u.status = 'completed' AND u.relevance >= ${RELEVANT}, 0) END`;

/**
 * Counts rows as now known, and visits by result. It gives the changes their numbers, which TELL then writes. Runs
 * first, while the rows still show what changes.
 */
const COUNT = `
WITH
  v AS (
    SELECT j.value ->> 'result' AS result, j.value ->> 'change' AS change, j.value -> 'learned' AS learned, u.status AS was, u.kind = 'asset' AS is_asset,
      coalesce(j.value ->> '$.outcome.status', u.status) AS status,
      CASE WHEN j.value ->> '$.outcome' IS NULL THEN 0 ELSE
        iif(j.value ->> '$.outcome.status' = 'completed', coalesce(j.value ->> '$.outcome.bytes', 0), 0)
        - iif(u.status = 'completed', coalesce(u.bytes, 0), 0) END AS bytes,
      ${becomes("shell")} AS shell, ${becomes("rendered")} AS rendered, ${BECOMES_RELEVANT} AS relevant
    FROM ${SETTLING}
  ),
  t AS (
    SELECT count(*) AS visits, count(change) AS changes, coalesce(sum(bytes), 0) AS bytes, ${movements},
      coalesce(sum(shell), 0) AS shells, coalesce(sum(rendered), 0) AS rendered, coalesce(sum(relevant), 0) AS relevant,
      coalesce(sum(is_asset * ((status = 'completed') - (was = 'completed'))), 0) AS completed_assets
    FROM v
  ),
  r AS (SELECT json_group_object(result, n) AS results FROM (SELECT result, count(*) AS n FROM v GROUP BY result)),
  k AS (
    SELECT json_group_object(key, n) AS knowledge
    FROM (SELECT l.key, sum(l.value) AS n FROM v CROSS JOIN json_each(v.learned) l WHERE v.learned <> 'null' GROUP BY l.key)
  )
UPDATE crawls SET ${moved}, assets_completed = assets_completed + t.completed_assets, bytes = crawls.bytes + t.bytes,
  shells = crawls.shells + t.shells, rendered = crawls.rendered + t.rendered, relevant = crawls.relevant + t.relevant,
  change_seq = change_seq + t.changes, tx_changes = t.changes,
  visits = ${sumOfUsages("crawls.visits", "r.results")},
  knowledge = ${sumOfUsages("crawls.knowledge", "k.knowledge")},
  updated_at = ?3
FROM t, r, k WHERE id = ?1 AND t.visits > 0`;

const TELL = `
INSERT INTO changes (crawl, seq, url, kind, at, detail, fields, back_to)
SELECT ?1, c.change_seq - c.tx_changes + row_number() OVER (ORDER BY j.key), u.url, j.value ->> 'change', ?3, j.value ->> 'detail',
  j.value -> 'fields', j.value ->> 'backTo'
FROM crawls c CROSS JOIN ${SETTLING}
WHERE c.id = ?1 AND j.value ->> 'change' IS NOT NULL`;

/** Keeps the version that a new answer replaces. */
const KEEP = `
INSERT OR IGNORE INTO versions (crawl, url, ${VERSION_COLUMNS})
SELECT u.crawl, u.url, ${VERSION_OF_ROW}
FROM ${SETTLING}
WHERE j.value ->> '$.outcome' IS NOT NULL AND u.status = 'completed' AND u.fetched_at IS NOT NULL`;

const EACH = { read: readFacts(VISIT_FACTS), set: assignFacts(VISIT_FACTS, "o", ANSWER_SIGNAL) };

/** A page that is missing keeps the place of its last answer with its version; its row has that of the new answer. */
const NEW_OUTCOME = {
  read: readFacts(OUTCOME_OF_VISIT_FACTS, "$.outcome"),
  set: `${assignFacts(OUTCOME_OF_VISIT_FACTS, "o")}, attempts = 1`,
};

const settle = (which: "IS NULL" | "IS NOT NULL", ...facts: (typeof EACH)[]) => `
WITH o AS MATERIALIZED (
  SELECT value ->> 'url' AS url, value ->> 'visit' AS visit, value ->> 'result' AS result, ${facts.map(({ read }) => read).join(", ")}
  FROM json_each(?2) WHERE value ->> '$.outcome' ${which}
)
UPDATE urls SET visits = urls.visits + 1, ${facts.map(({ set }) => set).join(", ")}
FROM o WHERE urls.crawl = ${TAKES_VISITS} AND urls.url = o.url AND urls.visits = o.visit
  AND urls.status NOT IN ('pending', 'queued', 'cancelled')`;

const SETTLE = settle("IS NOT NULL", EACH, NEW_OUTCOME);
const SETTLE_AS_KNOWN = settle("IS NULL", EACH);

/**
 * Statements that settle visits; none for no visits. A transaction that runs twice settles each visit once. `texts`:
 * those of the pages that say something else, if the crawl has search.
 */
export function planVisits(
  db: D1Database,
  crawl: string,
  visits: readonly VisitOutcome[],
  texts: PageText[],
  now: number,
): D1PreparedStatement[] {
  if (visits.length === 0) return [];
  const all = toStoredJson(
    visits.map((visit) => ({ ...visit, learned: visit.learned === null ? null : toStoredKnowledge(visit.learned) })),
  );
  const counted = (sql: string) => db.prepare(sql).bind(crawl, all, now);
  const settled = visits.filter(({ outcome }) => outcome !== null);
  return [
    counted(COUNT),
    ...planTrouble(db, crawl, visits, now),
    ...planLies(db, crawl, visits, now),
    ...(visits.some(({ change }) => change !== null) ? [counted(TELL)] : []),
    ...(settled.length > 0
      ? [
          db.prepare(KEEP).bind(crawl, all),
          ...planReplacing(db, crawl, all),
          ...planIndexing(db, crawl, texts),
          db.prepare(SETTLE).bind(crawl, all),
        ]
      : []),
    ...(settled.length < visits.length ? [db.prepare(SETTLE_AS_KNOWN).bind(crawl, all)] : []),
  ];
}

/**
 * Tells of the queued pages that a watch completes: new ones, and those that a retry brought back, of which a version
 * was kept. Runs before their rows are settled.
 */
const COUNT_ADDED = `
UPDATE crawls SET change_seq = change_seq + t.n, tx_changes = t.n
FROM (SELECT count(*) AS n FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value WHERE u.status = 'queued') t
WHERE id = ?1 AND watching_since IS NOT NULL AND t.n > 0`;

const TELL_ADDED = `
INSERT INTO changes (crawl, seq, url, kind, at)
SELECT ?1, c.change_seq - c.tx_changes + row_number() OVER (ORDER BY j.key), u.url,
  iif(EXISTS (SELECT 1 FROM versions v WHERE v.crawl = ?1 AND v.url = u.url), 'restored', 'added'), ?3
FROM crawls c CROSS JOIN json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
WHERE c.id = ?1 AND c.watching_since IS NOT NULL AND u.status = 'queued'`;

/** `urls`: pages that this transaction completes. */
export function planAdded(db: D1Database, crawl: string, urls: readonly string[], now: number): D1PreparedStatement[] {
  if (urls.length === 0) return [];
  const list = JSON.stringify(urls);
  return [db.prepare(COUNT_ADDED).bind(crawl, list), db.prepare(TELL_ADDED).bind(crawl, list, now)];
}
