import { essenceOf } from "../core/media-type.ts";
import { decodeHtml } from "./charset.ts";
import type { Reader } from "./document.ts";
import { DOCUMENT_KINDS, type DocumentKind } from "./document-kinds.ts";
import { HEAVY_KINDS } from "./heavy-kinds.ts";
import { OTHER_EXTENSIONS, OTHER_SIGNATURES, readNothing } from "./other.ts";
import {
  findSignature,
  isBinary,
  isXhtml,
  looksLikeHtml,
  looksLikeText,
  looksLikeXml,
  type Signature,
  SNIFFED_CHARACTERS,
} from "./sniff.ts";
import { zipTypeOf } from "./zip-type.ts";

/** The kinds of documents, in one table. Everything that depends on the type of a document asks this table. */

export interface Kind {
  /** Media types without parameters, in lower case. A sniffed document gets the first one. */
  types: readonly string[];
  /** Extensions of file names, in lower case. Scope refuses links to them unless the kind is a page. */
  extensions?: readonly string[];
  /** How its bytes begin. */
  signatures?: readonly Signature[];
  /** Whether a decoded text begins like it. */
  looksLike?: (start: string) => boolean;
  /**
   * Loads its reader at the first call. Parsers and their tables take half of the Worker's start, in every isolate.
   * Throws for a heavy kind.
   */
  loadReader: () => Promise<Reader>;
  /**
   * The name of the kind in the option `documents`, which says whether it counts as a page; absent for what always
   * does.
   */
  document?: DocumentKind;
  /**
   * Whether it weighs much or may misbehave, so that the reader Worker reads it: a message of its own, in a Worker of
   * its own. This Worker has no reader for it.
   */
  isHeavy?: true;
  /** A replay sends it rewritten as HTML, rewritten as CSS, or byte for byte. */
  replay: "html" | "css" | "bytes";
  /** Whether it is kept as a page and its links are followed. Assets of any other kind are kept too. */
  isPage: boolean;
}

const XHTML = "application/xhtml+xml";
const HTML = ["text/html", XHTML];
const TEXT = ["text/plain", "text/markdown"];
/**
 * The crawl reads a sitemap as it arrives, with sitemap/sitemap.ts. As a page it is refused, and as an asset it is kept
 * as it is.
 */
const SITEMAP = ["text/xml", "application/xml", "application/rss+xml", "application/atom+xml"];
/** Types of XML of any vocabulary. XHTML is a page under them too. */
const XML = new Set(["text/xml", "application/xml"]);
/** Every type that is not in the table belongs to this kind. */
const OTHER = { types: ["application/octet-stream"], extensions: OTHER_EXTENSIONS, signatures: OTHER_SIGNATURES };

const loadHtmlReader = async () => (await import("./html/read-html.ts")).readHtml;
const loadTextReader = async () => (await import("./text/read-text.ts")).readText;
const loadCssReader = async () => (await import("./css/read-css.ts")).readCss;

/** A text is of the first kind that it looks like. */
const KINDS: readonly Kind[] = [
  ...HEAVY_KINDS,
  { types: HTML, looksLike: looksLikeHtml, loadReader: loadHtmlReader, replay: "html", isPage: true },
  { types: SITEMAP, looksLike: looksLikeXml, loadReader: async () => readNothing, replay: "bytes", isPage: false },
  { types: TEXT, looksLike: looksLikeText, loadReader: loadTextReader, replay: "bytes", isPage: true },
  { types: ["text/css"], extensions: ["css"], loadReader: loadCssReader, replay: "css", isPage: false },
  { ...OTHER, looksLike: () => true, loadReader: async () => readNothing, replay: "bytes", isPage: false },
];

const BY_TYPE = new Map(KINDS.flatMap((kind) => kind.types.map((type) => [type, kind] as const)));
const SIGNATURES = KINDS.flatMap(({ signatures = [] }) => signatures);

/** The kinds of documents that count as pages unless a crawl says otherwise. */
const ALL: readonly DocumentKind[] = DOCUMENT_KINDS;

/** The kinds of documents that an installation can read, with a reader Worker or without it. */
export function readableDocuments(hasReader: boolean): DocumentKind[] {
  const heavy = new Set(KINDS.flatMap(({ isHeavy, document }) => (isHeavy && document) || []));
  return ALL.filter((kind) => hasReader || !heavy.has(kind));
}

