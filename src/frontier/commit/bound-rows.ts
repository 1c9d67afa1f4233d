import { MAX_FIELDS_LENGTH } from "../../crawl/page/row-fields.ts";
import { type Attempt, tooLargeAttempt } from "../attempt.ts";
import type { SettleDeps } from "../needs.ts";
import { settleVisit } from "../visits/settle-visit.ts";
import { hasLargeFields } from "./keep-fields.ts";

/**
 * Keeps what a page brings within the size of a row, and its fields within what an answer can read at once. A page that
 * brings more ends alone, as `too-large`: in a commit it would fail all others with it.
 */

/** Maximum size of what a row of the ledger gets of a page, as JSON. D1 takes 2 MB a parameter and a row. */
const MAX_ROW_BYTES = 1_000_000;

const encoder = new TextEncoder();

/** The attempts, with an end instead of each that is too large. */
export async function boundRows(attempts: readonly Attempt[], deps: SettleDeps): Promise<Attempt[]> {
  return Promise.all(attempts.map((attempt) => boundRow(attempt, deps)));
}

async function boundRow(attempt: Attempt, deps: SettleDeps): Promise<Attempt> {
  const { work, outcome, visit } = attempt;
  if (work.kind === "sitemap") return attempt;
  const end = (what: string) => settleVisit(tooLargeAttempt(attempt, what), deps);
  // The pack has taken all that may be kept (keep-fields.ts).
  if (hasLargeFields(outcome)) {
    const size = JSON.stringify(outcome.fields).length.toLocaleString("en");
    return end(`its fields have ${size} characters, and ${MAX_FIELDS_LENGTH.toLocaleString("en")} are allowed`);
  }
  const facts = JSON.stringify(visit === null ? outcome : { ...visit, outcome: visit.outcome && outcome });
  // A character has at most three bytes here.
  if (facts.length * 3 <= MAX_ROW_BYTES) return attempt;
  const bytes = encoder.encode(facts).byteLength;
  if (bytes <= MAX_ROW_BYTES) return attempt;
  const most = MAX_ROW_BYTES.toLocaleString("en");
  return end(`what was found of it takes ${bytes.toLocaleString("en")} bytes, and ${most} are allowed`);
}
