import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Miniflare, Request, Response, V4MiniflareOptions } from "miniflare";
import { loadMiniflare } from "./load-miniflare.ts";
import type { WorkerBuild } from "./worker-build.ts";

/**
 * The reader Worker on this machine: a workerd process of its own, which starts with the first document. workerd
 * enforces no limit of CPU time or memory here, so a document on which the reader hangs has its process killed. The
 * main Worker goes on meanwhile.
 */

/** Real time for one document, in milliseconds. */
export const READER_LIMIT_MS = 60_000;
/** A process that reads nothing for so long is ended: it holds some 100 MB. */
const IDLE_MS = 60_000;

export class ReaderProcess {
  readonly #build: WorkerBuild["reader"];
  readonly #limitMs: number;
  #miniflare: Miniflare | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(build: WorkerBuild["reader"], limitMs = READER_LIMIT_MS) {
    this.#build = build;
    this.#limitMs = limitMs;
  }

  /**
   * Answers like the reader Worker; with 503 and a sentence if the process ended. One document is read at a time, so
   * one that ends the process takes no other along.
   */
  fetch(request: Request): Promise<Response> {
    // The body is taken now: the caller sends it whatever is read before.
    const body = request.arrayBuffer();
    body.catch(() => undefined);
    const turn = this.#last.then(async () => this.#read(await body));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#idle);
    const miniflare = this.#miniflare;
    this.#miniflare = null;
    await miniflare?.dispose();
  }

  async #read(body: ArrayBuffer): Promise<Response> {
    const { Response } = loadMiniflare();
    clearTimeout(this.#idle);
    this.#miniflare ??= this.#start();
    const miniflare = this.#miniflare;
    let timer: NodeJS.Timeout | undefined;
    try {
      // A start is no time of the document.
      await miniflare.ready;
      const late = new Promise<never>((_, reject) => {
        const why = `it did not end within ${this.#limitMs / 1_000} s`;
        timer = setTimeout(() => reject(new Error(why)), this.#limitMs);
      });
      const reading = async () => {
        const answer = await miniflare.dispatchFetch("http://reader/", { method: "POST", body });
        return { status: answer.status, bytes: await answer.arrayBuffer() };
      };
      const { status, bytes } = await Promise.race([reading(), late]);
      this.#idle = setTimeout(() => void this.dispose(), IDLE_MS).unref();
      return new Response(bytes, { status });
    } catch (error) {
      // It kills the process.
      await this.dispose();
      return new Response(error instanceof Error ? error.message : String(error), { status: 503 });
    } finally {
      clearTimeout(timer);
    }
  }

  #start(): Miniflare {
    const { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } = loadMiniflare();
    const { script, compatibilityDate, compatibilityFlags } = this.#build;
    const options = {
      host: "127.0.0.1",
      port: 0,
      log: new Log(LogLevel.WARN),
      logRequests: false,
      workers: [
        {
          name: "orbweaver-reader",
          compatibilityDate,
          compatibilityFlags,
          cacheAPI: false,
          modulesRoot: dirname(script),
          modules: [{ type: "ESModule", path: script, contents: readFileSync(script, "utf8") }],
          // A document has nothing to fetch.
          outboundService: () => new Response("no requests leave the reader", { status: 403 }),
        },
      ],
    };
    return new Miniflare(convertV4MiniflareOptions(options as unknown as V4MiniflareOptions));
  }
}
