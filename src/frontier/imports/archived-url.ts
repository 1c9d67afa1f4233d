import { ASSET_PRIORITY, ORDINARY_PRIORITY, PREFERRED_PRIORITY, type UrlKind } from "../../crawl/page/url-kind.ts";
import type { ArchivedAnswer } from "../../fetch/answer/archived-answer.ts";
import type { DocumentKind } from "../../media/kind/document-kinds.ts";
import { canBePage, kindOf, namesHeavy, refusedExtensions } from "../../media/kind/kinds.ts";
import { nonPageExtension } from "../../scope/extensions.ts";
import type { ImportedUrl } from "../../store/ledger/importing.ts";

/** What an archive says of a URL beside its answer. */
export interface ArchivedUrl {
  /** Canonical. */
  url: string;
  /** The page on which it was found, canonical; null if that is not known. */
  via: string | null;
  /** The letters of Heritrix for the way from a seed, such as `LLE`; null if the archive does not tell. */
  hops: string | null;
}

const MAX_DEPTH = 1_000;

/** The row of a URL with an answer. */
export function toImportedUrl(
  { url, via, hops }: ArchivedUrl,
  answer: Pick<ArchivedAnswer, "status" | "headers">,
  documents: readonly DocumentKind[],
): ImportedUrl {
  const kind = kindOfUrl(url, hops, answer, documents);
  const steps = (hops ?? "").replace(/R/g, "").slice(0, MAX_DEPTH);
  const embeds = steps.replace(/[^E]/g, "").length;
  const isAsset = kind === "asset";
  const ordinary = steps === "" && hops !== null ? PREFERRED_PRIORITY : ORDINARY_PRIORITY;
  return {
    url,
    kind,
    via,
    depth: isAsset ? Math.max(1, embeds, steps.length) : steps.length,
    priority: isAsset ? ASSET_PRIORITY : ordinary,
    // An asset is one step or more from its page; with 0 it would be described only.
    chain: isAsset ? Math.max(1, embeds) : 0,
  };
}

/**
 * Most archives do not say which of their answers were pages to people. So an answer is a page by its type, as in a
 * crawl. Data that scripts ask for has the types of documents too: without a link that is known to lead there, it is a
 * part of pages.
 */
function kindOfUrl(
  url: string,
  hops: string | null,
  { status, headers }: Pick<ArchivedAnswer, "status" | "headers">,
  documents: readonly DocumentKind[],
): UrlKind {
  const { pathname } = new URL(url);
  if (pathname === "/robots.txt") return "asset";
  const last = hops?.at(-1);
  if (last === "E" || last === "M" || last === "P") return "asset";
  const contentType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const hasType = status >= 200 && status < 300 && contentType !== "";
  if (!hasType)
    return nonPageExtension(url, refusedExtensions({ documents, media: false })) === null ? "page" : "asset";
  const heavy = namesHeavy(contentType, documents);
  if (heavy === "yes") return "page";
  if (heavy === "maybe" || !canBePage(contentType, documents)) return "asset";
  const { document } = kindOf(contentType);
  return hops === null && (document === "json" || document === "xml") && !isXhtmlOrFeed(contentType) ? "asset" : "page";
}

function isXhtmlOrFeed(contentType: string): boolean {
  return /^(?:application\/xhtml\+xml|application\/(?:rss|atom)\+xml|application\/feed\+json)\b/i.test(
    contentType.trim(),
  );
}
