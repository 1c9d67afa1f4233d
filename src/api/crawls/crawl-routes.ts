import { type Context, Hono } from "hono";
import type { HTTPException } from "hono/http-exception";
import { logWarning } from "../../core/log.ts";
import { readDefaultCost } from "../../crawl/bounds/default-cost.ts";
import { deletionUsd } from "../../crawl/bounds/deletion-cost.ts";
import type { Crawl, Purpose } from "../../crawl/crawl.ts";
import { LATEST, ledgerOf } from "../../crawl/crawl-id.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { cutPage, writePair } from "../../crawl/list-cursor.ts";
import { readPrices } from "../../crawl/page/model-budget.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import { statusOf } from "../../crawl/page/reason.ts";
import { modelProblemOf } from "../../fetch/model/model-settings.ts";
import { mayFetchAddresses } from "../../fetch/transport/http.ts";
import { type Deps, workload } from "../../frontier/deps.ts";
import { askLedgers, atLedger, homeOf, type LedgersDeps, onEachLedger, SilentLedger } from "../../frontier/ledgers.ts";
import { storesOf } from "../../frontier/shards/over-parts.ts";
import { partOfUrl, readWhole, type WholeDeps } from "../../frontier/shards/whole-crawl.ts";
import { deleteCrawl } from "../../lifecycle/delete-crawl.ts";
import type { NewCrawlDeps } from "../../lifecycle/needs.ts";
import { retryCrawl } from "../../lifecycle/retry.ts";
import { amendCrawl, resumeCrawl, startCrawl } from "../../lifecycle/start.ts";
import { cancelByUser, pauseByUser } from "../../lifecycle/stop.ts";
import { contentTypeCharset } from "../../media/characters/charset.ts";
import { kindOf, readableDocuments } from "../../media/kind/kinds.ts";
import { describeSilent, listCrawls, watchesBeside } from "../../reading/all-crawls.ts";
import { explain } from "../../reading/explain/explain.ts";
import { readBrowsableFile } from "../../reading/folder/browsable-file.ts";
import { readFinished } from "../../reading/records/read-finished.ts";
import { readFormats } from "../../reading/records/read-formats.ts";
import { readRecords } from "../../reading/records/read-records.ts";
import { hostsOfWhole, limitsOfWhole } from "../../reading/whole-views.ts";
import { ledgersIn } from "../../store/installation/ledger-bindings.ts";
import { readRenderedPage, readStoredPage } from "../../store/mirror/read-mirror.ts";
import type { Store } from "../../store/store.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { readPrivateAccess } from "../../url/private-access.ts";
import { fileDisposition } from "../exports/file-disposition.ts";
import { wantsMarkdown } from "../exports/wants-markdown.ts";
import { FOREIGN } from "../foreign.ts";
import { viewExplanation } from "../records/explain-schemas.ts";
import { findId, MAX_NAMED_IDS } from "../records/find-by-id.ts";
import { nextLink } from "../records/next-link.ts";
import { readingOfQuery, wholeReadingOf } from "../records/reading-query.ts";
import {
  finishedQuery,
  type PageQuery,
  pageQuery,
  recordsQuery,
  urlQuery,
  viewFormatted,
} from "../records/record-schemas.ts";
import { isoOrNull } from "../requests/fields.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { requireSession } from "../sessions/require-session.ts";
import { crawlRequest, type Installation, toOptions, toUndividedOptions } from "./crawl-request.ts";
import {
  amendRequest,
  type CrawlDetail,
  crawlsQuery,
  type DeletionView,
  deleteQuery,
  REST_OF_LIST,
  retryRequest,
  startQuery,
  viewCrawl,
  viewHost,
  viewRefusals,
  viewSitemaps,
  viewTroubles,
} from "./crawl-schemas.ts";

/** /api/crawls: crawls, their records and their pages. */

type Api = { Bindings: Env };
/** Maximum number of unreadable sitemaps in the answer about a crawl. */
const MAX_PROBLEMS = 10;
/** Of a UUID. */
const ID_LENGTH = 36;

const NOT_BY_LIST =
  "A crawl over several ledgers cannot take its seeds from a list: the list is taken in one ledger. Give all seeds in one request, or one ledger.";

export const crawlRoutes = new Hono<Api>();

