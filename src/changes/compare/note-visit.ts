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
  const isOpen = hasOpenRound(template, now, everyMs);
  const asksNumbers = isOpen || hasSharedNumbers(template);
  // Open rounds alone ask what a page had and shows.
  const read = isOpen
    ? { had: new Set([...keysOf(before), ...linesOf("-", before, view)]), shows: linesOf("+", after, view) }
    : { had: asksNumbers ? new Set(keysOf(before)) : null, shows: null };
  const numbers = asksNumbers ? otherNumbers(before, after) : null;
  return noteRound(template, edits, { url, now, everyMs, ...read, numbers, storedAt, visit });
}

/** The keys of a version's title and blocks (`SharedEdit.had`), and with `a` those of all that the page says. */
function keysOf(version: PageVersion): string[] {
  const hashes = [...titleParts(version.title).map(titleHash), ...version.blocks.map(maskedHash)];
  return [...hashes.map((hash) => `n${hash}`), ...textsOf(version).map((text) => `a${maskedHash(text)}`)];
}

/** The keys of the lines that both versions have, with other numbers. */
function otherNumbers(before: PageVersion, after: PageVersion): Set<string> {
  const texts = textsOf(before);
  const old = new Set(texts);
  const had = new Set(texts.map(maskedHash));
  const others = textsOf(after)
    .filter((text) => !old.has(text))
    .map(maskedHash);
  return new Set(others.filter((hash) => had.has(hash)).map((hash) => `n${hash}`));
}

/** What a page says, in its content and around it: the reader takes a footer for content on some pages alone. */
function textsOf({ blocks, pageText = "" }: PageVersion): string[] {
  return [...new Set([...blocks, ...pageText.split("\n")])];
}

/** The keys with a sign of a page's title and of its lines, in its content and around it. */
function linesOf(sign: "+" | "-", { title, pageText = "" }: PageVersion, { template, rules }: View): Set<string> {
  const lines = pageLines(pageText, (folded) => rules.cutIgnored(template.noise.cutText(folded)));
  return new Set([...titleParts(title).map(titleHash), ...lines.map(hashOf)].map((hash) => sign + hash));
}
