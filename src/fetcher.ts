import { WorkerEntrypoint } from "cloudflare:workers";
import type { FetchResult } from "./crawl/page/outcome.ts";
import type { Secrets } from "./fetch/answer/answer.ts";
import { DocumentsBehindDoor, type DocumentsDoor } from "./fetch/fetcher-process/documents-door.ts";
import { receivePage } from "./fetch/receive-page.ts";
import type { PageRequest } from "./fetch/request/page-request.ts";

/**
 * The page fetcher by itself: on a machine with a second core, a busy crawl has its pages fetched and read in a process
 * of their own (docs/architecture.md, "The fetcher process"). It has the network and no other binding.
 */
export default class PageFetcherProcess extends WorkerEntrypoint<Env> {
  /** Like `PageFetcher.fetchPage`, for a page that no browser draws. `door`: leads to the mirror's documents. */
  async fetchPage(request: PageRequest, secrets: Secrets, door: DocumentsDoor): Promise<FetchResult> {
    return receivePage(request, secrets, { env: this.env, documents: new DocumentsBehindDoor(door), gateway: null });
  }
}
