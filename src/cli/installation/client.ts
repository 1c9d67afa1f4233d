import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  AddedSchedule,
  ChangesView,
  CheckView,
  ClassificationView,
  CrawlDetail,
  CrawlView,
  DeletionView,
  DeliveriesPage,
  DeliveryView,
  DiffView,
  ExplainView,
  ExtractionView,
  ExtractView,
  FeedView,
  FieldsView,
  FindingsView,
  FinishedPage,
  FormattedRecordView,
  Health,
  HostView,
  IgnoreListView,
  ImportView,
  InlinksView,
  ListView,
  MarkedView,
  MarksView,
  MonthView,
  NewWebhookView,
  OwnershipView,
  PassView,
  ReindexPriceView,
  RemovedSessionView,
  ReportView,
  ScheduleView,
  SearchView,
  SectionsView,
  SessionView,
  StartedClassificationView,
  StartedPassView,
  StoredExtractView,
  StoredFieldsView,
  TopicsView,
  TopicView,
  VersionsView,
  VisitsView,
  WebhookView,
} from "../../api/views.ts";
import { takesParts } from "../../crawl/export-table.ts";
import { type Mistake, RefusedRequest, Unreachable, UserError } from "../errors.ts";
import { nameMistake } from "../flags/name-flags.ts";
import { describeFullDisk } from "../machine/disk.ts";
import { outlast, type Patience } from "./outlast.ts";
import { type ApiAnswer, type ApiRequest, type McpAnswer, sendRequest } from "./send-request.ts";
import type { WebhookOrder } from "./webhook-form.ts";

/** Statuses whose redirect keeps the method and the body (RFC 9110, section 15.4). */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
const MAX_REDIRECTS = 5;
/** How often a request waits after the answer 429, each time as long as Retry-After says. */
const MAX_WAITS = 3;

/** Sources that one answer of in-links may have. */
const MAX_INLINKS = 50;
/** Pages that one request reads again. */
const MAX_REREAD = 24;
/** Likewise, for those about which a model is asked: they are asked side by side, each for minutes at worst. */
const MAX_ASKED = 3;
/** Records of one answer. */
const MAX_RECORDS = 1_000;

interface RecordsOrder {
  status?: string | undefined;
  /** A kind of documents. */
  document?: string | undefined;
  /** A language tag. */
  language?: string | undefined;
  /** A label of a classification. */
  label?: string | undefined;
  formats?: readonly string[] | undefined;
  /** Whether the formats keep what pages have in common. */
  rawText?: boolean | undefined;
  chunkTokens?: number | undefined;
  minRelevance?: number | undefined;
  /** A field of the API's `sort`. */
  sort?: string | undefined;
  descending?: boolean | undefined;
  limit?: number | undefined;
}

/** What an export may be asked for, with its format. */
export interface ExportQuery {
  format: string;
  since?: string;
  status?: string;
  label?: string;
  minRelevance?: number;
  formats?: string[];
  rawText?: boolean;
  clean?: boolean;
  chunkTokens?: number;
}

/** What `records --extract` may spend; null for no limit. */
export interface ModelLimits {
  modelCalls: number | null;
  modelCostUsd: number | null;
  modelPrices?: string;
}

/** A client of the API, local or deployed. Throws each refusal as a UserError with the message of the API. */
export class Client {
  readonly #base: string;
  readonly #token: string;
  readonly #logs: string | null;
  readonly #patience: Patience | null;

  /** `logs` is the folder of the Worker's logs, if it is on this machine. */
  constructor(base: string, token: string, logs: string | null = null, patience: Patience | null = null) {
    this.#base = base.replace(/\/+$/, "");
    this.#token = token;
    this.#logs = logs;
    this.#patience = patience;
  }

