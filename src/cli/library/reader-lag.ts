import type { RecordView } from "../../api/views.ts";
import type { Client } from "../installation/client.ts";
import { pagesOf } from "../output/terminal-text.ts";

/**
 * Holds a crawl back whose reader is far behind: what is not read lies on the disk, and a host should not be asked for
 * pages that nobody may come to read.
 */

/** Pages that have finished and were not read yet. */
const MOST_BEHIND = 1_000;
const LOOK_MS = 5_000;

export class ReaderLag {
  readonly #id: string;
  readonly #client: Pick<Client, "crawl" | "act">;
  readonly #most: number;
  /** How many have been read. */
  #read = 0;
  #isHolding = false;
  /** One look after the other: a pause and a resumption must not cross. */
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, client: Pick<Client, "crawl" | "act">, most = MOST_BEHIND) {
    this.#id = id;
    this.#client = client;
    this.#most = most;
  }

  /** Whether the crawl is paused because of the reader. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Looks every five seconds, until `stop`. */
  start(): void {
    this.#timer = setInterval(() => void this.look().catch(() => undefined), LOOK_MS);
    this.#timer.unref();
  }

  /** Counts a record that has been read, if the looks count it. */
  countPage({ status, asset }: Pick<RecordView, "status" | "asset">): void {
    if (status === "completed" && !asset) this.#read += 1;
  }

  /** Pauses the crawl, or resumes it when the reader has caught up by half. */
  async look(): Promise<void> {
    this.#looking = this.#looking.catch(() => undefined).then(() => this.#decide());
    return this.#looking;
  }

  /** The reader has read all there is. */
  async release(): Promise<void> {
    await this.#looking.catch(() => undefined);
    if (this.#isHolding) await this.#resume();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking.catch(() => undefined);
  }

  async #decide(): Promise<void> {
    const crawl = await this.#client.crawl(this.#id);
    const behind = pagesOf(crawl) - this.#read;
    if (this.#isHolding && behind <= this.#most / 2) return this.#resume();
    if (this.#isHolding || crawl.status !== "running" || behind <= this.#most) return;
    await this.#client.act(this.#id, "pause");
    this.#isHolding = true;
  }

  async #resume(): Promise<void> {
    this.#isHolding = false;
    // Somebody else may have ended it.
    const { status } = await this.#client.crawl(this.#id);
    if (status === "paused") await this.#client.act(this.#id, "resume");
  }
}
