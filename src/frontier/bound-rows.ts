import { type Attempt, MAX_ROW_BYTES, tooLargeAttempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { settleVisit } from "./settle-visit.ts";

/**
 * Keeps what a page brings, such as the fields of a rule or of the installation's hook, within the size of a row. A
 * page that brings more ends alone, as `too-large`: in a commit it would fail all others with it.
 */

const encoder = new TextEncoder();

/** The attempts, with an end instead of each that is too large. */
export async function boundRows(attempts: readonly Attempt[], deps: Deps): Promise<Attempt[]> {
  return Promise.all(attempts.map((attempt) => boundRow(attempt, deps)));
}

async function boundRow(attempt: Attempt, deps: Deps): Promise<Attempt> {
  const { work, outcome, visit } = attempt;
  const facts = JSON.stringify(visit ?? outcome);
  // A character has at most three bytes here.
  if (work.kind === "sitemap" || facts.length * 3 <= MAX_ROW_BYTES) return attempt;
  const bytes = encoder.encode(facts).byteLength;
  if (bytes <= MAX_ROW_BYTES) return attempt;
  return settleVisit(tooLargeAttempt(attempt, bytes), deps);
}
