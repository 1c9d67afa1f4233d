import { joinBytes } from "../../core/join-bytes.ts";
import { decodeHtml } from "../characters/charset.ts";
import type { Document, Metadata, Reader } from "../document.ts";
import { DocumentProblem } from "../document-problem.ts";
import { pageDate } from "../html/facts/page-date.ts";
import { type HtmlDocument, parseHtml, TreeLimit } from "../html/tree/linkedom.ts";
import { tidy } from "../html/tree/tidy.ts";
import { escapeHtml } from "../html/tree/write-html.ts";
import { makeWrittenDocument } from "../html/tree/written-document.ts";
import { WrittenSize } from "../html/tree/written-size.ts";
import { ZipFile } from "../kind/zip.ts";
import { resolvePart } from "../office/ooxml/ooxml-package.ts";
import { readXml } from "../office/read-xml.ts";
import { emptyMetadata } from "../text/plain-content.ts";
import { readBookHeadings } from "./book-headings.ts";
import { writeChapter } from "./chapter.ts";
import { decodePath, type EpubPackage, readPackage } from "./package.ts";

const TYPE = "application/epub+zip";
const MAX_TEXT = 1_000;
/** Of an item. Its bytes, its text and its tree are in memory at once. */
const MAX_ITEM_BYTES = 8_000_000;
const MAX_KEYWORDS = 100;
const XHTML = /^(?:application\/xhtml\+xml|text\/html|application\/x-dtbook\+xml|)$/;
/** Fonts are often obfuscated so, and the text is not. EPUB 3.3, 4.2.6.3.2, and Adobe's way before it. */
const FONT_METHODS = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;
/** HTML's parser takes `<a id="x"/>` for a start tag. */
const EMPTY_ELEMENT = /<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/**
 * Reads a book: the items of its spine, in order, as one page. Links between items become fragments, and links out of
 * the book are followed. Pictures are left out. Throws DocumentProblem for a book with DRM, and for damaged ones.
 */
export const readEpub: Reader<Promise<Document>> = async (bytes, source, request) => {
  const zip = new ZipFile(bytes);
  const book = readPackage(zip);
  refuseEncrypted(zip, book);
  let problem: string | null = null;
  const read = (part: string) =>
    readTree(zip, part, (limit) => {
      problem ??= `a part of ${part} is left out: ${limit}`;
    });
  const headings = readBookHeadings(zip, book.contents, read);
  const items = book.spine.filter(({ part, type }) => XHTML.test(type) && zip.has(part));
  if (items.length === 0) throw new DocumentProblem("damaged", "none of its items can be found");
  const numbers = new Map(items.map(({ part }, i) => [part.toLowerCase(), i + 1]));
  const size = new WrittenSize();
  const written: string[] = [];
  let language: string | null = null;
  for (const [i, { part }] of items.entries()) {
    if (size.isFull) break;
    const number = i + 1;
    const links = { idOf: (id: string) => `item-${number}-${id}`, hrefOf: hrefIn(part, numbers) };
    const chapter = writeChapter(read(part), links, size);
    language ??= chapter.language;
    const named = headings.get(part);
    const heading =
      chapter.hasHeading || named === undefined ? "" : `<h${named.level}>${escapeHtml(named.text)}</h${named.level}>`;
    written.push(`<a id="item-${number}"></a>${heading}<div>${chapter.html}</div>`);
  }
  const metadata = { ...metadataOf(book, language), pageCount: items.length };
  const html = written.join("\n");
  return makeWrittenDocument(
    { type: TYPE, encoding: "", html, metadata, truncated: size.truncated, problem },
    source,
    request,
  );
};

/** What stands before a limit, which `see` gets. */
function readTree(zip: ZipFile, part: string, see: (limit: string) => void): HtmlDocument {
  try {
    return parseHtml(readText(zip, part, see));
  } catch (error) {
    if (!(error instanceof TreeLimit)) throw error;
    see(error.message);
    return error.document;
  }
}

function readText(zip: ZipFile, part: string, see: (limit: string) => void): string {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const chunk of zip.chunks(part)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < MAX_ITEM_BYTES) continue;
    see(`more than ${MAX_ITEM_BYTES / 1_000_000} MB`);
    break;
  }
  const { text } = decodeHtml(joinBytes(chunks), "application/xhtml+xml");
  return text.replace(EMPTY_ELEMENT, (whole, name: string, attributes: string) =>
    VOID.test(name) ? whole : `<${name}${attributes}></${name}>`,
  );
}

/** Where the hrefs of an item lead: to a place in the page, or out of the book. */
function hrefIn(part: string, numbers: ReadonlyMap<string, number>): (href: string) => string | null {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  return (written) => {
    const href = written.trim();
    if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//")) return href;
    const path = decodePath(href);
    const number = numbers.get((path === "" ? part : resolvePart(folder, path)).toLowerCase());
    if (number === undefined) return null;
    const at = href.indexOf("#");
    return at === -1 || at === href.length - 1 ? `#item-${number}` : `#item-${number}-${href.slice(at + 1)}`;
  };
}

/** Throws DocumentProblem if an item of the spine is encrypted, as with DRM. */
function refuseEncrypted(zip: ZipFile, { spine }: EpubPackage): void {
  const parts = new Set(spine.map(({ part }) => part));
  let method = "";
  let isEncrypted = false;
  readXml(zip.chunks("META-INF/encryption.xml"), {
    open(name, attributes) {
      const local = name.replace(/^.*:/, "");
      if (local === "encrypteddata") method = "";
      else if (local === "encryptionmethod") method ||= attributes.get("algorithm") ?? "";
      else if (local === "cipherreference" && !FONT_METHODS.test(method))
        isEncrypted ||= parts.has(decodePath(attributes.get("uri") ?? ""));
    },
    close: () => undefined,
    text: () => undefined,
  });
  if (isEncrypted) throw new DocumentProblem("password", "its text is encrypted (DRM)");
}

function metadataOf({ said }: EpubPackage, spoken: string | null): Metadata {
  const all = (name: string) => (said.get(name) ?? []).map((text) => tidy(text, MAX_TEXT));
  const first = (name: string) => all(name)[0] ?? null;
  const language = first("dc:language") ?? spoken;
  const date = (written: string | null) => (written === null ? null : pageDate(written, language, "own"));
  // A description may be HTML, whose tags are no words.
  const description = first("dc:description")?.replace(/<[^<>]*>/g, " ") ?? null;
  return {
    ...emptyMetadata(),
    title: first("dc:title"),
    author: [...new Set(all("dc:creator"))].join(", ") || null,
    language,
    description: description === null ? null : tidy(description, MAX_TEXT),
    keywords: [...new Set(all("dc:subject"))].slice(0, MAX_KEYWORDS),
    publishedAt: date(first("dc:date")),
    modifiedAt: date(first("dcterms:modified")),
    siteName: first("dc:publisher"),
  };
}
