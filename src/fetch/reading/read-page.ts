import { sha256Of } from "../../archive/sha256.ts";
import { type PageVersion, versionOf } from "../../changes/page-version.ts";
import { essenceOf, soleMediaType } from "../../core/media-type.ts";
import type { PageFetched, PageHeaders, PageRejected, PageSaid, StoredPage } from "../../crawl/page/outcome.ts";
import type { Part, StoredContent } from "../../crawl/page/page-format.ts";
import { MAX_HOOK_TEXT } from "../../crawl/subject/hook.ts";
import { encodePageLinks, type PageLinks, pageLinksOf } from "../../graph/page-links.ts";
import {
  type ContentSelection,
  type Document,
  type DocumentRequest,
  emptyDocument,
  type LeftOut,
  type LinkSample,
  type Reader,
} from "../../media/document.ts";
import { DocumentProblem } from "../../media/document-problem.ts";
import { decidePageRobots, headerDirectives } from "../../media/html/facts/page-robots.ts";
import { valuesOf } from "../../media/html/fields/field-rule.ts";
import { type Kind, kindOf, recognizePage, signatureOf } from "../../media/kind/kinds.ts";
import type { Link } from "../../media/links/links.ts";
import { isMediaType } from "../../media/sound-and-picture/recognize-media.ts";
import { leaveOutFrequent, MOST_PLACES } from "../../search/frequent-words.ts";
import { cutForIndex, MAX_INDEX_BYTES } from "../../search/index-text.ts";
import { printText, type TextPrint } from "../../twins/text-print.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { reject } from "../answer/answer.ts";
import { languageOf, needsLanguage, refusedLanguage } from "../answer/page-language.ts";
import { parseHttpDate } from "../request/http-date.ts";
import { MAKES_NOTHING, type ReadRequest, type VersionRequest } from "../request/page-request.ts";
import { leaveOutActions } from "./leave-out-actions.ts";
import { describeBody } from "./media-page.ts";
import { readTopic } from "./read-topic.ts";

/** Turns the document in a body into what the crawl needs, whether a server sent it now or it was stored. */

export type ContentRequest = Pick<ReadRequest, "url" | "agent" | "scriptLinks" | "preferMarkdown" | "parts"> & {
  /** Content that is chosen for one request. It is stored nowhere. */
  selection?: ContentSelection;
};

export type StoredVersionRequest = Pick<ReadRequest, "url" | "agent"> & Pick<VersionRequest, "ignoredElements">;

/** A body as a server sent it or it was stored. */
export type Received = Pick<StoredPage, "body" | "headers" | "httpStatus"> & { contentType: string | null };

const EXAMPLES = 3;
/**
 * Larger content is made when it is requested: together with the page's body it would exceed what an invocation may
 * return (32 MiB).
 */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024;
/** Characters of a text that are compared with those of other pages: some 50,000 words, which take 20 ms. */
const MAX_PRINTED = 300_000;
/** Characters of what a whole page says. */
const MAX_SAID = 60_000;
const FORMATS = ["html", "markdown"] as const;
const NO_ROBOTS = { noindex: null, nofollow: null };

/**
 * Returns a rejection if anything is wrong with the page; throws only if something of ours is broken. `now`:
 * milliseconds since the epoch.
 */
export async function readPage(
  received: Received,
  request: ReadRequest,
  durationMs: number,
  now: number,
  load = loadReader,
): Promise<PageFetched | PageRejected> {
  return request.asset
    ? readAsset(received, request, durationMs)
    : readDocument(received, request, durationMs, now, load);
}

/** Loads the reader of a kind. The reader Worker has others. */
export type LoadReader = (kind: Kind) => Promise<Reader>;
const loadReader: LoadReader = (kind) => kind.loadReader();

/** Robots directives are for pages, so an asset has none. */
async function readAsset(
  received: Received,
  { url, agent, media, search }: ReadRequest,
  durationMs: number,
): Promise<PageFetched> {
  const { body } = received;
  const contentType = soleMediaType(received.contentType);
  const kind = kindOf(contentType);
  const wanted = documentRequest({ url, agent, scriptLinks: false, preferMarkdown: false, parts: [] });
  const read = kind.isPage ? () => emptyDocument("") : await kind.loadReader();
  const document = await read(body, { url, contentType }, { ...wanted, requisites: true });
  const type = contentType ?? signatureOf(body) ?? "application/octet-stream";
  const page = pageOf(received, type, document, durationMs);
  return media && isMediaType(type) ? { ...page, ...(await describeBody(body, type, url, search)) } : page;
}

