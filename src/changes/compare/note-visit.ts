import { pageLines } from "../page-lines.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { asksForNumbers, hasOpenRound, noteRound, type SharedEdit } from "../template/shared-rounds.ts";
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
  // To mask all that a page says takes time.
  const said = asksForNumbers(template, now, everyMs) ? new Set(textsOf(before).map(maskedHash)) : null;
  const keys = isOpen || said !== null ? [...keysOf(before), ...[...(said ?? [])].map((hash) => `a${hash}`)] : [];
  // Open rounds alone ask what a page had and shows.
  const read = isOpen
    ? { had: new Set([...keys, ...linesOf("-", before, view)]), shows: linesOf("+", after, view) }
    : { had: said === null ? null : new Set(keys), shows: null };
  const numbers = said === null ? null : otherNumbers(before, said, after);
  return noteRound(template, edits, { url, now, everyMs, ...read, numbers, storedAt, visit });
}

/** The keys of a version's title and blocks (`SharedEdit.had`). */
function keysOf({ title, blocks }: PageVersion): string[] {
  return [...titleParts(title).map(titleHash), ...blocks.map(maskedHash)].map((hash) => `n${hash}`);
}

/** The keys of the lines that both versions have, with other numbers. `said`: the masked ones of the first version. */
function otherNumbers(before: PageVersion, said: ReadonlySet<string>, after: PageVersion): Set<string> {
  const old = new Set(textsOf(before));
  const others = textsOf(after).filter((text) => !old.has(text));
  return new Set(
    others
      .map(maskedHash)
      .filter((hash) => said.has(hash))
      .map((hash) => `n${hash}`),
  );
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
