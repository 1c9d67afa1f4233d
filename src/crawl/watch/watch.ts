import type { RestlessPlaces } from "../../changes/restless-places.ts";
import type { ToldVersions } from "../../changes/told-versions.ts";
import type { SignalCount, SignalTrust } from "../../revisit/signal-trust.ts";
import type { SiteKnowledge } from "../../revisit/site-prior.ts";
import type { Options, Values } from "../options/option-table.ts";
import type { Outcome } from "../page/outcome.ts";
import type { FieldChange } from "../page/page-fields.ts";
import type { Reason } from "../page/reason.ts";
import type { RowFields } from "../page/row-fields.ts";

/** The model of a watch: a crawl that stays, visits its pages again, and tells what changed. */

export interface Watch extends Omit<Values<Options>["watch"], "keepDays" | "everyFor" | "only"> {
  /** Other intervals for some pages, as `1h:/prices/**`. Absent in a watch that an earlier version stored. */
  everyFor?: string[] | undefined;
  /** CSS selectors of the elements that count alone. Absent in a watch that an earlier version stored. */
  only?: string[] | undefined;
  /** Absent: all versions stay. */
  keepDays?: number | undefined;
}

/** What people are told about a URL. `added`: completed for the first time after the first crawl. */
export const CHANGE_KINDS = ["added", "changed", "moved", "removed", "restored"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * The results of visits: each visit has one.
 * - `not-modified`: the server answered 304;
 * - `same`: the page says what it said, or it still is what it was (an error, a redirect);
 * - `changed`: it says something else, moved, was removed or restored;
 * - `missing`: what may pass, such as a first 404, a temporary redirect, or what may be no version of the page: later
 *   visits decide;
 * - `failed`: no answer that counts, as a timeout or a log-in in the page's place; what is known stays;
 * - `forbidden`: robots.txt forbids it now, or its host is in another country; what was kept stays.
 */
export const VISIT_RESULTS = ["not-modified", "same", "changed", "missing", "failed", "forbidden"] as const;
export type VisitResult = (typeof VISIT_RESULTS)[number];

export type VisitCounts = Partial<Record<VisitResult, number>>;

/** What a visit needs of its row. The row stays as it is until an outcome settles. Times are ms since the epoch. */
export interface Visit {
  /** The number of settled visits. */
  count: number;
  /** When this visit was admitted. */
  beganAt: number;
  status: string;
  reason: Reason | null;
  detail: string | null;
  title: string | null;
  contentType: string | null;
  sha256: string | null;
  etag: string | null;
  lastModified: string | null;
  /** Whether they are those of an answer that was not stored, because it said the same in other bytes. */
  hasUnstoredValidators: boolean;
  /** The last visit, or the first fetch. */
  lastAt: number;
  /** Discounted changes and days; null before the first visit. */
  rateChanges: number | null;
  rateDays: number | null;
  /** Failed visits in a row. */
  failures: number;
  /** The first of the last visits in a row whose finding another visit must confirm; null if nothing is open. */
  missingAt: number | null;
  /** What these visits found; null if nothing is open, or an earlier version of the program noted `missingAt` alone. */
  openFinding: OpenFinding | null;
  /** When its last complete answer came: a 304 is none. Null if that is not known. */
  fullAt: number | null;
  /** When a page of its host last had another text under the validators of an earlier one; null if none had. */
  liedAt: number | null;
  /** Its places that differ from visit to visit; null if there are none. */
  restless: RestlessPlaces | null;
  /** When a signal said that it has changed since its last visit; null if none did. */
  signalledAt: number | null;
  /** How far the signals of its host are trusted; null for a page without a signal. */
  trust: SignalTrust | null;
  /** When the record of the stored answer was fetched; null if no pack holds it. */
  storedAt: number | null;
  /** The page whose content it has, if its record is a revisit. */
  revisits: string | null;
  /** Whether an earlier version of it was kept. */
  wasKept: boolean;
  /** Its versions that were told; null before the first change. */
  told: ToldVersions | null;
  /** What rules read from its stored answer, and the hook gave it; null for neither. */
  fields: RowFields | null;
}

/** What visits in a row found that must last before it counts. */
export interface OpenFinding {
  /** A finding is confirmed by one that says the same. */
  says: string;
  /** Visits in a row that said it. */
  visits: number;
}

/** What a visit found. Times are milliseconds since the epoch. */
export interface VisitOutcome {
  url: string;
  /** The number of settled visits when this one began. */
  visit: number;
  result: VisitResult;
  /** What people are told; null for nothing. */
  change: ChangeKind | null;
  detail: string | null;
  /** The fields that have changed, if that is told; absent if none has. */
  fields?: FieldChange[];
  /** When a visit last found what the page says again; absent if what it says is new. */
  backTo?: number;
  /** What the row becomes; null if it stays what it is. */
  outcome: Outcome | null;
  visitedAt: number;
  /** When it is due again; null if that follows from its rate of change. */
  visitAt: number | null;
  rateChanges: number;
  rateDays: number;
  /** What it teaches about all pages of the watch; null for a visit without an answer that counts. */
  learned: SiteKnowledge | null;
  /** Failed visits in a row. */
  failures: number;
  /** The first of the last visits in a row whose finding another visit must confirm; null if nothing is open. */
  missingAt: number | null;
  openFinding: OpenFinding | null;
  /** When its last complete answer came. */
  fullAt: number | null;
  /** Whether it has another text under the validators of an earlier one. */
  hasLied: boolean;
  restless: RestlessPlaces | null;
  told: ToldVersions | null;
  /** The signal that it answers; null if there was none when it began. */
  signalledAt: number | null;
  /** What it says of the signals of its host; null for a visit without an answer that counts. */
  tested: SignalCount | null;
  etag: string | null;
  lastModified: string | null;
  /** Whether they are those of an answer that is not stored. */
  hasUnstoredValidators: boolean;
  /** Why the page counts as lost, in words; absent if it does not. */
  trouble?: string;
  /** The page answers again after failed visits. */
  recovers?: true;
  /** The marks of an answer that has nothing of the page's text (changes/walls/answer-marks.ts); absent for others. */
  marks?: string[];
}

/** A change as it is told. `seq`: 1, 2, and so on within its crawl. */
export interface Change {
  seq: number;
  url: string;
  kind: ChangeKind;
  at: number;
  detail: string | null;
  /** The fields that have changed; absent if none has. */
  fields?: FieldChange[];
  /** When a visit last found what the page says again: milliseconds since the epoch. Absent: what it says is new. */
  backTo?: number;
}

/** A change with the title that its page has now, or had last. */
export interface TitledChange extends Change {
  title: string | null;
}

/** A host in trouble. */
export interface HostTrouble {
  host: string;
  /** When it began: milliseconds since the epoch. */
  since: number;
  /** Visits of this day and the one before that lost their page (missing, moved, failing, behind a wall), and all. */
  lost: number;
  visits: number;
  /** What was found at one of its pages, in words; null if that was not noted. */
  why: string | null;
}

/** A page that keeps failing while its host is well. */
export interface PageTrouble {
  url: string;
  /** When it was told: milliseconds since the epoch. */
  since: number;
  /** What its visits find, in words. */
  why: string;
}