async function readDocument(
  received: Received,
  asked: ReadRequest,
  durationMs: number,
  now: number,
  load: LoadReader,
): Promise<PageFetched | PageRejected> {
  const { linksOnly } = asked;
  const request = linksOnly === null ? asked : { ...asked, ...MAKES_NOTHING, ...wantsForLinks(asked) };
  const { body, headers, httpStatus } = received;
  const base = { httpStatus, contentType: received.contentType, durationMs };
  const contentType = soleMediaType(received.contentType);
  const found = recognizePage(body, contentType, request.documents);
  if ("problem" in found) return reject("content-type", found.problem, base);

  const { url, assets, pageRobots, search, version, topic } = request;
  const notModified = unchangedBy(headers, request.modifiedSince);
  const xRobotsTag = headers.find(([name]) => name === "x-robots-tag")?.[1] ?? null;
  const directives = pageRobots ? headerDirectives(xRobotsTag, request.agent) : [];
  const isKept = notModified === null && decidePageRobots([], directives, now).noindex === null;
  const wanted = documentRequest({ ...request, parts: isKept ? partsFor(request) : [] });
  const named = essenceOf(contentType) === found.type ? contentType : null;
  const source = { url, contentType: named ?? withEssence(contentType, found.type), headers };
  const reader = await load(found.kind);
  const whole = await read(reader, body, source, wantedOf(request, wanted));
  if (whole instanceof DocumentProblem) return reject(whole.fault, whole.message, base);
  if (whole instanceof Error) return reject("parse", whole.message, base);
  const document = assets ? whole : withoutRequisites(whole);

  const language = await languageFor(
    document,
    () => read(reader, body, source, { ...wanted, formats: [] }),
    request,
    headers,
  );
  const otherLanguage = refusedLanguage(language, request);
  const { noindex, nofollow } = pageRobots ? decidePageRobots(document.robots, directives, now) : NO_ROBOTS;
  const mayFollow = (link: Link) => !pageRobots || (nofollow === null && !link.nofollow);
  const { allowed = [], leave = [] } = Object.groupBy(document.links, (link) =>
    mayFollow(link) ? "allowed" : "leave",
  );
  const { follow, actions } = leaveOutActions(allowed, document.pageLinks, request.allowActions);
  const type = named ?? (document.encoding === "" ? found.type : `${found.type}; charset=${document.encoding}`);
  const isStored = otherLanguage === null && linksOnly === null;
  const searched = search && isStored ? searchedText(document) : { text: null, leftOut: document.leftOut };
  return {
    ...pageOf(received, type, { ...document, leftOut: searched.leftOut }, durationMs),
    links: follow.map((link) => link.url),
    ...(document.markdownUrl === undefined ? {} : { markdownUrl: document.markdownUrl }),
    sitemaps: nofollow === null ? [...document.sitemaps] : [],
    feeds: nofollow === null ? [...document.feeds] : [],
    nofollow: sampleOf(leave),
    ...(actions.length === 0 ? {} : { actions: sampleOf(actions) }),
    content: isStored ? keptOf(document, request) : null,
    ...textPartOf(url, isStored ? document : { ...document, content: null }, nofollow !== null),
    ...namedCanonical(document),
    language,
    otherLanguage,
    ...(request.byLanguage ? { alternates: [...document.alternates] } : {}),
    text: searched.text,
    ...(request.hook ? { hookText: (document.content?.text ?? "").slice(0, MAX_HOOK_TEXT) } : {}),
    version: version === null || !isStored ? null : await versionFor(document, reader, body, source, request, version),
    ...(request.said
      ? { said: await saidBy(whole, () => read(reader, body, source, { ...wanted, formats: [] })) }
      : {}),
    ...(request.signedIn === null
      ? {}
      : { signedIn: { marked: document.marked ?? null, asks: document.asks ?? null } }),
    linksOnly,
    noindex,
    notModified,
    looksMissing: document.looksMissing,
    shell: document.shell,
    shellDoubt: document.shellDoubt,
    textLength: document.textLength,
    ...(document.media === undefined ? {} : { embedded: [...document.media] }),
    ...(document.fields === undefined ? {} : { fields: valuesOf(document.fields) }),
    ...(topic === null ? {} : { topic: readTopic(document, follow, topic) }),
  };
}

function sampleOf(links: readonly Link[]): LinkSample {
  return { count: links.length, examples: links.slice(0, EXAMPLES).map((link) => link.url) };
}

/** Longer URLs are never crawled, and would fill the ledger. */
function namedCanonical({ canonical }: Document): Pick<PageFetched, "canonical"> {
  return canonical === null || canonical.length > MAX_URL_LENGTH ? {} : { canonical };
}

/** What decides about the links of a page. */
function wantsForLinks({ topic, byLanguage }: ReadRequest): Pick<ReadRequest, "topic" | "byLanguage"> {
  return { topic, byLanguage };
}

