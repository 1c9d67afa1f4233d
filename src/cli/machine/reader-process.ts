import type { Miniflare, Response, V4MiniflareOptions } from "miniflare";
import { DOCUMENT_HUNG } from "../../core/document-hung.ts";
import { loadMiniflare } from "./load-miniflare.ts";
import { modulesOf, type ReaderBuild } from "./stored-build.ts";

/**
 * A process of the reader Worker on this machine: a workerd of its own, which starts with its first document and reads
 * one at a time. workerd enforces no limit of CPU time or memory here, so a document on which it hangs has the process
 * killed. The main Worker goes on meanwhile.
 */

/** Real time for one document, in milliseconds. */
const READER_LIMIT_MS = 60_000;
/** The time is counted in so many ticks, so that what this machine sleeps is no time of the document. */
const TICKS = 60;
/** A process that reads nothing for so long is ended: it holds some 100 MB. */
const READER_IDLE_MS = 60_000;

/** Real time. A document that is read for longer may have taken much memory. */
const HEAVY_MS = 3_000;

export class ReaderProcess {
  readonly #build: ReaderBuild;
  readonly #limitMs: number;
  #miniflare: Miniflare | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(build: ReaderBuild, limitMs = READER_LIMIT_MS) {
    this.#build = build;
    this.#limitMs = limitMs;
  }

  /** Whether its process runs. */
  get isStarted(): boolean {
    return this.#miniflare !== null;
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#idle);
    const miniflare = this.#miniflare;
    this.#miniflare = null;
    await miniflare?.dispose();
  }

  /**
   * Answers like the reader Worker; with a sentence and the status 422 if it hung on the document, and 503 if the
   * process ended by itself, which may have a cause outside. The caller waits for the answer before it asks again: so
   * nothing else was read beside a document on which it hung.
   */
  async read(body: ArrayBuffer): Promise<Response> {
    const { Response } = loadMiniflare();
    clearTimeout(this.#idle);
    this.#miniflare ??= this.#start();
    const miniflare = this.#miniflare;
    let timer: NodeJS.Timeout | undefined;
    try {
      // A start is no time of the document.
      await miniflare.ready;
      const tickMs = Math.max(1, this.#limitMs / TICKS);
      let elapsedMs = 0;
      const late = new Promise<"late">((resolve) => {
        timer = setInterval(() => {
          elapsedMs += tickMs;
          if (elapsedMs >= this.#limitMs) resolve("late");
        }, tickMs);
      });
      const reading = async () => {
        const answer = await miniflare.dispatchFetch("http://reader/", { method: "POST", body });
        return { status: answer.status, bytes: await answer.arrayBuffer() };
      };
      const read = reading();
      read.catch(() => undefined);
      const end = await Promise.race([read, late]);
      if (end === "late") {
        // It kills the process.
        await this.dispose();
        const why = `it did not end within ${this.#limitMs / 1_000} s`;
        return new Response(why, { status: DOCUMENT_HUNG });
      }
      // What a heavy document took is not given back: up to 600 MB. A new process starts in a third of a second.
      if (elapsedMs >= HEAVY_MS) await this.dispose();
      else this.#idle = setTimeout(() => void this.dispose(), READER_IDLE_MS).unref();
      return new Response(end.bytes, { status: end.status });
    } catch (error) {
      await this.dispose();
      return new Response(error instanceof Error ? error.message : String(error), { status: 503 });
    } finally {
      clearInterval(timer);
    }
  }

  #start(): Miniflare {
    const { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } = loadMiniflare();
    const { compatibilityDate, compatibilityFlags } = this.#build;
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
          ...modulesOf(this.#build),
          // A document has nothing to fetch.
          outboundService: () => new Response("no requests leave the reader", { status: 403 }),
        },
      ],
    };
    return new Miniflare(convertV4MiniflareOptions(options as unknown as V4MiniflareOptions));
  }
}
