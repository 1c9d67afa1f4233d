import { nameUuid } from "../core/name-uuid.ts";
import { type Chunk, DEFAULT_CHUNK_TOKENS } from "./chunk.ts";
import { estimateTokens, weighTokens } from "./estimate-tokens.ts";
import { anchorsOf, type PageHeading } from "./heading-anchors.ts";
import { type Draft, packBlocks } from "./pack-blocks.ts";
import { type Block, readBlocks } from "./read-blocks.ts";
import { type Section, sectionTree } from "./section-tree.ts";

/**
 * Cuts a page's Markdown into chunks. A section that fits is one chunk, with the sections below it. Of a larger one,
 * the text before its first subsection and each subsection are cut by themselves. So a change in one section leaves the
 * chunks of the others as they are.
 */

/** The namespace of the ids of chunks. It must never change. */
const NAMESPACE = "6e1e8c52-3a51-5c37-9a0d-6f1f1c3d8f51";
/** A lead that is smaller than this share of a chunk goes with the first subsection. */
const LEAD = 1 / 8;

interface Page {
  /** Canonical. */
  url: string;
  markdown: string;
  /** Those of its metadata, with their fragments. */
  headings?: readonly PageHeading[];
}

/** `size`: the tokens of a chunk at most, at least 64. Takes time that is linear in the page. */
export function chunkPage({ url, markdown, headings = [] }: Page, size = DEFAULT_CHUNK_TOKENS): Chunk[] {
  const blocks = readBlocks(markdown);
  const root = sectionTree(markdown, blocks);
  const drafts = draftSection(root, [], [], { markdown, size });
  const anchors = anchorsOf(sectionsIn(root), headings);
  const seen = new Map<string, number>();
  const chunks: Chunk[] = [];
  for (const { pieces, path } of drafts) {
    const written = pieces
      .map(({ before, start, end, after }) =>
        after === "" ? before + markdown.slice(start, end) : before + markdown.slice(start, end).trimEnd() + after,
      )
      .join("");
    const text = written.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
    if (text.trim() === "") continue;
    const titles = path.map(({ title }) => title);
    const name = JSON.stringify([url, titles, text]);
    const repeats = seen.get(name) ?? 0;
    seen.set(name, repeats + 1);
    const inner = path.at(-1);
    const anchor = inner === undefined ? null : (anchors.get(inner.number) ?? null);
    const offset = pieces[0]?.start ?? 0;
    chunks.push({
      id: nameUuid(NAMESPACE, repeats === 0 ? name : `${name}${repeats}`),
      headings: titles,
      anchor,
      link: linkTo(url, anchor, inner?.title ?? ""),
      order: chunks.length,
      offset,
      length: markdown.slice(offset, pieces.at(-1)?.end ?? offset).trimEnd().length,
      tokens: estimateTokens(text),
      text,
    });
  }
  return chunks;
}

interface PathDraft extends Draft {
  path: readonly Section[];
}

/** `carried`: blocks before the section that go with its first chunk. `above`: the sections that it stands in. */
function draftSection(
  section: Section,
  carried: readonly Block[],
  above: readonly Section[],
  page: { markdown: string; size: number },
): PathDraft[] {
  const { markdown, size } = page;
  const here = section.heading === null ? above : [...above, section];
  const first = carried[0]?.start ?? section.start;
  const carriesText = carried.some(({ kind }) => kind !== "heading");
  const weight = weighBlocks(carried, markdown) + section.weight;
  if (weight <= size) {
    if (first === section.end) return [];
    const piece = { start: first, end: section.end, before: "", after: "", weight };
    return [{ pieces: [piece], path: carriesText ? above : deepest(section, above) }];
  }
  const lead = [...carried, ...(section.heading === null ? [] : [section.heading]), ...section.own];
  const hasText = section.own.length > 0;
  const isLead = section.below.length > 0 && (!hasText || weighBlocks(lead, markdown) <= size * LEAD);
  const drafts: PathDraft[] = isLead
    ? []
    : packBlocks(markdown, lead, size).map((draft, i) => ({ ...draft, path: i === 0 && carriesText ? above : here }));
  for (const [i, below] of section.below.entries())
    drafts.push(...draftSection(below, i === 0 && isLead ? lead : [], here, page));
  return drafts;
}

/** The sections that all of its text stands in: a section with nothing but one subsection leads to that. */
function deepest(section: Section, above: readonly Section[]): readonly Section[] {
  const here = section.heading === null ? above : [...above, section];
  const [only, ...others] = section.below;
  return section.own.length === 0 && only !== undefined && others.length === 0 ? deepest(only, here) : here;
}

function weighBlocks(blocks: readonly Block[], markdown: string): number {
  return blocks.reduce((sum, { start, end }) => sum + weighTokens(markdown.slice(start, end)), 0);
}

function sectionsIn(section: Section): Section[] {
  return section.below.flatMap((below) => [below, ...sectionsIn(below)]);
}

/** https://wicg.github.io/scroll-to-text-fragment/ finds a heading that has no fragment of its own. */
function linkTo(url: string, anchor: string | null, title: string): string {
  if (anchor !== null) return `${url}#${encodeURI(anchor).replaceAll("#", "%23")}`;
  return title === "" ? url : `${url}#:~:text=${encodeURIComponent(title.toWellFormed()).replaceAll("-", "%2D")}`;
}
