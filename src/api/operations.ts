import * as z from "zod";
import { DIRECTORY_PATH, DIRECTORY_TYPE } from "../fetch/request/key-directory.ts";
import { failureView, health, openapiView, openHealth } from "./access/installation-schemas.ts";
import { ownershipQuery, ownershipView } from "./access/ownership-schemas.ts";
import {
  classificationRequest,
  classificationView,
  startedClassificationView,
} from "./analysis/classification-schemas.ts";
import { extractionQuery, extractionView } from "./analysis/extraction-schemas.ts";
import { extractRequest, extractView, storedExtractRequest, storedExtractView } from "./analysis/extract-schemas.ts";
import { fieldsRequest, fieldsView, storedFieldsRequest, storedFieldsView } from "./analysis/field-schemas.ts";
import {
  findingsQuery,
  findingsView,
  ignoreListRequest,
  ignoreListView,
  reportFileQuery,
} from "./analysis/finding-schemas.ts";
import { inlinksQuery, inlinksView } from "./analysis/inlinks-schemas.ts";
import { markedView, markRequest, marksQuery, marksView } from "./analysis/mark-schemas.ts";
import { passRequest, passView, reindexPriceView, startedPassView } from "./analysis/pass-schemas.ts";
import { reportView, treeQuery, treeView } from "./analysis/report-schemas.ts";
import { searchQuery, searchView } from "./analysis/search-schemas.ts";
import { sectionsView } from "./analysis/section-schemas.ts";
import { topicView } from "./analysis/topic-schemas.ts";
import { changesQuery, changesView, newestQuery, newestView } from "./changes/change-schemas.ts";
import { diffQuery, diffView } from "./changes/diff-schemas.ts";
import { feedView } from "./changes/feed-schemas.ts";
import { indexnowQuery, indexnowRequest, indexnowView } from "./changes/indexnow-schemas.ts";
import { monthView } from "./changes/month-schemas.ts";
import { NOTICES } from "./changes/notice-schemas.ts";
import { versionsQuery, versionsView } from "./changes/version-schemas.ts";
import { visitsView } from "./changes/visits-schemas.ts";
import {
  deliveriesPage,
  deliveriesQuery,
  deliveryView,
  newWebhookView,
  removedWebhookView,
  webhookChange,
  webhookRequest,
  webhookView,
} from "./changes/webhook-schemas.ts";
import {
  cloudflareCancelled,
  cloudflareCrawl,
  cloudflareMessages,
  cloudflareQuery,
  cloudflareRequest,
} from "./cloudflare/cloudflare-schemas.ts";
import { crawlRequest, watchRequest } from "./crawls/crawl-request.ts";
import {
  amendRequest,
  crawlDetail,
  crawlOptions,
  crawlsQuery,
  crawlView,
  deleteQuery,
  deletionView,
  hostView,
  retryRequest,
  retryView,
  startedView,
  watchesBesideMessages,
  startQuery,
} from "./crawls/crawl-schemas.ts";
import { listRequest, listView } from "./crawls/list-schemas.ts";
import { topicsView } from "./crawls/page-group-schemas.ts";
import { robotsQuery, robotsView } from "./crawls/robots-schemas.ts";
import { addedSchedule, removedView, scheduleRequest, scheduleView } from "./crawls/schedule-schemas.ts";
import { backgroundList, backgroundQuery, startedBackgroundView } from "./exports/background-schemas.ts";
import { deltaQuery } from "./exports/delta-schemas.ts";
import { exportQuery } from "./exports/export-formats.ts";
import { firecrawlDocument, firecrawlFailureView } from "./firecrawl/firecrawl-answers.ts";
import { FIRECRAWL_OPERATIONS } from "./firecrawl/firecrawl-operations.ts";
import { batchRequest, crawlRequestV2, mapRequest, scrapeRequest } from "./firecrawl/requests/firecrawl-requests.ts";
import { importEnd, importedView, importRequest, importView } from "./imports/import-schemas.ts";
import { mcpQuery } from "./mcp/mcp-schemas.ts";
import { explainRequest, explainView } from "./records/explain-schemas.ts";
import {
  finishedPage,
  finishedQuery,
  pageQuery,
  recordDetailView,
  recordsPage,
  recordsQuery,
  recordView,
  urlQuery,
} from "./records/record-schemas.ts";
import { silentLedgers } from "./requests/fields.ts";
import { type Operation, operationsIn } from "./requests/operation.ts";
import {
  checkRequest,
  checkView,
  removedSessionView,
  removeSessionQuery,
  sessionRequest,
  sessionView,
} from "./sessions/session-schemas.ts";

/**
 * All routes of the API: /openapi.json and docs/api.md are made from this list, and a test fails for a route that is
 * missing. A test sends the example of each operation and checks the answer against its schema.
 */

const CRAWL = "/api/crawls/:id";
const CLOUDFLARE = "/client/v4/accounts/:account/browser-rendering/crawl";
const CLOUDFLARE_RUN = "/client/v4/accounts/:account/browser-run/crawl";
const SEED = "https://example.com/";

const crawls = operationsIn("crawls");
const webhooks = operationsIn("webhooks");
const schedules = operationsIn("schedules");
const sessions = operationsIn("sessions");
const explain = operationsIn("explain");
const fields = operationsIn("fields");
const extract = operationsIn("extract");
const installation = operationsIn("installation");
const cloudflare = operationsIn("cloudflare");

