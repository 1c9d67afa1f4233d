import { createHmac } from "node:crypto";
import Firecrawl from "@mendable/firecrawl-js";
import FirecrawlOne from "firecrawl-js-1";
import { beforeAll, describe, expect, test } from "vitest";
import type { CrawlView } from "../../src/api/views.ts";
import { type Site, startSite } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { serveFast } from "./cli.ts";
import { openFirecrawlMcp } from "./firecrawl-mcp.ts";
import { SECRET } from "./receiver.ts";
import { shareServer } from "./served-sites.ts";
import { articleOf, startTaggedSite, until } from "./watched-site.ts";

/**
 * Monitors by Firecrawl's own clients, unmodified, over watches; and that all methods of the JavaScript client and all
 * tools of firecrawl-mcp work, or say why not.
 */

const SPEED = 1_000;
const TEXT = "Words that stay the same in this page, again and again, so that it has a text. ".repeat(5);

const shared = shareServer((state) => serveFast(state, SPEED, new Date("2031-01-01T00:00:00Z")));
const pages: Record<string, string> = {};
let site: Site;
let app: Firecrawl;
const told: { body: string; headers: Record<string, unknown> }[] = [];
let receiver: Site;

const at = (path: string) => `${site.origin}${path}`;
const priced = (price: string) =>
  articleOf("Drill", [`A strong drill. It costs <b class="price">${price}</b> today. ${TEXT}`]);

beforeAll(async () => {
  Object.assign(pages, {
    "/": articleOf("Home", [`Home. ${TEXT}`], "/a", "/b"),
    "/a": articleOf("A", [`Page a. ${TEXT}`]),
    "/b": articleOf("B", [`Page b. ${TEXT}`]),
    "/drill": priced("19.90"),
    "/still": articleOf("Still", [`Nothing ever changes here. ${TEXT}`]),
  });
  site = await startTaggedSite(pages, "127.0.0.101");
  receiver = await startSite(
    async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      told.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
      response.writeHead(204).end();
    },
    { host: "127.0.0.102" },
  );
  shared.sites.push(site, receiver);
  app = new Firecrawl({ apiKey: shared.served.token, apiUrl: shared.served.address });
});

const summaryOf = async (id: string, check: string) => (await app.getMonitorCheck(id, check)).summary;

