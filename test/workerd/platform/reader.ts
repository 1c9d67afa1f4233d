import { sha256Of } from "../../../src/archive/sha256.ts";
import type { PageResult, StoredPage } from "../../../src/crawl/page/outcome.ts";
import { ReaderDied } from "../../../src/fetch/reading/call-reader.ts";
import { ASKS_NOTHING, type ReadRequest } from "../../../src/fetch/request/page-request.ts";
import { DOCUMENT_TYPE, type DocumentServed, digestOf } from "./document-served.ts";
import type { Invocation } from "./invocation.ts";
import { pageOf, versionOf } from "./model-page.ts";
import { Network, type Surroundings } from "./network.ts";
import type { ModelWeb } from "./web.ts";

/** A model of the reader Worker: it reads a document, takes long, dies on it, or fails. */

type Received = Omit<StoredPage, "contentType"> & { contentType: string | null };

export class ModelReader {
  /** Documents that came in another shape than they were served in. */
  readonly violations: string[] = [];
  readonly #around: Surroundings;
  readonly #network: Network;
  readonly #web: ModelWeb;
  /** Errors so far, by the digest of the document. */
  readonly #failures = new Map<string, number>();
  /** Deaths of its reader so far, by digest. */
  readonly #deaths = new Map<string, number>();

  constructor(web: ModelWeb, around: Surroundings) {
    this.#web = web;
    this.#around = around;
    this.#network = new Network(around);
  }

  /**
   * A call that is lost counts as a death, as in call-reader.ts. No call is lost after a death: two are poison. A
   * consumer may be killed before it notes a death, so what dies twice dies always.
   */
  async read(
    invocation: Invocation,
    received: Received,
    request: ReadRequest,
    durationMs: number,
  ): Promise<PageResult> {
    const { url } = request;
    invocation.startWorker();
    const digest = sha256Of(received.body);
    // The server may have another document by now.
    const served = this.#web.documents.get(digest);
    if (served === undefined || digest !== digestOf(url, served)) {
      this.violations.push(`${url} came as another document`);
      throw new Error(`${url} is no document`);
    }
    const { ms, deaths, failures } = served.reading;
    const died = this.#deaths.get(digest) ?? 0;
    const call = { name: "reader", latencyMs: ms, effect: () => undefined };
    if (died > 0) await this.#around.time.sleep(ms);
    else {
      await this.#network.call(invocation, call).catch((error: unknown) => {
        this.#countDeath(digest);
        throw new ReaderDied(String(error));
      });
    }
    await invocation.alive();
    if (died < deaths || deaths > 1) {
      this.#countDeath(digest);
      throw new ReaderDied("it exceeded its CPU time");
    }
    const failed = this.#failures.get(digest) ?? 0;
    if (failed < failures) {
      this.#failures.set(digest, failed + 1);
      throw new Error("the reader has a fault");
    }
    return this.#pageOf(served, received, request, durationMs);
  }

  /** What it reads in a document. */
  #pageOf({ links, text }: DocumentServed, { body }: Received, request: ReadRequest, durationMs: number): PageResult {
    const answer = { kind: "page" as const, links, type: DOCUMENT_TYPE, ...(text === undefined ? {} : { text }) };
    const bare = { ...ASKS_NOTHING, ...request };
    const page = pageOf({ answer, durationMs }, bare, this.#around.time.wall.now());
    const version = request.version === null ? null : versionOf(body);
    return { ...page, body, version, bytes: body.byteLength, sha256: sha256Of(body) } as PageResult;
  }

  #countDeath(digest: string): void {
    this.#deaths.set(digest, (this.#deaths.get(digest) ?? 0) + 1);
  }
}