/** Requests and answers that have a name in the description. All others are written out where they are used. */
export const REQUESTS = {
  CrawlRequest: crawlRequest,
  AmendRequest: amendRequest,
  RetryRequest: retryRequest,
  ListRequest: listRequest,
  ImportRequest: importRequest,
  ImportEnd: importEnd,
  PassRequest: passRequest,
  ExportRequest: backgroundQuery,
  MarkRequest: markRequest,
  ClassificationRequest: classificationRequest,
  WebhookRequest: webhookRequest,
  WebhookChange: webhookChange,
  ScheduleRequest: scheduleRequest,
  SessionRequest: sessionRequest,
  ExplainRequest: explainRequest,
  FieldsRequest: fieldsRequest,
  ExtractRequest: extractRequest,
  CloudflareRequest: cloudflareRequest,
  FirecrawlScrapeRequest: scrapeRequest,
  FirecrawlCrawlRequest: crawlRequestV2,
  FirecrawlBatchRequest: batchRequest,
  FirecrawlMapRequest: mapRequest,
};
export const ANSWERS = {
  Crawl: crawlView,
  CrawlOptions: crawlOptions,
  CrawlDetail: crawlDetail,
  Record: recordView,
  Robots: robotsView,
  RecordDetail: recordDetailView,
  TreeLevel: treeView,
  Report: reportView,
  Host: hostView,
  Explanation: explainView,
  Fields: fieldsView,
  ExtractedPage: extractView,
  Webhook: webhookView,
  Delivery: deliveryView,
  ...NOTICES,
  Schedule: scheduleView,
  Session: sessionView,
  SessionCheckRequest: checkRequest,
  SessionCheck: checkView,
  Deletion: deletionView,
  Pass: passView,
  Failure: failureView,
  FirecrawlDocument: firecrawlDocument,
  FirecrawlFailure: firecrawlFailureView,
};

const INDEXNOW =
  "The request of an owner by [IndexNow](https://www.indexnow.org/documentation), without a token. A file on the host must hold the key, and keys alone. The heartbeat reads it. Known pages become due as far as the watch's budget allows, and new ones in scope are crawled. docs/watch.md says what is bounded. The body has at most 128 KiB.";
const SUBMITTED =
  "The URLs were received. It is the same for hosts that no watch has. Status 200 instead of 202 says that the key is known to be valid.";

