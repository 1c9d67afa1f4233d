import { decodeHtml } from "../../src/media/characters/charset.ts";
import type { PageHints } from "../../src/media/html/article/block-features.ts";
import type { BlockTree } from "../../src/media/html/article/content-blocks.ts";
import { blocksOf, removeNotes } from "../../src/media/html/article/main-content.ts";
import type { PageClaims } from "../../src/media/html/article/page-features.ts";
import { readMetadata } from "../../src/media/html/facts/metadata.ts";
import { extractPage } from "../../src/media/html/page.ts";
import { copyDocument } from "../../src/media/html/tree/copy-document.ts";
import { parseHtml } from "../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";

interface Opened {
  tree: BlockTree;
  hints: PageHints;
  claims: PageClaims;
}

/** A page as its kind is told and its content is chosen. Null if it cannot be read. */
export function openForBlocks(html: Uint8Array, url: string): Opened | null {
  try {
    const document = parseHtml(decodeHtml(html, "text/html").text);
    const copied = copyDocument(document);
    const { claims } = readMetadata(copied, extractPage(document, url, canonicalize));
    const isThread = removeNotes(copied.body, claims);
    const tree = blocksOf(copied);
    return { tree, hints: { url, isArticle: claims.isArticle }, claims: { ...claims, isThread } };
  } catch (error) {
    console.error(`${url}: ${error}`);
    return null;
  }
}
