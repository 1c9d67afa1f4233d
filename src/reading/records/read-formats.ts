import { chunkPage } from "../../chunks/chunk-page.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { OpenTemplate } from "../../crawl/page/crawl-template.ts";
import type { PackedAnswer, StoredPage } from "../../crawl/page/outcome.ts";
import { type Format, type Formatted, hasText, partsOf, type StoredContent } from "../../crawl/page/page-format.ts";
import type { PageReaders } from "../../frontier/deps.ts";
import { findPageLinks } from "../../graph/page-links.ts";
import { decodeHtml } from "../../media/characters/charset.ts";
import type { ContentSelection, Metadata } from "../../media/document.ts";
import { escapeAttribute } from "../../media/html/tree/write-html.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { type Link, mergeLinks } from "../../media/links/links.ts";
import { emptyMetadata } from "../../media/text/plain-content.ts";
import { readOrMake } from "../../passes/page-content.ts";
import { openTemplate, type TemplateDeps } from "../../passes/template/open-template.ts";
import { productToken } from "../../robots/product-token.ts";
import { readLinkLines } from "../../store/mirror/kept-links.ts";
import { asDrawn, type PackedRow, readStoredPage, type Stores } from "../../store/mirror/read-mirror.ts";
import { leaveOutTemplate } from "./leave-out-template.ts";

/**
 * Reads a stored page in the formats requested. What was made of it is read; what is missing is made once, and stored.
 */

export type Reading = Stores &
  Pick<PageReaders, "readContent"> & {
    /** What is left out of the pages of the crawl; null: they come as they are. */
    template: OpenTemplate | null;
    /** The size of chunks; absent: that of the crawl. */
    chunkTokens?: number;
    /** The parts of a crawl over several ledgers, by the numbers of these; absent for a crawl in one ledger. */
    parts?: ReadonlyMap<number, PartReading>;
  };

/** A part of a crawl over several ledgers, and how its pages are read. */
export interface PartReading {
  crawl: Crawl;
  deps: Reading;
}

/** How the pages of one crawl are read: without its template, unless the request wants the raw text. */
export async function readingOf<Own extends TemplateDeps>(
  crawl: Crawl,
  { formats, rawText = false }: { formats: readonly Format[]; rawText?: boolean },
  deps: Own,
): Promise<Own & Pick<Reading, "template">> {
  const template = rawText || !hasText(formats) ? null : await openTemplate(crawl, deps);
  return { ...deps, template };
}

interface ReadFormats {
  formatted: Formatted;
  /** Null if no part was needed. */
  metadata: Metadata | null;
  /** Whether it took a call of a page fetcher. A request may call 32. */
  made: boolean;
}

/** The place of a page in its pack; null if it is in none. */
export type Place = Awaited<ReturnType<Stores["records"]["packed"]>>;

/**
 * Returns null if the mirror holds no such page. `place`: if the caller has already read it. Throws what reading it
 * throws.
 */
export async function readFormats(
  crawl: Crawl,
  url: string,
  formats: readonly Format[],
  deps: Reading,
  place?: Place,
): Promise<ReadFormats | null> {
  const parts = partsOf(formats);
  // The row is needed for parts alone: a page that is stored as a file needs none.
  const row = parts.length === 0 ? undefined : place === undefined ? await deps.records.packed(crawl.id, url) : place;
  const links = row && parts.includes("links") ? await readOwnLinks(crawl, url, row, deps) : null;
  return readParts(crawl, url, formats, { row, links }, deps);
}

/** Likewise, of the record at this place: it may be that of an earlier version. `formats`: all but links. */
export async function readFormatsAt(
  crawl: Crawl,
  url: string,
  formats: readonly Format[],
  row: PackedRow | null,
  deps: Reading,
): Promise<ReadFormats | null> {
  return readParts(crawl, url, formats, { row, links: null }, deps);
}

