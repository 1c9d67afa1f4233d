import { gzipMember } from "../../archive/gzip-member.ts";
import { type RevisitProfile, revisitRecord } from "../../archive/warc-record.ts";
import type { CapturedAnswer, Outcome } from "../../crawl/page/outcome.ts";

/** Makes the revisit record that stands for an answer whose payload is stored already. */

/** The record that holds the payload. */
export interface Original {
  url: string;
  /** Milliseconds since the epoch. */
  date: number;
}

/** The revisit has the id of the response in whose place it stands: the records of its request name it. */
export function toRevisit(
  { id, date, status, statusText, headers }: CapturedAnswer,
  crawl: string,
  { url, sha256, bytes }: Pick<Outcome, "url" | "sha256" | "bytes">,
  refersTo: Original,
  profile: RevisitProfile,
): Uint8Array {
  const visit = { id, warcinfoId: crawl, date, url, status, statusText, headers };
  return gzipMember(revisitRecord({ ...visit, sha256: sha256 ?? "", bytes: bytes ?? 0, refersTo, profile }));
}