describe("a monitor of pages", () => {
  test("is a watch that tells what changed, by checks and by its webhook", async () => {
    const monitor = await app.createMonitor({
      name: "Prices",
      schedule: { text: "every 12 hours" },
      webhook: { url: `${receiver.origin}/hook`, metadata: { shop: "1" }, headers: { "X-Shop": "a" } },
      targets: [
        {
          type: "scrape",
          urls: [at("/drill"), at("/still")],
          scrapeOptions: {
            formats: [
              "markdown",
              {
                type: "json",
                schema: {},
                rules: { price: { selector: ".price", as: "number" } },
              } as never,
            ],
          },
        },
      ],
    });
    expect(monitor).toMatchObject({
      name: "Prices",
      status: "active",
      schedule: { cron: "0 */12 * * *", timezone: "UTC" },
      targets: [{ type: "scrape", urls: [at("/drill"), at("/still")] }],
      webhook: { url: `${receiver.origin}/hook`, events: ["monitor.page"], metadata: { shop: "1" } },
    });
    const { id } = monitor;
    // It is a watch by our own door, too.
    const watch = await getOrPost<CrawlView>(shared.served, `/api/crawls/${id}`);
    expect(watch.options).toMatchObject({ name: "Prices", watch: { everyS: 43_200, fixed: true } });
    await until(
      shared.served,
      async () => await getOrPost<CrawlView>(shared.served, `/api/crawls/${id}`),
      ({ status }) => status === "watching",
    );
    const [first] = await app.listMonitorChecks(id, { offset: 0, limit: 100 }).then((checks) => checks.toReversed());
    expect(first).toMatchObject({ status: "completed", summary: { totalPages: 2, new: 2, changed: 0 } });

    pages["/drill"] = priced("17.50");
    const check = await app.runMonitor(id);
    expect(check).toMatchObject({ monitorId: id, trigger: "manual" });
    const summary = await until(
      shared.served,
      () => summaryOf(id, check.id),
      ({ changed }) => changed === 1,
    );
    expect(summary).toMatchObject({ totalPages: 2, changed: 1, same: 1, new: 0, removed: 0, error: 0 });
    const { pages: found } = await app.getMonitorCheck(id, check.id, { limit: 1 });
    expect(found).toMatchObject([
      {
        url: at("/drill"),
        status: "changed",
        diff: { text: expect.stringContaining("17.50"), json: { price: { previous: 19.9, current: 17.5 } } },
      },
      { url: at("/still"), status: "same", diff: null },
    ]);
    expect((await app.getMonitorCheck(id, check.id, { status: "same" })).pages).toMatchObject([{ url: at("/still") }]);

    await until(
      shared.served,
      async () => told.length,
      (n) => n > 0,
    );
    const [{ body, headers } = { body: "", headers: {} }] = told;
    expect(JSON.parse(body)).toMatchObject({
      success: true,
      type: "monitor.page",
      id,
      metadata: { shop: "1" },
      data: [
        {
          monitorId: id,
          url: at("/drill"),
          status: "changed",
          diff: { json: { price: { previous: 19.9, current: 17.5 } } },
        },
      ],
    });
    expect(headers["x-shop"]).toBe("a");
    expect(headers["x-firecrawl-signature"]).toMatch(/^sha256=[0-9a-f]{64}$/);
  });

  test("is changed, paused, and deleted", async () => {
    const { id } = await app.createMonitor({
      name: "Still",
      schedule: { cron: "0 9 * * *", timezone: "Europe/Berlin" },
      retentionDays: 30,
      targets: [{ type: "scrape", urls: [at("/still")] }],
    });
    const webhook = { url: `${receiver.origin}/other`, secret: SECRET } as never;
    const changed = await app.updateMonitor(id, {
      name: "Other",
      schedule: { text: "hourly" },
      status: "paused",
      webhook,
    });
    expect(changed).toMatchObject({
      ...{ name: "Other", status: "paused", schedule: { cron: "0 * * * *" }, retentionDays: 30 },
      webhook: { url: `${receiver.origin}/other` },
    });
    await expect(app.runMonitor(id)).rejects.toMatchObject({ status: 409, message: expect.stringContaining("paused") });
    const again = await app.updateMonitor(id, { status: "active", webhook: null, retentionDays: 60 });
    expect(again).toMatchObject({ status: "active", webhook: null, retentionDays: 60 });
    expect((await app.listMonitors()).map((monitor) => monitor.id)).toContain(id);
    expect(await app.deleteMonitor(id)).toBe(true);
    await expect(app.getMonitor(id)).rejects.toMatchObject({ status: 404 });
  });

  test.each<[string, Record<string, unknown>]>([
    ["evenly apart", { schedule: { cron: "0 9 * * 1-5" } }],
    ["give an interval", { schedule: { text: "when it rains" } }],
    ["no search of the web", { targets: [{ type: "search", queries: ["drills"] }] }],
    ["one watch", { targets: ["/a", "/b"].map((path) => ({ type: "scrape", urls: [`http://127.0.0.101:1${path}`] })) }],
    ["no model judges", { goal: "only prices" }],
    ["no model judges", { judgeEnabled: true }],
    ["no e-mail", { notification: { email: { enabled: true, recipients: ["a@b.test"] } } }],
    ["no check has an end", { webhook: { url: "http://127.0.0.102:1/", events: ["monitor.check.completed"] } }],
    [
      "the pace",
      {
        schedule: { text: "every 1 minute" },
        targets: [{ type: "crawl", url: "http://127.0.0.101:1/", crawlOptions: { delay: 90 } }],
      },
    ],
  ])("is refused by a sentence with %j: %j", async (words, change) => {
    const request = {
      name: "x",
      schedule: { text: "daily" },
      targets: [{ type: "scrape", urls: [at("/still")] }],
      ...change,
    };
    await expect(app.createMonitor(request as never)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(words),
    });
  });

  test("keeps its pages", async () => {
    const { id } = await app.createMonitor({
      name: "x",
      schedule: { text: "daily" },
      targets: [{ type: "scrape", urls: [at("/still")] }],
    });
    await expect(app.updateMonitor(id, { targets: [{ type: "scrape", urls: [at("/a")] }] })).rejects.toMatchObject({
      message: expect.stringContaining("keeps its pages"),
    });
  });
});

