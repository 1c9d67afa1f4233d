import { setTimeout as sleep } from "node:timers/promises";
import type {
  CrawlDetail,
  CrawlView,
  DeletionView,
  ExplainView,
  FormattedRecordView,
  HostView,
  ScheduleView,
  SearchView,
} from "../api/views.ts";
import { UserError } from "./errors.ts";

/** For a request that is answered 429, each as long as the answer says. */
const MOST_WAITS = 3;

export interface ExportQuery {
  format: string;
  status?: string | undefined;
  formats?: string[] | undefined;
}

/** The API as the command line speaks it, local or deployed. Every refusal is thrown as a UserError with the API's own sentence. */
export class Client {
  readonly #base: string;
  readonly #token: string;

  constructor(base: string, token: string) {
    this.#base = base.replace(/\/+$/, "");
    this.#token = token;
  }

  async start(body: Record<string, unknown>): Promise<string> {
    return (await this.#call<{ id: string }>("POST", "/api/crawls", body)).id;
  }

  async crawls(): Promise<CrawlView[]> {
    return this.#call("GET", "/api/crawls");
  }

  async crawl(id: string): Promise<CrawlDetail> {
    return this.#call("GET", `/api/crawls/${encodeURIComponent(id)}`);
  }

  async act(id: string, action: "pause" | "resume" | "cancel"): Promise<CrawlView> {
    return this.#call("POST", `/api/crawls/${encodeURIComponent(id)}/${action}`);
  }

  async amend(id: string, limits: { limit?: number | undefined; maxCostUsd?: number | undefined }): Promise<CrawlView> {
    return this.#call("PATCH", `/api/crawls/${encodeURIComponent(id)}`, limits);
  }

  /** Takes up again what ended so. */
  async retry(
    id: string,
    what: { status?: string | undefined; reason?: string | undefined; limit?: number | undefined },
  ): Promise<{ retried: number; crawl: CrawlView }> {
    return this.#call("POST", `/api/crawls/${encodeURIComponent(id)}/retry`, what);
  }

  /** May be repeated until it is done; then there is no such crawl. */
  async delete(id: string, force: boolean): Promise<DeletionView> {
    return this.#call(
      "DELETE",
      `/api/crawls/${encodeURIComponent(id)}?${new URLSearchParams({ force: String(force) })}`,
    );
  }

  /** Every record, page by page, in the order of their URLs; completed ones with their pages in the formats named. */
  async *records(
    id: string,
    { status, formats = [] }: { status?: string | undefined; formats?: readonly string[] } = {},
  ): AsyncGenerator<FormattedRecordView> {
    let cursor: string | null = "";
    while (cursor !== null) {
      const query = new URLSearchParams({
        limit: "1000",
        cursor,
        ...(status === undefined ? {} : { status }),
        ...(formats.length === 0 ? {} : { formats: formats.join() }),
      });
      const page: { records: FormattedRecordView[]; cursor: string | null } = await this.#call(
        "GET",
        `/api/crawls/${encodeURIComponent(id)}/records?${query}`,
      );
      yield* page.records;
      cursor = page.cursor;
    }
  }

  /** An export, part by part; each is to be read to its end before the next is asked for. */
  async *export(
    id: string,
    { format, status, formats }: ExportQuery,
    signal: AbortSignal,
  ): AsyncGenerator<{ text: ReadableStream<Uint8Array>; isLast: boolean }> {
    const query = new URLSearchParams({
      format,
      ...(status === undefined ? {} : { status }),
      ...(formats === undefined ? {} : { formats: formats.join() }),
    });
    let path: string | undefined = `/api/crawls/${encodeURIComponent(id)}/export?${query}`;
    while (path !== undefined) {
      const response = await this.#fetch("GET", path, { signal });
      // RFC 8288, as our own API writes it.
      path = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
      yield { text: response.body ?? new ReadableStream(), isLast: path === undefined };
    }
  }

  /** The mirrored body of a completed page. */
  async page(id: string, url: string): Promise<Uint8Array> {
    const query = new URLSearchParams({ url });
    const response = await this.#fetch("GET", `/api/crawls/${encodeURIComponent(id)}/page?${query}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** What each host of a crawl is doing, and waits for. */
  async hosts(id: string): Promise<HostView[]> {
    return this.#call("GET", `/api/crawls/${encodeURIComponent(id)}/hosts`);
  }

  /** What a crawl decided of a URL, or would. */
  async explain(id: string, url: string): Promise<ExplainView> {
    return this.#call("GET", `/api/crawls/${encodeURIComponent(id)}/explain?${new URLSearchParams({ url })}`);
  }

  /** What a crawl that is yet to be made would decide. */
  async explainBefore(url: string, crawl: Record<string, unknown>): Promise<ExplainView> {
    return this.#call("POST", "/api/explain", { url, crawl });
  }

  /** Pages by what they say, in one crawl or in all. */
  async search(q: string, { crawl, limit }: { crawl: string | undefined; limit: number }): Promise<SearchView> {
    const query = new URLSearchParams({ q, limit: String(limit), ...(crawl === undefined ? {} : { crawl }) });
    return this.#call("GET", `/api/search?${query}`);
  }

  async schedules(): Promise<ScheduleView[]> {
    return this.#call("GET", "/api/schedules");
  }

  async addSchedule(cron: string, crawl: Record<string, unknown>): Promise<ScheduleView> {
    return this.#call("POST", "/api/schedules", { cron, crawl });
  }

  async removeSchedule(id: string): Promise<void> {
    await this.#call("DELETE", `/api/schedules/${encodeURIComponent(id)}`);
  }

  /** Batches in flight, and what the last one could not do. */
  async health(): Promise<{ busy: number; failure: string | null }> {
    return this.#call("GET", "/api/health");
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#fetch(method, path, toInit(body));
    return ((await response.json()) as { result: T }).result;
  }

  async #fetch(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    for (let waits = 0; ; waits++) {
      const response = await this.#send(method, path, init);
      if (response.ok) return response;
      // A request that came too often has not been looked at; a download of thousands of pages is to wait, not to break off.
      if (response.status !== 429 || waits === MOST_WAITS)
        throw new UserError(await sentenceOf(response), response.status === 400 ? 2 : 1);
      await response.body?.cancel();
      await sleep(Number(response.headers.get("retry-after")) * 1000);
    }
  }

  async #send(method: string, path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#base + path, {
        ...init,
        method,
        headers: { ...init.headers, authorization: `Bearer ${this.#token}` },
      });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new UserError(`${this.#base} does not answer: ${cause}`);
    }
  }
}

function toInit(body: unknown): RequestInit {
  return body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { errors } = JSON.parse(text) as { errors: { message: string }[] };
    return errors.map(({ message }) => message).join("; ");
  } catch {
    return `The answer was ${response.status}: ${text.slice(0, 200)}. Is this the address of an Orbweaver?`;
  }
}
