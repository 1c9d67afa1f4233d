import { KEPT_START } from "../../crawl/page/row-fields.ts";
import {
  type ColumnFact,
  factOf,
  factsBy,
  OUTCOME_FACTS,
  RECORD_COLUMNS,
  REOPENED_FACTS,
  VERSION_FACTS,
} from "../../crawl/url-facts.ts";

/** The columns of `urls` in statements, from the table of facts. */

const snakeCase = (name: ColumnFact): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The column that has a fact. A digest is written into one of two columns (contents.ts), which this one joins. */
export const columnOf = (name: ColumnFact): string => (name === "sha256" ? "body_sha256" : snakeCase(name));

/** Columns under the names of their facts. */
export const selectFacts = (names: readonly ColumnFact[]): string =>
  names.map((name) => (columnOf(name) === name ? name : `${columnOf(name)} AS ${name}`)).join(", ");

/** The columns of a CrawlUrl. */
export const URL_COLUMNS = selectFacts(RECORD_COLUMNS);

/** The columns of `versions`. */
export const VERSION_COLUMNS = VERSION_FACTS.map(snakeCase).join(", ");
/** The same facts of the row `u` of `urls`. */
export const VERSION_OF_ROW = VERSION_FACTS.map((name) => `u.${columnOf(name)}`).join(", ");

/** Reads facts from JSON in `value`, into columns. `at`: the path of what the writer gives. */
export const readFacts = (names: readonly ColumnFact[], at = "$"): string =>
  names.map((name) => `${readFact(name, at)} AS ${columnOf(name)}${name === "sha256" ? IS_LISTED(at) : ""}`).join(", ");

const IS_LISTED = (at: string) => `, value ->> '${at}.isListed' AS is_listed`;

function readFact(name: ColumnFact, at: string): string {
  const { type, from = name } = factOf(name);
  const path = `'${at}.${from}'`;
  if (name === "linksPack") return `iif(value ->> '${at}.packed.linksOffset' IS NULL, NULL, value ->> ${path})`;
  if (type === "flag") return `nullif(value ->> ${path}, 0)`;
  return type === "media" || type === "fields" || type === "json"
    ? `nullif(value -> ${path}, 'null')`
    : `value ->> ${path}`;
}

/** Assigns columns that `readFacts` read in `from`. `others`: the expressions of facts that follow from more. */
export const assignFacts = (
  names: readonly ColumnFact[],
  from: string,
  others: Partial<Record<ColumnFact, string>> = {},
): string =>
  names
    .map((name) =>
      name === "sha256" ? assignDigest(from) : `${columnOf(name)} = ${others[name] ?? `${from}.${columnOf(name)}`}`,
    )
    .join(", ");

const assignDigest = (from: string) =>
  `sha256 = iif(${from}.is_listed, NULL, ${from}.body_sha256), listed_sha256 = iif(${from}.is_listed, ${from}.body_sha256, NULL)`;

/** What each visit settles, and what the outcome of a visit settles beside. */
export const VISIT_FACTS = factsBy("visit");
export const OUTCOME_OF_VISIT_FACTS = OUTCOME_FACTS.filter((name) => !VISIT_FACTS.includes(name));

/**
 * What a row becomes when it is fetched again: it waits like a new one, and nothing is left of its outcome. A visit
 * that is under way settles nothing any more. The records of its earlier answer stay in their pack, and its place in
 * the archive's index goes, as when another answer replaces it.
 */
export const REOPENED = [
  ...REOPENED_FACTS.map((name) =>
    name === "sha256"
      ? "sha256 = NULL, listed_sha256 = NULL"
      : `${columnOf(name)} = ${literalOf(factOf(name).reopened ?? null)}`,
  ),
  "visits = visits + 1",
].join(", ");

function literalOf(value: string | number | null): string {
  return typeof value === "string" ? `'${value}'` : String(value ?? "NULL");
}

/** `URL.origin` of a canonical URL: a slash always follows it. */
export const ORIGIN = "substr(url, 1, instr(substr(url, 9), '/') + 7)";

/** Whether fields of the row are in a pack. */
export const hasLargeFields = (column: string) => `substr(${column}, 1, ${KEPT_START.length}) = '${KEPT_START}'`;
