import type { DocumentKind } from "../media/kind/document-kinds.ts";
import type { MediaFacts } from "../media/sound-and-picture/media-facts.ts";
import type { Reason } from "./page/reason.ts";
import type { RowFields } from "./page/row-fields.ts";
import type { UrlStatus } from "./page/status.ts";
import type { UrlKind } from "./page/url-kind.ts";
import type { Truncation } from "./truncation.ts";

/**
 * The facts of a URL: the columns of its row, and what records make of them. The statements that settle and reopen
 * rows, the schema of a record, CSV and Parquet are made from this table. The column of `httpStatus` is `http_status`
 * (store/ledger/fact-columns.ts).
 */

/** As the row has a fact. */
interface RowTypes {
  text: string;
  /** 0 or more. */
  count: number;
  int: number;
  /** 0 to 255. */
  byte: number;
  /** 0 to 1. */
  share: number;
  real: number;
  /** Milliseconds since the Unix epoch; records show it as ISO 8601. */
  time: number;
  flag: number;
  /** Records show `pending` as `queued`. */
  status: UrlStatus;
  reason: Reason;
  kind: UrlKind;
  document: DocumentKind;
  truncation: Truncation;
  /** JSON. */
  media: string;
  fields: string;
  extracted: string;
  json: string;
}

/** As its writer gives it. */
interface GivenTypes extends Omit<RowTypes, "flag" | "media" | "fields" | "json"> {
  flag: boolean;
  media: MediaFacts;
  fields: RowFields;
  json: unknown;
}

export type FactType = keyof RowTypes;

/**
 * The writer of a fact.
 * - `page`: whoever reads a page that is kept. The outcome of its fetch has it, under the same name;
 * - `outcome`: what settles a URL, at its first fetch or at a visit;
 * - `visit`: each settled visit, also one that leaves the row as it is otherwise;
 * - `discovery`: the link that is found first, or a nearer one;
 * - `analysis`, `classification`, `extraction`: the passes;
 * - `ledger`: statements that move the URL on.
 */
export type Writer =
  | "page"
  | "outcome"
  | "visit"
  | "discovery"
  | "analysis"
  | "classification"
  | "extraction"
  | "ledger";

interface Fact {
  type: FactType;
  /** Absent for a fact without a column: a record makes it of others. Two writers: a URL is new, or it is visited. */
  by?: Writer | readonly Writer[];
  /** Its path in what the writer gives. Absent: its name. */
  from?: string;
  /** Whether an outcome leaves it out where it is not known, as the facts of a page. Absent: it has null then. */
  isSparse?: true;
  /** Whether it is never null. */
  isRequired?: true;
  /** Its value in a row that is fetched again. Absent: null for the facts of an outcome; others stay as they are. */
  reopened?: null | 0 | "pending";
  /** Whether the versions of a page have it. */
  isOfVersion?: true;
  /** Whether passes read it. */
  isOfPass?: true;
  /** Whether records are read with it although they do not show it. */
  isRead?: true;
  /** Records show it, in all answers and exports; the sentence that documents it. */
  shown?: string;
}

