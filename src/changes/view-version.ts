import { createHash } from "node:crypto";
import { type CompiledRules, compileRules, type IgnoreRules, NO_RULES } from "./ignore-rules.ts";
import { inOrder, lookAt } from "./noise/block-order.ts";
import { NO_NOISE, noiseOn } from "./noise/compile-noise.ts";
import { findNoisyBlocks } from "./noise/noisy-blocks.ts";
import { countTexts, pageLines } from "./page-lines.ts";
import { hashOf, type PageVersion } from "./page-version.ts";
import { type CompiledTemplate, compileTemplate } from "./template/compile-template.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "./template/host-template.ts";
import { foldText } from "./template/mask-text.ts";
import { maskRelativeTimes } from "./template/relative-times.ts";
import type { SharedPage } from "./template/shared-rounds.ts";
import { titleHash, titleParts } from "./template/template-hashes.ts";

/** A version as it counts for changes: without its host's template, and without what its user ignores. */

/** What is left out of all versions of a page now. */
export interface View {
  template: CompiledTemplate;
  rules: CompiledRules;
  /** Whether relative times count, too, so that nothing is left out. */
  isFull?: boolean;
}

export interface ViewedVersion {
  title: string;
  canonical: string;
  /** Folded texts, without what is ignored, and with one form for all relative times. */
  blocks: readonly string[];
  /** For each of `blocks`, its index in the version. */
  places: readonly number[];
  /** The same in the order in which blocks are compared (noise/block-order.ts). They rise. */
  positions: readonly number[];
  /** For each of `blocks`, and for the end: the folded texts of the template's blocks directly before it. */
  templateBefore: readonly (readonly string[])[];
  /** The texts of the template's blocks, but for those that changed on most pages at once. */
  shared: readonly string[];
  rest: string;
  /** As in the version; empty if it is not known. */
  pageText: string;
}

/** The page whose versions are viewed. */
export interface ViewedPage extends SharedPage {
  url: string;
  /** Places of noise that are known of the page by its row (`ToldVersions.noise`). */
  noise?: readonly string[];
}

/**
 * The rules must have no problems. `retestedAt`: without the places of noise that must be looked at again then. Without
 * a page, nothing counts that is known of one page alone.
 */
export function viewOf(
  template: HostTemplate = EMPTY_TEMPLATE,
  rules: IgnoreRules = NO_RULES,
  page: ViewedPage = { url: "", storedAt: null },
  retestedAt: number | null = null,
): View {
  const noise = [...noiseOn(template.noise ?? {}, hashOf(page.url), retestedAt), ...(page.noise ?? [])];
  return { template: compileTemplate(template, noise, page), rules: compileRules(rules) };
}

/** Leaves nothing out. */
export function fullView(): View {
  return { ...viewOf(), isFull: true };
}

/** `kept`: texts of the template's blocks that count all the same. */
export function viewVersion(
  version: PageVersion,
  { template, rules, isFull = false }: View,
  kept: ReadonlySet<string> = new Set(),
): ViewedVersion {
  const { noise } = template;
  const maskTimes = isFull ? (text: string) => text : maskRelativeTimes;
  const isBlank = template.blocks.size === 0 && noise === NO_NOISE;
  const looked = isBlank ? { folded: version.blocks.map(foldText), hashes: [] } : lookAt(version.blocks);
  const { folded, hashes, indexes } = inOrder(looked, noise);
  const parts = titleParts(version.title);
  const names = parts.map(foldText);
  const noisy = findNoisyBlocks(folded, hashes, template, names);
  // A heading says what the title does, also where each request draws one of two.
  const drawn = new Set(names.filter((name, at) => noise.cutTitle(name, at, names.length) === ""));
  const end = endOfContent(version);
  const blocks: string[] = [];
  const places: number[] = [];
  const positions: number[] = [];
  const templateBefore: string[][] = [[]];
  const shared: string[] = [];
  for (const [position, text] of folded.entries()) {
    const index = indexes[position] ?? position;
    if (index >= end || noisy?.has(position) || drawn.has(text)) continue;
    const cut = noise.cutText(text);
    const said = maskTimes(cut);
    if (template.blocks.has(hashes[position] ?? "") && !kept.has(said)) {
      templateBefore.at(-1)?.push(text);
      if (template.isOwn(said, hashes[position] ?? "")) shared.push(said);
      continue;
    }
    // The rules are written for what the page says.
    const counted = maskTimes(rules.cutIgnored(cut));
    if (counted === "") continue;
    blocks.push(counted);
    places.push(index);
    positions.push(position);
    templateBefore.push([]);
  }
  return {
    title: parts
      .map((part, at) =>
        template.blocks.has(titleHash(part)) ? "" : noise.cutTitle(names[at] ?? "", at, names.length),
      )
      .map((part) => maskTimes(rules.cutIgnored(part)))
      .filter((part) => part !== "")
      .join(" | "),
    canonical: version.canonical ?? "",
    blocks,
    places,
    positions,
    templateBefore,
    shared,
    rest: version.rest?.hash ?? "",
    pageText: version.pageText ?? "",
  };
}

/** Two versions of a page. */
export interface ViewedPair {
  before: ViewedVersion;
  after: ViewedVersion;
  /** The texts of the template's blocks that one of them has more often than the other. They are in `blocks`. */
  differing: ReadonlySet<string>;
  /** Both without any block of the template. */
  bare: { before: ViewedVersion; after: ViewedVersion };
}

/**
 * Two versions as they are compared: what both have of the template is left out, and what one of them has is not. A
 * block counts as often as the whole page has it, because the reader may take a menu for content at one visit alone.
 */
export function viewPair(before: PageVersion, after: PageVersion, view: View): ViewedPair {
  const [old, now] = [viewVersion(before, view), viewVersion(after, view)];
  const bare = { before: old, after: now };
  const differing = differingTexts(old, now, view);
  if (differing.size === 0) return { ...bare, differing, bare };
  return { before: viewVersion(before, view, differing), after: viewVersion(after, view, differing), differing, bare };
}

function differingTexts(before: ViewedVersion, after: ViewedVersion, { rules, template }: View): Set<string> {
  const texts = new Set<string>();
  const [counts, others] = [countTexts(before.shared), countTexts(after.shared)];
  for (const text of [...counts.keys(), ...others.keys()])
    if (counts.get(text) !== others.get(text) && rules.cutIgnored(text) !== "") texts.add(text);
  if (texts.size === 0) return texts;
  const linesOf = ({ pageText }: ViewedVersion) =>
    pageText === "" ? null : countTexts(pageLines(pageText, template.noise.cutText));
  const [lines, otherLines] = [linesOf(before), linesOf(after)];
  if (lines !== null && otherLines !== null)
    for (const text of texts) if (lines.get(text) === otherLines.get(text) && lines.has(text)) texts.delete(text);
  return texts;
}

/**
 * The hash for the page's row: as long as it is the same, the page has not changed. If it differs, `compareVersions`
 * says whether the page has changed, because the hash depends on the template and the rules of its day. 22 characters.
 */
export function contentHash(version: PageVersion, view: View): string {
  return hashOfViewed(viewVersion(version, view));
}

/** The same of a version that is viewed already. */
export function hashOfViewed({ title, canonical, blocks, shared, rest }: ViewedVersion): string {
  const hash = createHash("sha256").update([title, canonical, rest, ...blocks, "", ...shared].join("\n"));
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