/** The parts of a page's content that are made. Whatever is made of its text needs that. */
function partsFor({ parts, search, hook, version, drawn, topic }: ReadRequest): readonly Part[] {
  const needsText = parts.length > 0 || search || hook || version !== null || drawn !== null || topic !== null;
  return needsText ? [...parts, "text"] : [];
}

/** What is read of the page itself. For its language, `wanted` is enough. */
function wantedOf(
  { assets, fields, forms, media, pageRobots, said, signedIn, topic, version }: ReadRequest,
  wanted: DocumentRequest,
): DocumentRequest {
  return {
    ...wanted,
    forms,
    ...(fields === null ? {} : { fields }),
    ...(signedIn === null || signedIn.kind === "asks" ? {} : { mark: signedIn }),
    requisites: assets || said,
    media,
    obeyNoindex: pageRobots,
    pageText: said || version !== null,
    parts: version !== null,
    aroundLinks: topic !== null,
    mostCharacters: MAX_CONTENT_BYTES,
  };
}

/** A page that says no language is read once more, with its text, if the crawl asks for languages. */
async function languageFor(
  document: Document,
  readText: () => Promise<Document | Error>,
  request: ReadRequest,
  headers: PageHeaders,
): Promise<string | null> {
  const said = languageOf(document, headers);
  if (said !== null || document.content !== null || !needsLanguage(request)) return said;
  const again = await readText();
  return again instanceof Error ? null : languageOf(again, headers);
}

/** The line of its links, and what is kept of its main text. `followsNone`: it asks that none is followed. */
function textPartOf(url: string, document: Document, followsNone: boolean): Pick<PageFetched, "pageLinks" | "print"> {
  const linksOnly: PageLinks = { ...pageLinksOf(url, document), ...(followsNone ? { followsNone } : {}) };
  if (document.content?.text === undefined) return { pageLinks: encodePageLinks(linksOnly) };
  const { text, metadata } = document.content;
  const links = { ...linksOnly, pageKind: metadata.kind };
  const print: TextPrint | null = printText(text.slice(0, MAX_PRINTED));
  return {
    pageLinks: encodePageLinks(print === null ? links : { ...links, sketch: print.sketch }),
    print: { fingerprint: print?.fingerprint ?? null, words: metadata.wordCount },
  };
}

/**
 * The version of a page for comparison. Elements that do not count are left out of it alone, so a page with such rules
 * is read once more.
 */
async function versionFor(
  document: Document,
  reader: Reader,
  body: Uint8Array,
  source: Parameters<Reader>[1],
  request: ReadRequest,
  { ignoredElements }: VersionRequest,
): Promise<PageVersion | null> {
  if (ignoredElements.length === 0) return versionOf(document);
  const wanted = { ...documentRequest({ ...request, parts: ["text"] }), ignoredElements, pageText: true, parts: true };
  const again = await read(reader, body, source, wanted);
  return again instanceof Error ? null : versionOf(again);
}

/** A crawl that stores no assets asks for their URLs only to compare them. */
function withoutRequisites(document: Document): Document {
  return { ...document, requisites: [], leftOut: { ...document.leftOut, requisites: { count: 0, examples: [] } } };
}

/**
 * What the whole page says, at most `MAX_SAID` characters of it, and what it is shown with. A kind of document whose
 * reader gives its main text alone is read once more. Null for a page that is not read, such as one with noindex.
 */
async function saidBy(document: Document, readText: () => Promise<Document | Error>): Promise<PageSaid | null> {
  const { title, requisites, pageText } = document;
  if (pageText !== undefined) return { title, text: pageText.slice(0, MAX_SAID), pictures: [...requisites] };
  const again = document.content === null ? await readText() : document;
  if (again instanceof Error || again.content === null) return null;
  return { title, text: (again.content.text ?? "").slice(0, MAX_SAID), pictures: [...requisites] };
}

/** The version of a stored page. Throws what the page's reader throws. */
export async function readVersion(
  { body, contentType, headers }: StoredPage,
  { url, agent, ignoredElements }: StoredVersionRequest,
  load = loadReader,
): Promise<PageVersion | null> {
  const wanted = {
    ...documentRequest({ url, agent, scriptLinks: false, preferMarkdown: false, parts: ["text"] }),
    ignoredElements,
    pageText: true,
    parts: true,
  };
  const reader = await load(kindOf(contentType));
  return versionOf(await reader(body, { url, contentType, headers }, wanted));
}