/** In the order of the documentation and of Parquet. */
// biome-ignore format: one fact a line reads as a table
export const FACTS = {
  url: { type: "text", by: "discovery", isRequired: true, isOfPass: true, shown: "The canonical URL." },
  status: { type: "status", by: "outcome", isRequired: true, reopened: "pending", isOfPass: true, shown: "The status of the URL." },
  reason: { type: "reason", by: "outcome", isOfPass: true, shown: "Why the URL ended with this status, or why the last attempt failed if it waits for another one. null for all other queued URLs, and for completed ones." },
  detail: { type: "text", by: "outcome", isRead: true, isOfPass: true },
  attempts: { type: "count", by: "ledger", isRequired: true, reopened: 0, isRead: true },
  explanation: { type: "text", shown: "The reason and its details in words. For a completed page, what of it could not be read or searched." },
  httpStatus: { type: "int", by: "outcome", isOfVersion: true, isOfPass: true, shown: "The HTTP status of the last answer." },
  depth: { type: "count", by: "discovery", isRequired: true, isOfPass: true, shown: "Number of links from a seed." },
  via: { type: "text", by: "discovery", isOfPass: true, shown: "The page on which the URL was first found. null for a seed." },
  /** The database makes it of the column `asset`. */
  kind: { type: "kind", by: "discovery", isRequired: true, isRead: true, isOfPass: true },
  asset: { type: "flag", isRequired: true, shown: "Whether it is an asset of a page, and not a page." },
  media: { type: "media", by: "page", shown: "What a sound, a film or a picture says about itself, in crawls with `media`. null: it is none." },
  title: { type: "text", by: "outcome", isOfVersion: true, isOfPass: true, shown: "The title of the page." },
  contentType: { type: "text", by: "outcome", isOfVersion: true, isOfPass: true, shown: "The Content-Type header." },
  document: { type: "document", shown: "The kind of document of a completed page. null: HTML or plain text, or no completed page." },
  bytes: { type: "count", by: "outcome", isOfVersion: true, isOfPass: true, shown: "Size of the body after decompression, in bytes. For a media file that is described and not stored: its size as the server says." },
  sha256: { type: "text", by: "outcome", isOfVersion: true, isOfPass: true, shown: "SHA-256 of the body after decompression, in hex. null: no body is stored." },
  fetchedAt: { type: "time", by: "outcome", isOfVersion: true, shown: "When the URL was fetched." },
  durationMs: { type: "count", by: "outcome", isOfPass: true, shown: "Time from the last request to the last byte of its answer, in milliseconds. null: nothing was fetched." },
  redirectTo: { type: "text", shown: "The canonical URL to which it redirects. null: it does not redirect." },
  lastmod: { type: "time", by: "discovery", shown: "When the page last changed, according to a sitemap." },
  truncated: { type: "truncation", by: "outcome", isOfVersion: true, shown: "How the stored body is broken: the transfer broke off (`disconnect`), or the body violates its content coding (`unspecified`). null: it is whole." },
  language: { type: "text", by: "outcome", isSparse: true, shown: "The language of the page, as a canonical tag (BCP 47): what the page says, or else what its text is recognised as, if its text was read. null: it is not known." },
  canonical: { type: "text", by: "page", shown: "The canonical URL that the page names by `rel=canonical`: its own URL, or that of another page that stands for it. null: it names none, or the page was not stored." },
  shell: { type: "text", by: "outcome", isSparse: true, isOfPass: true, shown: "Why the page looks as if scripts made what it shows: it was read without a browser, so text may be missing. null: it does not, or a browser drew it." },
  rendered: { type: "text", by: "outcome", isSparse: true, shown: "Why a browser drew the page before it was read. null: none did." },
  /** Large ones are in a pack (row-fields.ts). */
  fields: { type: "fields", by: "page", shown: "What the crawl's rules read from the page, by the names of the fields. A field that the page lacks is null. null: no rules are for this page." },
  extracted: { type: "extracted", by: "extraction", reopened: null, shown: "What the installation's model found in the page, in crawls with `extract`. null: it was not asked about it yet." },
  extractedOf: { type: "text", by: "extraction", reopened: null },
  twinOf: { type: "text", by: "analysis", reopened: null, isOfPass: true, shown: "The page with the same text, or almost the same, that stands for it. null: the last analysis found none, or there is none." },
  rank: { type: "byte", by: "analysis", isOfPass: true, shown: "PageRank in the last analysis as a logarithmic step, 0 to 255: 96 is the average, 8 more are twice as much. null: not analyzed." },
  inLinks: { type: "count", by: "analysis", isOfPass: true, shown: "Number of URLs of the crawl that link or redirect to it, in the last analysis. null: not analyzed." },
  label: { type: "text", by: "classification", shown: "The label that the last classification gave the page. null: none." },
  confidence: { type: "share", by: "classification", shown: "The probability of this label, as the classification estimates it. 1 for an example. null: no label." },
  relevance: { type: "share", by: "outcome", isSparse: true, shown: "How much the page says about the subject of the crawl: 0.5 and more is relevant. null: the crawl has no subject, or the page was not read." },
  priority: { type: "int", by: "discovery", isRequired: true, shown: "Its place among the URLs that wait: the highest is fetched first. 1000 is an asset, 900 a seed or a preferred page, 0 another page; a page that is one of many of its kind has less, and one that tests a rule about same pages has -1000. With a subject, pages have up to 999 by the score of their link." },
  file: { type: "text", shown: "The file of the body in the folder of `--out`. null: no body is stored. With `store: files`, the path of a page in the mirror, below the crawl, is the same; that of a document may end in `.html`." },

  // Records do not show the others. Of the way to the URL:
  /** The order of discovery within the crawl. */
  seq: { type: "count", by: "discovery", isRequired: true },
  redirects: { type: "count", by: "discovery", isRequired: true },
  chain: { type: "count", by: "discovery", isRequired: true },
  /** The cookies of the redirects that led to it, as a stored jar. */
  cookies: { type: "text", by: "discovery" },
  /** A LinkScore. */
  found: { type: "json", by: "discovery" },
  /** The depth under which the backlog lists it; null if it is `depth`. */
  listedDepth: { type: "count", by: "discovery" },
  tx: { type: "int", by: "ledger" },
  /** When it is tried again. */
  dueAt: { type: "time", by: "ledger", reopened: null },
  /** The transaction that finished it last (store/records/finished-urls.ts). */
  finishedIn: { type: "count", by: "ledger", reopened: null },
  /** Failures of its host in a row, while it waits. */
  failures: { type: "count", by: "ledger" },

  // The places of the answer, of what was made of it, and of the links of its batch, in packs.
  pack: { type: "text", by: "outcome", from: "packed.pack", isOfVersion: true },
  packOffset: { type: "count", by: "outcome", from: "packed.offset", isOfVersion: true },
  packLength: { type: "count", by: "outcome", from: "packed.length", isOfVersion: true },
  revisits: { type: "text", by: "outcome", from: "packed.revisits", isOfVersion: true },
  contentOffset: { type: "count", by: "outcome", from: "packed.contentOffset", isOfVersion: true },
  contentLength: { type: "count", by: "outcome", from: "packed.contentLength", isOfVersion: true },
  /** Null if the links are not kept. */
  linksPack: { type: "text", by: "outcome", from: "packed.pack", isOfPass: true },
  linksOffset: { type: "count", by: "outcome", from: "packed.linksOffset", isOfPass: true },
  linksLength: { type: "count", by: "outcome", from: "packed.linksLength", isOfPass: true },
  /** 16 hex digits, from the main text. */
  fingerprint: { type: "text", by: "outcome", from: "print.fingerprint", isOfPass: true },
  words: { type: "count", by: "outcome", from: "print.words", isOfPass: true },

  // These outlive a visit (watch.ts).
  etag: { type: "text", by: ["outcome", "visit"] },
  lastModified: { type: "text", by: ["outcome", "visit"] },
  validatorsUnstored: { type: "flag", by: "visit", from: "hasUnstoredValidators", reopened: null },
  visits: { type: "count", by: "ledger", isRequired: true },
  visitedAt: { type: "time", by: "visit", reopened: null },
  visitAt: { type: "time", by: "visit", reopened: null },
  rateChanges: { type: "real", by: "visit", isOfPass: true },
  rateDays: { type: "real", by: "visit", isOfPass: true },
  visitFailures: { type: "count", by: "visit", from: "failures", isRequired: true, reopened: 0 },
  missingAt: { type: "time", by: "visit", reopened: null },
  openFinding: { type: "json", by: "visit", reopened: null },
  fullAt: { type: "time", by: "visit", reopened: null },
  restless: { type: "json", by: "visit", reopened: null },
  told: { type: "json", by: "visit", reopened: null },
  signalledAt: { type: "time", by: "visit" },
} as const satisfies Record<string, Fact>;

