import { essenceOf } from "../../core/media-type.ts";

/**
 * The extension that a file needs to be opened with its media type: a browser that opens a file has no Content-Type
 * header. https://chromium.googlesource.com/chromium/src/+/main/net/base/mime_util.cc
 */

/** By media type, the extensions that stand for it. The first is the usual one. */
const EXTENSIONS: Record<string, readonly [string, ...string[]]> = {
  "text/html": ["html", "htm"],
  "application/xhtml+xml": ["xhtml", "xht"],
  "text/plain": ["txt", "text", "md", "log"],
  // Browsers show no .md, but a file that has this name already may keep it.
  "text/markdown": ["txt", "md", "markdown"],
  "text/x-markdown": ["txt", "md", "markdown"],
  "text/css": ["css"],
  "text/javascript": ["js", "mjs"],
  "application/javascript": ["js", "mjs"],
  "application/x-javascript": ["js", "mjs"],
  "application/json": ["json", "geojson", "webmanifest", "map"],
  "application/x-ndjson": ["json", "jsonl", "ndjson"],
  "application/jsonl": ["json", "jsonl", "ndjson"],
  "text/xml": ["xml", "xsd", "rdf", "rss", "atom"],
  "application/xml": ["xml", "xsd", "rdf", "rss", "atom"],
  "application/rss+xml": ["xml", "rss", "rdf"],
  "application/atom+xml": ["xml", "atom"],
  "text/csv": ["csv", "tsv"],
  "application/pdf": ["pdf"],
  "application/epub+zip": ["epub"],
  "application/rtf": ["rtf"],
  "text/rtf": ["rtf"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "application/vnd.oasis.opendocument.text": ["odt"],
  "application/vnd.oasis.opendocument.spreadsheet": ["ods"],
  "application/vnd.oasis.opendocument.presentation": ["odp"],
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/avif": ["avif"],
  "image/svg+xml": ["svg"],
  "image/x-icon": ["ico"],
  "image/vnd.microsoft.icon": ["ico"],
  "font/woff": ["woff"],
  "font/woff2": ["woff2"],
  "font/ttf": ["ttf"],
  "font/otf": ["otf"],
  "audio/mpeg": ["mp3"],
  "audio/ogg": ["ogg", "oga"],
  "video/mp4": ["mp4", "m4v"],
  "video/webm": ["webm"],
};
/** Types that the table does not have are shown like these. */
const SUFFIX = /\+(json|xml)$/;
/** A browser would read any file with these extensions as a page. */
const PAGE_EXTENSIONS = ["html", "htm", "shtml", "xhtml", "xht"];

/** `own`: the extension that the file has, in lower case; null if it has none. An unknown type keeps it. */
export function extensionOf(contentType: string | null, own: string | null): string {
  const type = essenceOf(contentType);
  const known = EXTENSIONS[type] ?? EXTENSIONS[`application/${SUFFIX.exec(type)?.[1]}`];
  if (known === undefined) return own === null || PAGE_EXTENSIONS.includes(own) ? "bin" : own;
  return own !== null && known.includes(own) ? own : known[0];
}
