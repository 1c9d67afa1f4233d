import { createHash } from "node:crypto";
import type { Document, PagePart } from "../media/document.ts";
import { canonicalLanguage } from "../scope/language-range.ts";
import { fillGaps } from "./fill-gaps.ts";

/**
 * A version of a page: what it says, in blocks. It is kept in the pack of the visit that found it.
 *
 * A block is a line of the content's text: a paragraph, a heading, a list item, a row of a table, a line of code. The
 * reader makes this text in any case, and leaves out short lines within it, which are added. It has no markup and no
 * URLs, so a new theme, new names of classes or another address of a picture leave it as it is. Markdown would change
 * with its link targets, and HTML with each build.
 */
export interface PageVersion {
  title: string | null;
  canonical: string | null;
  /** Whether the page says that it does not exist. */
  looksMissing: boolean;
  /** In the order of the page. None is empty. */
  blocks: readonly string[];
  /** Which blocks are headings: the index and the level, 1 to 6. */
  headings: readonly (readonly [index: number, level: number])[];
  /** The text beyond the limits: its length in characters, and its hash. Null if all of the text is in the blocks. */
  rest: { characters: number; hash: string } | null;
  /** What it asks of its reader, as in `Document.asks`. Absent for nothing. */
  asks?: Document["asks"];
  /** Its language, as a canonical tag (BCP 47): as it says, or as its text is recognised. Absent if it is not known. */
  language?: string;
  /** The text of the whole page, with what surrounds the content: a line per block. Absent if it is not known. */
  pageText?: string;
  /** What it says beside its text. Absent if that is not known. */
  parts?: readonly PagePart[];
}

/** `git config` has 5,000 blocks. */
const MAX_BLOCKS = 20_000;
/** Of all blocks together. A version of a long page takes a tenth of it. */
const MAX_CHARACTERS = 1_000_000;
/** Titles and canonical URLs that are longer are cut. */
const MAX_NAME = 2_048;

/**
 * Makes the version of a document that was read with the format `text`. Null if it has no content: such a page says
 * nothing that could be compared. At most 20,000 blocks and 1,000,000 characters are kept; of the rest only the hash,
 * so that a change in it is noticed.
 */
export function versionOf(document: Document): PageVersion | null {
  const { title, looksMissing, content, pageText = "", asks } = document;
  if (content?.text === undefined) return null;
  const { metadata, text } = content;
  const language = canonicalLanguage(document.language ?? metadata.language ?? "");
  const cutAt = endOfKept(text);
  const rest = text.slice(cutAt);
  const read = text
    .slice(0, cutAt)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const blocks = fillGaps(read, pageText.slice(0, MAX_CHARACTERS));
  return {
    title: (title ?? metadata.title)?.slice(0, MAX_NAME) ?? null,
    canonical: metadata.canonical?.slice(0, MAX_NAME) ?? null,
    looksMissing: looksMissing || metadata.kind === "error",
    blocks,
    headings: findHeadings(blocks, metadata.headings),
    rest: rest.trim() === "" ? null : { characters: rest.length, hash: hashOf(rest) },
    ...(asks === undefined ? {} : { asks }),
    ...(language === null ? {} : { language }),
    pageText: pageText.slice(0, MAX_CHARACTERS),
    parts: document.parts ?? document.links.map(({ url }) => ({ kind: "link", place: "", value: url })),
  };
}

/** 48 bits, as eight characters of base64url: short enough for a table of a thousand. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}

function endOfKept(text: string): number {
  const limit = Math.min(text.length, MAX_CHARACTERS);
  let at = 0;
  for (let lines = 0; lines < MAX_BLOCKS && at < limit; lines++) {
    const end = text.indexOf("\n", at);
    if (end === -1 || end >= limit) return limit;
    at = end + 1;
  }
  return at;
}

function findHeadings(
  blocks: readonly string[],
  headings: readonly { level: number; text: string }[],
): [index: number, level: number][] {
  const found: [index: number, level: number][] = [];
  let at = 0;
  for (const { level, text } of headings) {
    const wanted = text.trim();
    // A heading whose text is written otherwise in the blocks is left out, without a search to the end for each.
    const end = Math.min(blocks.length, at + 1_000);
    for (let index = at; index < end; index++) {
      if (blocks[index]?.trim() !== wanted) continue;
      found.push([index, level]);
      at = index + 1;
      break;
    }
  }
  return found;
}