/** RFC 8288: `Link: <...>; rel="next"` names the next page of results. The last one has none. */
crawlRoutes.get("/", async (c) => {
  const { cursor, limit, all } = crawlsQuery.parse(c.req.query());
  const { found: crawls, silent } = await listCrawls(c.var.deps, limit + 1, cursor, all);
  const { page, cursor: next } = cutPage(crawls, limit, ({ createdAt, id }) => writePair(createdAt, id));
  if (next !== null) c.header("link", nextLink(c.req.url, next));
  const result = (await Promise.all(page.map((crawl) => wholeOrHome(crawl, c.var.deps)))).map(viewCrawl);
  return c.json({ success: true, result, errors: [], messages: describeSilent(silent) });
});

/** A list has each crawl, though a ledger does not answer; then it has the counters of the home alone. */
async function wholeOrHome(crawl: Crawl, deps: WholeDeps): Promise<Crawl> {
  return readWhole(crawl, deps).catch((error: unknown) => {
    logWarning("parts-not-read", { crawl: crawl.id, error: String(error) });
    return { ...crawl, waitingFor: "a ledger that does not answer: the numbers are those of one part" };
  });
}

crawlRoutes.post("/", async (c) => {
  const { list } = startQuery.parse(c.req.query());
  const request = crawlRequest.parse(await c.req.json());
  const installation = installationOf(c.env);
  const options =
    list === undefined
      ? toOptions(request, installation)
      : toUndividedOptions(request, installation, NOT_BY_LIST, "shards");
  await requireSession(options, c.var.deps);
  const taking = list === undefined ? null : await takingList(list, options, c.var.deps);
  if (taking !== null) return c.json({ success: true, result: { id: taking.id } }, 201);
  const id = await startWith(options, c.var.deps, "crawl", list);
  const messages = options.watch === null ? [] : await describeBeside(id, openHome(c, id));
  return c.json({ success: true, result: { id, ...secretOf(options) }, errors: [], messages }, 201);
});

crawlRoutes.get("/:id", async (c) => {
  const crawl = await wholeCrawlOf(c);
  const { deps } = c.var;
  const [{ refusals, fullHosts, slowed, sitemaps }, hosts, pages, beside] = await Promise.all([
    limitsOfWhole(crawl, MAX_PROBLEMS, deps),
    deps.watchHosts.troubled(crawl.id, deps.clock.now(), MAX_PROBLEMS),
    deps.pageTroubles.list(crawl.id, MAX_PROBLEMS),
    watchesBeside(crawl, deps),
  ]);
  const result: CrawlDetail = {
    ...viewCrawl(crawl),
    sitemaps: viewSitemaps(sitemaps),
    refused: viewRefusals(refusals),
    fullHosts,
    slowed,
    troubledHosts: viewTroubles(hosts),
    troubledPages: viewTroubles(pages),
    watchesBeside: beside,
  };
  return c.json({ success: true, result });
});

crawlRoutes.get("/:id/records", async (c) => {
  const { clean: _, rawText, chunkTokens, ...query } = recordsQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const how = { formats: query.formats, rawText, chunkTokens };
  const { records, cursor } = await readRecords(crawl, query, await wholeReadingOf(crawl, how, c.var.deps));
  return c.json({ success: true, result: { records: records.map(viewFormatted), cursor } });
});

crawlRoutes.get("/:id/records/finished", async (c) => {
  const { clean: _, rawText, chunkTokens, ...query } = finishedQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const reading = await wholeReadingOf(crawl, { formats: query.formats, rawText, chunkTokens }, c.var.deps);
  const { records, ...rest } = await readFinished(crawl, query, reading);
  return c.json({ success: true, result: { records: records.map(viewFormatted), ...rest } });
});

/**
 * A page as the server sent it, or in a format; without one, as Markdown for a client that prefers it. It is untrusted
 * content, so its headers keep it from running in our origin.
 */
