import type { PageVersion } from "../../changes/page-version.ts";
import type { Clock } from "../../core/clock.ts";
import type { PageFetched, PageRejected, StoredPage } from "../../crawl/page/outcome.ts";
import type { ReadRequest } from "../request/page-request.ts";
import { callReader, type PagePart } from "./call-reader.ts";
import type { ContentRequest, Received, StoredVersionRequest } from "./read-page.ts";

/** Has documents read by the reader Worker, as read-page.ts reads pages. All methods throw ReaderDied. */

export class HeavyReader {
  readonly #reader: Fetcher | undefined;
  readonly #clock: Pick<Clock, "now">;

  /** `reader`: undefined where there is none, as on the free plan. */
  constructor(reader: Fetcher | undefined, clock: Pick<Clock, "now">) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Like `readPage`. Throws only if something of ours is broken. */
  async readPage(received: Received, request: ReadRequest, durationMs: number): Promise<PageFetched | PageRejected> {
    const { body, contentType, headers, httpStatus } = received;
    const now = this.#clock.now();
    const order = { task: "page" as const, contentType, headers, httpStatus, request, durationMs, now };
    const { answer, parts } = await callReader(this.#bound, order, body);
    if (answer.task !== "page") throw new Error("the reader did another task");
    if (answer.page.kind === "rejected") return answer.page;
    const partOf = (name: PagePart) => parts[answer.has.indexOf(name)];
    const pageLinks = partOf("pageLinks");
    return {
      ...answer.page,
      body,
      content: partOf("content") ?? null,
      ...(pageLinks === undefined ? {} : { pageLinks }),
    };
  }

  /** Like `readContent`. */
  async readContent({ body, contentType, headers }: StoredPage, request: ContentRequest): Promise<Uint8Array> {
    const { parts } = await callReader(this.#bound, { task: "content", contentType, headers, request }, body);
    const [content] = parts;
    if (content === undefined) throw new Error("the reader did another task");
    return content;
  }

  /** Like `readVersion`. */
  async readVersion(
    { body, contentType, headers }: StoredPage,
    request: StoredVersionRequest,
  ): Promise<PageVersion | null> {
    const { answer } = await callReader(this.#bound, { task: "version", contentType, headers, request }, body);
    if (answer.task !== "version") throw new Error("the reader did another task");
    return answer.version;
  }

  get #bound(): Fetcher {
    if (this.#reader === undefined) throw new Error("this installation has no reader Worker");
    return this.#reader;
  }
}
