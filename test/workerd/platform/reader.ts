import { sha256Of } from "../../../src/archive/sha256.ts";
import type { PageResult, StoredPage } from "../../../src/crawl/outcome.ts";
import { ReaderDied } from "../../../src/fetch/call-reader.ts";
import { ASKS_NOTHING, type ReadRequest } from "../../../src/fetch/page-request.ts";
import { DOCUMENT_TYPE, digestOf } from "./document-served.ts";
import type { Invocation } from "./invocation.ts";
import { pageOf } from "./model-page.ts";
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
  /** Errors so far, by URL. */
  readonly #failures = new Map<string, number>();
  /** Deaths of its reader in one invocation, by URL. */
  readonly #deaths = new WeakMap<Invocation, Map<string, number>>();

  constructor(web: ModelWeb, around: Surroundings) {
    this.#web = web;
    this.#around = around;
    this.#network = new Network(around);
  }

  /** A call that is lost counts as a death, as in call-reader.ts. No call is lost after a death: two are poison. */
  async read(
    invocation: Invocation,
    received: Received,
    request: ReadRequest,
    durationMs: number,
  ): Promise<PageResult> {
    const { url } = request;
    invocation.startWorker();
    const answer = this.#web.answerOf(url);
    if (answer.kind !== "document") throw new Error(`${url} is no document`);
    if (sha256Of(received.body) !== digestOf(url, answer)) this.violations.push(`${url} came as another document`);
    const { ms, deaths, failures } = answer.reading;
    const died = this.#deaths.get(invocation)?.get(url) ?? 0;
    const call = { name: "reader", latencyMs: ms, effect: () => undefined };
    if (died > 0) await this.#around.time.sleep(ms);
    else {
      await this.#network.call(invocation, call).catch((error: unknown) => {
        this.#countDeath(invocation, url);
        throw new ReaderDied(String(error));
      });
    }
    await invocation.alive();
    if (died < deaths) {
      this.#countDeath(invocation, url);
      throw new ReaderDied("it exceeded its CPU time");
    }
    const failed = this.#failures.get(url) ?? 0;
    if (failed < failures) {
      this.#failures.set(url, failed + 1);
      throw new Error("the reader has a fault");
    }
    return this.pageOf(received, request, durationMs);
  }

  /** What it reads in a document. */
  pageOf({ body }: Received, request: ReadRequest, durationMs: number): PageResult {
    const served = this.#web.answerOf(request.url);
    if (served.kind !== "document") throw new Error(`${request.url} is no document`);
    const { links, text } = served;
    const answer = { kind: "page" as const, links, type: DOCUMENT_TYPE, ...(text === undefined ? {} : { text }) };
    const bare = { ...ASKS_NOTHING, ...request };
    const page = pageOf({ answer, durationMs }, bare, this.#around.time.wall.now());
    return { ...page, body, bytes: body.byteLength, sha256: sha256Of(body) } as PageResult;
  }

  #countDeath(invocation: Invocation, url: string): void {
    const known = this.#deaths.get(invocation) ?? new Map<string, number>();
    this.#deaths.set(invocation, known.set(url, (known.get(url) ?? 0) + 1));
  }
}
