import { mirrorKey } from "./mirror-key.ts";

/** The mirror: one R2 object per page, found by its URL through `mirrorKey`, never by listing. */

export interface MirroredPage {
  crawl: string;
  url: string;
  body: Uint8Array;
  contentType: string;
  httpStatus: number;
  /** Hex SHA-256 of `body`. */
  sha256: string;
  fetchedAt: number;
}

export class Mirror {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** Writes the body with what a reader needs to judge it. Writing the same page again changes nothing else. */
  async put(page: MirroredPage): Promise<void> {
    await this.#bucket.put(mirrorKey(page.crawl, page.url), page.body, {
      httpMetadata: { contentType: page.contentType },
      customMetadata: {
        url: page.url,
        httpStatus: String(page.httpStatus),
        sha256: page.sha256,
        fetchedAt: new Date(page.fetchedAt).toISOString(),
      },
    });
  }

  /** Removes up to 1,000 pages, R2's limit for a call; those that are not there are passed over. */
  async remove(crawl: string, urls: string[]): Promise<void> {
    if (urls.length > 0) await this.#bucket.delete(urls.map((url) => mirrorKey(crawl, url)));
  }

  async get(crawl: string, url: string): Promise<R2ObjectBody | null> {
    return this.#bucket.get(mirrorKey(crawl, url));
  }
}