crawlRoutes.get("/:id/page", async (c) => {
  const query = pageQuery.parse(c.req.query());
  const url = canonicalize(query.url);
  if (url === null) throw refusal(404, "The page needs an http or https URL: ?url=https://...");
  const crawl = await crawlWithUrl(c, url);
  const isNegotiated = query.format === undefined;
  const page =
    (isNegotiated && wantsMarkdown(c) ? await markdownOf(query, c, crawl, url) : null) ??
    (await readPage(query, c, crawl, url));
  if (isNegotiated) page?.headers.set("vary", "accept");
  if (page === null) throw refusal(404, `The mirror holds no page for ${url} in this crawl.`);
  return page;
});

/** Null for what has no Markdown, such as an image. */
async function markdownOf(query: PageQuery, c: Context<Api>, crawl: Crawl, url: string): Promise<Response | null> {
  return pageIn({ ...query, format: "markdown" }, c, crawl, url);
}

async function readPage(
  { format, ...how }: Omit<PageQuery, "url">,
  c: Context<Api>,
  crawl: Crawl,
  url: string,
): Promise<Response | null> {
  if (format === undefined) return wholePage(url, await readStoredPage(crawl, url, c.var.deps));
  if (format === "drawn") return wholePage(url, await readRenderedPage(crawl, url, c.var.deps));
  return format === "browsable" ? browsablePage(c, crawl, url) : pageIn({ format, ...how }, c, crawl, url);
}

function wholePage(url: string, page: StoredPage | null): Response | null {
  if (page === null) return null;
  const isFile = kindOf(page.contentType).replay === "bytes";
  return new Response(page.body, {
    headers: {
      ...FOREIGN,
      "content-type": servableType(page.contentType),
      ...(isFile ? { "content-disposition": fileDisposition(url, page.contentType) } : {}),
    },
  });
}

/** No browser may open it here: its links lead to files, and its scripts are not ours. */
async function browsablePage(c: Context<Api>, crawl: Crawl, url: string): Promise<Response | null> {
  const file = await readBrowsableFile(crawl, url, storesOf(crawl, c.var.deps));
  if (file === null) return null;
  return new Response(file.body, {
    headers: {
      ...FOREIGN,
      "content-type": "application/octet-stream",
      "x-file-path": file.path,
      "x-file-links": file.isRewritten ? "rewritten" : "as-received",
    },
  });
}

const TEXT_FORMATS: Partial<Record<Format, string>> = {
  html: "text/html",
  rawHtml: "text/html",
  markdown: "text/markdown",
  text: "text/plain",
};

async function pageIn(
  { format, ...how }: Omit<PageQuery, "url" | "format"> & { format: Format },
  c: Context<Api>,
  crawl: Crawl,
  url: string,
): Promise<Response | null> {
  const reading = await readingOfQuery(crawl, { ...how, formats: [format] }, c.var.deps);
  const read = await readFormats(crawl, url, [format], reading);
  if (read === null) return null;
  const { template } = read.formatted;
  if (template != null) c.header("x-template", `pages=${template.pages}, removed=${template.removed}`);
  const value = read.formatted[format];
  const type = TEXT_FORMATS[format];
  if (type === undefined) return c.json({ success: true, result: value });
  return c.body(String(value), { headers: { ...FOREIGN, "content-type": `${type}; charset=utf-8` } });
}

/**
 * wrangler's local proxy sends HTML through HTMLRewriter, which answers 500 for encodings that it does not know or that
 * are not supersets of ASCII. These encodings are left out.
 */
function servableType(contentType = "application/octet-stream"): string {
  const [type = ""] = contentType.split(";", 1);
  const encoding = contentTypeCharset(contentType);
  return encoding === null || /^(?:utf-16|iso-2022)/.test(encoding) ? type : `${type}; charset=${encoding}`;
}

crawlRoutes.get("/:id/hosts", async (c) => {
  const crawl = await anyCrawlOf(c);
  const now = c.var.deps.clock.now();
  const hosts = await hostsOfWhole(crawl, c.var.deps);
  return c.json({ success: true, result: hosts.map((host) => viewHost(host, now)) });
});

crawlRoutes.get("/:id/explain", async (c) => {
  const { url } = urlQuery.parse(c.req.query());
  const canonical = canonicalize(url.trim());
  const crawl = await (canonical === null ? wholeCrawlOf(c) : crawlWithUrl(c, canonical));
  const explanation = await explain(url, { crawl }, c.var.deps, installationOf(c.env).privateAccess);
  return c.json({ success: true, result: viewExplanation(explanation) });
});