/** `row`: undefined if no part is needed. */
async function readParts(
  crawl: Crawl,
  url: string,
  formats: readonly Format[],
  { row, links }: { row: PackedRow | null | undefined; links: readonly Link[] | null },
  deps: Reading,
): Promise<ReadFormats | null> {
  const parts = partsOf(formats);
  const others = links === null ? parts : parts.filter((part) => part !== "links");
  const isWanted = formats.includes("rawHtml") || formats.includes("headers");
  const page = isWanted ? await readStoredPage(crawl, url, deps, row) : null;
  if (isWanted && page === null) return null;
  const readPage = async () => page ?? readStoredPage(crawl, url, deps, row);
  const read =
    row === undefined || others.length === 0 ? null : await readOrMake(crawl, url, others, deps, row, readPage);
  if (row !== undefined && others.length > 0 && read === null) return null;
  const { content = null, isMade = false } = read ?? {};
  // If two requests make different parts at once, one may overwrite the other. The next request makes the lost part.
  if (content !== null && isMade)
    await deps.mirror.putContent(crawl.id, url, new TextEncoder().encode(JSON.stringify(content)), row?.sha256 ?? null);
  const written = formats.filter((each) => each !== "chunks");
  const hasChunks = written.length < formats.length;
  // Chunks are cut from the same Markdown as anybody gets.
  const formatted = format(url, hasChunks ? [...written, "markdown"] : written, { content, links }, page);
  const cleaned = leaveOutTemplate(url, formatted, content?.metadata.headings ?? [], deps.template);
  const size = deps.chunkTokens ?? crawl.options.chunkTokens;
  const main = hasChunks ? addChunks(url, cleaned, formats, content, size) : cleaned;
  const selected = content === null ? null : await readSelected(crawl, url, formats, content, deps, readPage);
  return {
    formatted: { ...main, ...selected },
    metadata: content?.metadata ?? null,
    made: isMade || selected !== null,
  };
}

/**
 * What is made of other elements than the main content, as far as it is asked for. That is Markdown and HTML where the
 * crawl chooses what counts as content, and the images of the whole page. Null if nothing is asked for.
 */
async function readSelected(
  crawl: Crawl,
  url: string,
  formats: readonly Format[],
  kept: StoredContent,
  reading: Reading,
  readPage: () => Promise<StoredPage | null>,
): Promise<Pick<Formatted, "markdown" | "html" | "images"> | null> {
  const { wholePages, contentSelectors, removeSelectors } = crawl.options;
  const isChosen = wholePages || contentSelectors.length > 0 || removeSelectors.length > 0;
  const parts = CHOSEN_FORMATS.filter((part) => isChosen && formats.includes(part));
  const wantsImages = formats.includes("images");
  const page = parts.length === 0 && !wantsImages ? null : await readPage();
  // Other kinds have no elements.
  if (page === null || kindOf(page.contentType).replay !== "html") return wantsImages ? { images: [] } : null;
  const select = async (
    wanted: ("markdown" | "html")[],
    selection: ContentSelection,
  ): Promise<Pick<StoredContent, "markdown" | "html">> =>
    wanted.length === 0 ? {} : readSelection(crawl, url, wanted, selection, asDrawn(page, kept), reading);
  const selection = { isWhole: wholePages, include: contentSelectors, exclude: removeSelectors };
  const { markdown = "", html = "" } = await select(parts, selection);
  const whole = await select(wantsImages ? ["html"] : [], WHOLE);
  return {
    ...(parts.includes("markdown") ? { markdown } : {}),
    ...(parts.includes("html") ? { html: toDocument(url, { ...kept, html }) } : {}),
    ...(wantsImages ? { images: imagesOf(whole.html ?? "") } : {}),
  };
}

const WHOLE: ContentSelection = { isWhole: true, include: [], exclude: [] };

