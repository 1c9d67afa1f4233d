import { WorkerEntrypoint } from "cloudflare:workers";
import type { PageVersion } from "../changes/page-version.ts";
import { clockOf } from "../core/clock.ts";
import type { PageFields } from "../crawl/page/field-check.ts";
import type { FetchGivenBack, FetchResult, PageResult, SitemapResult, StoredPage } from "../crawl/page/outcome.ts";
import { Documents } from "../store/mirror/documents.ts";
import type { Request, Secrets } from "./answer/answer.ts";
import type { ArchivedAnswer } from "./answer/archived-answer.ts";
import { captureContent } from "./answer/capture-page.ts";
import { type LogInRequest, type LogInResult, performLogIn } from "./browser/log-in/perform-log-in.ts";
import type { RenderGateway } from "./browser/render-gateway.ts";
import { fetchHead, type HeadResult } from "./head-fetcher.ts";
import { fetchMedia, type MediaRequest, type MediaResult } from "./media-fetcher.ts";
import {
  type ContentRequest,
  readContent,
  readPage,
  readVersion,
  type StoredVersionRequest,
} from "./reading/read-page.ts";
import { type FieldsRequest, readPageFields } from "./reading/read-page-fields.ts";
import { type StoredCopy, withStoredVersion } from "./reading/stored-copy.ts";
import { type Means, readArchivedPage, receivePage } from "./receive-page.ts";
import type { PageRequest, ReadRequest } from "./request/page-request.ts";
import { fetchSitemap, type SitemapRequest } from "./sitemap-fetcher.ts";

/**
 * The page fetcher: one URL per invocation. It fetches, decodes and parses, and returns what the page holds. A page
 * that throws or takes too long fails this invocation alone. It is called through `ctx.exports`, a service binding to
 * this same version of this Worker that needs no configuration: a binding by name could not be deployed the first time,
 * when its target does not exist yet. https://developers.cloudflare.com/workers/runtime-apis/context/#exports
 */

export class PageFetcher extends WorkerEntrypoint<Env> {
  /**
   * Returns a result for whatever a server does; throws only if something of ours is broken. `gateway` decides what a
   * rendered page may request; without it, no page is rendered. `copy`: for a page that is compared.
   */
  async fetchPage(
    request: PageRequest,
    secrets: Secrets,
    gateway?: RenderGateway,
    copy?: StoredCopy,
  ): Promise<FetchResult> {
    const result = await receivePage(request, secrets, this.#means(gateway));
    const { version, url, agent } = request;
    if (copy === undefined || version === null) return result;
    const readStored = (stored: StoredPage) => readVersion(stored, { url, agent, ...version });
    return withStoredVersion(result, copy, readStored, this.env.READER !== undefined);
  }

  /**
   * Like `fetchPage`, for an answer of an archive: it is decided on and read as if it had just come. Nothing is sent.
   */
  async readArchived(request: PageRequest, answer: ArchivedAnswer): Promise<FetchResult> {
    return readArchivedPage(request, answer, this.#means());
  }

  /** Reads a page of the mirror as if it had just been fetched. */
  async readPage(stored: StoredPage, request: ReadRequest): Promise<PageResult> {
    const now = clockOf(this.env).now();
    const page = await readPage(stored, request, 0, now);
    return page.kind === "page" ? captureContent(request.url, page, now) : page;
  }

  /** Makes content of a page of the mirror: a `StoredContent` in JSON. Throws for a page that cannot be read. */
  async readContent(stored: StoredPage, request: ContentRequest): Promise<Uint8Array> {
    return readContent(stored, request);
  }

  /** What a stored page says, to compare versions. Throws for a page that cannot be read. */
  async readVersion(stored: StoredPage, request: StoredVersionRequest): Promise<PageVersion | null> {
    return readVersion(stored, request);
  }

  /** Reads fields from a page of the mirror, or from one that has just come. Throws for a page that cannot be read. */
  async readFields(stored: StoredPage, request: FieldsRequest): Promise<PageFields | null> {
    return readPageFields(stored, request);
  }

  /** Has a browser log in. `leaseMs`: real time for all of it. */
  async logIn(request: LogInRequest, gateway: RenderGateway, leaseMs: number): Promise<LogInResult> {
    return performLogIn(request, gateway, this.env, leaseMs);
  }

  /** Like `fetchPage`, for the head of an answer alone. */
  async fetchHead(request: Request): Promise<HeadResult> {
    return fetchHead(request, this.env);
  }

  /** Like `fetchPage`, for a range of a media file. */
  async fetchMedia(request: MediaRequest, secrets: Secrets): Promise<MediaResult> {
    return fetchMedia(request, secrets, this.env);
  }

  /** Like `fetchPage`, for a sitemap. */
  async fetchSitemap(request: SitemapRequest, secrets: Secrets): Promise<SitemapResult | FetchGivenBack> {
    return fetchSitemap(request, secrets, this.env);
  }

  #means(gateway: RenderGateway | null = null): Means {
    return { env: this.env, documents: new Documents(this.env.MIRROR), gateway };
  }
}