crawlRoutes.patch("/:id", async (c) => {
  const limits = amendRequest.parse(await c.req.json());
  const crawl = await anyCrawlOf(c);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  if ((limits.modelCostUsd ?? 0) > 0 && readPrices(crawl.options.modelPrices) === null)
    throw new RequestProblem("no-prices", "The crawl has no prices of its model: give modelCalls.", "modelCostUsd");
  if (!(await amendCrawl(crawl, given, c.var.deps))) throw conflict(crawl, "changed");
  return c.json({ success: true, result: viewCrawl(await steeredCrawlOf(c, "changed")) });
});

crawlRoutes.post("/:id/pause", async (c) => {
  const crawl = await anyCrawlOf(c);
  if (!(await pauseByUser(crawl, c.var.deps))) throw conflict(crawl, "paused");
  return c.json({ success: true, result: viewCrawl(await steeredCrawlOf(c, "paused")) });
});

/** The crawl after that. A part whose ledger is silent follows with a later heartbeat, and the answer says so. */
async function steeredCrawlOf(c: Context<Api>, verb: string): Promise<Crawl> {
  try {
    return await wholeCrawlOf(c);
  } catch (error) {
    if (!(error instanceof SilentLedger)) throw error;
    throw new SilentLedger(error.ledger, `The crawl is ${verb}, and its part there will be once it answers.`);
  }
}

/**
 * Resumes a paused crawl. The queued URLs of a running crawl are sent again under a new epoch, which helps after a
 * kill.
 */
crawlRoutes.post("/:id/resume", async (c) => {
  const crawl = await wholeCrawlOf(c);
  refuseImport(crawl, "resumed", "Import the same files again: the import goes on where it was interrupted.");
  if (crawl.takesList) throw refusal(409, `This crawl waits for ${REST_OF_LIST}`);
  if (!(await resumeCrawl(crawl.id, c.var.deps))) throw conflict(crawl, "resumed");
  return c.json({ success: true, result: viewCrawl(await wholeCrawlOf(c)) });
});

crawlRoutes.post("/:id/cancel", async (c) => {
  const crawl = await anyCrawlOf(c);
  if (!(await cancelByUser(crawl, c.var.deps))) throw conflict(crawl, "cancelled");
  return c.json({ success: true, result: viewCrawl(await steeredCrawlOf(c, "cancelled")) });
});

/** Without a body, this retries all errored URLs. */
crawlRoutes.post("/:id/retry", async (c) => {
  const text = await c.req.text();
  const { status, reason, limit } = retryRequest.parse(text === "" ? {} : JSON.parse(text));
  const crawl = await wholeCrawlOf(c);
  refuseImport(crawl, "retried", "Crawl the URLs to fetch them.");
  const retry = {
    status: status ?? (reason === undefined ? "errored" : statusOf(reason)),
    reason: reason ?? null,
    limit: limit ?? null,
  };
  const answer = await retryCrawl(crawl, retry, c.var.deps);
  if (answer.kind === "full")
    throw refusal(409, `This crawl has reached its page limit of ${crawl.options.limit}: send a higher limit.`);
  if (answer.kind === "ending") throw refusal(409, "This crawl is still being cancelled: try again in a minute.");
  return c.json({ success: true, result: { retried: answer.retried, crawl: viewCrawl(await wholeCrawlOf(c)) } });
});

crawlRoutes.delete("/:id", async (c) => {
  const given = c.req.param("id");
  const { force } = deleteQuery.parse(c.req.query());
  // Locally, where `BOOT` is set, all batches in flight are in this isolate.
  const isQuiet = () => c.env.BOOT !== undefined && workload.batches === 0;
  const ids = await idsBeginning(given, c.var.deps);
  // A crawl whose deletion has begun is in no list: it is named by its entire id.
  const named = ids.length === 0 ? given : findId("crawl", given, ids);
  const known = await openHome(c, named).ledger.crawl(named);
  const id = known?.shards?.home ?? named;
  const deps = openHome(c, id);
  // Without the numbers of all parts there is no price.
  const crawl = known === null ? null : await readWhole(known, deps).catch(nullIfSilent);
  const deletion = await deleteCrawl(id, force, deps, isQuiet);
  if (deletion.kind === "none") throw refusal(404, `There is no crawl ${id}.`);
  if (deletion.kind === "running")
    throw refusal(409, "This crawl is running: cancel it first, or delete it with force.");
  const { done, waitsUntil } = deletion;
  const cost = crawl === null ? null : deletionUsd(crawl);
  const result: DeletionView = { id, done, waitsUntil: isoOrNull(waitsUntil), costUsd: cost };
  return c.json({ success: true, result }, 202);
});

