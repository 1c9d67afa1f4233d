import type { Canonicalize } from "./links.ts";
import { SitemapEntries } from "./sitemap-entries.ts";
import { SitemapXml } from "./sitemap-xml.ts";

/** Reads a sitemap of any of its kinds as it arrives: https://www.sitemaps.org/protocol.html. Holds what it returns, and little more. */

export interface SitemapEntry {
  /** Canonical. */
  url: string;
  /** Milliseconds since the Unix epoch. */
  lastmod: number | null;
}

export interface Sitemap {
  format: "urlset" | "index" | "rss" | "atom" | "text";
  /** In order, each URL once. */
  pages: SitemapEntry[];
  /** What an index lists, likewise. */
  sitemaps: SitemapEntry[];
  /** Which limit cut it, for people; null where it is whole. */
  truncated: string | null;
  /** Why it could not be read to its end; what stood before is there all the same. */
  problem: string | null;
  /** Entries that are no URL: how many, and the first three. */
  invalid: { count: number; examples: string[] };
}

/** The protocol's 50 MB. */
const MAX_BYTES = 52_428_800;
/** Nothing of use is this long; the parser holds a comment, a tag or a CDATA section whole. */
const MAX_TOKEN = 1_048_576;
const MAX_LINE = 8_192;

interface Reader {
  write(text: string): void;
  end(): void;
}

/**
 * `chunks` are decompressed; reading stops at a limit or where nothing can follow, and then the iterator is returned. Throws what
 * `chunks` throws, and nothing of its own.
 */
export async function readSitemap(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
  contentType: string | null,
  canonicalize: Canonicalize,
): Promise<Sitemap> {
  const entries = new SitemapEntries(url, canonicalize);
  let decoder: TextDecoder | undefined;
  let reader: Reader | undefined;
  let head = "";
  let bytes = 0;
  const take = (text: string) => {
    if (reader === undefined) {
      head = (head + text).trimStart();
      if (head === "") return;
      reader = head.startsWith("<") ? new SitemapXml(entries, MAX_TOKEN) : new SitemapText(entries);
      reader.write(head);
    } else if (text !== "") reader.write(text);
  };
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) entries.truncated = `more than ${MAX_BYTES.toLocaleString("en")} bytes`;
    if (entries.isOver) break;
    decoder ??= new TextDecoder(encodingOf(chunk, contentType));
    take(decoder.decode(chunk, { stream: true }));
    if (entries.isOver) break;
  }
  if (!entries.isOver) {
    if (decoder !== undefined) take(decoder.decode());
    if (reader === undefined) entries.problem = "it is empty";
    else reader.end();
  }
  return entries.toSitemap();
}

/** A byte order mark, the header, the XML declaration, UTF-8: the order of RFC 7303, section 3. */
function encodingOf(bytes: Uint8Array, contentType: string | null): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb) return "utf-8";
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 256));
  const named = [
    /;\s*charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType ?? "")?.[1],
    /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w:.-]+)["']/.exec(head)?.[1],
  ];
  return named.find((label) => label !== undefined && isEncoding(label)) ?? "utf-8";
}

function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}

/** One URL a line, nothing else (https://www.sitemaps.org/protocol.html#otherformats). */
class SitemapText implements Reader {
  readonly #entries: SitemapEntries;
  #line = "";
  /** The line is longer than any URL; what follows of it is passed over. */
  #isLong = false;

  constructor(entries: SitemapEntries) {
    this.#entries = entries;
    entries.format = "text";
  }

  write(text: string): void {
    const lines = text.split(/[\r\n]/);
    for (const [i, line] of lines.entries()) {
      if (i > 0) this.#endLine();
      if (!this.#isLong) this.#line += line.slice(0, MAX_LINE);
      this.#isLong ||= this.#line.length >= MAX_LINE;
      if (this.#entries.isOver) return;
    }
  }

  end(): void {
    this.#endLine();
    if (this.#entries.isEmpty) this.#entries.problem = "it is neither XML nor a list of URLs";
  }

  #endLine(): void {
    const line = this.#line.trim();
    // A path alone is no entry here: any text would be one.
    if (line !== "") this.#entries.add("pages", /^https?:\/\//i.test(line) ? line : null, null, line);
    this.#line = "";
    this.#isLong = false;
  }
}
