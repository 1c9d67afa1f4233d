import { count } from "../../core/shown-values.ts";
import { REASONS, type Reason } from "../../crawl/page/reason.ts";

/** The URLs that a report says nothing of, because they were not read: their number by reason, `queued` among them. */
export type Unjudged = Readonly<Partial<Record<Reason | "queued", number>>>;

/** Reasons for which a URL is none to judge: it is another name of a page, or was only guessed. */
const NO_TARGETS: readonly Reason[] = ["same-page", "no-sitemap", "dry-run"];

/** Why a row that was not read is not judged; null if nobody expects that. */
export function unjudgedBy({ status, reason }: { status: string; reason: Reason | null }): Reason | "queued" | null {
  if (status === "queued" || status === "pending" || reason === null) return "queued";
  return NO_TARGETS.includes(reason) ? null : reason;
}

/** A sentence for people; none if all URLs were judged. `urls`: of the crawl. */
export function tellUnjudged(unjudged: Unjudged, urls: number): string[] {
  const reasons = (Object.entries(unjudged) as [Reason | "queued", number][]).toSorted(([, a], [, b]) => b - a);
  const total = reasons.reduce((sum, [, number]) => sum + number, 0);
  if (total === 0) return [];
  const told = reasons.map(([reason, number]) => `${count(number)} (${sentenceOf(reason)})`);
  return [`${count(total)} of ${count(urls)} URLs were not judged: ${told.join(", ")}.`];
}

function sentenceOf(reason: Reason | "queued"): string {
  return reason === "queued" ? "not fetched yet" : REASONS[reason][1];
}
