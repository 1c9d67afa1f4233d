import type { CrawlUrl } from "../../crawl/crawl.ts";
import type { RecordsFilter, RecordsQuery, RecordsSort } from "../../crawl/page/records-query.ts";
import type { DocumentKind } from "../../media/kind/document-kinds.ts";
import { typesOf } from "../../media/kind/kinds.ts";
import { columnOf, URL_COLUMNS } from "../ledger/fact-columns.ts";
import { ALL_URLS, IN_WINDOW, readInWindows, type UrlRange } from "../ledger/row-windows.ts";

/**
 * A crawl's records, filtered and sorted, a page at a time. In the order of URLs, a page starts where the last one
 * ended. Any other order reads all of the crawl's rows for each page, in windows, some tenths of a second for a hundred
 * thousand rows. An index would be one more billed row at every write.
 */

/** Values below, or above, all others: records without a value come last in both orders. */
const LOWEST = -1;
const HIGHEST = Number.MAX_SAFE_INTEGER;

/** The number by which a list is in order. */
type NumberSort = Exclude<RecordsSort, "url" | "status" | "title">;
const factOfSort = (sort: NumberSort) => (sort === "code" ? "httpStatus" : sort);

/** The cursor does not come from an answer. */
export class BadCursor extends Error {}

/** Reads one page of records. Throws BadCursor. */
export async function listRecords(db: D1Database, crawl: string, query: RecordsQuery): Promise<CrawlUrl[]> {
  const { sort, order, limit, cursor } = query;
  const where = new Where();
  filter(where, query);
  const isFiltered = where.conditions.length > 0;
  const key = keyOf(sort, order);
  const isDescending = order === "desc";
  const beyond = isDescending ? "<" : ">";
  let range = ALL_URLS;
  if (cursor !== "" && key !== null) {
    const [value, url] = readCursor(cursor);
    where.add(`(${key} ${beyond} ? OR (${key} = ? AND url > ?))`, value, value, url);
  } else if (cursor !== "" && isDescending) {
    range = { ...ALL_URLS, upTo: cursor };
    where.add("url < ?", cursor);
  } else if (cursor !== "") range = { ...ALL_URLS, above: cursor };
  const inOrder = `${key === null ? "" : `sortKey ${order}, `}url ${key === null ? order : "asc"}`;
  const sql = `SELECT ${URL_COLUMNS}, ${key ?? "NULL"} AS sortKey FROM urls
    WHERE ${[IN_WINDOW, ...where.conditions].join(" AND ")} ORDER BY ${inOrder} LIMIT ?`;
  let rows: KeyedUrl[] = [];
  const read = async ({ above, upTo }: UrlRange) => {
    const most = key === null ? limit - rows.length : limit;
    return (
      await db
        .prepare(sql)
        .bind(crawl, above, upTo, ...where.values, most)
        .all<KeyedUrl>()
    ).results;
  };
  // Without a condition or another order, the rows follow each other.
  if (key === null && !isFiltered) rows = await read(range);
  else
    for await (const found of readInWindows(db, crawl, range, read, key === null && isDescending)) {
      rows = key === null ? [...rows, ...found] : firstOf([...rows, ...found], order, limit);
      if (key === null && rows.length === limit) break;
    }
  return rows.map(({ sortKey: _, ...row }) => row);
}

type KeyedUrl = CrawlUrl & { sortKey: number | string | null };

/** The first rows in this order. Rows with equal keys come in the order of their URLs already. */
function firstOf(rows: readonly KeyedUrl[], order: "asc" | "desc", most: number): KeyedUrl[] {
  const sign = order === "asc" ? 1 : -1;
  return rows.toSorted((a, b) => sign * compareKeys(a.sortKey, b.sortKey)).slice(0, most);
}

/** As SQLite compares them: numbers, or strings by their bytes. */
function compareKeys(a: KeyedUrl["sortKey"], b: KeyedUrl["sortKey"]): number {
  return typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b);
}

/** The cursor of the page that comes after this record. In the order of URLs it is the URL itself. */
export function cursorAfter(record: CrawlUrl, { sort, order }: Pick<RecordsQuery, "sort" | "order">): string {
  if (sort === "url") return record.url;
  const value =
    sort === "status" ? record.status : sort === "title" ? titleKey(record.title, order) : record[factOfSort(sort)];
  return JSON.stringify([value ?? noneOf(order), record.url]);
}