test("a monitor of a site finds new pages, through firecrawl-mcp", async () => {
  const { call, ask, close } = await openFirecrawlMcp(shared.served);
  const body = {
    name: "The site",
    schedule: { cron: "0 */12 * * *" },
    targets: [{ type: "crawl", url: at("/"), crawlOptions: { limit: 50, sitemap: "skip" } }],
  };
  const { data } = await call("firecrawl_monitor_create", { body });
  const id = data.id as string;
  expect((await call("firecrawl_monitor_list", { limit: 50 })).data.map(({ id }: { id: string }) => id)).toContain(id);
  await until(
    shared.served,
    async () => (await call("firecrawl_monitor_get", { id })).data as { lastCheckSummary: { new: number } },
    ({ lastCheckSummary }) => lastCheckSummary.new === 3 || lastCheckSummary.new === 0,
  );
  await until(
    shared.served,
    async () => await getOrPost<CrawlView>(shared.served, `/api/crawls/${id}`),
    ({ status }) => status === "watching",
  );
  pages["/a"] = articleOf("A", [`Page a leads to another one. ${TEXT}`], "/c");
  pages["/c"] = articleOf("C", [`Page c is new. ${TEXT}`]);
  const run = await call("firecrawl_monitor_run", { id });
  const checkOf = async () => (await call("firecrawl_monitor_check", { id, checkId: run.data.id })).data;
  const check = await until(shared.served, checkOf, ({ summary }) => summary.new === 1 && summary.changed === 1);
  expect(check.pages.slice(0, 2)).toMatchObject([
    { url: at("/a"), status: "changed" },
    { url: at("/c"), status: "new" },
  ]);
  const filtered = await call("firecrawl_monitor_check", { id, checkId: run.data.id, pageStatus: "same" });
  expect(filtered.data.pages.map(({ url }: { url: string }) => url)).toEqual([at("/"), at("/b")]);
  const { data: checks } = await call("firecrawl_monitor_checks", { id, limit: 1 });
  expect(checks).toHaveLength(1);
  expect((await call("firecrawl_monitor_update", { id, body: { status: "paused" } })).data.status).toBe("paused");
  const byGoal = await ask("firecrawl_monitor_create", { page: at("/"), goal: "only prices" });
  expect([byGoal.isError, byGoal.text]).toEqual([true, expect.stringContaining("no model judges changes here")]);
  expect(await call("firecrawl_monitor_delete", { id })).toMatchObject({ success: true });
  await close();
});

