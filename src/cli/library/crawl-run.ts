import { setTimeout as sleep } from "node:timers/promises";
import type { CrawlDetail } from "../../api/views.ts";
import { deleteAll } from "../control/delete-command.ts";
import type { Client } from "../installation/client.ts";
import { followFinished } from "../output/follow-finished.ts";
import { type Summary, summarize } from "../output/summary.ts";
import { OrbweaverError, toLibraryError } from "./library-error.ts";
import type * as declared from "./library-types.ts";
import { ReaderLag } from "./reader-lag.ts";
import { type Lease, leaseInstallation } from "./shared-installation.ts";
import { startRun, toRequest } from "./start-run.ts";
import type { Page } from "./table-types.ts";

/** A crawl that is read while it runs. It begins with the loop, and nothing of it is left when the loop has ended. */

/** What a run has opened. */
interface Opened {
  id: string;
  client: Client;
  lease: Lease;
  lag: ReaderLag;
}

/** Waits in a row in which a crawl that somebody has paused brings nothing. */
const QUIET_WAITS = 4;
const BUSY_MS = 100;

export class CrawlRun implements declared.CrawlRun {
  id: string | null = null;
  summary: Summary | null = null;
  readonly #urls: string | readonly string[];
  readonly #options: declared.CrawlOptions;
  readonly #keeps: boolean;
  #pages: AsyncGenerator<Page, Summary, undefined> | null = null;
  #ending: Promise<void> | null = null;

  /** `keeps`: false deletes the crawl at the end. */
  constructor(urls: string | readonly string[], options: declared.CrawlOptions, keeps = true) {
    this.#urls = urls;
    this.#options = options;
    this.#keeps = keeps;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Page, Summary, undefined> {
    this.#pages ??= this.#read();
    return this.#pages;
  }

  async *#read(): AsyncGenerator<Page, Summary, undefined> {
    const { signal, records = "pages", formats = ["markdown"] } = this.#options;
    const opened = await this.#open().catch((error: unknown) => {
      throw toLibraryError(error);
    });
    const { id, client, lag } = opened;
    let hasEnded = false;
    // A reader that never comes back must not keep the crawl going.
    const onAbort = () => void this.#end(opened, false).catch(() => undefined);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      signal?.throwIfAborted();
      const status = records === "pages" ? "completed" : undefined;
      const wait = waitFor(opened, signal);
      for await (const record of followFinished(id, client, { status, formats, signal }, wait)) {
        if (records === "pages" && record.asset) continue;
        lag.countPage(record);
        yield record;
        signal?.throwIfAborted();
      }
      hasEnded = true;
    } catch (error) {
      throw signal?.aborted ? signal.reason : toLibraryError(error);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      await this.#end(opened, hasEnded);
    }
    if (this.summary === null) throw new OrbweaverError("failed", `The crawl ${id} is gone.`);
    return this.summary;
  }

  async #open(): Promise<Opened> {
    const { signal } = this.#options;
    const request = toRequest(this.#urls, this.#options);
    signal?.throwIfAborted();
    const lease = await leaseInstallation(this.#options);
    const { client } = lease.at;
    try {
      const id = await startRun(request, this.#options, lease.at);
      this.id = id;
      const lag = new ReaderLag(id, client);
      lag.start();
      return { id, client, lease, lag };
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** Ends the crawl, if it has not, and closes the installation; once. */
  async #end(opened: Opened, hasEnded: boolean): Promise<void> {
    this.#ending ??= this.#close(opened, hasEnded);
    await this.#ending;
  }

  async #close({ id, client, lease, lag }: Opened, hasEnded: boolean): Promise<void> {
    try {
      await lag.stop();
      if (!hasEnded) await this.#stop(id, client, lease);
      this.summary = summarize(await client.crawl(id));
      if (!this.#keeps && !lease.isTemporary) await deleteAll(id, true, false, client);
    } catch (error) {
      // What ended the loop matters more than a crawl that is gone.
      if (hasEnded) throw toLibraryError(error);
    } finally {
      await lease.release();
    }
  }

  async #stop(id: string, client: Client, lease: Lease): Promise<void> {
    const { status } = await client.crawl(id);
    if (status !== "running" && status !== "paused") return;
    if (!this.#options.resume) await client.act(id, "cancel");
    else if (status === "running") await client.act(id, "pause");
    // The pages in flight are finished, where nothing else goes on.
    while (lease.at.isOwn && !lease.isShared() && !lease.isTemporary && (await isBusy(client))) await sleep(BUSY_MS);
  }
}

async function isBusy(client: Client): Promise<boolean> {
  return (await client.busy()) > 0;
}

/** Waits for more pages. False if none will come: somebody, or a limit, has paused the crawl. */
function waitFor({ id, client, lease, lag }: Opened, signal: AbortSignal | undefined) {
  let quiet = 0;
  return async (ms: number): Promise<boolean> => {
    await lag.release();
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
    const crawl: CrawlDetail = await client.crawl(id);
    const isQuiet = crawl.status === "paused" && !(lease.at.isOwn && (await isBusy(client)));
    quiet = isQuiet ? quiet + 1 : 0;
    return quiet <= QUIET_WAITS;
  };
}
