import { type Document, emptyDocument } from "../document.ts";
import type { Canonicalize } from "../links/links.ts";
import { isLlmsTxt, LlmsLinks } from "./llms-links.ts";
import { SitemapLines } from "./sitemap-lines.ts";
import { moreThan, SITEMAP_LIMITS, type SitemapLimits, SitemapList } from "./sitemap-list.ts";
import { inPieces, sitemapDecoder } from "./sitemap-text.ts";
import { SitemapXml } from "./sitemap-xml.ts";

/** Reads a sitemap or a feed as it arrives: it holds one piece of 64 KiB, and the entries. */

/** A control character that does not occur in text. */
const BINARY = /[^\P{Cc}\s]/u;
/** Characters that are checked before a file is read as text. */
const SNIFF_LENGTH = 1024;

/**
 * Reads sitemaps (https://www.sitemaps.org/protocol.html), RSS 1.0 and 2.0, Atom (RFC 4287), lists of URLs, and
 * `llms.txt`. The document's type is `urlset`, `index`, `rss`, `atom`, `text` or `llms`, and means nothing if there is
 * a problem. `chunks`: the body without its content coding; reading stops early at the limit of bytes, and for a file
 * of another kind. Entries beyond another limit are counted. `url`: the sitemap's, against which relative URLs are
 * resolved. `contentType`: the header's value, used only for its charset. Throws only what `chunks` throws.
 */
export async function readSitemap(
  chunks: AsyncIterable<Uint8Array>,
  url: string,
  contentType: string | null,
  canonicalize: Canonicalize,
  limits: Partial<SitemapLimits> = {},
): Promise<Document> {
  const allowed = { ...SITEMAP_LIMITS, ...limits };
  const list = new SitemapList(canonicalize, allowed);
  const document = new SitemapDocument(list, url);
  let decoder: TextDecoder | null = null;
  let bytesLeft = allowed.bytes;
  for await (const piece of inPieces(chunks)) {
    decoder ??= sitemapDecoder(piece, contentType);
    document.write(decoder.decode(piece.subarray(0, bytesLeft), { stream: true }));
    bytesLeft -= piece.length;
    if (bytesLeft < 0) list.endAt(moreThan(allowed.bytes, "bytes"));
    if (list.isEnded || document.problem !== null) break;
  }
  if (decoder !== null) document.write(decoder.decode());
  return document.end();
}

/** Passes the text of the file to the reader that fits its beginning. */
class SitemapDocument {
  problem: string | null = null;

  readonly #list: SitemapList;
  readonly #url: string;
  #reader: SitemapXml | SitemapLines | LlmsLinks | null = null;

  constructor(list: SitemapList, url: string) {
    this.#list = list;
    this.#url = url;
  }

  write(text: string): void {
    if (this.problem !== null || this.#list.isEnded) return;
    this.#reader ??= this.#choose(text.trimStart());
    this.#reader?.write(text);
    this.problem ??= this.#reader?.problem ?? null;
  }

  end(): Document {
    const list = this.#list;
    this.#reader?.end();
    // Beyond a limit the end of the file is not read, so it cannot be missing.
    if (list.truncated === null) this.problem ??= this.#reader === null ? "it is empty" : this.#reader.problem;
    const document = emptyDocument(this.#reader?.format ?? "text");
    return {
      ...document,
      links: list.links(),
      leftOut: {
        ...document.leftOut,
        truncated: list.truncated,
        links: list.dropped,
        problem: this.problem,
        invalid: list.invalid,
      },
    };
  }

  /** Returns null while there is only white space, and for a file that no reader can read. */
  #choose(start: string): SitemapXml | SitemapLines | LlmsLinks | null {
    if (start === "") return null;
    if (start.startsWith("<")) return new SitemapXml(this.#list, this.#url);
    if (!BINARY.test(start.slice(0, SNIFF_LENGTH)))
      return isLlmsTxt(this.#url) ? new LlmsLinks(this.#list, this.#url) : new SitemapLines(this.#list);
    this.problem = "it is neither XML nor text";
    return null;
  }
}