type Facts = typeof FACTS;
export type FactName = keyof Facts;
/** The facts of which this holds. */
type Where<Having> = { [K in FactName]: Facts[K] extends Having ? K : never }[FactName];
export type ColumnFact = Where<{ by: Writer | readonly Writer[] }>;
export type ShownFact = Where<{ shown: string }>;
type RecordColumn = Extract<Where<{ shown: string } | { isRead: true }>, ColumnFact>;
type PageFact = Where<{ by: "page" }>;
type SparseFact = PageFact | Where<{ isSparse: true }>;
type PlainFact = Exclude<Where<{ by: "outcome" }>, SparseFact | Where<{ from: string } | { isRequired: true }>>;
type PassFact = Extract<Where<{ isOfPass: true }>, ColumnFact>;

type NullOf<K extends FactName> = Facts[K] extends { isRequired: true } ? never : null;

/** The row of a URL under the names of its facts. */
export type UrlRow = { [K in ColumnFact]: RowTypes[Facts[K]["type"]] | NullOf<K> };
/** The part of it that records are read with. */
export type RecordRow = Pick<UrlRow, RecordColumn>;
/** The part of it that passes read. */
export type PassRow = Pick<UrlRow, PassFact>;
/** The facts that a writer gives of a row. */
export type FactsBy<By extends Writer> = Pick<UrlRow, "url" | Extract<Where<{ by: By }>, ColumnFact>>;
/** The facts of an outcome. */
export type OutcomeFacts = { [K in PlainFact]: GivenTypes[Facts[K]["type"]] | null } & {
  [K in SparseFact]?: GivenTypes[Facts[K]["type"]];
};
/** What a page that is kept says of itself; absent for what it does not say. */
export type PageFacts = { [K in PageFact]?: GivenTypes[Facts[K]["type"]] };