/** What each tool is asked, and the words of its refusal; null for those that other tests use. */
const TOOLS: Record<string, [given: Record<string, unknown>, words: string] | null> = {
  ...Object.fromEntries(
    ["scrape", "map", "search", "crawl", "check_crawl_status", "parse"].map((name) => [`firecrawl_${name}`, null]),
  ),
  ...Object.fromEntries(
    ["create", "list", "get", "update", "delete", "run", "checks", "check"].map((name) => [
      `firecrawl_monitor_${name}`,
      null,
    ]),
  ),
  // It shows no sentence of a server.
  firecrawl_find_tools: [{ level: "categories" }, "HTTP 4"],
  firecrawl_search_feedback: [
    { searchId: "00000000-0000-4000-8000-000000000000", rating: "good" },
    "nobody collects feedback",
  ],
  firecrawl_feedback: [
    { endpoint: "scrape", jobId: "00000000-0000-4000-8000-000000000000", rating: "good" },
    "nobody collects feedback",
  ],
  // It is deprecated, and refuses by itself.
  firecrawl_extract: [{ urls: ["https://a.test/"], prompt: "the price" }, "firecrawl_scrape"],
  firecrawl_agent: [{ prompt: "Who makes drills?" }, "no agent"],
  firecrawl_agent_status: [{ id: "00000000-0000-4000-8000-000000000000" }, "no agent"],
  firecrawl_interact: [{ scrapeId: "00000000-0000-4000-8000-000000000000", prompt: "click" }, "no browser"],
  firecrawl_interact_stop: [{ scrapeId: "00000000-0000-4000-8000-000000000000" }, "no browser"],
  firecrawl_research_search_papers: [{ query: "drills" }, "no catalogue"],
  firecrawl_research_inspect_paper: [{ paperId: "arxiv:1" }, "no catalogue"],
  firecrawl_research_related_papers: [{ seed_ids: ["arxiv:1"], intent: "drills" }, "no catalogue"],
  firecrawl_research_read_paper: [{ paperId: "arxiv:1", question: "drills" }, "no catalogue"],
  firecrawl_research_search_github: [{ query: "drills" }, "is deprecated"],
  firecrawl_developer_search: [{ query: "drills" }, "no catalogue"],
  firecrawl_credit_usage: [{}, "no account"],
};

test("each tool of firecrawl-mcp works, or says why not", async () => {
  const { ask, tools, close } = await openFirecrawlMcp(shared.served);
  expect(new Set(await tools())).toEqual(new Set(Object.keys(TOOLS)));
  for (const [name, refused] of Object.entries(TOOLS)) {
    if (refused === null) continue;
    const [given, words] = refused;
    // Some tools show the status of an answer in the place of its sentence.
    const { text } = await ask(name, given);
    expect([name, text.includes(words) || text.includes("status code 404") ? words : text]).toEqual([name, words]);
  }
  await close();
});

