import { asciiJson } from "../../core/formats/ascii-json.ts";
import type { PageHeaders, StoredPage } from "../../crawl/page/outcome.ts";
import type { StoredContent } from "../../crawl/page/page-format.ts";
import type { Truncation } from "../../crawl/truncation.ts";
import { contentKey, mirrorKey } from "./mirror-key.ts";

/**
 * The mirror: one R2 object per page, and another for its content if there is any. `mirrorKey` gives the key of a URL;
 * the mirror is never listed.
 */

interface MirroredPage {
  crawl: string;
  url: string;
  body: Uint8Array;
  contentType: string;
  httpStatus: number;
  /** Hex SHA-256 of `body`. */
  sha256: string;
  /** Headers of the answer, as many as fit into the 8,192 bytes of `put`. */
  headers: PageHeaders;
  /** How the body is broken; null or absent if it is whole. */
  truncated?: Truncation | null;
  fetchedAt: number;
}

export class Mirror {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /**
   * Writes the body with the metadata that a reader needs, at most 8,192 bytes
   * (https://developers.cloudflare.com/r2/platform/limits/). May be repeated.
   */
  async put(page: MirroredPage): Promise<void> {
    await this.#bucket.put(mirrorKey(page.crawl, page.url), page.body, {
      httpMetadata: { contentType: page.contentType },
      customMetadata: {
        url: page.url,
        httpStatus: String(page.httpStatus),
        sha256: page.sha256,
        // Metadata goes over HTTP.
        headers: asciiJson(page.headers),
        ...(page.truncated ? { truncated: page.truncated } : {}),
        fetchedAt: new Date(page.fetchedAt).toISOString(),
      },
    });
  }

  /** A page with the facts needed to read it again; null if there is none. */
  async read(crawl: string, url: string): Promise<StoredPage | null> {
    const object = await this.get(crawl, url);
    if (object === null) return null;
    const { httpStatus = "200", headers = "[]", truncated } = object.customMetadata ?? {};
    const contentType = object.httpMetadata?.contentType ?? "text/html";
    return {
      body: new Uint8Array(await object.arrayBuffer()),
      contentType,
      headers: JSON.parse(headers) as PageHeaders,
      httpStatus: Number(httpStatus),
      ...(truncated === undefined ? {} : { truncated: truncated as Truncation }),
    };
  }

  /**
   * Stores the content of a page: a `StoredContent` in JSON. `sha256`: of the body from which it was made; null if that
   * is not known.
   */
  async putContent(crawl: string, url: string, content: Uint8Array, sha256: string | null = null): Promise<void> {
    await this.#bucket.put(contentKey(crawl, url), content, {
      httpMetadata: { contentType: "application/json" },
      customMetadata: sha256 === null ? {} : { sha256 },
    });
  }

  /**
   * The stored content of a page; null if there is none. With `sha256`: null as well if it was made from another body,
   * which a watch has replaced since.
   */
  async content(crawl: string, url: string, sha256: string | null = null): Promise<StoredContent | null> {
    const object = await this.#bucket.get(contentKey(crawl, url));
    if (object === null) return null;
    return sha256 === null || object.customMetadata?.sha256 === sha256 ? object.json<StoredContent>() : null;
  }

  /**
   * Removes up to 500 pages with two objects each, because R2 deletes up to 1,000 objects in a call. Missing pages are
   * ignored.
   */
  async remove(crawl: string, urls: string[]): Promise<void> {
    if (urls.length === 0) return;
    await this.#bucket.delete(urls.flatMap((url) => [mirrorKey(crawl, url), contentKey(crawl, url)]));
  }

  async get(crawl: string, url: string): Promise<R2ObjectBody | null> {
    return this.#bucket.get(mirrorKey(crawl, url));
  }
}
