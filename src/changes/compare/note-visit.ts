import { pageLines } from "../page-lines.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { hasOpenRound, hasSharedNumbers, noteRound, type SharedEdit } from "../template/shared-rounds.ts";
import { maskedHash, titleHash, titleParts } from "../template/template-hashes.ts";
import type { View } from "../view-version.ts";
import type { Found, Judged } from "./found-version.ts";

/** Notes what a visit tells of changes of most pages at once. */

export function noteVisit(
  { template, view }: Pick<Judged, "template" | "view">,
  edits: readonly SharedEdit[],
  found: Found,
): HostTemplate {
  const { url, now, everyMs, storedAt, before, after, visit } = found;
  const asksNumbers = hasSharedNumbers(template);
  // Open rounds alone ask what a page had and shows.
  const read = hasOpenRound(template, now, everyMs)
    ? { had: new Set([...keysOf(before), ...linesOf("-", before, view)]), shows: linesOf("+", after, view) }
    : { had: asksNumbers ? new Set(keysOf(before)) : null, shows: null };
  const numbers = asksNumbers || read.shows !== null ? otherNumbers(before, after) : null;
  return noteRound(template, edits, { url, now, everyMs, ...read, numbers, storedAt, visit });
}

/** The keys of a version's title and lines (`SharedEdit.had`). */
function keysOf(version: PageVersion): string[] {
  return [...titleParts(version.title).map(titleHash), ...textsOf(version).map(maskedHash)].map((hash) => `n${hash}`);
}

/** The keys of the lines that both versions have, with other numbers. */
function otherNumbers(before: PageVersion, after: PageVersion): Set<string> {
  const lines = textsOf(before);
  const [old, had] = [new Set(lines), new Set(lines.map(maskedHash))];
  const others = textsOf(after).filter((line) => !old.has(line));
  return new Set(
    others
      .map(maskedHash)
      .filter((hash) => had.has(hash))
      .map((hash) => `n${hash}`),
  );
}

/** The blocks of a version, and the lines around them: a footer is content on some pages alone. */
function textsOf({ blocks, pageText = "" }: PageVersion): string[] {
  return [...blocks, ...(pageText === "" ? [] : pageText.split("\n"))];
}

/** The keys with a sign of a page's title and of its lines, in its content and around it. */
function linesOf(sign: "+" | "-", { title, pageText = "" }: PageVersion, { template, rules }: View): Set<string> {
  const lines = pageLines(pageText, (folded) => rules.cutIgnored(template.noise.cutText(folded)));
  return new Set([...titleParts(title).map(titleHash), ...lines.map(hashOf)].map((hash) => sign + hash));
}