describe("each other method of the JavaScript client", () => {
  const ID = "00000000-0000-4000-8000-000000000000";
  const METHODS: [string, (client: Firecrawl) => Promise<unknown>, words: string][] = [
    ["startAgent", (client) => client.startAgent({ prompt: "x" }), "no agent"],
    ["getAgentStatus", (client) => client.getAgentStatus(ID), "no agent"],
    ["listAgents", (client) => client.listAgents(), "no agent"],
    ["cancelAgent", (client) => client.cancelAgent(ID), "no agent"],
    ["getAgentTrace", (client) => client.getAgentTrace(ID), "no agent"],
    ["getAgentSnapshot", (client) => client.getAgentSnapshot(ID, ID), "no agent"],
    ["getAgentThread", (client) => client.getAgentThread(ID), "no agent"],
    ["browser", (client) => client.browser(), "no browser"],
    ["browserExecute", (client) => client.browserExecute(ID, { code: "1" }), "no browser"],
    ["deleteBrowser", (client) => client.deleteBrowser(ID), "no browser"],
    ["listBrowsers", (client) => client.listBrowsers(), "no browser"],
    ["interact", (client) => client.interact(ID, { code: "1" }), "no browser"],
    ["stopInteraction", (client) => client.stopInteraction(ID), "no browser"],
    ["findTools", (client) => client.findTools({}), "no catalogue of tools"],
    ["developerSearch", (client) => client.developerSearch("x"), "no catalogue"],
    ["feedback", (client) => client.feedback({ endpoint: "scrape", jobId: ID, rating: "good" } as never), "feedback"],
    ["searchFeedback", (client) => client.searchFeedback(ID, { rating: "good" } as never), "feedback"],
    ["crawlParamsPreview", (client) => client.crawlParamsPreview("https://a.test/", "x"), "not made of a prompt"],
    ["getConcurrency", (client) => client.getConcurrency(), "no account"],
    ["getCreditUsage", (client) => client.getCreditUsage(), "no account"],
    ["getTokenUsage", (client) => client.getTokenUsage(), "no account"],
    ["getCreditUsageHistorical", (client) => client.getCreditUsageHistorical(), "no account"],
    ["getTokenUsageHistorical", (client) => client.getTokenUsageHistorical(), "no account"],
    ["getQueueStatus", (client) => client.getQueueStatus(), "no account"],
    ["research.searchPapers", (client) => client.research.searchPapers("x"), "no catalogue"],
    ["v1.search", (client) => client.v1.search("x", {}), "use /v2"],
    ["v1.batchScrapeUrls", (client) => client.v1.batchScrapeUrls(["https://a.test/"], {}), "use /v2"],
    // It shows no sentence of a server.
    ["v1.getCreditUsage", (client) => client.v1.getCreditUsage(), "404"],
  ];

  test.each(METHODS)("says why there is none: %s", async (_, call, words) => {
    const error = await call(app).then(
      () => null,
      (error: { message: string; details?: unknown }) => error,
    );
    // Some show the sentence in the details alone.
    expect(`${error?.message} ${JSON.stringify(error?.details)}`).toContain(words);
  });

  test("is one of these, of those that other tests use, or another name of one", () => {
    const tested = METHODS.map(([name]) => name);
    const used = [
      ...["scrape", "map", "search", "crawl", "startCrawl", "getCrawlStatus", "cancelCrawl", "getCrawlErrors"],
      ...["getActiveCrawls", "batchScrape", "startBatchScrape", "getBatchScrapeStatus", "cancelBatchScrape"],
      ...["getBatchScrapeErrors", "watcher", "extract", "startExtract", "getExtractStatus", "parse"],
      ...["createMonitor", "listMonitors", "getMonitor", "updateMonitor", "deleteMonitor", "runMonitor"],
      ...["listMonitorChecks", "getMonitorCheck"],
    ];
    const others = [
      "constructor",
      "isCloudService",
      "agent",
      "scrapeExecute",
      "stopInteractiveBrowser",
      "deleteScrapeBrowser",
    ];
    const methods: string[] = [];
    // The class of version 2, whose methods its names of version 1 call.
    for (let proto = Object.getPrototypeOf(app); proto !== Object.prototype; proto = Object.getPrototypeOf(proto))
      methods.push(
        ...Object.getOwnPropertyNames(proto).filter(
          (name) => typeof Object.getOwnPropertyDescriptor(proto, name)?.value === "function",
        ),
      );
    const olderNames = /Url$|Urls$|^check|^async/;
    const left = methods.filter((name) => ![...tested, ...used, ...others].includes(name) && !olderNames.test(name));
    expect(left).toEqual([]);
  });
});

test("what version 1's client has beside, says why not", async () => {
  const older = new FirecrawlOne({ apiKey: shared.served.token, apiUrl: shared.served.address });
  await expect(older.deepResearch("x", {}, undefined, undefined)).rejects.toThrow(/no agent/);
  await expect(older.generateLLMsText("https://a.test/", {})).rejects.toThrow(/llms/);
});

test("the signature of a monitor's notice is made with the secret that was given", async () => {
  const secret = SECRET;
  const { id } = await app.createMonitor({
    name: "Signed",
    schedule: { text: "every 12 hours" },
    webhook: { url: `${receiver.origin}/signed`, secret } as never,
    targets: [{ type: "scrape", urls: [at("/b")] }],
  });
  await until(
    shared.served,
    async () => await getOrPost<CrawlView>(shared.served, `/api/crawls/${id}`),
    ({ status }) => status === "watching",
  );
  pages["/b"] = articleOf("B", [`Page b says something else. ${TEXT}`]);
  await app.runMonitor(id);
  const notices = () => told.filter(({ body }) => (JSON.parse(body) as { id: string }).id === id);
  await until(
    shared.served,
    async () => notices().length,
    (n) => n > 0,
  );
  const [{ body, headers } = { body: "", headers: {} }] = notices();
  expect(headers["x-firecrawl-signature"]).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
});