  /** A client whose readings wait for an installation that is away. */
  outlasting(patience: Patience): Client {
    return new Client(this.#base, this.#token, this.#logs, patience);
  }

  /** `webhookSecret`: if the crawl has a webhook. `list`: the name of a list that its other seeds come from. */
  async start(body: Record<string, unknown>, list?: string): Promise<{ id: string; webhookSecret?: string }> {
    return this.#call("POST", `/api/crawls${list === undefined ? "" : toQuery({ list })}`, body);
  }

  /** What a refusal names as wrong; null for other errors. */
  mistakesOf(error: unknown): RefusedRequest["mistakes"] | null {
    return error instanceof RefusedRequest ? error.mistakes : null;
  }

  /** Sends more seeds of a crawl that waits for its list. `isLast`: the crawl starts. */
  async addSeeds(id: string, urls: readonly string[], isLast: boolean): Promise<ListView> {
    return this.#call("POST", `${pathOf(id)}/urls`, { urls, last: isLast });
  }

  /** All crawls, newest first. `all`: with the scrapes and maps of Firecrawl's paths. */
  async crawls({ all = false }: { all?: boolean } = {}): Promise<CrawlView[]> {
    const crawls: CrawlView[] = [];
    for (let path: string | undefined = all ? "/api/crawls?all=true" : "/api/crawls"; path !== undefined; ) {
      const response = await this.#fetch("GET", path);
      crawls.push(...resultOf<CrawlView[]>(await response.json()));
      path = nextOf(response);
    }
    return crawls;
  }

  async crawl(id: string): Promise<CrawlDetail> {
    return this.#call("GET", pathOf(id));
  }

  async act(id: string, action: "pause" | "resume" | "cancel"): Promise<CrawlView> {
    return this.#call("POST", `${pathOf(id)}/${action}`);
  }

  async patch(id: string, limits: Record<string, unknown>): Promise<CrawlView> {
    return this.#call("PATCH", pathOf(id), limits);
  }

  /** Makes a crawl a watch, or changes how often a watch visits. */
  async watch(id: string, watch: Record<string, unknown>): Promise<CrawlView> {
    return this.#call("POST", `${pathOf(id)}/watch`, watch);
  }

  /** Makes all pages of a watch due now. */
  async visitAll(id: string): Promise<CrawlView> {
    return this.#call("POST", `${pathOf(id)}/visits`);
  }

  /** Starts a pass over the crawl, or names the one that runs. */
  async analyze(id: string, options: { checkExternal?: boolean; reindex?: boolean } = {}): Promise<StartedPassView> {
    return this.#call("POST", `${pathOf(id)}/passes`, options);
  }

  /** What it costs to leave repeated text out of the crawl's search index. */
  async reindexPrice(id: string): Promise<ReindexPriceView> {
    return this.#call("GET", `${pathOf(id)}/passes/reindex-price`);
  }

  /** The passes of a crawl, newest first. */
  async passes(id: string): Promise<PassView[]> {
    return this.#call("GET", `${pathOf(id)}/passes`);
  }

  /** Who links to a URL: at most `limit` sources. The cursor is null if no more follow. */
  async inlinks(id: string, url: string, limit: number): Promise<InlinksView> {
    const ask = (most: number, cursor: string): Promise<InlinksView> =>
      this.#call("GET", `${pathOf(id)}/inlinks${toQuery({ url, limit: Math.min(most, MAX_INLINKS), cursor })}`);
    const found = await ask(limit, "");
    while (found.cursor !== null && found.sources.length < limit) {
      const page = await ask(limit - found.sources.length, found.cursor);
      found.sources.push(...page.sources);
      found.cursor = page.cursor;
    }
    return found;
  }

  /** What kinds of pages the site has, as the last analysis found. */
  async sections(id: string): Promise<SectionsView> {
    return this.#call("GET", `${pathOf(id)}/sections`);
  }

  /** Begins to group pages by what they say, or names the pass that does. */
  async findTopics(id: string): Promise<StartedPassView> {
    return this.#call("POST", `${pathOf(id)}/topics`);
  }

  /** The groups of pages that were found last. */
  async topics(id: string): Promise<TopicsView> {
    return this.#call("GET", `${pathOf(id)}/topics`);
  }

  /** Begins to label pages by examples, or by marks without them; or names the pass that does. */
  async classify(
    id: string,
    examples: readonly { url: string; label: string }[] | undefined,
  ): Promise<StartedClassificationView> {
    return this.#call("POST", `${pathOf(id)}/classification`, examples === undefined ? {} : { examples });
  }

  /** How well the labels of the last classification are recognised. */
  async classification(id: string): Promise<ClassificationView> {
    return this.#call("GET", `${pathOf(id)}/classification`);
  }

  /** What people said of pages; with `label`, only those with this label. */
  async marks(id: string, label?: string): Promise<MarksView> {
    return this.#call("GET", `${pathOf(id)}/marks${toQuery({ label })}`);
  }

  /** Gives pages a label; null removes their marks. */
  async mark(id: string, urls: readonly string[], label: string | null): Promise<MarkedView> {
    return this.#call("POST", `${pathOf(id)}/marks`, { urls, label });
  }

  /** The subject of a crawl, and how well the crawl does. */
  async topic(id: string): Promise<TopicView> {
    return this.#call("GET", `${pathOf(id)}/topic`);
  }

  /** What the last analysis found: numbers, and findings of a kind. */
  async findings(
    id: string,
    query: { kind?: string; cursor?: string; limit?: number; against?: string; ignore?: boolean } = {},
  ): Promise<FindingsView> {
    return this.#call("GET", `${pathOf(id)}/findings${toQuery(query)}`);
  }

  /** The file of the report. */
  async reportFile(
    id: string,
    query: { format: string; kind: string | undefined; against: string | undefined; ignore?: boolean },
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#fetch("GET", `${pathOf(id)}/findings/file${toQuery(query)}`);
    return response.body;
  }

  /** Replaces the list of findings that the crawl's site ignores. */
  async ignoreFindings(id: string, list: string): Promise<IgnoreListView> {
    return this.#call("POST", `${pathOf(id)}/ignored`, { list });
  }

  /** The last thirty days of a watch. */
  async month(id: string): Promise<MonthView> {
    return this.#call("GET", `${pathOf(id)}/month`);
  }

  /** How fresh a watch is, and what it visits next. */
  async visits(id: string): Promise<VisitsView> {
    return this.#call("GET", `${pathOf(id)}/visits`);
  }

  /** Changes after a cursor or from a time on; without either, all that are kept. */
  async changes(
    id: string,
    { since, kind }: { since: string | undefined; kind: string[] | undefined },
  ): Promise<ChangesView> {
    return this.#call("GET", `${pathOf(id)}/changes${toQuery({ since, kind, limit: 1000 })}`);
  }

  /** What changed between two versions of a page. */
  async diff(
    id: string,
    url: string,
    query: { from?: string | undefined; to?: string | undefined; full?: boolean | undefined },
  ): Promise<DiffView> {
    return this.#call("GET", `${pathOf(id)}/diff${toQuery({ url, ...query })}`);
  }

  /** The addresses of the feeds of changes. */
  async feed(id: string): Promise<FeedView> {
    return this.#call("GET", `${pathOf(id)}/feed`);
  }

  /** Makes new addresses of the feeds, and revokes those before. */
  async replaceFeed(id: string): Promise<FeedView> {
    return this.#call("POST", `${pathOf(id)}/feed`);
  }

  /** Queues the URLs again that ended with this status or reason. */
  async retry(
    id: string,
    selection: { status?: string | undefined; reason?: string | undefined; limit?: number | undefined },
  ): Promise<{ retried: number; crawl: CrawlView }> {
    return this.#call("POST", `${pathOf(id)}/retry`, selection);
  }

  /** Deletes a part of the crawl. Repeat until `done`. */
  async delete(id: string, force: boolean): Promise<DeletionView> {
    return this.#call("DELETE", pathOf(id) + toQuery({ force }));
  }

  /**
   * The first `limit` records, or all, in the order of their URLs unless `sort` has another. Records of completed pages
   * contain the page in each of `formats`.
   */
  async *records(
    id: string,
    {
      status,
      document,
      language,
      label,
      minRelevance,
      formats = [],
      rawText,
      chunkTokens,
      sort,
      descending,
      limit = Number.POSITIVE_INFINITY,
    }: RecordsOrder = {},
  ): AsyncGenerator<FormattedRecordView> {
    const order = descending ? "desc" : undefined;
    let cursor: string | null = "";
    for (let left = limit; cursor !== null && left > 0; ) {
      const filters = { status, document, language, label, minRelevance };
      const read = { formats, rawText, chunkTokens, sort, order };
      const query = { limit: Math.min(left, MAX_RECORDS), cursor, ...filters, ...read };
      const path: string = `${pathOf(id)}/records${toQuery(query)}`;
      const page = await this.#call<{ records: FormattedRecordView[]; cursor: string | null }>("GET", path);
      yield* page.records;
      left -= page.records.length;
      cursor = page.cursor;
    }
  }

  /** Records in the order in which their URLs finished, from a cursor on. */
  async finished(
    id: string,
    query: Pick<RecordsOrder, "status" | "formats" | "rawText" | "chunkTokens" | "limit"> & { cursor: string },
    signal?: AbortSignal,
  ): Promise<FinishedPage> {
    return this.#call("GET", `${pathOf(id)}/records/finished${toQuery({ ...query })}`, undefined, signal);
  }

  /** The parts of an export. Read each to its end before you request the next. */
  async *export(
    id: string,
    { format, since, status, minRelevance, label, formats, rawText, chunkTokens }: ExportQuery,
    signal: AbortSignal,
  ): AsyncGenerator<{ text: ReadableStream<Uint8Array>; isLast: boolean }> {
    const how = { formats, rawText, chunkTokens };
    const query =
      format === "delta" || format === "chunk-delta"
        ? `/delta${toQuery({ since, of: format === "delta" ? "pages" : "chunks", ...how, parts: true })}`
        : `/export${toQuery({ format, status, minRelevance, label, ...how, parts: takesParts(format) || undefined })}`;
    let path: string | undefined = pathOf(id) + query;
    while (path !== undefined) {
      const response = await this.#fetch("GET", path, { signal });
      path = nextOf(response);
      yield { text: response.body, isLast: path === undefined };
    }
  }

  /** The mirrored body of a completed page. */
  async page(id: string, url: string): Promise<Uint8Array> {
    const response = await this.#fetch("GET", `${pathOf(id)}/page${toQuery({ url })}`);
    return await response.bytes();
  }

  /** The picture of a page that a browser drew; null if there is none. */
  async screenshot(id: string, url: string): Promise<Uint8Array | null> {
    const path = `${pathOf(id)}/screenshot${toQuery({ url })}`;
    const response = await this.#fetch("GET", path, {}, ({ ok, status }) => ok || status === 404);
    if (response.ok) return await response.bytes();
    response.cancel();
    return null;
  }

  /**
   * A completed page or asset with links to the other files of a folder, and its path in that folder. `isRewritten`:
   * false if its links cannot be rewritten.
   */
  async browsablePage(id: string, url: string): Promise<{ path: string; body: Uint8Array; isRewritten: boolean }> {
    const response = await this.#fetch("GET", `${pathOf(id)}/page${toQuery({ url, format: "browsable" })}`);
    const path = response.headers.get("x-file-path");
    if (path === null) throw new UserError(`${this.#base} gives no path for ${url}. Is it an Orbweaver?`);
    const isRewritten = response.headers.get("x-file-links") !== "as-received";
    return { path, body: await response.bytes(), isRewritten };
  }

  /** Counts of a crawl's URLs, by reason among others. */
  async report(id: string): Promise<ReportView> {
    return this.#call("GET", `${pathOf(id)}/report`);
  }

  /** The state of each host of a crawl. */
  async hosts(id: string): Promise<HostView[]> {
    return this.#call("GET", `${pathOf(id)}/hosts`);
  }

  /** Explains what a crawl decided, or would decide, for a URL. */
  async explain(id: string, url: string): Promise<ExplainView> {
    return this.#call("GET", `${pathOf(id)}/explain${toQuery({ url })}`);
  }

  /** Explains what a crawl with these options would decide for a URL. */
  async explainPlanned(url: string, crawl: Record<string, unknown>): Promise<ExplainView> {
    return this.#call("POST", "/api/explain", { url, crawl });
  }

  /** Says whose host it is. */
  async ownership(url: string): Promise<OwnershipView> {
    return this.#call("GET", `/api/ownership${toQuery({ url })}`);
  }

  /** Finds pages by their text, in one crawl or in all. */
  async search(
    q: string,
    query: {
      crawl: string | undefined;
      limit: number;
      order: string;
      twins: "group" | "all";
      minRelevance: number | undefined;
    },
  ): Promise<SearchView> {
    return this.#call("GET", `/api/search${toQuery({ q, ...query })}`);
  }

  /** What rules read from one page, and what fields of it may be read from. */
  async checkFields(request: Record<string, unknown>): Promise<FieldsView> {
    return this.#call("POST", "/api/fields", request);
  }

  /** The completed pages of a crawl with the fields that these rules read from them. */
  async *recordsByRules(
    id: string,
    fields: unknown[],
    most = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<StoredFieldsView["records"][number]> {
    let left = most;
    for (let cursor: string | null = ""; cursor !== null && left > 0; ) {
      const request = { fields, cursor, limit: Math.min(left, MAX_REREAD) };
      const page: StoredFieldsView = await this.#call("POST", `${pathOf(id)}/fields`, request);
      yield* page.records;
      left -= page.records.length;
      cursor = page.cursor;
    }
  }

  /** Has the model asked about the pages of a crawl with `extract`. */
  /** The extraction of a crawl as it stands. */
  async extraction(id: string): Promise<ExtractionView> {
    return this.#call("GET", `${pathOf(id)}/extraction`);
  }

  async startExtraction(id: string): Promise<StartedPassView> {
    return this.#call("POST", `${pathOf(id)}/extraction`);
  }

  /** What the installation's model finds in one page. */
  async extract(request: Record<string, unknown>): Promise<ExtractView> {
    return this.#call("POST", "/api/extract", request);
  }

  /**
   * The completed pages of a crawl with the values that the model finds in them. `limits`: of all requests together;
   * null for none. `spent` is added to.
   */
  async *recordsByModel(
    id: string,
    extraction: object,
    most = Number.POSITIVE_INFINITY,
    limits: ModelLimits = { modelCalls: null, modelCostUsd: null },
    spent: StoredExtractView["spent"] = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: null },
  ): AsyncGenerator<StoredExtractView["records"][number]> {
    let left = most;
    const { modelCalls, modelCostUsd, ...prices } = limits;
    for (let cursor: string | null = ""; cursor !== null && left > 0; ) {
      const room = {
        modelCalls: modelCalls === null ? null : Math.max(0, modelCalls - spent.calls),
        modelCostUsd: modelCostUsd === null ? null : Math.max(0, modelCostUsd - (spent.costUsd ?? 0)),
      };
      const request = { ...extraction, ...prices, ...room, cursor, limit: Math.min(left, MAX_ASKED) };
      const page: StoredExtractView = await this.#call("POST", `${pathOf(id)}/extract`, request);
      spent.calls += page.spent.calls;
      spent.inputTokens += page.spent.inputTokens;
      spent.outputTokens += page.spent.outputTokens;
      if (page.spent.costUsd !== null) spent.costUsd = (spent.costUsd ?? 0) + page.spent.costUsd;
      yield* page.records;
      left -= page.records.length;
      cursor = page.cursor;
    }
  }

  /** Makes the crawl of an archive, or names the one that there is. */
  async startImport(order: Record<string, unknown>): Promise<ImportView> {
    return this.#call("POST", "/api/imports", order);
  }

  /** Sends answers of an archive, as WARC records. Returns how many URLs they settled. */
  async importRecords(id: string, records: Uint8Array): Promise<number> {
    const init = { headers: { "content-type": "application/warc" }, body: records };
    const path = `/api/imports/${encodeURIComponent(id)}/records`;
    // A Worker may lack memory for a moment. The same answers may be sent again.
    const mayPass = ({ status }: ApiAnswer) => status >= 500 && status !== 507;
    for (let waits = 0; ; waits++) {
      const isLast = waits === MAX_WAITS;
      const response = await this.#fetch("POST", path, init, (answer) => answer.ok || (!isLast && mayPass(answer)));
      if (response.ok) return ((await response.json()) as { result: { settled: number } }).result.settled;
      response.cancel();
      await sleep(1_000 * 2 ** waits);
    }
  }

  /** All answers of an archive were sent. */
  async endImport(id: string, leftOut: readonly unknown[]): Promise<CrawlView> {
    return this.#call("POST", `/api/imports/${encodeURIComponent(id)}/end`, { leftOut });
  }

  /** All versions of a URL, newest first, in one crawl or in all. */
  async versions(url: string, crawl: string | undefined): Promise<Pick<VersionsView, "url" | "versions">> {
    const versions: VersionsView["versions"] = [];
    for (let cursor = ""; ; ) {
      const path = `/api/versions${toQuery({ url, crawl, limit: 1000, cursor })}`;
      const page = await this.#call<VersionsView>("GET", path);
      versions.push(...page.versions);
      if (page.cursor === null) return { url: page.url, versions };
      cursor = page.cursor;
    }
  }

  async schedules(): Promise<ScheduleView[]> {
    return this.#call("GET", "/api/schedules");
  }

  async addSchedule(
    cron: string,
    crawl: Record<string, unknown>,
    modifiedWithinS: number | undefined,
  ): Promise<AddedSchedule> {
    return this.#call("POST", "/api/schedules", { cron, crawl, modifiedWithinS });
  }

  /** Returns the entire id. */
  async removeSchedule(id: string): Promise<string> {
    return (await this.#call<{ id: string }>("DELETE", `/api/schedules/${encodeURIComponent(id)}`)).id;
  }

  async sessions(): Promise<SessionView[]> {
    return this.#call("GET", "/api/sessions");
  }

  async bringSession(session: Record<string, unknown>): Promise<SessionView> {
    return this.#call("POST", "/api/sessions", session);
  }

  async checkSession(name: string, asked: { url?: string; signedIn?: string }): Promise<CheckView> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(name)}/check`, asked);
  }

  /** `withCrawls`: those that have used it are deleted, too. */
  async removeSession(name: string, withCrawls = false): Promise<RemovedSessionView> {
    return this.#call("DELETE", `/api/sessions/${encodeURIComponent(name)}${withCrawls ? "?withCrawls=true" : ""}`);
  }

  async webhooks(id: string): Promise<WebhookView[]> {
    return this.#call("GET", `${pathOf(id)}/webhooks`);
  }

  async addWebhook(id: string, webhook: WebhookOrder): Promise<NewWebhookView> {
    return this.#call("POST", `${pathOf(id)}/webhooks`, webhook);
  }

  async changeWebhook(id: string, webhook: string, changes: Partial<WebhookOrder>): Promise<WebhookView> {
    return this.#call("PATCH", `${pathOf(id)}/webhooks/${encodeURIComponent(webhook)}`, changes);
  }

  /** Returns the entire id. */
  async removeWebhook(id: string, webhook: string): Promise<string> {
    return (await this.#call<{ id: string }>("DELETE", `${pathOf(id)}/webhooks/${encodeURIComponent(webhook)}`)).id;
  }

  async testWebhook(id: string, webhook: string): Promise<DeliveryView> {
    return this.#call("POST", `${pathOf(id)}/webhooks/${encodeURIComponent(webhook)}/test`);
  }

  /** The newest deliveries of a crawl. */
  async deliveries(id: string): Promise<DeliveryView[]> {
    return (await this.#call<DeliveriesPage>("GET", `${pathOf(id)}/deliveries`)).deliveries;
  }

  async redeliver(id: string, delivery: string): Promise<DeliveryView> {
    return this.#call("POST", `${pathOf(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`);
  }

  /** Number of batches in flight. Unlike the whole health, it reads no database. */
  async busy(): Promise<number> {
    return ((await (await this.#fetch("GET", "/health")).json()) as { busy: number }).busy;
  }

  /** Batches in flight, the failure of the last one, and the installation's own bill. */
  async health(): Promise<Health> {
    return this.#call("GET", "/api/health");
  }

  /**
   * Sends a message of MCP. The answer is a message of MCP, whatever its status, or a stream of them. `access`: `read`
   * for the tools that read alone.
   */
  async mcp(
    message: string,
    { access, ...init }: { access: "read" | undefined; headers: Record<string, string>; signal: AbortSignal },
  ): Promise<McpAnswer> {
    const response = await this.#send("POST", `/mcp${toQuery({ access })}`, { ...init, body: message });
    if (response.ok) return response;
    const answer = await response.text();
    const text = async () => answer;
    if (answer.includes('"jsonrpc"')) return { headers: response.headers, body: null, text };
    throw await refusalOf({ status: response.status, text }, this.#logs);
  }

  async #call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await this.#fetch(method, path, { ...toInit(body), ...(signal === undefined ? {} : { signal }) });
    return resultOf<T>(await response.json());
  }

  async #fetch(
    method: string,
    path: string,
    init: ApiRequest = {},
    isExpected = ({ ok }: ApiAnswer) => ok,
  ): Promise<ApiAnswer> {
    for (let waits = 0; ; waits++) {
      const send = () => this.#send(method, path, init);
      const mayWait = this.#patience !== null && method === "GET";
      const response = await (mayWait ? outlast(send, this.#patience) : send());
      if (isExpected(response)) return response;
      // The API does not run a request that it answers 429. A download of thousands of pages must wait, not fail.
      if (response.status !== 429 || waits === MAX_WAITS) throw await refusalOf(response, this.#logs);
      response.cancel();
      await sleep(Number(response.headers.get("retry-after")) * 1000);
    }
  }

  /** Follows the redirects of the API itself. Token and body go to no other origin, such as http:// after https://. */
  async #send(method: string, path: string, init: ApiRequest): Promise<ApiAnswer> {
    const headers = { ...init.headers, authorization: `Bearer ${this.#token}` };
    let url = this.#base + path;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#ask(url, { ...init, method, headers });
      const location = KEEPS_METHOD.has(response.status) || method === "GET" ? response.headers.get("location") : null;
      if (response.status < 300 || response.status > 399 || location === null) return response;
      response.cancel();
      const target = URL.parse(location, url);
      if (target?.origin !== new URL(url).origin)
        throw new UserError(`${this.#base} redirects to ${target?.origin ?? location}. Is that the right address?`);
      if (redirects === MAX_REDIRECTS) throw new UserError(`${this.#base} redirects again and again.`);
      url = target.href;
    }
  }

  async #ask(url: string, init: ApiRequest): Promise<ApiAnswer> {
    try {
      return await sendRequest(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      // A name with several addresses has an error for each.
      const [cause] = error instanceof AggregateError ? error.errors : [error];
      throw new Unreachable(`${this.#base} does not answer: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}

/** Says what is missing from an answer. */
function resultOf<T>(answer: unknown): T {
  const { result, messages = [] } = answer as { result: T; messages?: string[] };
  for (const message of messages) console.error(`Warning: ${message}`);
  return result;
}

/** RFC 8288, as our own API writes it. */
function nextOf(response: ApiAnswer): string | undefined {
  return /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
}

function pathOf(id: string): string {
  return `/api/crawls/${encodeURIComponent(id)}`;
}

/** Omits undefined and empty values, and joins lists with commas. */
function toQuery(values: Record<string, unknown>): string {
  const given = Object.entries(values).map(([name, value]) => [name, String(value ?? "")]);
  return `?${new URLSearchParams(given.filter(([, value]) => value !== ""))}`;
}

function toInit(body: unknown): ApiRequest {
  return body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function refusalOf(response: Pick<ApiAnswer, "status" | "text">, logs: string | null): Promise<RefusedRequest> {
  const { status } = response;
  const text = await response.text();
  try {
    const { errors, requestId } = JSON.parse(text) as { errors: Mistake[]; requestId?: string };
    const message = errors.map(nameMistake).join("; ");
    return new RefusedRequest(await explainFailure(message, status, requestId, logs), status, errors);
  } catch {
    const message = `The answer was ${status}: ${text.slice(0, 200)}. Is this the address of an Orbweaver?`;
    return new RefusedRequest(message, status, []);
  }
}

async function explainFailure(
  message: string,
  status: number,
  requestId: string | undefined,
  logs: string | null,
): Promise<string> {
  // A database without room (507) is no fault, and the message says what to do.
  if (status < 500 || status === 507 || requestId === undefined) return message;
  // The runtime calls a full disk an internal error where it cannot open a file.
  const full = logs === null ? null : await describeFullDisk([dirname(logs)]);
  // The log of the Worker has the details under this id.
  return full ?? `${message} Request id: ${requestId}${logs === null ? "" : `; logs: ${logs}`}`;
}