/** Whether a crawl that reads `documents` keeps documents of this kind as pages. */
function isPageOf({ isPage, document }: Kind, documents: readonly DocumentKind[]): boolean {
  return isPage && (document === undefined || documents.includes(document));
}

/** Extensions of files that are surely no pages of a crawl that reads `documents`. */
export function nonPageExtensions(documents = ALL): ReadonlySet<string> {
  return new Set(KINDS.flatMap((kind) => (isPageOf(kind, documents) ? [] : (kind.extensions ?? []))));
}

/** `contentType`: the header's value. */
export function kindOf(contentType: string | null): Kind {
  return BY_TYPE.get(essenceOf(contentType)) ?? (BY_TYPE.get("application/octet-stream") as Kind);
}

/** Whether a document of this type can be a page. `contentType`: the header's value, which names a type. */
export function canBePage(contentType: string, documents = ALL): boolean {
  return isPageOf(kindOf(contentType), documents) || XML.has(essenceOf(contentType));
}

/** Types that servers give to files of which they know nothing, or only that they are archives. */
const VAGUE = new Set([
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-download",
  "application/force-download",
  "application/download",
  "application/zip",
  "application/x-zip",
  "application/x-zip-compressed",
]);

/** Whether it counts as a page and the reader Worker reads it. */
function isHeavyPage(kind: Kind, documents: readonly DocumentKind[]): boolean {
  return kind.isHeavy === true && isPageOf(kind, documents);
}

/** Whether a type names a document that the reader Worker reads, surely (`yes`) or as far as its bytes show it. */
export function namesHeavy(contentType: string | null, documents: readonly DocumentKind[]): "yes" | "maybe" | "no" {
  if (isHeavyPage(kindOf(contentType), documents)) return "yes";
  const hasHeavy = KINDS.some((kind) => isHeavyPage(kind, documents));
  return hasHeavy && VAGUE.has(essenceOf(contentType)) ? "maybe" : "no";
}

/** Whether a file that begins so is a document that the reader Worker reads. */
export function beginsHeavy(start: Uint8Array, documents: readonly DocumentKind[]): boolean {
  const type = signatureOf(start);
  return type !== null && isHeavyPage(kindOf(type), documents);
}

/** The media type by the first bytes of a file, independent of its header; null if they do not show it. */
export function signatureOf(bytes: Uint8Array): string | null {
  const found = findSignature(bytes, SIGNATURES);
  return found === ZIP ? (zipTypeOf(bytes, (type) => BY_TYPE.has(type)) ?? ZIP) : found;
}

const ZIP = "application/zip";

/** The media type that a decoded text looks like. */
export function sniffType(text: string): string {
  const start = text.slice(0, SNIFFED_CHARACTERS);
  return KINDS.find(({ looksLike }) => looksLike?.(start))?.types[0] ?? "application/octet-stream";
}

/** Loads the readers of all kinds that this Worker reads. */
export async function loadReaders(): Promise<void> {
  await Promise.all(KINDS.map((kind) => (kind.isHeavy ? undefined : kind.loadReader())));
}

/** Finds the kind and media type of a page by its bytes, or the reason why it is not a page. */
export function recognizePage(
  bytes: Uint8Array,
  contentType: string | null,
  documents = ALL,
): { kind: Kind; type: string } | { problem: string } {
  const named = essenceOf(contentType);
  const signed = signatureOf(bytes);
  const found = isTrusted(named, signed)
    ? named
    : (signed ?? (isBinary(bytes, contentType) ? "binary data" : named || sniffType(decodeHtml(bytes, null).text)));
  const type = XML.has(found) && isXhtml(bytes, contentType) ? XHTML : found;
  const kind = kindOf(type);
  if (isPageOf(kind, documents)) return { kind, type };
  if (named !== "") return { problem: type === named ? type : `${type} that is called ${named}` };
  return { problem: `no type is given; it ${signed === null && type !== "binary data" ? "looks like" : "is"} ${type}` };
}

/**
 * Whether the name of a heavy document stands against its bytes: they show nothing else. A document with a password,
 * for example, begins as another file. Its reader says why it cannot be read.
 */
function isTrusted(named: string, signed: string | null): boolean {
  const kind = kindOf(named);
  return kind.isHeavy === true && (signed === null || signed === ZIP || kindOf(signed) === kind);
}
