import type { KeptPage } from "../crawl/outcome.ts";
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
  /** The header of that name: whether links may be followed is asked again when the page is read from here. */
  xRobotsTag: string | null;
  fetchedAt: number;
}

export class Mirror {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** Writes the body with what a reader needs to judge it: at most 8,192 bytes (https://developers.cloudflare.com/r2/platform/limits/). Writing the same page again changes nothing else. */
  async put(page: MirroredPage): Promise<void> {
    await this.#bucket.put(mirrorKey(page.crawl, page.url), page.body, {
      httpMetadata: { contentType: page.contentType },
      customMetadata: {
        url: page.url,
        httpStatus: String(page.httpStatus),
        sha256: page.sha256,
        ...(page.xRobotsTag === null ? {} : { xRobotsTag: page.xRobotsTag }),
        fetchedAt: new Date(page.fetchedAt).toISOString(),
      },
    });
  }

  /** A page with all that is needed to read it anew; null where there is none. */
  async kept(crawl: string, url: string): Promise<KeptPage | null> {
    const object = await this.get(crawl, url);
    if (object === null) return null;
    const { httpStatus = "200", xRobotsTag = null } = object.customMetadata ?? {};
    const contentType = object.httpMetadata?.contentType ?? "text/html";
    return {
      body: new Uint8Array(await object.arrayBuffer()),
      contentType,
      xRobotsTag,
      httpStatus: Number(httpStatus),
    };
  }

  /** Removes up to 1,000 pages, R2's limit for a call; those that are not there are passed over. */
  async remove(crawl: string, urls: string[]): Promise<void> {
    if (urls.length > 0) await this.#bucket.delete(urls.map((url) => mirrorKey(crawl, url)));
  }

  async get(crawl: string, url: string): Promise<R2ObjectBody | null> {
    return this.#bucket.get(mirrorKey(crawl, url));
  }
}
