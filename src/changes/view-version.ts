import { createHash } from "node:crypto";
import { type CompiledRules, compileRules, type IgnoreRules, NO_RULES } from "./ignore-rules.ts";
import { hashOf, type PageVersion } from "./page-version.ts";
import { type CompiledTemplate, compileTemplate } from "./template/compile-template.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "./template/host-template.ts";
import { foldText, maskText } from "./template/mask-text.ts";
import { titleHash, titleParts } from "./template/template-hashes.ts";
import { findSlotEnd, MAX_FRAMED_SHARE, MAX_SLOT_SHARE } from "./template/template-slots.ts";

/** A version as it counts for changes: without its host's template, and without what its user ignores. */

/** What is left out of all versions of a host now. Make it once for a batch. */
export interface View {
  template: CompiledTemplate;
  rules: CompiledRules;
}

export interface ViewedVersion {
  title: string;
  canonical: string;
  /** Folded texts, without what is ignored. */
  blocks: readonly string[];
  /** For each of `blocks`, its index in the version. */
  places: readonly number[];
  /** For each of `blocks`, and for the end: the folded texts of the template's blocks directly before it. */
  templateBefore: readonly (readonly string[])[];
  rest: string;
  /** As in the version; empty if it is not known. */
  pageText: string;
}

/** The rules must have no problems. */
export function viewOf(template: HostTemplate = EMPTY_TEMPLATE, rules: IgnoreRules = NO_RULES): View {
  return { template: compileTemplate(template), rules: compileRules(rules) };
}

export function viewVersion(version: PageVersion, { template, rules }: View): ViewedVersion {
  const folded = version.blocks.map(foldText);
  const hashes = template.blocks.size === 0 && template.slots.size === 0 ? null : folded.map(maskedHashOf);
  const isVolatile = hashes === null ? null : findVolatile(folded, hashes, template);
  const end = endOfContent(version);
  const blocks: string[] = [];
  const places: number[] = [];
  const templateBefore: string[][] = [[]];
  for (const [index, text] of folded.entries()) {
    if (index >= end || isVolatile?.has(index)) continue;
    if (hashes !== null && isTemplate(index, hashes, template)) {
      templateBefore.at(-1)?.push(text);
      continue;
    }
    const counted = rules.cutIgnored(text);
    if (counted === "") continue;
    blocks.push(counted);
    places.push(index);
    templateBefore.push([]);
  }
  return {
    title: titleParts(version.title)
      .filter((part) => !template.blocks.has(titleHash(part)))
      .map((part) => rules.cutIgnored(foldText(part)))
      .filter((part) => part !== "")
      .join(" | "),
    canonical: version.canonical ?? "",
    blocks,
    places,
    templateBefore,
    rest: version.rest?.hash ?? "",
    pageText: version.pageText ?? "",
  };
}

/**
 * The hash for the page's row: as long as it is the same, the page has not changed. If it differs, `compareVersions`
 * says whether the page has changed, because the hash depends on the template and the rules of its day. 22 characters.
 */
export function contentHash(version: PageVersion, view: View): string {
  const { title, canonical, blocks, rest } = viewVersion(version, view);
  const hash = createHash("sha256").update([title, canonical, rest, ...blocks].join("\n"));
  return hash.digest("base64url").slice(0, 22);
}

/**
 * The end of a version's blocks without a heading that has nothing under it: its list was taken for surroundings, but
 * the heading itself for content ("This page", "Comments").
 */
function endOfContent({ blocks, headings }: PageVersion): number {
  const last = blocks.length - 1;
  return headings.some(([index, level]) => index === last && level > 1) ? last : blocks.length;
}

function isTemplate(index: number, hashes: readonly string[], { blocks, beside }: CompiledTemplate): boolean {
  const at = (place: number) => hashes[place] ?? "";
  if (blocks.has(at(index))) return true;
  return beside.has(at(index)) && (blocks.has(at(index - 1)) || blocks.has(at(index + 1)));
}

function maskedHashOf(folded: string): string {
  return hashOf(maskText(folded));
}

/** The indexes of the blocks in volatile slots, unless these hold more of the page than surroundings do. */
function findVolatile(
  folded: readonly string[],
  hashes: readonly string[],
  { blocks, frame, slots }: CompiledTemplate,
): ReadonlySet<number> | null {
  if (slots.size === 0) return null;
  const found = new Set<number>();
  const framed = new Set<number>();
  for (let at = -1; at < folded.length; at++) {
    const start = at === -1 ? "" : (hashes[at] ?? "");
    const end = findSlotEnd(hashes, at, slots.get(start), frame);
    const isFramed = blocks.has(start) && blocks.has(hashes[end] ?? "");
    for (let index = at + 1; index < end; index++) (isFramed ? framed : found).add(index);
    at = Math.max(at, end - 1);
  }
  const length = (indexes: Iterable<number>) => {
    let characters = 0;
    for (const index of indexes) characters += folded[index]?.length ?? 0;
    return characters;
  };
  const all = length(folded.keys());
  const left = length(framed) <= all * MAX_FRAMED_SHARE ? framed : new Set<number>();
  return length(found) <= all * MAX_SLOT_SHARE ? new Set([...left, ...found]) : left;
}