/** The order of records of several ledgers, as one of them gives its own. */
export function compareRecords({ sort, order }: Pick<RecordsQuery, "sort" | "order">) {
  const sign = order === "asc" ? 1 : -1;
  const byUrl = (a: CrawlUrl, b: CrawlUrl) => Buffer.compare(Buffer.from(a.url), Buffer.from(b.url));
  if (sort === "url") return (a: CrawlUrl, b: CrawlUrl) => sign * byUrl(a, b);
  const keyOf = (record: CrawlUrl) => readCursor(cursorAfter(record, { sort, order }))[0];
  return (a: CrawlUrl, b: CrawlUrl) => sign * compareKeys(keyOf(a), keyOf(b)) || byUrl(a, b);
}

/** What stands for a missing number. */
const noneOf = (order: "asc" | "desc") => (order === "asc" ? HIGHEST : LOWEST);

/** The SQL expression to sort by; null for the primary key. */
function keyOf(sort: RecordsSort, order: "asc" | "desc"): string | null {
  if (sort === "url") return null;
  if (sort === "status") return "status";
  if (sort === "title") return `coalesce(nullif(title, ''), '${titleKey(null, order)}')`;
  return `coalesce(${columnOf(factOfSort(sort))}, ${noneOf(order)})`;
}

function titleKey(title: string | null, order: "asc" | "desc"): string {
  return title === null || title === "" ? (order === "asc" ? "\u{10ffff}" : "") : title;
}

function filter(
  where: Where,
  { status, reason, host, code, browser, minRelevance, type, document, language, label, q }: RecordsFilter,
): void {
  if (status === "queued") where.add("status IN ('queued', 'pending')");
  else if (status !== undefined) where.add("status = ?", status);
  // A queued URL has the reason of its last failed attempt.
  if (reason !== undefined) where.add("reason = ? AND status NOT IN ('queued', 'pending')", reason);
  if (host !== undefined) {
    // The character after a slash is the upper bound of the origin's URLs, so the primary key can be used.
    const bounds = ["https", "http"].flatMap((scheme) => [`${scheme}://${host}/`, `${scheme}://${host}0`]);
    where.add("((url >= ? AND url < ?) OR (url >= ? AND url < ?))", ...bounds);
  }
  if (code !== undefined) {
    const [from, to] = /^\dxx$/i.test(code) ? [Number(code[0]) * 100, Number(code[0]) * 100 + 99] : [+code, +code];
    where.add("http_status BETWEEN ? AND ?", from, to);
  }
  if (browser !== undefined) where.add(browser === "needed" ? "shell IS NOT NULL" : "rendered IS NOT NULL");
  if (minRelevance !== undefined) where.add("relevance >= ?", minRelevance);
  // Not LIKE, because its patterns have at most 50 bytes: https://developers.cloudflare.com/d1/platform/limits/
  if (type !== undefined) where.add("instr(lower(content_type), lower(?)) = 1", type);
  if (document !== undefined) filterDocument(where, document);
  if (language !== undefined) where.add("(language = ? OR instr(language, ?) = 1)", language, `${language}-`);
  if (label !== undefined) where.add("label = ?", label);
  if (q !== undefined) where.add("(instr(lower(url), lower(?)) > 0 OR instr(lower(title), lower(?)) > 0)", q, q);
}

const ESSENCE = "lower(trim(substr(content_type, 1, instr(content_type || ';', ';') - 1)))";

/** The content type of a row says its kind, so the kind needs no column. */
function filterDocument(where: Where, document: DocumentKind): void {
  const { types, suffix, except } = typesOf(document);
  const list = (values: readonly string[]) => values.map(() => "?").join(", ");
  const own = `${ESSENCE} IN (${list(types)})`;
  where.add("status = 'completed' AND kind = 'page'");
  if (suffix === null) where.add(own, ...types);
  else
    where.add(
      `(${own} OR (${ESSENCE} LIKE ? AND ${ESSENCE} NOT LIKE 'image/%' AND ${ESSENCE} NOT IN (${list(except)})))`,
      ...types,
      `%${suffix}`,
      ...except,
    );
}

function readCursor(cursor: string): [string | number, string] {
  try {
    const [value, url] = JSON.parse(cursor) as unknown[];
    if ((typeof value === "string" || typeof value === "number") && typeof url === "string") return [value, url];
  } catch {
    // Handled below.
  }
  throw new BadCursor("cursor: it is not one that an answer in this order gave");
}

/** Conditions and their bound values, in order. */
class Where {
  readonly conditions: string[] = [];
  readonly values: (string | number)[] = [];

  add(condition: string, ...values: (string | number)[]): void {
    this.conditions.push(condition);
    this.values.push(...values);
  }
}
