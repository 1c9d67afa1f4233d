import { essenceOf } from "../../core/media-type.ts";
import { decodeHtml } from "../characters/charset.ts";
import type { Reader } from "../document.ts";
import { isJsonFeed } from "../feed/json-feed.ts";
import { DOCUMENT_KINDS, type DocumentKind } from "./document-kinds.ts";
import { HEAVY_KINDS } from "./heavy-kinds.ts";
import { MEDIA_EXTENSIONS, OTHER_EXTENSIONS, OTHER_SIGNATURES, readNothing } from "./other.ts";
import {
  findSignature,
  isBinary,
  looksLikeHtml,
  looksLikeText,
  looksLikeXml,
  type Signature,
  SNIFFED_CHARACTERS,
} from "./sniff.ts";
import { xmlVocabulary } from "./xml-root.ts";
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
  /** ASCII characters each of which may make a node of a tree. They tell how much memory a page takes (weight.ts). */
  marks?: string;
  /** A replay sends it rewritten as HTML, rewritten as CSS, or byte for byte. */
  replay: "html" | "css" | "bytes";
  /** Whether it is kept as a page and its links are followed. Assets of any other kind are kept too. */
  isPage: boolean;
}

const HTML = ["text/html", "application/xhtml+xml"];
const TEXT = ["text/plain", "text/markdown", "text/x-markdown"];
const FEED = ["application/rss+xml", "application/atom+xml", "application/feed+json"];
const CSV = ["text/csv", "text/tab-separated-values"];
const JSON_TYPES = ["application/json", "text/json", "application/x-ndjson", "application/jsonl"];
/** XML of any vocabulary. Its root says more: XHTML, feeds, drawings and sitemaps come under these types too. */
const XML_TYPES = ["text/xml", "application/xml"];
/**
 * Types that the table does not have belong to JSON or XML by their suffix. Images stay images.
 * https://mimesniff.spec.whatwg.org/#mime-type-groups
 */
const SUFFIXES = /^(?!image\/)[^/]+\/[^/]*\+(json|xml)$/;
/** Every other type belongs to this kind. */
const OTHER = { types: ["application/octet-stream"], extensions: OTHER_EXTENSIONS, signatures: OTHER_SIGNATURES };

const loadHtmlReader = async () => (await import("../html/tree/read-html.ts")).readHtml;
const loadTextReader = async () => (await import("../text/read-text.ts")).readText;
const loadFeedReader = async () => (await import("../feed/read-feed.ts")).readFeed;
const loadJsonReader = async () => (await import("../data/read-data.ts")).readJson;
const loadXmlReader = async () => (await import("../data/read-data.ts")).readXml;
const loadCsvReader = async () => (await import("../csv/read-csv.ts")).readCsv;
const loadCssReader = async () => (await import("../css/read-css.ts")).readCss;

/** A text is of the first kind that it looks like. */
const KINDS: readonly Kind[] = [
  ...HEAVY_KINDS,
  { types: HTML, marks: "<", looksLike: looksLikeHtml, loadReader: loadHtmlReader, replay: "html", isPage: true },
  { document: "feed", types: FEED, marks: "<", loadReader: loadFeedReader, replay: "bytes", isPage: true },
  { document: "csv", types: CSV, marks: "\n,;\t|", loadReader: loadCsvReader, replay: "bytes", isPage: true },
  { document: "json", types: JSON_TYPES, loadReader: loadJsonReader, replay: "bytes", isPage: true },
  {
    document: "xml",
    types: XML_TYPES,
    looksLike: looksLikeXml,
    loadReader: loadXmlReader,
    replay: "bytes",
    isPage: true,
  },
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

const MEDIA = new Set(MEDIA_EXTENSIONS);

/** The extensions of files that a crawl neither reads as pages nor describes. */
export function refusedExtensions({
  documents,
  media,
}: {
  documents: readonly DocumentKind[];
  media: boolean;
}): ReadonlySet<string> {
  const nonPages = KINDS.flatMap((kind) => (isPageOf(kind, documents) ? [] : (kind.extensions ?? [])));
  return new Set(media ? nonPages.filter((extension) => !MEDIA.has(extension)) : nonPages);
}

/** The extensions of the files that a crawl describes. */
export function describedExtensions({ media }: { media: boolean }): ReadonlySet<string> {
  return media ? MEDIA : NO_EXTENSIONS;
}

const NO_EXTENSIONS: ReadonlySet<string> = new Set();

/** `contentType`: the header's value. */
export function kindOf(contentType: string | null): Kind {
  const type = essenceOf(contentType);
  const suffix = SUFFIXES.exec(type)?.[1];
  const known = BY_TYPE.get(type) ?? (suffix === undefined ? undefined : BY_TYPE.get(`application/${suffix}`));
  return known ?? (BY_TYPE.get("application/octet-stream") as Kind);
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

/** The name of the kind of a page; null for HTML and plain text. */
export function documentOf(contentType: string | null): DocumentKind | null {
  return kindOf(contentType).document ?? null;
}

/** The media types of a kind of documents, for a query. Types with the suffix belong to it unless another has them. */
export function typesOf(document: DocumentKind): { types: string[]; suffix: string | null; except: string[] } {
  const types = KINDS.flatMap((kind) => (kind.document === document ? kind.types : []));
  const suffix = document === "json" || document === "xml" ? `+${document}` : null;
  const except = [...BY_TYPE.keys()].filter((type) => suffix !== null && type.endsWith(suffix));
  return { types, suffix, except };
}

/**
 * Whether a document of this type can be a page. `contentType`: the header's value, which names a type. `documents`:
 * the kinds that count as pages.
 */
export function canBePage(contentType: string, documents: readonly DocumentKind[]): boolean {
  const kind = kindOf(contentType);
  // XHTML is a page under the types of XML too, and so are feeds under those of XML and JSON.
  if (kind.document === "xml") return isXml(essenceOf(contentType)) || isPageOf(kind, documents);
  return isPageOf(kind, documents) || (kind.document === "json" && documents.includes("feed"));
}

function isXml(type: string): boolean {
  return XML_TYPES.includes(type) || type === "application/rdf+xml";
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

/**
 * Finds the kind and media type of a page by its bytes, or the reason why it is not a page. `documents`: the kinds that
 * count as pages.
 */
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
  const type = vocabularyOf(found, bytes, contentType);
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

/** The type of what the text holds, for types of data of any vocabulary. */
function vocabularyOf(type: string, bytes: Uint8Array, contentType: string | null): string {
  if (isXml(type)) return xmlVocabulary(bytes, contentType) ?? type;
  return kindOf(type).document === "json" && isJsonFeed(bytes) ? "application/feed+json" : type;
}
