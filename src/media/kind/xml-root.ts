import { decodeHtml } from "../characters/charset.ts";

/** Recognizes XML documents by their root element, for those that a server calls XML of any vocabulary. */

/** The media type of the root's vocabulary; `sitemap` has none of its own. */
type XmlVocabulary =
  | "application/xhtml+xml"
  | "application/rss+xml"
  | "application/atom+xml"
  | "image/svg+xml"
  | "sitemap";

/** What may stand before the root of an XML document: https://www.w3.org/TR/xml/#NT-prolog */
const PROLOG = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?[^>]*>/iy;
const PROLOG_BYTES = 8_192;
const ROOT = /<(?:([\w.-]+):)?([\w.-]+)([^>]*)/y;
const NAMESPACE = /\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const XHTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
/** RFC 4287, and Atom 0.3 before it. */
const ATOM = new Set(["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"]);
/** RSS 1.0, 0.90 and 1.1. Other RDF is no feed. */
const RDF_FEED = /^https?:\/\/(?:purl\.org\/(?:rss\/1\.0|net\/rss1\.1#)|(?:channel|my)\.netscape\.com\/rdf\/simple\/)/;

/** Null for another vocabulary, and if the first 8 KiB do not show the root. `contentType`: the header's value. */
export function xmlVocabulary(bytes: Uint8Array, contentType: string | null): XmlVocabulary | null {
  const start = decodeHtml(bytes.subarray(0, PROLOG_BYTES), contentType).text;
  let at = 0;
  PROLOG.lastIndex = 0;
  while (PROLOG.test(start)) at = PROLOG.lastIndex;
  ROOT.lastIndex = at;
  const root = ROOT.exec(start);
  if (root === null) return null;
  const [, prefix = "", name = "", attributes = ""] = root;
  const namespaces = new Map(
    [...attributes.matchAll(NAMESPACE)].map(([, of = "", double, single]) => [of, (double ?? single ?? "").trim()]),
  );
  const namespace = namespaces.get(prefix) ?? "";
  switch (name.toLowerCase()) {
    case "html":
      // As in a browser, unless the prefix is another one's.
      return name === "html" && [...namespaces.values()].includes(XHTML) ? "application/xhtml+xml" : null;
    case "rss":
      return "application/rss+xml";
    case "rdf":
      return [...namespaces.values()].some((each) => RDF_FEED.test(each)) ? "application/rss+xml" : null;
    case "feed":
      return ATOM.has(namespace) ? "application/atom+xml" : null;
    case "svg":
      return namespace === SVG ? "image/svg+xml" : null;
    case "urlset":
    case "sitemapindex":
      return "sitemap";
    default:
      return null;
  }
}