/** The images of HTML that we have written: absolute URLs, each once. */
export function imagesOf(html: string): string[] {
  const found = html.split("<img ").slice(1);
  const sources = found.map((tag) => /(?:^| )src="(https?:[^"]*)"/.exec(tag.split(">", 1)[0] ?? "")?.[1]);
  return [...new Set(sources.flatMap((url) => (url === undefined ? [] : [url.replaceAll("&amp;", "&")])))];
}

/** The parts of a stored page that are made of chosen elements. Throws what reading it throws. */
export async function readSelection(
  { options: { userAgent, scriptLinks, preferMarkdown } }: Crawl,
  url: string,
  parts: ("markdown" | "html")[],
  selection: ContentSelection,
  page: StoredPage,
  { readContent }: Pick<Reading, "readContent">,
): Promise<Pick<StoredContent, "markdown" | "html">> {
  const request = { url, agent: productToken(userAgent), scriptLinks, preferMarkdown, parts, selection };
  return JSON.parse(new TextDecoder().decode(await readContent(page, request))) as StoredContent;
}

const CHOSEN_FORMATS = ["markdown", "html"] as const;

function addChunks(
  url: string,
  { markdown = "", ...others }: Formatted,
  formats: readonly Format[],
  content: StoredContent | null,
  size: number,
): Formatted {
  const chunks = chunkPage({ url, markdown, headings: content?.metadata.headings ?? [] }, size);
  return { ...others, ...(formats.includes("markdown") ? { markdown } : {}), chunks };
}

/** The kept links of a page; null if some are left out, or if an earlier version stored the page. */
async function readOwnLinks(
  crawl: Crawl,
  url: string,
  { pack, linksOffset, linksLength }: PackedAnswer,
  { packs }: Reading,
): Promise<Link[] | null> {
  if (linksOffset === null || linksLength === null) return null;
  const lines = await readLinkLines(crawl.id, { pack, offset: linksOffset, length: linksLength }, packs);
  const page = lines === null ? null : findPageLinks(lines, url);
  return page === null || page.dropped > 0 ? null : mergeLinks(page.links, url);
}

function format(
  url: string,
  formats: readonly Exclude<Format, "chunks">[],
  { content, links }: { content: StoredContent | null; links: readonly Link[] | null },
  stored: StoredPage | null,
): Formatted {
  const formatted: Formatted = {};
  for (const wanted of formats) {
    if (wanted === "headers") formatted.headers = Object.fromEntries(stored?.headers ?? []);
    else if (wanted === "rawHtml")
      formatted.rawHtml = stored === null ? "" : decodeHtml(stored.body, stored.contentType).text;
    else if (wanted === "links") formatted.links = [...(links ?? content?.links ?? [])];
    // Images are those of the whole page, which is read by itself.
    else if (content === null || wanted === "images") continue;
    // Metadata that an earlier version stored lacks some of the fields.
    else if (wanted === "json")
      formatted.json = { url, ...emptyMetadata(), ...content.metadata, text: content.text ?? "" };
    else if (wanted === "html") formatted.html = toDocument(url, content);
    else formatted[wanted] = content[wanted] ?? "";
  }
  return formatted;
}

/** The content as a page of its own, with a head for readers and parsers. */
function toDocument(url: string, { metadata, html = "" }: StoredContent): string {
  const { title, description, language, author, publishedAt, canonical } = metadata;
  const meta = (name: string, content: string | null) =>
    content === null ? "" : `<meta name="${name}" content="${escapeAttribute(content)}">\n`;
  return [
    `<!doctype html>\n<html${language === null ? "" : ` lang="${escapeAttribute(language)}"`}>\n<head>\n<meta charset="utf-8">\n`,
    `<title>${escapeAttribute(title ?? "")}</title>\n`,
    meta("description", description),
    meta("author", author),
    meta("date", publishedAt),
    `<link rel="canonical" href="${escapeAttribute(canonical ?? url)}">\n</head>\n<body>\n`,
    html,
    "\n</body>\n</html>\n",
  ].join("");
}