const ENTRIES = Object.entries<Fact>(FACTS) as [FactName, Fact][];
const where = <Name extends FactName>(holds: (fact: Fact, name: FactName) => boolean) =>
  ENTRIES.filter(([name, fact]) => holds(fact, name)).map(([name]) => name as Name);

export const COLUMN_FACTS = where<ColumnFact>(({ by }) => by !== undefined);
export const SHOWN_FACTS = where<ShownFact>(({ shown }) => shown !== undefined);
export const RECORD_COLUMNS = where<RecordColumn>(
  ({ by, shown, isRead }) => by !== undefined && (shown !== undefined || isRead === true),
);
export const PASS_FACTS = where<PassFact>(({ isOfPass }) => isOfPass === true);
export const VERSION_FACTS = where<ColumnFact>(({ isOfVersion }) => isOfVersion === true);
/** What an outcome settles, that of a page included. */
export const OUTCOME_FACTS = where<ColumnFact>((fact) => isBy(fact, "page") || isBy(fact, "outcome"));
/** What a reopened row has no more. */
export const REOPENED_FACTS = where<ColumnFact>(
  ({ reopened }, name) => reopened !== undefined || OUTCOME_FACTS.includes(name as ColumnFact),
);
/** The facts of an outcome that says nothing. */
export const NO_FACTS = Object.fromEntries(
  where<PlainFact>(
    ({ by, from, isSparse, isRequired }) => by === "outcome" && from === undefined && !(isSparse || isRequired),
  ).map((name) => [name, null]),
) as unknown as OutcomeFacts;
const PAGE_FACTS = where<PageFact>((fact) => isBy(fact, "page"));

/** The facts that this writer gives. */
export const factsBy = (writer: Writer) => where<ColumnFact>((fact) => isBy(fact, writer));

function isBy({ by }: Fact, writer: Writer): boolean {
  return [by].flat().includes(writer);
}

export function factOf(name: FactName): Fact {
  return FACTS[name];
}

export function pageFactsOf(page: PageFacts): PageFacts {
  return Object.fromEntries(PAGE_FACTS.filter((name) => page[name] !== undefined).map((name) => [name, page[name]]));
}

/** All shown facts, those of a list first. */
export function shownInOrder(first: string): ShownFact[] {
  const names = first.split(" ") as ShownFact[];
  return [...names, ...SHOWN_FACTS.filter((name) => !names.includes(name))];
}
