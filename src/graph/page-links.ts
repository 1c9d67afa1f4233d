import {
  type Document,
  PAGE_KINDS,
  type PageAudit,
  type PageKind,
  type PageMetadata,
  RESOURCE_KINDS,
} from "../media/document.ts";
import type { LinkKind, PageLink } from "../media/links/links.ts";
import { MAX_URL_LENGTH } from "../url/canonicalize.ts";

/**
 * The links of a page as they are kept: a line of JSON for each page, in UTF-8. Lines are joined, so the pages of a
 * batch are one text. Once compressed it takes 160 bytes a page of Git's manual and 570 of Debian's handbook, as
 * measured, and 280 more with the sketch of a text; to say each URL of a page once in a table of its own saves nothing
 * more.
 */

export interface PageLinks {
  /** Canonical, like the other URLs here. */
  url: string;
  title: string | null;
  description: string | null;
  canonical: string | null;
  alternates: PageMetadata["alternates"];
  /** The targets of fragments, by `hashId` (media/id-hash.ts); null if they are not known. */
  ids: readonly number[] | null;
  /** In document order. Links of the same URL, fragment, text, kind, `rel` and place are one. */
  links: readonly PageLink[];
  /** The number of links, as written, that a limit leaves out. */
  dropped: number;
  /** The sketch of its main text (twins/text-sketch.ts); absent if no text was made of it. */
  sketch?: Uint8Array;
  /** What a site audit asks of it; absent for a document, and in what earlier versions kept. */
  audit?: PageAudit;
  /** What kind of page its content is; likewise. */
  pageKind?: PageKind;
  /** It asks that none of its links is followed. Absent if it does not. */
  followsNone?: true;
}

/**
 * Bytes of a page's line; links that do not fit are left out. It goes by RPC, which carries 32 MiB, beside the links to
 * follow, up to 16 MB, and a body of up to 10.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Stored lines name a kind by its place in this list. */
const KINDS: readonly LinkKind[] = [
  "a",
  "area",
  "frame",
  "iframe",
  "link",
  "refresh",
  "script",
  "page",
  "sitemap",
  "form",
];
const IS_NOFOLLOW = 1;
const IS_CONTENT = 2;
const KIND_STEP = 4;

/** `shared`: how many of the first characters are those of the page's URL. */
type StoredLink = [shared: number, rest: string, text: string, flags: number, rel?: string, fragment?: string | null];

type StoredPage = [
  url: string,
  title: string | null,
  description: string | null,
  canonical: string | null,
  alternates: [url: string, language: string][],
  ids: readonly number[] | null,
  dropped: number,
  links: StoredLink[],
  /** In base64; empty if there is none. */
  sketch?: string,
  /** By its place in PAGE_KINDS; null if there is none. */
  pageKind?: number | null,
  followsNone?: 1 | null,
  audit?: StoredAudit | null,
];

type StoredAudit = [
  headings: number,
  firstHeading: string,
  unlabelled: number,
  examples: readonly string[],
  canonicals: number,
  /** As of a link, with the place in RESOURCE_KINDS. */
  resources: [shared: number, rest: string, kind: number][],
  dropped: number,
];

/** The links of the document at `url`. Other URLs than links are left out if they are longer than any crawled one. */
export function pageLinksOf(url: string, document: Document): PageLinks {
  const { title, description, canonical, alternates, ids, pageLinks, droppedPageLinks, audit } = document;
  return {
    url,
    title,
    description,
    canonical: canonical !== null && canonical.length > MAX_URL_LENGTH ? null : canonical,
    alternates: alternates.filter((alternate) => alternate.url.length <= MAX_URL_LENGTH),
    ids,
    links: pageLinks,
    dropped: droppedPageLinks,
    ...(audit === undefined ? {} : { audit }),
  };
}

/** The line of a page, at most `MAX_LINE_BYTES` as far as it consists of links. */
export function encodePageLinks(page: PageLinks): Uint8Array {
  const { links, dropped } = page;
  const line = isSurelyLong(page) ? null : new TextEncoder().encode(`${JSON.stringify(toStored(page))}\n`);
  if (line !== null && (line.byteLength <= MAX_LINE_BYTES || links.length === 0)) return line;
  const half = links.slice(0, links.length >> 1);
  return encodePageLinks({ ...page, links: half, dropped: dropped + links.length - half.length });
}

/** What JSON writes of a link at least, beside its texts: brackets, commas, quotes and two numbers. */
const LEAST_LINK_BYTES = 12;

/** Whether its links do not fit, without writing them all. */
function isSurelyLong({ url, links }: PageLinks): boolean {
  let bytes = 0;
  for (const link of links) {
    bytes += LEAST_LINK_BYTES + link.url.length - sharedLength(link.url, url) + link.text.length;
    if (bytes > MAX_LINE_BYTES) return true;
  }
  return false;
}