/** The text for the search index. If a part of it is left out, `leftOut` says so. */
function searchedText({ content, leftOut }: Document): { text: string; leftOut: LeftOut } {
  const all = content?.text ?? "";
  // Of more, nothing is stored.
  const beginning = all.slice(0, MAX_INDEX_BYTES);
  const infrequent = leaveOutFrequent(beginning);
  const text = cutForIndex(infrequent);
  const share = ((text.length / infrequent.length) * beginning.length) / all.length;
  const notes = [
    ...(leftOut.problem === null ? [] : [leftOut.problem]),
    ...(infrequent.length === beginning.length
      ? []
      : [`only the first ${MOST_PLACES} places of a word can be searched`]),
    ...(share < 1 ? [cutNote(share)] : []),
  ];
  return { text, leftOut: { ...leftOut, problem: notes.join("; ") || null } };
}

const cutNote = (share: number) =>
  `only the first ${(100 * share).toFixed(0)}% of its text can be searched, because it is longer than a megabyte`;

/** The Content-Type of a document that turned out to have another type. Its charset stays. */
function withEssence(contentType: string | null, essence: string): string | null {
  return contentType?.replace(/^[^;]*/, essence) ?? null;
}

function pageOf(received: Received, contentType: string, document: Document, durationMs: number): PageFetched {
  const { body, headers, httpStatus } = received;
  return {
    kind: "page",
    body,
    bytes: body.byteLength,
    sha256: sha256Of(body),
    contentType,
    truncated: null,
    encoding: document.encoding,
    title: document.title,
    links: [],
    sitemaps: [],
    feeds: [],
    nofollow: { count: 0, examples: [] },
    assets: [...document.requisites],
    leftOut: plainData(document.leftOut),
    headers,
    content: null,
    text: null,
    version: null,
    said: null,
    noindex: null,
    notModified: null,
    capture: null,
    httpStatus,
    retryAfterMs: null,
    durationMs,
  };
}

/** Copies what goes to another invocation: RPC carries no instances of classes. */
function plainData({ links, requisites, postForms, problem }: LeftOut): PageFetched["leftOut"] {
  const copy = ({ count, examples }: LinkSample) => ({ count, examples });
  const forms = postForms === undefined ? {} : { postForms: copy(postForms) };
  return { links: copy(links), requisites: copy(requisites), ...forms, problem };
}

/** The page's last change according to the server, if it was not after `modifiedSince`. */
function unchangedBy(headers: PageHeaders, modifiedSince: number | null): string | null {
  const written = headers.find(([name]) => name === "last-modified")?.[1] ?? "";
  const isUnchanged = modifiedSince !== null && parseHttpDate(written) <= modifiedSince * 1000;
  return isUnchanged ? `the server says that it last changed ${written}` : null;
}

/** Makes the parts of a stored page: a `StoredContent` in JSON. Throws what the page's reader throws. */
export async function readContent(
  { body, contentType, headers }: StoredPage,
  request: ContentRequest,
  load = loadReader,
): Promise<Uint8Array> {
  const source = { url: request.url, contentType, headers };
  const read = await load(kindOf(contentType));
  const document = await read(body, source, documentRequest(request));
  return toJson({ ...document.content, ...linksOf(document, request.parts) } as StoredContent);
}

function documentRequest(request: ContentRequest): DocumentRequest {
  const { agent, scriptLinks, preferMarkdown, parts, selection } = request;
  const formats = parts.filter((part) => part !== "links");
  return {
    agent,
    scriptLinks,
    markdownLinks: preferMarkdown,
    requisites: false,
    formats: parts.length > 0 ? formats : null,
    obeyNoindex: false,
    ...(selection === undefined ? {} : { selection }),
  };
}

/** An error of a reader is a fault of the document, so it becomes a rejection. */
async function read(reader: Reader, ...document: Parameters<Reader>): Promise<Document | Error> {
  try {
    return await reader(...document);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function linksOf({ links }: Document, parts: readonly Part[]): Pick<StoredContent, "links"> {
  return parts.includes("links") ? { links } : {};
}

/**
 * As JSON what is to be stored of the content. Text that only the index needs is not stored twice, and links are kept
 * by themselves.
 */
function keptOf({ content }: Document, { parts, drawn }: Pick<ReadRequest, "parts" | "drawn">): Uint8Array | null {
  if (content === null || (drawn === null && parts.every((part) => part === "links"))) return null;
  const { text, ...others } = content;
  const kept: typeof content = parts.includes("text") ? content : others;
  const { html = "", markdown = "" } = content;
  // JSON in UTF-8 has at least a byte for each character. The reader leaves formats out that would be too long.
  const isTooLong = html.length + markdown.length + (kept.text?.length ?? 0) > MAX_CONTENT_BYTES;
  if (isTooLong || FORMATS.some((format) => parts.includes(format) && content[format] === undefined)) return null;
  const json = toJson(drawn === null ? kept : { ...kept, drawn });
  return json.byteLength <= MAX_CONTENT_BYTES ? json : null;
}

function toJson(content: StoredContent): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(content));
}