function nullIfSilent(error: unknown): null {
  if (error instanceof SilentLedger) return null;
  throw error;
}

/**
 * The crawl in the path, which is in one ledger. From here on the dependencies of the request are those on its ledger.
 * Throws 404, and 409 for a crawl over several ledgers.
 */
export async function crawlOf(c: Context<Api>): Promise<Crawl> {
  const crawl = await findCrawl(c.req.param("id") ?? "", c.var.deps);
  openHome(c, crawl.id);
  return crawl;
}

/** Likewise for any crawl: of one over several ledgers, its home. Throws 404. */
export async function anyCrawlOf(c: Context<Api>): Promise<Crawl> {
  const crawl = await findAnyCrawl(c.req.param("id") ?? "", c.var.deps);
  openHome(c, crawl.id);
  return crawl;
}

/** Likewise, with the counters of all parts. Throws 404. */
export async function wholeCrawlOf(c: Context<Api>): Promise<Crawl> {
  return readWhole(await anyCrawlOf(c), c.var.deps);
}

/**
 * The crawl in the path, or its part that has this canonical URL: from here on the dependencies of the request are
 * those on its ledger. Throws 404.
 */
export async function crawlWithUrl(c: Context<Api>, url: string): Promise<Crawl> {
  const crawl = await anyCrawlOf(c);
  const found = await partOfUrl(crawl, url, c.var.deps);
  if (found === null) throw refusal(404, `Crawl ${crawl.id} has no part for this URL yet: try again in a minute.`);
  c.set("deps", found.deps);
  return found.crawl;
}

/** The dependencies on the ledger of a crawl, for the rest of the request too. Throws 404 if that is not bound. */
export function openHome(c: Context<Api>, crawl: string): Deps {
  if (!c.var.deps.ledgers.has(ledgerOf(crawl))) throw refusal(404, `There is no crawl ${crawl}.`);
  c.set("deps", homeOf(c.var.deps, crawl));
  return c.var.deps;
}

/** Finds crawls. */
export type FindDeps = LedgersDeps & Pick<Store, "ledger">;

/** The newest crawl, which `latest` names. Throws 404 if there is none. */
export async function newestCrawl(deps: FindDeps): Promise<Crawl> {
  const [newest] = (await listCrawls(deps, 1)).found;
  if (newest === undefined) throw refusal(404, "There is no crawl yet.");
  return newest;
}

/**
 * The crawl with this id, or with an id that begins so, or the newest one for `latest`. Throws 404, and 409 for a crawl
 * over several ledgers, of which most doors would read one part alone.
 */
export async function findCrawl(given: string, deps: FindDeps): Promise<Crawl> {
  const crawl = await findAnyCrawl(given, deps);
  if (crawl.shards === null) return crawl;
  throw refusal(
    409,
    `Crawl ${crawl.id} is divided among ${crawl.shards.ledgers.length} ledgers, and this is for crawls in one ledger: watches with their changes, webhooks, values by a model, and the APIs of Cloudflare and Firecrawl.`,
  );
}

/** Likewise for any crawl. The id of a part names its crawl. */
export async function findAnyCrawl(given: string, deps: FindDeps): Promise<Crawl> {
  if (given === LATEST) return newestCrawl(deps);
  // A whole id names its ledger, so no other is asked.
  const ledger = ledgerOf(given);
  const crawl = deps.ledgers.has(ledger) ? await atLedger(deps, ledger).ledger.crawl(given) : null;
  if (crawl !== null) return seenCrawl(crawl, deps);
  const id = findId("crawl", given, await idsBeginning(given, deps));
  const found = await homeOf(deps, id).ledger.crawl(id);
  // It was deleted meanwhile.
  if (found === null) throw refusal(404, `There is no crawl ${id}.`);
  return found;
}

