import { asciiJson } from "../core/ascii-json.ts";
import type { PageHeaders, StoredPage } from "../crawl/outcome.ts";
import type { StoredContent } from "../crawl/page-format.ts";
import { contentKey, mirrorKey } from "./mirror-key.ts";

/**
 * The mirror: one R2 object per page, found by its URL through `mirrorKey`, never by listing, and beside it one for
 * what was made of it, where something was.
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
  fetchedAt: number;
}

export class Mirror {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /**
   * Writes the body with what a reader needs to judge it: at most 8,192 bytes
   * (https://developers.cloudflare.com/r2/platform/limits/). Writing the same page again changes nothing else.
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
        fetchedAt: new Date(page.fetchedAt).toISOString(),
      },
    });
  }

  /** A page with all that is needed to read it anew; null where there is none. */
  async read(crawl: string, url: string): Promise<StoredPage | null> {
    const object = await this.get(crawl, url);
    if (object === null) return null;
    const { httpStatus = "200", headers = "[]" } = object.customMetadata ?? {};
    const contentType = object.httpMetadata?.contentType ?? "text/html";
    return {
      body: new Uint8Array(await object.arrayBuffer()),
      contentType,
      headers: JSON.parse(headers) as PageHeaders,
      httpStatus: Number(httpStatus),
    };
  }

  /** Keeps what was made of a page: a `StoredContent` in JSON. */
  async putContent(crawl: string, url: string, content: Uint8Array): Promise<void> {
    await this.#bucket.put(contentKey(crawl, url), content, { httpMetadata: { contentType: "application/json" } });
  }

  /** What has been made of a page; null where nothing has. */
  async content(crawl: string, url: string): Promise<StoredContent | null> {
    const object = await this.#bucket.get(contentKey(crawl, url));
    return object === null ? null : object.json<StoredContent>();
  }

  /**
   * Removes up to 500 pages, two objects each, with R2's limit of 1,000 for a call; those that are not there are passed
   * over.
   */
  async remove(crawl: string, urls: string[]): Promise<void> {
    if (urls.length === 0) return;
    await this.#bucket.delete(urls.flatMap((url) => [mirrorKey(crawl, url), contentKey(crawl, url)]));
  }

  async get(crawl: string, url: string): Promise<R2ObjectBody | null> {
    return this.#bucket.get(mirrorKey(crawl, url));
  }
}
