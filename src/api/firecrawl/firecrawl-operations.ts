import { type Operation, operationsIn } from "../requests/operation.ts";
import {
  activeAnswer,
  batchAnswer,
  cancelAnswer,
  errorsAnswer,
  extractAnswer,
  extractStarted,
  jobAnswer,
  mapAnswer,
  mapAnswerV1,
  scrapeAnswer,
  searchAnswer,
  statusAnswer,
} from "./firecrawl-answers.ts";
import {
  checkAnswer,
  checkPagesAnswer,
  checksAnswer,
  monitorAnswer,
  monitorDeleted,
  monitorsAnswer,
} from "./monitor-answers.ts";
import { extractRequest } from "./requests/extract-request.ts";
import {
  batchRequest,
  crawlRequestV2,
  mapRequest,
  scrapeRequest,
  searchRequest,
  statusQuery,
} from "./requests/firecrawl-requests.ts";
import { checkQuery, checksQuery, monitorChange, monitorRequest, monitorsQuery } from "./requests/monitor-request.ts";
import { parseOptions } from "./requests/parse-request.ts";

/** Firecrawl's routes for the list of operations. */

const SEED = "https://example.com/";
const VERSION_ONE = "Under `/v1`, the names of version 1 work too.";

const firecrawl = operationsIn("firecrawl");

const jobs = (["crawl", "batch/scrape"] as const).flatMap((path): Operation[] => {
  const name = path === "crawl" ? "Crawl" : "Batch";
  const words = name.toLowerCase();
  const also = (end: string) => (path === "crawl" ? { also: `/v1/crawl/:id${end}` } : {});
  return [
    firecrawl.get(`firecrawlShow${name}`, `/v2/${path}/:id`, `Show a ${words} and its pages, as Firecrawl's`, {
      ...also(""),
      detail:
        "As a WebSocket, with the token as its subprotocol, it sends `catchup`, each page as `document`, and `done`; a crawl that does not complete ends by a second `catchup`.",
      query: statusQuery,
      answer: { status: 200, says: "The state, and some of the pages.", json: statusAnswer },
    }),
    firecrawl.delete(`firecrawlCancel${name}`, `/v2/${path}/:id`, `Cancel a ${words}, as Firecrawl's`, {
      ...also(""),
      answer: { status: 200, says: "It was cancelled, or had ended already.", json: cancelAnswer },
    }),
    firecrawl.get(
      `firecrawlErrorsOf${name}`,
      `/v2/${path}/:id/errors`,
      `List what a ${words} could not read, as Firecrawl's`,
      {
        ...also("/errors"),
        answer: { status: 200, says: "The URLs, and why.", json: errorsAnswer },
      },
    ),
  ];
});

const monitors: Operation[] = [
  firecrawl.post("firecrawlCreateMonitor", "/v2/monitor", "Create a monitor, as Firecrawl's", {
    detail: "It is a watch of the pages, which visits all of them alike.",
    body: monitorRequest,
    answer: { status: 200, says: "The monitor was created.", json: monitorAnswer },
    example: {
      body: { name: "Prices", schedule: { text: "hourly" }, targets: [{ type: "scrape", urls: [SEED] }] },
    },
    refuses: [507],
  }),
  firecrawl.get("firecrawlListMonitors", "/v2/monitor", "List the monitors, as Firecrawl's", {
    detail: "All watches that go on, also those that were started elsewhere.",
    query: monitorsQuery,
    answer: { status: 200, says: "The monitors.", json: monitorsAnswer },
  }),
  firecrawl.get("firecrawlShowMonitor", "/v2/monitor/:id", "Show a monitor, as Firecrawl's", {
    answer: { status: 200, says: "The monitor.", json: monitorAnswer },
  }),
  firecrawl.patch("firecrawlUpdateMonitor", "/v2/monitor/:id", "Change a monitor, as Firecrawl's", {
    body: monitorChange,
    answer: { status: 200, says: "The monitor.", json: monitorAnswer },
    refuses: [409],
    example: { body: { name: "Prices of the shop", schedule: { cron: "*/30 * * * *" } } },
  }),
  firecrawl.delete("firecrawlDeleteMonitor", "/v2/monitor/:id", "Delete a monitor, as Firecrawl's", {
    detail: "Its pages, versions and changes are deleted, too.",
    answer: { status: 200, says: "It is being deleted.", json: monitorDeleted },
  }),
  firecrawl.post("firecrawlRunMonitor", "/v2/monitor/:id/run", "Run a monitor now, as Firecrawl's", {
    detail: "All pages are visited at once, as fast as their hosts allow.",
    answer: { status: 200, says: "The check that this begins.", json: checkAnswer },
    refuses: [409],
  }),
  firecrawl.get("firecrawlListChecks", "/v2/monitor/:id/checks", "List the checks of a monitor, as Firecrawl's", {
    detail: "A check is the first crawl, or a mean interval in which each page is visited once.",
    query: checksQuery,
    answer: { status: 200, says: "The checks.", json: checksAnswer },
  }),
  firecrawl.get("firecrawlShowCheck", "/v2/monitor/:id/checks/:check", "Show a check and its pages, as Firecrawl's", {
    query: checkQuery,
    answer: { status: 200, says: "The check.", json: checkPagesAnswer },
  }),
];

