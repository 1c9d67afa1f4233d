import { logWarning } from "../../core/log.ts";

/**
 * Which content a crawl has stored already. A row of an index for each page would be a third of what a page costs, so
 * only copies have one (urls_sha256), and pages of watches, whose content changes. The first page of a content is
 * listed: the list of URLs that finished with it (records/finished-urls.ts) has the beginnings of their digests. After
 * LISTS lists, these are sorted into rows by their first digit, and what a row has too many of by one digit more. So
 * each page is written about three times in all, a thousand to a row, and a search reads the newest lists and a few
 * rows for each digest.
 *
 * Places are hints: a row that was fetched again may have another content, and stands in a later list then. So each
 * place that is found is compared with the row.
 */

/** Lists that a search reads at most, until they are sorted. */
const LISTS = 100;
/** Characters of a row, a thousand pages: beyond, they go into rows of their own by one digit more. */
const MOST_CHARACTERS = 30_000;
/** Digits by which pages are sorted: enough for 16 million rows. */
const MOST_DIGITS = 6;

/** The part of a digest that lists have, as SQL: 16 digits. */
const markOf = (digest: string) => `substr(${digest}, 1, 16)`;

/** The marks of the outcomes `j` that LIST_OUTCOMES lists, in their order; null if it lists none. */
export const LISTED_MARKS = `iif(sum(j.value ->> 'isListed') > 0,
  json_group_array(iif(j.value ->> 'isListed', ${markOf("j.value ->> 'sha256'")}, NULL) ORDER BY j.key), NULL)`;

/** The last list of crawl ?1 that is sorted in. */
const SORTED = "coalesce((SELECT sorted FROM contents WHERE crawl = ?1 AND prefix = ''), 0)";

/**
 * SQL for a WITH clause: the pages `listed` of crawl ?1 with one of the digests of ?2. A join with `urls` must compare
 * `listed_sha256`. Most digests are new, so nothing is read for each but the row of its first digits: D1 bills what is
 * read of lists in JSON, too.
 */
export const LISTED = `
d AS MATERIALIZED (SELECT value AS sha256, ${markOf("value")} AS mark FROM json_each(?2)),
recent AS MATERIALIZED (SELECT group_concat(digests) AS marks FROM finished WHERE crawl = ?1 AND seq > ${SORTED}),
r AS MATERIALIZED (SELECT d.sha256, d.mark FROM recent CROSS JOIN d WHERE instr(recent.marks, d.mark) > 0),
listed AS MATERIALIZED (
  SELECT r.sha256, f.urls ->> ('$[' || m.key || ']') AS url
  FROM r CROSS JOIN finished f ON f.crawl = ?1 AND f.seq > ${SORTED} AND instr(f.digests, r.mark) > 0
    CROSS JOIN json_each(f.digests) m
  WHERE m.value = r.mark
  UNION
  SELECT d.sha256, f.urls ->> ('$[' || (m.value ->> 2) || ']')
  FROM contents all_of CROSS JOIN json_each(all_of.pages) n CROSS JOIN d
    CROSS JOIN contents s ON s.crawl = ?1 AND s.prefix = substr(d.mark, 1, n.value) AND instr(s.pages, d.mark) > 0
    CROSS JOIN json_each('[' || s.pages || ']') m
    CROSS JOIN finished f ON f.crawl = ?1 AND f.seq = m.value ->> 1 AND f.part = 0
  WHERE all_of.crawl = ?1 AND all_of.prefix = '' AND m.value ->> 0 = d.mark
)`;

/** Adds pages to rows, by so many digits of their marks. */
const into = (from: string, digits: string) => `
INSERT INTO contents (crawl, prefix, pages)
SELECT ?1, substr(page ->> 0, 1, ${digits}), group_concat(page) FROM (${from}) GROUP BY substr(page ->> 0, 1, ${digits})
ON CONFLICT (crawl, prefix) DO UPDATE SET pages = contents.pages || ',' || excluded.pages
RETURNING prefix, length(pages) AS characters`;

/** Whether LISTS lists up to ?2 are not sorted yet. Another consumer may have sorted them. */
const IS_DUE = `?2 - ${SORTED} >= ${LISTS}`;

const SORT = into(
  `SELECT json_array(m.value, f.seq, m.key) AS page FROM finished f CROSS JOIN json_each(f.digests) m
   WHERE ${IS_DUE} AND f.crawl = ?1 AND f.seq > ${SORTED} AND f.seq <= ?2 AND m.value IS NOT NULL`,
  "1",
);

const NOTE_SORTED = `
INSERT INTO contents (crawl, prefix, pages, sorted) SELECT ?1, '', '[1]', ?2 WHERE ${IS_DUE}
ON CONFLICT (crawl, prefix) DO UPDATE SET sorted = excluded.sorted`;

const TOO_MANY = `crawl = ?1 AND prefix = ?2 AND length(pages) > ${MOST_CHARACTERS}`;
const DIVIDE = into(
  `SELECT m.value AS page FROM (SELECT pages FROM contents WHERE ${TOO_MANY}) s CROSS JOIN json_each('[' || s.pages || ']') m`,
  "length(?2) + 1",
);
/** ?2: the digits of the row that was divided. */
const NOTE_DIGITS = `
UPDATE contents SET pages = json_insert(pages, '$[#]', length(?2) + 1)
WHERE crawl = ?1 AND prefix = '' AND json_array_length(pages) = length(?2)`;
const REMOVE_DIVIDED = `DELETE FROM contents WHERE ${TOO_MANY}`;

type Filled = D1Result<{ prefix: string; characters: number }>;

/**
 * Sorts the lists up to `list`, the one that a transaction has just written, if it is time. A transaction moves pages
 * from where a search finds them to another such place, and does nothing if another one has done it. What fails is done
 * with a later list.
 */
export async function sortContents(db: D1Database, crawl: string, list: number): Promise<void> {
  if (list % LISTS !== 0) return;
  try {
    const [filled] = (await db.batch([
      db.prepare(SORT).bind(crawl, list),
      db.prepare(NOTE_SORTED).bind(crawl, list),
    ])) as [Filled, D1Result];
    const full = fullOf(filled);
    for (const prefix of full) {
      const [divided] = (await db.batch([
        db.prepare(DIVIDE).bind(crawl, prefix),
        db.prepare(NOTE_DIGITS).bind(crawl, prefix),
        db.prepare(REMOVE_DIVIDED).bind(crawl, prefix),
      ])) as [Filled, ...D1Result[]];
      full.push(...fullOf(divided));
    }
  } catch (error) {
    logWarning("contents-not-sorted", { crawl, error: String(error) });
  }
}

function fullOf({ results }: Filled): string[] {
  return results
    .filter(({ prefix, characters }) => characters > MOST_CHARACTERS && prefix.length < MOST_DIGITS)
    .map(({ prefix }) => prefix);
}