/** Reads joined lines, one page at a time. */
export function* decodePageLinks(lines: Uint8Array): Generator<PageLinks> {
  const text = new TextDecoder().decode(lines);
  for (let start = 0, end = text.indexOf("\n"); end !== -1; start = end + 1, end = text.indexOf("\n", start))
    yield toPage(text.slice(start, end));
}

/** Reads the page at `url` from joined lines; null if it is not among them. */
export function findPageLinks(lines: Uint8Array, url: string): PageLinks | null {
  const text = `\n${new TextDecoder().decode(lines)}`;
  const start = text.indexOf(`\n[${JSON.stringify(url)},`) + 1;
  return start === 0 ? null : toPage(text.slice(start, text.indexOf("\n", start)));
}

function toStored({
  url,
  title,
  description,
  canonical,
  alternates,
  ids,
  links,
  dropped,
  sketch,
  pageKind,
  followsNone,
  audit,
}: PageLinks): StoredPage {
  const languages = alternates.map((alternate): [string, string] => [alternate.url, alternate.language]);
  const stored = links.map((link) => toStoredLink(link, url));
  const page: StoredPage = [url, title, description, canonical, languages, ids, dropped, stored];
  const rest = [
    sketch === undefined ? null : Buffer.from(sketch).toString("base64"),
    pageKind === undefined ? null : PAGE_KINDS.indexOf(pageKind),
    followsNone ? 1 : null,
    audit === undefined ? null : toStoredAudit(audit, url),
  ];
  const last = rest.findLastIndex((value) => value !== null);
  const [first, ...others] = rest.slice(0, last + 1);
  return last === -1 ? page : ([...page, first ?? "", ...others] as unknown as StoredPage);
}

function toPage(line: string): PageLinks {
  const [url, title, description, canonical, others, ids, dropped, stored, sketch = "", kind, none, audit] = JSON.parse(
    line,
  ) as StoredPage;
  const alternates = others.map(([alternate, language]) => ({ url: alternate, language }));
  const links = stored.map((link) => toLink(link, url));
  const page: PageLinks = { url, title, description, canonical, alternates, ids, links, dropped };
  if (sketch !== "") page.sketch = new Uint8Array(Buffer.from(sketch, "base64"));
  const pageKind = kind == null ? undefined : PAGE_KINDS[kind];
  if (pageKind !== undefined) page.pageKind = pageKind;
  if (none === 1) page.followsNone = true;
  if (audit != null) page.audit = toAudit(audit, url);
  return page;
}

function toStoredAudit(audit: PageAudit, pageUrl: string): StoredAudit {
  const { headings, firstHeading, unlabelled, unlabelledExamples, canonicals, resources, droppedResources } = audit;
  const stored = resources.map(({ url, kind }): [number, string, number] => {
    const shared = sharedLength(url, pageUrl);
    return [shared, url.slice(shared), RESOURCE_KINDS.indexOf(kind)];
  });
  return [headings, firstHeading, unlabelled, unlabelledExamples, canonicals, stored, droppedResources];
}

function toAudit(stored: StoredAudit, pageUrl: string): PageAudit {
  const [headings, firstHeading, unlabelled, unlabelledExamples, canonicals, resources, droppedResources] = stored;
  return {
    headings,
    firstHeading,
    unlabelled,
    unlabelledExamples,
    canonicals,
    resources: resources.map(([shared, rest, kind]) => ({
      url: pageUrl.slice(0, shared) + rest,
      kind: RESOURCE_KINDS[kind] ?? "image",
    })),
    droppedResources,
  };
}

function toStoredLink({ url, text, kind, rel, place, fragment, nofollow }: PageLink, pageUrl: string): StoredLink {
  const flags = KINDS.indexOf(kind) * KIND_STEP + (place === "content" ? IS_CONTENT : 0) + (nofollow ? IS_NOFOLLOW : 0);
  const shared = sharedLength(url, pageUrl);
  const link: StoredLink = [shared, url.slice(shared), text, flags];
  if (fragment !== null) link.push(rel, fragment);
  else if (rel !== "") link.push(rel);
  return link;
}

function toLink([shared, rest, text, flags, rel = "", fragment = null]: StoredLink, pageUrl: string): PageLink {
  return {
    url: pageUrl.slice(0, shared) + rest,
    kind: KINDS[Math.floor(flags / KIND_STEP)] ?? "a",
    nofollow: (flags & IS_NOFOLLOW) !== 0,
    rel,
    text,
    place: (flags & IS_CONTENT) !== 0 ? "content" : "navigation",
    fragment,
  };
}

function sharedLength(url: string, pageUrl: string): number {
  const most = Math.min(url.length, pageUrl.length);
  let length = 0;
  while (length < most && url.charCodeAt(length) === pageUrl.charCodeAt(length)) length += 1;
  return length;
}