export const FIRECRAWL_OPERATIONS: readonly Operation[] = [
  firecrawl.post("firecrawlScrape", "/v2/scrape", "Scrape a page, as Firecrawl's", {
    also: "/v1/scrape",
    detail: `The page comes from a crawl that fetched it within \`maxAge\`, or is fetched in its turn by a crawl of its own, which is kept. ${VERSION_ONE}`,
    body: scrapeRequest,
    answer: { status: 200, says: "The page.", json: scrapeAnswer },
    refuses: [507, 404, 408, 415, 422],
    example: { body: { url: SEED, formats: ["markdown", "links"], lockdown: true } },
  }),
  firecrawl.post("firecrawlParse", "/v2/parse", "Read an uploaded document, as Firecrawl's", {
    detail:
      "The body is `multipart/form-data` with the document in `file`, and in `options` the JSON that is described here. Nothing is stored. A body has at most 26 MiB.",
    body: parseOptions,
    upload: "multipart/form-data",
    example: { body: { formats: ["markdown", "links"] } },
    answer: { status: 200, says: "The document as a page.", json: scrapeAnswer },
    refuses: [415, 422],
  }),
  firecrawl.post("firecrawlMap", "/v2/map", "List the URLs of a site, as Firecrawl's", {
    detail: "They come from sitemaps, from the links of the page, and from crawls here.",
    body: mapRequest,
    answer: { status: 200, says: "The URLs.", json: mapAnswer },
    refuses: [507, 408],
    example: { body: { url: SEED, sitemap: "skip", timeout: 100 } },
  }),
  firecrawl.post("firecrawlMapAgain", "/v1/map", "List the URLs of a site, as version 1 of Firecrawl's", {
    detail: VERSION_ONE,
    body: mapRequest,
    answer: { status: 200, says: "The URLs.", json: mapAnswerV1 },
    refuses: [507, 408],
    example: { body: { url: SEED, ignoreSitemap: true, timeout: 100 } },
  }),
  firecrawl.post("firecrawlSearch", "/v2/search", "Search stored pages, as Firecrawl's search of the web", {
    detail: "It searches the pages of all crawls with `search`, and asks no site.",
    reads: true,
    body: searchRequest,
    answer: { status: 200, says: "The hits.", json: searchAnswer },
    example: { body: { query: "example", limit: 5 } },
  }),
  firecrawl.post("firecrawlStartCrawl", "/v2/crawl", "Start a crawl, as Firecrawl's", {
    also: "/v1/crawl",
    detail: VERSION_ONE,
    body: crawlRequestV2,
    answer: { status: 200, says: "The crawl was started.", json: jobAnswer },
    example: { body: { url: SEED, limit: 100, includePaths: ["^/docs/"] } },
    refuses: [507],
  }),
  firecrawl.get("firecrawlListActive", "/v2/crawl/active", "List crawls that are under way, as Firecrawl's", {
    answer: { status: 200, says: "The crawls.", json: activeAnswer },
  }),
  firecrawl.post("firecrawlStartExtract", "/v2/extract", "Have a model find values in pages, as Firecrawl's", {
    also: "/v1/extract",
    detail: "It is a crawl of these pages with `extract`. The model is asked when they are there.",
    body: extractRequest,
    answer: { status: 200, says: "The job was started.", json: extractStarted },
    example: { body: { urls: [SEED], schema: { type: "object", properties: { price: { type: "number" } } } } },
    refuses: [507],
  }),
  firecrawl.get("firecrawlShowExtract", "/v2/extract/:id", "Show the values of pages, as Firecrawl's", {
    also: "/v1/extract/:id",
    answer: { status: 200, says: "The state, and the values of all pages as one object.", json: extractAnswer },
  }),
  firecrawl.post("firecrawlStartBatch", "/v2/batch/scrape", "Scrape many pages, as Firecrawl's", {
    body: batchRequest,
    answer: { status: 200, says: "The batch was started.", json: batchAnswer },
    example: { body: { urls: [SEED] } },
    refuses: [507],
  }),
  ...jobs,
  ...monitors,
];