export const OPERATIONS: readonly Operation[] = [
  crawls.post("startCrawl", "/api/crawls", "Start a crawl", {
    detail:
      "The crawl starts at once. It ends when no URL in scope is left, or when it reaches its page limit. With `list`, it waits until all of its seeds are there.",
    query: startQuery,
    body: crawlRequest,
    answer: { status: 201, says: "The crawl was started.", result: startedView, messages: watchesBesideMessages },
    example: { body: { url: SEED, limit: 100, options: { excludePatterns: ["/private/**"] } } },
    refuses: [507],
  }),
  crawls.get("listCrawls", "/api/crawls", "List the crawls", {
    detail:
      'Newest first. The header `Link: <...>; rel="next"` names the next page of results; the last one has no such header.',
    query: crawlsQuery,
    answer: { status: 200, says: "The crawls.", result: z.array(crawlView), messages: silentLedgers },
  }),
  crawls.get("showCrawl", CRAWL, "Show a crawl", {
    detail: "The answer includes the crawl's sitemaps and the links that scope refused.",
    answer: { status: 200, says: "The crawl.", result: crawlDetail },
  }),
  crawls.get("followCrawl", `${CRAWL}/events`, "Follow a crawl", {
    detail:
      "Server-sent events. `crawl` comes at once and after each change, at most once a second. It has the crawl as in `GET /api/crawls/:id`, without sitemaps and refused links. `end` comes when the crawl has ended or was deleted. The connection is closed after five minutes; connect again to continue.",
    answer: { status: 200, says: "The events.", file: "text/event-stream" },
  }),
  crawls.get("listRecords", `${CRAWL}/records`, "List a crawl's URLs", {
    detail:
      "Records in the order of their URLs, or in another order. To get the next page of results, send the `cursor` of the answer with the same `sort` and `order`. With `formats`, an answer has at most 10 MB, 200 records and 24 pages whose formats have to be made first.",
    query: recordsQuery,
    answer: { status: 200, says: "The records, and the cursor of the next page of results.", result: recordsPage },
    example: { query: { status: "completed", limit: "100", formats: "markdown,links" } },
  }),
  crawls.get("listFinished", `${CRAWL}/records/finished`, "Follow a crawl's URLs", {
    detail:
      "Records in the order in which their URLs finished, while the crawl runs and afterwards. Send the `cursor` of each answer with the next request: so each page comes once, and none is lost, also after a break. A URL that was skipped or failed, and that the crawl opens again, comes again with its new outcome; visits of a watch are in `changes`. URLs that an earlier version finished come at the end. The limits of an answer are those of `GET /api/crawls/:id/records`.",
    query: finishedQuery,
    answer: { status: 200, says: "The records, and the cursor of what finishes next.", result: finishedPage },
    example: { query: { status: "completed", limit: "100", formats: "markdown" } },
  }),
  crawls.get("reportCrawl", `${CRAWL}/report`, "Count a crawl's URLs", {
    detail:
      "Number of URLs by status code, type, depth, reason and host, with the newest pages, the newest errors and the history. A client may request it every few seconds: an answer is a few seconds old, or older if counting takes long.",
    answer: { status: 200, says: "The counts.", result: reportView },
  }),
  crawls.get("showRecord", `${CRAWL}/record`, "Show one URL of a crawl", {
    detail: "The answer includes the path from the seed, and the URLs that were first found on the page.",
    query: urlQuery,
    answer: { status: 200, says: "The record.", result: recordDetailView },
    example: { query: { url: SEED } },
  }),
  crawls.get("listTree", `${CRAWL}/tree`, "Show a crawl's URLs as a tree", {
    detail:
      "One level of the tree: the hosts, or the children of a path. To get the children of a segment that ends with a slash, append it to the path.",
    query: treeQuery,
    answer: { status: 200, says: "The children.", result: treeView },
    example: { query: { path: SEED } },
  }),
  crawls.get("readPage", `${CRAWL}/page`, "Read a page from the mirror", {
    detail:
      "Without `format`: the body as the server sent it, decompressed. A format that does not exist yet is made and stored. `json`, `links` and `headers` are the `result` of the usual JSON answer. The other formats are the body of the answer, with headers that stop a browser from running them. `browsable` is a page or asset as a file of a folder that opens offline, with relative links to the other files. `X-File-Path` is its path in that folder. `X-File-Links` is `rewritten`, or `as-received` if the links of this page cannot be rewritten. `drawn` is the page as a browser drew it, or as the server sent it if none did.",
    query: pageQuery,
    answer: { status: 200, says: "The page.", file: "*/*" },
    example: { query: { url: SEED, format: "markdown" } },
  }),
  crawls.get("showScreenshot", `${CRAWL}/screenshot`, "Show the picture of a page", {
    detail:
      "A JPEG of the page as a browser drew it: as wide as the window, up to 4,000 pixels high, and at most 2 MB. Only crawls with `screenshot` have pictures, and only of pages that a browser drew.",
    query: urlQuery,
    answer: { status: 200, says: "The picture.", file: "image/jpeg" },
    example: { query: { url: SEED } },
  }),
  crawls.get("replayPage", "/replay/:id/:url{.+}", "Look at a mirrored page in a browser", {
    detail:
      "The page as it looked, with links into the mirror, in a sandbox without scripts. Of a page that a browser drew, it shows what was drawn. The answer redirects to an address with a key. With this key, the page and all that it loads can be read for twelve hours without a token. For a URL that is not in the mirror, a page with status 404 says why. This is the TimeGate of the URL ([RFC 7089](https://www.rfc-editor.org/rfc/rfc7089), section 4.2.2): with `Accept-Datetime`, the answer of the address with the key is the page as it was then, and `Content-Location` names its own address.",
    answer: { status: 302, says: "`Location` is the address of the page.", file: "*/*" },
    example: { path: { url: SEED } },
  }),
  crawls.get("replayMemento", "/replay/:id/:time{\\d+}/:url{.+}", "Look at a mirrored page as it was at a time", {
    detail:
      "The version that the crawl had at this time, or its first version. Links in the page keep the time. The headers are those of a memento: `Memento-Datetime`, and `Link` to the original, the TimeGate, the TimeMap and other versions.",
    answer: { status: 302, says: "`Location` is the address of the page, with a key.", file: "*/*" },
    example: { path: { time: "2026", url: SEED } },
  }),
  crawls.get("listMementos", "/replay/:id/timemap/:format/:url{.+}", "List the versions of a URL as a TimeMap", {
    detail:
      "All versions of the URL that this crawl can show, oldest first: RFC 7089, section 5. A long list has several parts of 1,000 versions, and each part names the next one.",
    answer: { status: 200, says: "The TimeMap.", file: "*/*" },
    example: { path: { format: "link", url: SEED } },
  }),
  crawls.get("exportCrawl", `${CRAWL}/export`, "Export a crawl", {
    detail:
      'The whole crawl as one stream. An answer that breaks off has no clean end: it lacks its last chunk, or the number of bytes that it promised. On Cloudflare a request may do only so much; an export that needs more is refused, and the message says what to do. With `parts`, the crawl comes in parts: `Link: <...>; rel="next"` names the next one, and the last has no such header. All parts, joined in order, are one file. Only a sitemap is different: each part is a file of its own.',
    query: exportQuery,
    answer: { status: 200, says: "A file, or a part of one.", file: "*/*" },
    refuses: [409],
    example: { query: { format: "csv" } },
  }),
  crawls.post("startExport", `${CRAWL}/exports`, "Export a crawl in the background", {
    detail:
      "A pass makes the file in steps, for exports that are longer than one request may read. `GET /api/crawls/:id/exports` shows how far it is, and where the file is then. It goes on where it was interrupted. A crawl has one such file: a new one replaces it, and it goes with the crawl. A running crawl is refused; pause it, or wait for its end. It costs at most 5.78 USD per million pages.",
    body: backgroundQuery,
    answer: { status: 202, says: "The export.", result: startedBackgroundView },
    refuses: [409],
    example: { body: { format: "markdown" } },
  }),
  crawls.get("listExports", `${CRAWL}/exports`, "List the exports in the background", {
    answer: { status: 200, says: "The exports, newest first.", result: backgroundList },
  }),
  crawls.get("downloadExport", `${CRAWL}/exports/:export/file`, "Download a file that was made in the background", {
    detail: "The whole file, with its size. An interrupted download continues with `Range: bytes=N-`.",
    answer: { status: 200, says: "The file.", file: "*/*" },
    refuses: [404],
  }),
  crawls.get("listHosts", `${CRAWL}/hosts`, "Show what a crawl's hosts wait for", {
    detail: "At most 25 hosts, those with the most queued URLs first. This sends no request to any host.",
    answer: { status: 200, says: "The hosts.", result: z.array(hostView) },
  }),
  crawls.get("showRobots", `${CRAWL}/robots`, "Show a robots.txt as it was read", {
    detail:
      "The stored robots.txt, which all crawls share, and what it says about a URL for this crawl, including content signals. This sends no request to any host. The state is `unread` if no crawl has requested it.",
    query: robotsQuery,
    answer: { status: 200, says: "The robots.txt.", result: robotsView },
    example: { query: { url: `${SEED}private/` } },
  }),
  crawls.post("addSeeds", `${CRAWL}/urls`, "Send a list of seeds", {
    detail:
      "For a crawl that was begun with `POST /api/crawls?list=NAME`, and is paused until its list is complete. Send the list in portions, and `last` with the last one, which starts the crawl. A portion that is sent twice changes nothing. URLs that cannot be crawled are named and left out. The list may name some 10,000 hosts; all together it may have as many URLs as the page limit allows a crawl.",
    body: listRequest,
    answer: { status: 200, says: "What became of the seeds.", result: listView },
    refuses: [409, 507],
    example: { body: { urls: [`${SEED}a`, `${SEED}b`, "mailto:a@example.com"], last: true } },
  }),
  crawls.post("startImport", "/api/imports", "Import an archive", {
    detail:
      "Makes a crawl whose answers come from an archive, or names the one that this archive has already. It is paused while answers are sent, and nothing is fetched for it. `orbweaver import FILE` reads WARC and WACZ, and calls these three operations.",
    body: importRequest,
    answer: { status: 201, says: "The crawl.", result: importView },
    refuses: [409, 507],
    example: { body: { archive: "0".repeat(64), name: "example.warc.gz", urls: [SEED], answers: 1 } },
  }),
  crawls.post("importRecords", "/api/imports/:id/records", "Send answers of an archive", {
    detail:
      "The body is WARC records, not compressed: at most 24 `response` records with the answers to GET requests, each URL once, and after each its `metadata` record with `via` and `hopsFromSeed`, if it has one. Content codings and chunks in the bodies are undone. Each answer settles as one that had just come. An answer that is sent twice changes nothing.",
    upload: "application/warc",
    answer: { status: 200, says: "They have settled.", result: importedView },
    refuses: [409, 507],
  }),
  crawls.post("endImport", "/api/imports/:id/end", "End an import", {
    detail: "All answers were sent. From now on the crawl is like any other that has ended.",
    body: importEnd,
    answer: { status: 200, says: "The crawl.", result: crawlView },
    refuses: [409],
    example: { body: { leftOut: [{ reason: "not-http", count: 2, examples: ["dns:example.com"] }] } },
  }),
  explain.get("explainInCrawl", `${CRAWL}/explain`, "Explain a URL in a crawl", {
    detail: "What the crawl decided, or would decide, for a URL, and by which rule.",
    query: urlQuery,
    answer: { status: 200, says: "The decision, step by step.", result: explainView },
    example: { query: { url: `${SEED}archive.zip` } },
  }),
  explain.post("explain", "/api/explain", "Explain a URL before a crawl", {
    detail: "What a crawl would decide for a URL before it is started. Nothing is stored.",
    reads: true,
    body: explainRequest,
    answer: { status: 200, says: "The decision, step by step.", result: explainView },
    example: { body: { url: "https://example.org/", crawl: { url: SEED } } },
  }),
  fields.post("checkFields", "/api/fields", "Read fields from a page", {
    detail:
      "Reads fields by rules from one page, to check the rules before a crawl. The page is fetched as a crawl would fetch it: through its host's gate, after robots.txt, and with its redirects. Nothing is stored. If it cannot be fetched, `problem` says why.",
    body: fieldsRequest,
    answer: { status: 200, says: "The fields with their values, or why they have none.", result: fieldsView },
    example: {
      body: { url: SEED, fields: { price: { schema: "Product.offers.price", selector: ".price", as: "number" } } },
    },
  }),
  fields.post("readStoredFields", `${CRAWL}/fields`, "Read fields from a crawl's pages", {
    detail:
      "Reads the completed pages of a crawl again, by other rules than its own. Nothing is stored. An answer has at most 24 records; send its `cursor` for the next ones.",
    reads: true,
    body: storedFieldsRequest,
    answer: { status: 200, says: "The records, and the cursor of the next page of results.", result: storedFieldsView },
    example: { body: { fields: { title: {}, heading: { selector: "h1" } } } },
  }),
  extract.post("extractValues", "/api/extract", "Find values in a page", {
    detail:
      "Has the installation's model find values in one page, by a JSON Schema, a prompt, or both. The page is fetched as a crawl with the purpose `ai-input` would fetch it, through its host's gate, and what robots.txt refuses for it is not sent. Nothing is stored. It may take some minutes.",
    body: extractRequest,
    answer: { status: 200, says: "The values with their evidence, or why there are none.", result: extractView },
    refuses: [404, 409],
    example: { body: { url: SEED, schema: { type: "object", properties: { price: { type: "number" } } } } },
  }),
  extract.post("extractStoredValues", `${CRAWL}/extract`, "Find values in a crawl's pages", {
    detail:
      "Has the installation's model find values in the completed pages of a crawl. Its answers are stored with the crawl, so the same question about the same text is asked once; records stay as they are. An answer has at most ten records; send its `cursor` for the next ones.",
    body: storedExtractRequest,
    answer: {
      status: 200,
      says: "The records, and the cursor of the next page of results.",
      result: storedExtractView,
    },
    refuses: [409],
    example: { body: { prompt: "The name of the company, and its address.", limit: 2 } },
  }),
  extract.get("showExtraction", `${CRAWL}/extraction`, "Show a crawl's extraction", {
    detail:
      "What a crawl with `extract` looks for, what was spent, the rules that were made for the sections of the site, and some pages with their values. With `url`, the text of that page too, in which its evidence stands. Nobody is asked. A crawl without `extract` has neither schema nor prompt.",
    query: extractionQuery,
    answer: { status: 200, says: "The extraction as it stands.", result: extractionView },
  }),
  extract.post("startExtraction", `${CRAWL}/extraction`, "Ask the model about a crawl's pages", {
    detail:
      "Begins a pass that asks the model about the pages of a crawl with `extract` that it was not asked about yet, or that changed since, and writes what it finds into their records. It begins by itself when the crawl has ended, and when a watch has noticed changes. If a pass of this kind is running, that pass is returned.",
    answer: { status: 202, says: "The pass.", result: startedPassView },
    refuses: [409],
  }),
  crawls.patch("amendCrawl", CRAWL, "Change a crawl's limits", {
    detail: "The crawl must not have ended. If it was paused at its cost limit, resume it to continue.",
    body: amendRequest,
    answer: { status: 200, says: "The crawl with its new limits.", result: crawlView },
    refuses: [409],
    example: { body: { limit: 200 } },
  }),
  crawls.post("pauseCrawl", `${CRAWL}/pause`, "Pause a crawl", {
    answer: { status: 200, says: "The crawl, paused.", result: crawlView },
    refuses: [409],
  }),
  crawls.post("resumeCrawl", `${CRAWL}/resume`, "Resume a crawl", {
    detail: "A paused crawl continues. For a running crawl, all queued URLs are sent again, which helps after a crash.",
    answer: { status: 200, says: "The crawl, running.", result: crawlView },
    refuses: [409, 507],
  }),
  crawls.post("cancelCrawl", `${CRAWL}/cancel`, "Cancel a crawl", {
    detail: "This cannot be undone. The pages that it stored stay.",
    answer: { status: 200, says: "The crawl, cancelled.", result: crawlView },
    refuses: [409],
  }),
  crawls.post("watchCrawl", `${CRAWL}/watch`, "Make a crawl a watch", {
    detail:
      "A watch stays: it visits its pages again and tells what changed. A completed crawl begins at once, another one at its end. For a watch, this changes how often it visits.",
    body: watchRequest,
    answer: { status: 200, says: "The crawl.", result: crawlView },
    refuses: [409],
    example: { body: { everyS: 604_800 } },
  }),
  crawls.post("visitAllPages", `${CRAWL}/visits`, "Visit all pages of a watch now", {
    detail:
      "All pages are due at once, beside the budget of the watch. The next heartbeat begins, and the pace of their hosts holds. A page that is visited afterwards anyway is not visited twice.",
    answer: { status: 202, says: "The crawl.", result: crawlView },
    refuses: [409],
  }),
  crawls.post("startPass", `${CRAWL}/passes`, "Analyze a crawl", {
    detail:
      "A pass reads the links of all pages, and counts and ranks them. It goes on where it was interrupted. If one is running, the answer is that one. A running crawl is refused; pause it, or wait for its end. A first pass costs at most 1.10 USD per million URLs, a later one about 0.10. With `reindex` it also leaves repeated text out of the search index, for at most 5.02 USD per million pages. With `checkExternal` it also asks other sites, through the gates of their hosts, for up to six hours: at most 100,000 URLs, and 1,000 of a host.",
    body: passRequest,
    answer: { status: 202, says: "The pass.", result: startedPassView },
    refuses: [409],
  }),
  crawls.get("listPasses", `${CRAWL}/passes`, "List the passes of a crawl", {
    detail: "Newest first: the one that runs, the last one of each kind that completed, and the last one that failed.",
    answer: { status: 200, says: "The passes.", result: z.array(passView) },
  }),
  crawls.get("priceReindexing", `${CRAWL}/passes/reindex-price`, "Show the price of reindexing", {
    detail: "What a pass with `reindex` costs at most beside a pass without it.",
    answer: { status: 200, says: "The price.", result: reindexPriceView },
  }),
  crawls.get("listInlinks", `${CRAWL}/inlinks`, "List who links to a URL", {
    detail:
      "The answer has the pages of the crawl that link to the URL, with the anchor texts, and the URLs that redirect to it. The last analysis found them. A crawl that is not analyzed yet answers 409.",
    query: inlinksQuery,
    answer: { status: 200, says: "The sources, and the cursor of the next page of results.", result: inlinksView },
    refuses: [409],
    example: { query: { url: SEED } },
  }),
  crawls.get("listSections", `${CRAWL}/sections`, "List the sections of a site", {
    detail:
      "A section is a kind of page, by URL pattern and structure. Each has its number of pages, its share of the crawl, how often its pages change, and examples. The last analysis found them. At most 50 sections are listed; the others are summed up. 404 before the first pass.",
    answer: { status: 200, says: "The sections, largest first.", result: sectionsView },
    refuses: [404],
  }),
  crawls.get("getTopic", `${CRAWL}/topic`, "Get the subject of a crawl", {
    detail:
      "How well a crawl with `topic`, `like` or `likeTexts` does: the harvest rate over time, its best hosts, the words that carry the subject, and the most relevant and the most doubtful pages. 404 for a crawl without a subject.",
    answer: { status: 200, says: "The subject.", result: topicView },
    refuses: [404],
  }),
  crawls.get("listFindings", `${CRAWL}/findings`, "List what an analysis found", {
    detail:
      "The site report of the last completed pass: broken links with all their pages, redirects, orphan pages and more. 404 before the first pass.",
    query: findingsQuery,
    answer: { status: 200, says: "The numbers by kind, and a page of findings of one kind.", result: findingsView },
    refuses: [404],
    example: { query: { kind: "broken-link" } },
  }),
  crawls.get("exportFindings", `${CRAWL}/findings/file`, "Download the site report", {
    detail: "All findings, or those of one kind. The HTML file needs no other file and has no scripts.",
    query: reportFileQuery,
    answer: { status: 200, says: "The report.", file: "*/*" },
    refuses: [404],
    example: { query: { format: "html" } },
  }),
  crawls.get("showIgnored", `${CRAWL}/ignored`, "Show which findings a site ignores", {
    detail: "The list belongs to the site: crawls with the same seeds share it. Reports leave out what it names.",
    answer: { status: 200, says: "The list.", result: ignoreListView },
  }),
  crawls.post("replaceIgnored", `${CRAWL}/ignored`, "Replace the list of findings to ignore", {
    detail: "For all crawls with the same seeds. 400 `bad-ignore-list` names the lines that are no rules.",
    body: ignoreListRequest,
    answer: { status: 200, says: "The list.", result: ignoreListView },
    example: {
      body: { list: "broken-link https://example.com/old/** until 2027-03-31 # moves with the next release" },
    },
  }),
  crawls.post("startTopics", `${CRAWL}/topics`, "Group a crawl's pages by what they say", {
    detail:
      "A pass reads the texts of all pages, at most 200,000, and groups those that use the same words. `GET /api/crawls/:id/passes` shows how far it is. It goes on where it was interrupted. If one is running, the answer is that one. A running crawl is refused. It costs at most 1.12 USD per million pages.",
    answer: { status: 202, says: "The pass.", result: startedPassView },
    refuses: [409],
  }),
  crawls.get("listTopics", `${CRAWL}/topics`, "List the topics of a crawl", {
    detail:
      "The groups of pages, each with the words that name it, its size and its best pages. 404 before the first pass.",
    answer: { status: 200, says: "The topics, largest first.", result: topicsView },
    refuses: [404],
  }),
  crawls.post("startClassification", `${CRAWL}/classification`, "Label a crawl's pages by examples", {
    detail:
      "A pass trains a linear model with the examples, validates it, and gives all completed pages a label with a confidence: `label` and `confidence` of the records. It replaces the labels of the classification before. Examples keep their own label. `GET /api/crawls/:id/passes` shows how far it is. A label needs two examples at least. It costs at most 2.12 USD per million pages.",
    body: classificationRequest,
    answer: { status: 202, says: "The pass, and the examples that it leaves out.", result: startedClassificationView },
    refuses: [409],
    example: {
      body: {
        examples: [
          { url: SEED, label: "listing" },
          { url: `${SEED}listed`, label: "listing" },
          { url: `${SEED}one`, label: "article" },
          { url: `${SEED}two`, label: "article" },
        ],
      },
    },
  }),
  crawls.get("showClassification", `${CRAWL}/classification`, "Show how well a crawl's labels are recognised", {
    detail:
      "Precision, recall and F1 of each label by cross-validation, and the number of its pages. 404 before the first pass.",
    answer: { status: 200, says: "The scores by label.", result: classificationView },
    refuses: [404],
  }),
  crawls.get("listMarks", `${CRAWL}/marks`, "List the marks of a crawl", {
    detail: "What people said of its pages: at most 10,000 marks.",
    query: marksQuery,
    answer: { status: 200, says: "The marks.", result: marksView },
    example: { query: { label: "right" } },
  }),
  crawls.post("markPages", `${CRAWL}/marks`, "Mark pages of a crawl", {
    detail:
      "A mark is a label that a person gives a page. A focused crawl learns from `right` and `wrong`, from its next batch on. All marks can be the examples of a classification.",
    body: markRequest,
    answer: { status: 200, says: "What was marked.", result: markedView },
    refuses: [409],
    example: { body: { urls: [SEED], label: "right" } },
  }),
  crawls.get("showVisits", `${CRAWL}/visits`, "Show how fresh a watch is", {
    detail:
      "How long ago its pages were visited, when they are due, and what was noticed. The numbers are those of the last survey by the heartbeat, so an answer costs the same for ten pages and for a million.",
    answer: { status: 200, says: "The visits.", result: visitsView },
  }),
  crawls.get("showMonth", `${CRAWL}/month`, "Show the last thirty days of a watch", {
    detail:
      "What changed, which hosts and pages are in trouble, and what was held back as noise or as a change of many pages, each with its evidence.",
    answer: { status: 200, says: "The thirty days.", result: monthView },
  }),
  crawls.get("listChanges", `${CRAWL}/changes`, "List what changed", {
    detail: "The changes that a watch noticed after its first crawl, in order.",
    query: changesQuery,
    answer: { status: 200, says: "A page of changes.", result: changesView },
    refuses: [410],
    example: { query: { since: "0", kind: "added,changed" } },
  }),
  crawls.get("listNewestChanges", `${CRAWL}/newest-changes`, "List what changed, the newest first", {
    query: newestQuery,
    answer: { status: 200, says: "The changes.", result: newestView },
    example: { query: { kind: "added,changed", limit: "10" } },
  }),
  crawls.get("exportDelta", `${CRAWL}/delta`, "Export what changed", {
    detail:
      'For an index that follows a watch. JSON Lines: each line is a page with its `id`, which stays the same, `change` (`added`, `changed` or `removed`), `url`, and its record as it is now; a removed page has no record. Without `since`, all completed pages come as `added`. A page that changed several times comes once. Replace what you have under the id, because a page may come again. The last line is `{"cursor": "..."}`: keep it, and send it as `since` the next time. A download that breaks off has no such line; send the same `since` again. A delta that is longer than one request may read on Cloudflare is refused; with `parts` it comes in parts, and `Link: <...>; rel="next"` names the next one.',
    query: deltaQuery,
    answer: { status: 200, says: "The lines, or a part of them.", file: "application/x-ndjson" },
    refuses: [409, 410],
    example: { query: { since: "" } },
  }),
  crawls.get("diffPage", `${CRAWL}/diff`, "Compare two versions of a page", {
    detail:
      "The difference of the main content, block by block and word by word, under today's template and rules: what does not count for changes is left out, unless you ask for the full text.",
    query: diffQuery,
    answer: { status: 200, says: "The difference.", result: diffView },
    example: { query: { url: SEED } },
  }),
  crawls.get("showFeed", `${CRAWL}/feed`, "Show the addresses of the feeds of changes", {
    answer: { status: 200, says: "The addresses.", result: feedView },
  }),
  crawls.post("replaceFeed", `${CRAWL}/feed`, "Make or replace the addresses of the feeds of changes", {
    detail: "The addresses before no longer work.",
    answer: { status: 200, says: "The new addresses.", result: feedView },
  }),
  crawls.get("readFeed", "/feeds/:file", "Read a feed of changes", {
    detail:
      "The 50 newest changes, as Atom (RFC 4287) or as a JSON Feed. The address has a key of its own, which reads nothing else. An unchanged feed is answered with 304 to a request with its `ETag`.",
    open: true,
    answer: { status: 200, says: "The feed.", file: "*/*" },
    refuses: [404, 429],
    example: { path: { file: "ID.KEY.atom" } },
  }),
  crawls.post("retryCrawl", `${CRAWL}/retry`, "Retry what failed", {
    detail:
      'URLs that did not complete are queued again, with all of their attempts. A crawl that had ended runs again; a paused crawl stays paused. URLs beyond the page limit are skipped with the reason `limit`. To continue a crawl that has reached its page limit, send `{"reason": "limit", "limit": 200}`.',
    body: retryRequest,
    answer: { status: 200, says: "The number of URLs, and the crawl.", result: retryView },
    refuses: [409, 507],
    example: { body: { reason: "http-status" } },
  }),
  crawls.delete("deleteCrawl", CRAWL, "Delete a crawl and all that it stored", {
    detail: "The crawl disappears at once. Its data is deleted by the heartbeat, or by further calls of this route.",
    query: deleteQuery,
    answer: { status: 202, says: "The crawl is being deleted.", result: deletionView },
    refuses: [409],
    example: { query: { force: "true" } },
  }),
  crawls.get("search", "/api/search", "Search stored pages", {
    detail: "Only pages of crawls with the option `search`.",
    query: searchQuery,
    refuses: [404],
    answer: { status: 200, says: "The hits, best first.", result: searchView, messages: silentLedgers },
    example: { query: { q: "example" } },
  }),
  crawls.get("listVersions", "/api/versions", "List the versions of a URL", {
    detail: "All answers of the URL, over all crawls that fetched it, newest first.",
    query: versionsQuery,
    refuses: [404],
    answer: {
      status: 200,
      says: "The versions, and the cursor of the next page of results.",
      result: versionsView,
      messages: silentLedgers,
    },
    example: { query: { url: SEED } },
  }),
  webhooks.get("listWebhooks", `${CRAWL}/webhooks`, "List a crawl's webhooks", {
    detail: "The oldest first. Secrets are not shown.",
    answer: { status: 200, says: "The webhooks.", result: z.array(webhookView) },
  }),
  webhooks.post("addWebhook", `${CRAWL}/webhooks`, "Add a webhook to a crawl", {
    detail:
      "It is told of the events from now on, by notices as in the Standard Webhooks specification. A crawl has at most ten webhooks.",
    body: webhookRequest,
    answer: { status: 201, says: "The webhook, with its secret.", result: newWebhookView },
    refuses: [409],
    example: { body: { url: "https://example.com/hook", events: ["crawl.completed", "crawl.failed"] } },
  }),
  webhooks.patch("changeWebhook", `${CRAWL}/webhooks/:webhook`, "Change a webhook", {
    detail:
      "Absent parameters keep their values. Another format begins without the template, headers and addresses of the one before. The new rules tell what waits for a digest.",
    body: webhookChange,
    answer: { status: 200, says: "The webhook.", result: webhookView },
    refuses: [409],
    example: { body: { digest: "daily@07:00" } },
  }),
  webhooks.delete("removeWebhook", `${CRAWL}/webhooks/:webhook`, "Remove a webhook", {
    detail: "Its deliveries are removed too, and what waits is not sent.",
    answer: { status: 200, says: "The id of the webhook.", result: removedWebhookView },
  }),
  webhooks.post("testWebhook", `${CRAWL}/webhooks/:webhook/test`, "Send a test notice", {
    detail: "The event `webhook.test`. If it succeeds, a disabled webhook is enabled again.",
    answer: { status: 202, says: "The delivery, which is sent at once.", result: deliveryView },
  }),
  webhooks.get("listDeliveries", `${CRAWL}/deliveries`, "List a crawl's deliveries", {
    detail:
      "The newest first, of all webhooks of the crawl. A delivery that has ended is listed for thirty days. To get the next page of results, send the `cursor` of the answer.",
    query: deliveriesQuery,
    answer: {
      status: 200,
      says: "The deliveries, and the cursor of the next page of results.",
      result: deliveriesPage,
    },
  }),
  webhooks.post("redeliver", `${CRAWL}/deliveries/:delivery/redeliver`, "Send a notice again", {
    detail: "At once, with the same id and body, and with all of its attempts.",
    answer: { status: 202, says: "The delivery.", result: deliveryView },
  }),
  schedules.post("addSchedule", "/api/schedules", "Add a schedule", {
    body: scheduleRequest,
    answer: { status: 201, says: "The schedule.", result: addedSchedule },
    example: { body: { cron: "0 3 * * *", crawl: { url: SEED, limit: 100 } } },
  }),
  schedules.get("listSchedules", "/api/schedules", "List the schedules", {
    answer: { status: 200, says: "The schedules.", result: z.array(scheduleView) },
  }),
  schedules.delete("removeSchedule", "/api/schedules/:id", "Remove a schedule", {
    detail: "The crawls that it started are not deleted.",
    answer: { status: 200, says: "The schedule was removed.", result: removedView },
  }),
  sessions.get("listSessions", "/api/sessions", "List the sessions", {
    detail: "What reads pages behind a log-in (docs/sessions.md). A token that only reads is refused.",
    answer: { status: 200, says: "The sessions, by name. Nothing of what they hold.", result: z.array(sessionView) },
    refuses: [403],
  }),
  sessions.post("bringSession", "/api/sessions", "Bring a session", {
    detail:
      "Keeps cookies and headers under a name, encrypted, in place of what that name had. A crawl that names it in `session` sends them to the hosts named here.",
    body: sessionRequest,
    answer: { status: 201, says: "The session, without what it holds.", result: sessionView },
    refuses: [409, 503],
    example: {
      body: {
        ...{ name: "example", hosts: ["example.com"] },
        cookies: [{ name: "sid", value: "...", domain: "example.com", secure: true }],
      },
    },
  }),
  sessions.post("checkSession", "/api/sessions/:session/check", "Check a session", {
    detail:
      "Does its log-in, if it has one, says what each step did, and shows the page afterwards. Then it asks for a page with the session and without it, and proposes how to tell the two apart. It takes up to a minute.",
    body: checkRequest,
    answer: { status: 200, says: "What was done and seen.", result: checkView },
    refuses: [403, 409],
    example: { path: { session: "example" }, body: {} },
  }),
  sessions.delete("removeSession", "/api/sessions/:session", "Remove a session", {
    detail: "Crawls that use it pause, and their pages stay, unless `withCrawls` deletes them.",
    query: removeSessionQuery,
    answer: { status: 200, says: "The session was removed.", result: removedSessionView },
    example: { path: { session: "example" } },
  }),
  installation.get("health", "/health", "Check whether the installation answers", {
    open: true,
    answer: { status: 200, says: "It answers.", json: openHealth },
  }),
  installation.get("inspect", "/api/health", "Show the health of the installation", {
    answer: { status: 200, says: "The health of this isolate, and the latest heartbeat.", result: health },
  }),
  installation.get("showOwnership", "/api/ownership", "Say whose host it is", {
    detail:
      "Whether a host is shown to be the operator's own, and how its owner shows that. A proof that is due is looked for: in DNS, and in a file of the host, after its robots.txt and at its pace.",
    query: ownershipQuery,
    answer: { status: 200, says: "Whose host it is.", result: ownershipView },
    example: { query: { url: SEED } },
  }),
  installation.get("openapi", "/openapi.json", "Get this description", {
    open: true,
    answer: { status: 200, says: "A document in OpenAPI 3.1.", json: openapiView },
  }),
  installation.get("keyDirectory", DIRECTORY_PATH, "Get the public keys that verify the requests of crawls", {
    detail:
      "A JSON Web Key Set, signed with each of its keys ([Web Bot Auth](https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/)). docs/politeness.md says what is signed.",
    open: true,
    answer: { status: 200, says: "The keys.", file: DIRECTORY_TYPE },
    refuses: [404],
  }),
  installation.get("submitUrl", "/indexnow", "Say that a page of a watched host has changed", {
    detail: INDEXNOW,
    open: true,
    query: indexnowQuery,
    answer: { status: 202, says: SUBMITTED, result: indexnowView },
    refuses: [400, 422, 429],
    example: { query: { url: "https://watched.example/", key: "0123456789abcdef" } },
  }),
  installation.post("submitUrls", "/indexnow", "Say which pages of a watched host have changed", {
    detail: INDEXNOW,
    open: true,
    body: indexnowRequest,
    answer: { status: 202, says: SUBMITTED, result: indexnowView },
    refuses: [400, 422, 429],
    example: {
      body: { host: "watched.example", key: "0123456789abcdef", urlList: ["https://watched.example/"] },
    },
  }),
  installation.post("mcp", "/mcp", "Use the API as an agent, by MCP", {
    detail:
      "The [Model Context Protocol](https://modelcontextprotocol.io/specification) over streamable HTTP, without sessions: the body is one message of JSON-RPC. The answer is a message, or an event stream with one. Versions 2025-11-25 and 2026-07-28 of the protocol are spoken. docs/mcp.md lists the tools.",
    reads: true,
    query: mcpQuery,
    answer: { status: 200, says: "The answer to the message.", file: "*/*" },
    example: { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
  }),
  installation.get("mcpStream", "/mcp", "Ask for a stream from the MCP server", {
    detail: "There is none, because nothing is kept between two requests.",
    query: mcpQuery,
    answer: { status: 405, says: "There is no stream.", file: "*/*" },
  }),
  cloudflare.post("cloudflareStart", CLOUDFLARE, "Start a crawl, as Cloudflare's", {
    also: CLOUDFLARE_RUN,
    detail:
      "The body has Cloudflare's parameters, and may have our own options too. `messages`, next to `result`, name the parameters that have no effect here. Unknown keys are ignored, and named there too.",
    body: cloudflareRequest,
    answer: { status: 200, says: "The id of the crawl.", result: z.uuid(), messages: cloudflareMessages },
    example: { body: { url: SEED, limit: 50 } },
    refuses: [507],
  }),
  cloudflare.get("cloudflareShow", `${CLOUDFLARE}/:id`, "Show a crawl and its records, as Cloudflare's", {
    also: `${CLOUDFLARE_RUN}/:id`,
    detail: "Records come in the order of their URLs, with pages in the formats of the crawl.",
    query: cloudflareQuery,
    answer: {
      status: 200,
      says: "The crawl with some of its records.",
      result: cloudflareCrawl,
      messages: cloudflareMessages,
    },
    example: { query: { status: "completed" } },
  }),
  cloudflare.delete("cloudflareCancel", `${CLOUDFLARE}/:id`, "Cancel a crawl, as Cloudflare's", {
    also: `${CLOUDFLARE_RUN}/:id`,
    answer: {
      status: 200,
      says: "The crawl was cancelled, or had ended already.",
      result: cloudflareCancelled,
      messages: cloudflareMessages,
    },
  }),
  ...FIRECRAWL_OPERATIONS,
];
