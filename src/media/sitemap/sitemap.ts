import type { Canonicalize } from "../html/links.ts";
import { SitemapLines } from "./sitemap-lines.ts";
import { moreThan, SITEMAP_LIMITS, type SitemapEntry, type SitemapLimits, SitemapList } from "./sitemap-list.ts";
import { inPieces, sitemapDecoder } from "./sitemap-text.ts";
import { SitemapXml } from "./sitemap-xml.ts";

/** Reads a sitemap or a feed as it streams by, holding no more of it than one piece of 64 KiB and what is found. */

export interface Sitemap {
  /** What it was taken for: of no meaning where a problem says that it is nothing of the kind. */
  format: "urlset" | "index" | "rss" | "atom" | "text";
  /** Each URL once, in the order of the file. */
  pages: SitemapEntry[];
  /** The sitemaps of an index, in the same way. */
  sitemaps: SitemapEntry[];
  /** The limit beyond which the rest is left out, for people; null when whole. */
  truncated: string | null;
  /** Why it could not be read to its end, for people. What stood before is given all the same. */
  problem: string | null;
  /** Entries that are no http(s) URL: how many, and the first three, cut to 200 characters. */
  invalid: { count: number; examples: string[] };
}

/** A control character that no text has. */
const BINARY = /[^\P{Cc}\s]/u;
/** How far a text is looked at before it is read as one. */
const SNIFF_LENGTH = 1024;

/**
 * `chunks`: the body without its content coding; at a limit, and where the file turns out to be something else, it is returned from early.
 * `url`: of the sitemap, from which relative URLs are seen. `contentType`: the header's whole value, for its charset alone.
 * https://www.sitemaps.org/protocol.html; RSS 1.0 and 2.0, Atom (RFC 4287), and lists of URLs. No bytes make it throw, only `chunks` do.
 */
export async function readSitemap(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
  contentType: string | null,
  canonicalize: Canonicalize,
  limits: Partial<SitemapLimits> = {},
): Promise<Sitemap> {
  const allowed = { ...SITEMAP_LIMITS, ...limits };
  const list = new SitemapList(canonicalize, allowed);
  const document = new SitemapDocument(list, url);
  let decoder: TextDecoder | null = null;
  let bytesLeft = allowed.bytes;
  for await (const piece of inPieces(chunks)) {
    decoder ??= sitemapDecoder(piece, contentType);
    document.write(decoder.decode(piece.subarray(0, bytesLeft), { stream: true }));
    bytesLeft -= piece.length;
    if (bytesLeft < 0) list.truncated ??= moreThan(allowed.bytes, "bytes");
    if (list.truncated !== null || document.problem !== null) break;
  }
  if (decoder !== null) document.write(decoder.decode());
  return document.end();
}

/** The text of the whole file, given to the reader that its beginning asks for. */
class SitemapDocument {
  problem: string | null = null;

  readonly #list: SitemapList;
  readonly #url: string;
  #reader: SitemapXml | SitemapLines | null = null;

  constructor(list: SitemapList, url: string) {
    this.#list = list;
    this.#url = url;
  }

  write(text: string): void {
    if (this.problem !== null || this.#list.truncated !== null) return;
    this.#reader ??= this.#choose(text.trimStart());
    this.#reader?.write(text);
    this.problem ??= this.#reader?.problem ?? null;
  }

  end(): Sitemap {
    const list = this.#list;
    this.#reader?.end();
    // A file that was left at a limit has no end to be missed.
    if (list.truncated === null) this.problem ??= this.#reader === null ? "it is empty" : this.#reader.problem;
    return {
      format: this.#reader?.format ?? "text",
      pages: list.pages(),
      sitemaps: list.sitemaps(),
      truncated: list.truncated,
      problem: this.problem,
      invalid: list.invalid,
    };
  }

  /** Null while there is nothing but white space, and for what no reader takes. */
  #choose(start: string): SitemapXml | SitemapLines | null {
    if (start === "") return null;
    if (start.startsWith("<")) return new SitemapXml(this.#list, this.#url);
    if (!BINARY.test(start.slice(0, SNIFF_LENGTH))) return new SitemapLines(this.#list);
    this.problem = "it is neither XML nor text";
    return null;
  }
}