/** People see a crawl over several ledgers as its home. */
async function seenCrawl(crawl: Crawl, deps: FindDeps): Promise<Crawl> {
  const { id, shards } = crawl;
  if (shards === null || shards.home === id) return crawl;
  const home = await homeOf(deps, shards.home).ledger.crawl(shards.home);
  if (home === null) throw refusal(404, `There is no crawl ${id}.`);
  return home;
}

/** Ids that begin so, or at least the first ones, in all ledgers that answer. A whole id is looked for in its own. */
async function idsBeginning(given: string, deps: FindDeps): Promise<string[]> {
  if (given.length >= ID_LENGTH) {
    const ledger = ledgerOf(given);
    return deps.ledgers.has(ledger) ? atLedger(deps, ledger).ledger.idsBeginning(given, MAX_NAMED_IDS) : [];
  }
  const { answers } = await askLedgers(deps, ({ ledger }) => ledger.idsBeginning(given, MAX_NAMED_IDS));
  return answers.flat().sort().slice(0, MAX_NAMED_IDS);
}

/** A sentence for each other watch of the same seeds. */
async function describeBeside(id: string, deps: FindDeps): Promise<string[]> {
  const crawl = await deps.ledger.crawl(id);
  return (crawl === null ? [] : await watchesBeside(crawl, deps)).map(
    (other) => `The watch ${other} has the same seeds and goes on: the hosts are asked twice, and all is told twice.`,
  );
}

/** Seals the secret values of a crawl, starts it and returns its id. `list`: as in startCrawl. Throws SealProblem. */
export async function startWith(
  options: CrawlOptions,
  deps: NewCrawlDeps & Pick<Store, "sealedValues">,
  purpose?: Purpose,
  list?: string,
): Promise<string> {
  const id = await startCrawl(await deps.sealedValues.sealOptions(options), deps, undefined, purpose, list);
  if (id === null) throw new Error("a crawl without a schedule was not made");
  return id;
}

/** The crawl that waits for the list of this name; null if there is none. Throws RequestProblem. */
async function takingList(
  list: string,
  options: CrawlOptions,
  deps: LedgersDeps & Pick<Store, "lists">,
): Promise<Crawl | null> {
  if (options.belowSeeds)
    throw new RequestProblem(
      "invalid-request",
      "With a list, no path of a seed can bound the others: leave out belowSeeds, and give includePatterns.",
      "options.belowSeeds",
    );
  // A ledger that does not answer may have it, so this fails then.
  const taking = await Promise.all(onEachLedger(deps).map(({ lists }) => lists.taking(list)));
  return taking.flatMap((crawl) => crawl ?? []).sort((a, b) => b.createdAt - a.createdAt)[0] ?? null;
}

/** The secret of the webhook that a request makes, for the answer to it; nothing if it makes none. */
export function secretOf({ webhook }: CrawlOptions): { webhookSecret?: string } {
  return webhook === null ? {} : { webhookSecret: webhook.secret };
}

export function installationOf(env: Env): Installation {
  return {
    userAgent: env.USER_AGENT,
    store: (env.STORE as string) === "files" ? "files" : "warc",
    maxCostUsd: readDefaultCost(env.MAX_COST_USD),
    documents: readableDocuments(env.READER !== undefined),
    privateAccess: readPrivateAccess(env.ALLOW_PRIVATE),
    allowAddresses: mayFetchAddresses(env),
    hasHook: env.HOOK !== undefined,
    ledgers: ledgersIn(env).length,
    model: { problem: modelProblemOf(env), prices: env.MODEL_PRICES ?? "" },
  };
}

/** Throws 409 for a crawl whose answers come from an archive. `instead`: what somebody can do, as a sentence. */
export function refuseImport({ purpose, imported }: Crawl, done: string, instead: string): void {
  if (purpose !== "import") return;
  const from = imported === null ? "an archive" : imported.name;
  throw refusal(
    409,
    `This crawl holds the answers of ${from} and fetches nothing, so it cannot be ${done}. ${instead}`,
  );
}

/** The error for an action that the crawl's status does not allow. */
export function conflict(crawl: Crawl, done: string): HTTPException {
  return refusal(409, `This crawl is ${crawl.status.replaceAll("_", " ")}, so it cannot be ${done}.`);
}
