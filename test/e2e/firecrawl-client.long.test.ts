import { createHmac } from "node:crypto";
import Firecrawl from "@mendable/firecrawl-js";
import FirecrawlOne from "firecrawl-js-1";
import { beforeAll, describe, expect, test } from "vitest";
import { type Pages, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { run, serveFast } from "./cli.ts";
import { openFirecrawlMcp } from "./firecrawl-mcp.ts";
import { SECRET } from "./receiver.ts";
import { shareServer } from "./served-sites.ts";

/**
 * Firecrawl's own clients, unmodified, with this installation as their address: the JavaScript client and
 * firecrawl-mcp.
 */

const shared = shareServer((state) => serveFast(state, 1_000, new Date("2031-01-01T00:00:00Z")));
let site: Site;
let app: Firecrawl;

const CHAPTERS = ["one", "two", "three"];

function article(title: string, links: string[]): string {
  const menu = links.map((link) => `<li><a href="${link}">Menu entry</a></li>`).join("");
  return `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="About ${title}">
    <meta property="og:title" content="OG ${title}"></head><body><nav><ul>${menu}</ul></nav>
    <main><article><h1>${title}</h1><p>The heron waits at the weir for <b>${title}</b>, and the miller counts his sacks,
    one by one, until the evening comes and the wheel stands still.</p></article></main>
    <footer>Imprint and privacy</footer></body></html>`;
}

function sitemapOf(urls: string[]): { body: string; headers: Record<string, string> } {
  const entries = urls.map((url) => `<url><loc>${url}</loc></url>`).join("");
  const body = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
  return { body, headers: { "content-type": "application/xml" } };
}

beforeAll(async () => {
  const chapters = CHAPTERS.map((name) => `/docs/${name}`);
  const pages: Pages = {
    "/robots.txt": { body: "User-agent: *\nDisallow: /docs/private\n", headers: { "content-type": "text/plain" } },
    "/": article("The mill", ["/docs/", "/about?from=home"]),
    "/docs/": article("The manual", [...chapters, "/docs/private", "/docs/missing", "/about"]),
    "/about": article("About us", ["/"]),
    "/moved": { status: 302, headers: { location: "/docs/one" } },
    ...Object.fromEntries(CHAPTERS.map((name) => [`/docs/${name}`, article(`Chapter ${name}`, ["/docs/"])])),
  };
  site = await startHandmadeSite(pages, { host: "127.0.0.91" });
  pages["/sitemap.xml"] = sitemapOf([`${site.origin}/docs/unlinked`, `${site.origin}/docs/one`]);
  pages["/docs/unlinked"] = article("Unlinked", []);
  shared.sites.push(site);
  app = clientOf();
});

function clientOf(apiKey = shared.served.token): Firecrawl {
  return new Firecrawl({ apiKey, apiUrl: shared.served.address });
}

const keyOf = () => ({ apiKey: shared.served.token, apiUrl: shared.served.address });
const fetched = (path: string) => site.counts().get(path) ?? 0;
const at = (path: string) => `${site.origin}${path}`;

describe("scrape", () => {
  test("answers with the page in the formats that are asked for", async () => {
    const page = await app.scrape(at("/docs/one"), { formats: ["markdown", "html", "rawHtml", "links"] });
    expect(page.markdown).toContain("The heron waits at the weir for **Chapter one**");
    expect(page.markdown).not.toContain("Menu entry");
    expect(page.html).toContain("<b>Chapter one</b>");
    expect(page.rawHtml).toContain("Menu entry");
    expect(page.links).toEqual([at("/docs/")]);
    expect(page.metadata).toMatchObject({
      title: "Chapter one",
      description: "About Chapter one",
      language: "en",
      ogTitle: "OG Chapter one",
      url: at("/docs/one"),
      sourceURL: at("/docs/one"),
      statusCode: 200,
      contentType: expect.stringContaining("text/html"),
      cacheState: "miss",
    });
  });

  test("asks for Markdown by default, and takes the page from the mirror where maxAge allows", async () => {
    const before = fetched("/docs/one");
    const stored = await app.scrape(at("/docs/one"));
    expect(stored.markdown).toContain("The heron");
    expect(stored.metadata).toMatchObject({ cacheState: "hit", cachedAt: expect.stringContaining("2031-01-") });
    expect(fetched("/docs/one")).toBe(before);
    expect((await app.scrape(at("/docs/one"), { maxAge: 0 })).metadata?.cacheState).toBe("miss");
    expect(fetched("/docs/one")).toBe(before + 1);
  });

  test("follows redirects, also in the mirror", async () => {
    for (const cacheState of ["miss", "hit"]) {
      const { metadata, markdown } = await app.scrape(at("/moved"));
      expect(metadata).toMatchObject({ url: at("/docs/one"), sourceURL: at("/moved"), cacheState });
      expect(markdown).toContain("Chapter one");
    }
  });

  test("keeps nothing where storeInCache is false", async () => {
    const url = at("/about");
    expect((await app.scrape(url, { storeInCache: false })).markdown).toContain("About us");
    await expect(app.scrape(url, { lockdown: true })).rejects.toMatchObject({
      status: 404,
      code: "SCRAPE_LOCKDOWN_CACHE_MISS",
    });
  });

  test("sends headers to the site, and never gives such a page to others", async () => {
    const seen: (string | undefined)[] = [];
    const guarded = await startSite(
      ({ url, headers }, response) => {
        if (url === "/") seen.push(headers.authorization);
        response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" }).end(article("In", []));
      },
      { host: "127.0.0.92" },
    );
    shared.sites.push(guarded);
    await app.scrape(`${guarded.origin}/`, { headers: { Authorization: "Basic x" } });
    await app.scrape(`${guarded.origin}/`);
    expect(seen).toEqual(["Basic x", undefined]);
  });

  test("reads fields by rules, without a model", async () => {
    const format = {
      type: "json" as const,
      schema: {},
      rules: { heading: { selector: "h1" }, missing: { selector: ".no" } },
    };
    const json = { heading: "Chapter three", missing: null };
    for (const cacheState of ["miss", "hit"])
      expect(await app.scrape(at("/docs/three"), { formats: [format] })).toMatchObject({
        json,
        metadata: { cacheState },
      });
    const job = await app.batchScrape([at("/docs/three")], {
      options: { formats: ["markdown", format] },
      pollInterval: 1,
    });
    expect(job.data).toMatchObject([{ json, markdown: expect.any(String) }]);
    const wrong = { ...format, rules: { heading: { selector: "h1[" } } };
    await expect(app.scrape(at("/"), { formats: [wrong] })).rejects.toMatchObject({
      message: expect.stringContaining("selector"),
    });
  });

  test("has the content that is chosen, also by version 1", async () => {
    const scrapes = [
      (options: Record<string, unknown>) => app.scrape(at("/docs/one"), options),
      (options: Record<string, unknown>) => new FirecrawlOne(keyOf()).scrapeUrl(at("/docs/one"), options),
    ] as const;
    for (const scrape of scrapes) {
      const of = async (options: Record<string, unknown>) =>
        (await scrape({ formats: ["markdown", "html"], ...options })) as { markdown: string; html: string };
      const usual = await of({ onlyMainContent: true, waitFor: 500, proxy: "basic", maxAge: 3_600_000 });
      expect([usual.markdown.includes("Menu entry"), usual.markdown.includes("heron")]).toEqual([false, true]);
      const whole = await of({ onlyMainContent: false });
      for (const words of ["Menu entry", "The heron", "Imprint and privacy"])
        for (const text of [whole.markdown, whole.html]) expect([words, text.includes(words)]).toEqual([words, true]);
      const without = await of({ onlyMainContent: false, excludeTags: ["nav", "footer"] });
      expect(without.markdown).toContain("The heron");
      expect(without.markdown + without.html).not.toMatch(/Menu entry|Imprint/);
      const heading = await of({ includeTags: ["h1", "footer"], excludeTags: [] });
      expect(heading.markdown.trim()).toBe("# Chapter one\n\nImprint and privacy");
      const inside = await of({ excludeTags: ["b"] });
      expect([inside.markdown.includes("heron"), inside.markdown.includes("**Chapter one**")]).toEqual([true, false]);
    }
    // What was chosen for one request is not stored for others.
    expect((await app.scrape(at("/docs/one"))).markdown).not.toContain("Menu entry");
  });

  test.each([true, false])("has jobs with onlyMainContent: %s", async (onlyMainContent) => {
    const options = { formats: ["markdown" as const, "html" as const], onlyMainContent };
    const limits = { limit: 3, pollInterval: 1, crawlEntireDomain: true };
    const crawl = await app.crawl(at("/docs/one"), { ...limits, scrapeOptions: options });
    const batch = await app.batchScrape([at("/docs/one"), at("/docs/two")], { options, pollInterval: 1 });
    expect([crawl.data.length, batch.data.length]).toEqual([3, 2]);
    for (const { markdown = "", html = "" } of [...crawl.data, ...batch.data])
      for (const text of [markdown, html])
        expect([text.includes("Chapter") || text.includes("heron"), text.includes("Imprint")]).toEqual([
          true,
          !onlyMainContent,
        ]);
    // Other requests get what they ask for of the same pages.
    const page = await app.scrape(at("/docs/two"));
    expect(page.markdown).not.toContain("Imprint and privacy");
  });

  test("has jobs with includeTags and excludeTags, also by version 1", async () => {
    const chosen = { formats: ["markdown" as const, "html" as const], includeTags: ["h1", "footer"] };
    const limits = { limit: 3, pollInterval: 1, crawlEntireDomain: true };
    const crawl = await app.crawl(at("/docs/one"), { ...limits, scrapeOptions: chosen });
    const options = { formats: ["markdown" as const], onlyMainContent: false, excludeTags: ["nav", "footer"] };
    const batch = await app.batchScrape([at("/docs/one")], { options, pollInterval: 1 });
    const scrapeOptions = { formats: ["markdown" as const], excludeTags: ["b"] };
    const one = await new FirecrawlOne(keyOf()).crawlUrl(at("/docs/one"), { limit: 1, scrapeOptions }, 1);
    const first = crawl.data.find(({ metadata }) => metadata?.sourceURL === at("/docs/one"));
    expect(first?.markdown?.trim()).toBe("# Chapter one\n\nImprint and privacy");
    expect(first?.html).not.toContain("heron");
    expect(batch.data[0]?.markdown).toContain("The heron");
    expect(batch.data[0]?.markdown).not.toMatch(/Menu entry|Imprint/);
    const [page] = "data" in one ? one.data : [];
    expect([page?.markdown?.includes("heron"), page?.markdown?.includes("**Chapter one**")]).toEqual([true, false]);
    // Somebody else's scrape of the same page has its main content.
    expect((await app.scrape(at("/docs/one"))).markdown).toContain("heron");
  });

  test("lists the images of the whole page, and asks for a language", async () => {
    const languages: (string | undefined)[] = [];
    const pictures = await startSite(
      ({ url, headers }, response) => {
        if (url === "/") languages.push(headers["accept-language"]);
        const body = `<title>Pictures</title><header><img src="/logo.png?a=1&amp;b=2"></header><main>
          <p>The mill, as it was.</p><img src="docs/mill.jpg" alt="The mill"><img src="docs/mill.jpg"></main>`;
        response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" }).end(body);
      },
      { host: "127.0.0.94" },
    );
    shared.sites.push(pictures);
    const url = `${pictures.origin}/`;
    const page = await app.scrape(url, { formats: ["images"], location: { country: "DE" } });
    expect(page.images).toEqual([`${url}logo.png?a=1&b=2`, `${url}docs/mill.jpg`]);
    const crawl = await app.crawl(url, { limit: 1, pollInterval: 1, scrapeOptions: { formats: ["images"] } });
    expect(crawl.data.map(({ images }) => images)).toEqual([page.images]);
    const batch = await app.batchScrape([url], { options: { formats: ["images", "markdown"] }, pollInterval: 1 });
    expect(batch.data).toMatchObject([{ images: page.images, markdown: expect.stringContaining("The mill") }]);
    expect(page.warning).toContain("no exit in DE can be had");
    expect(languages).toEqual(["de-DE, de;q=0.9", undefined, undefined]);
  });

  test("is in no list of crawls, and `latest` is none, unless all are asked for", async () => {
    const crawl = await app.startCrawl(at("/about"), { limit: 1 });
    await app.scrape(at("/docs/two"), { maxAge: 0 });
    await app.map(at("/"), { limit: 5 });
    const list = async (...flags: string[]) =>
      JSON.parse((await run("list", "--json", ...flags, ...shared.served.remote)).stdout) as {
        id: string;
        purpose: string;
      }[];
    expect((await list())[0]).toMatchObject({ id: crawl.id, purpose: "crawl" });
    expect((await list()).every(({ purpose }) => purpose === "crawl")).toBe(true);
    expect(new Set((await list("--all")).map(({ purpose }) => purpose))).toEqual(new Set(["crawl", "scrape", "map"]));
    const latest = await run("status", "latest", "--json", ...shared.served.remote);
    expect(JSON.parse(latest.stdout)).toMatchObject({ id: crawl.id });
  });

  test("says what the server answered, as theirs does", async () => {
    const missing = await app.scrape(at("/docs/missing"));
    expect(missing.metadata).toMatchObject({ statusCode: 404, error: expect.stringContaining("error") });
  });

  test.each<[string, Record<string, unknown>, number, string]>([
    ["/docs/private", {}, 403, "robots.txt forbids it"],
    ["/", { formats: [{ type: "json", prompt: "Who?" }] }, 400, "This installation has no model"],
    ["/", { formats: ["summary"] }, 400, "writes no text"],
    ["/", { proxy: "stealth" }, 400, "none evades bot walls"],
    ["/", { includeTags: ["h1["] }, 400, "is not a CSS selector"],
    ["/", { mobile: true }, 400, "no phone"],
    ["/", { nonsense: true }, 400, "there is no nonsense"],
  ])("of %s with %j is refused by a sentence: %s", async (path, options, status, words) => {
    await expect(app.scrape(at(path), options)).rejects.toMatchObject({
      status,
      message: expect.stringContaining(words),
    });
  });

  test("answers in time, and says so", async () => {
    const silent = await startSite(() => undefined, { host: "127.0.0.93" });
    shared.sites.push(silent);
    await expect(app.scrape(`${silent.origin}/`, { timeout: 500 })).rejects.toMatchObject({
      status: 408,
      code: "SCRAPE_TIMEOUT",
    });
  });

  test("a wrong key", async () => {
    await expect(clientOf("wrong").scrape(at("/"))).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  });
});

describe("a crawl", () => {
  const DOCS = ["/docs/", "/docs/one", "/docs/three", "/docs/two", "/docs/unlinked"];

  test("stays below its seed, and has each page once", async () => {
    const job = await app.crawl(at("/docs/"), { pollInterval: 1, scrapeOptions: { formats: ["markdown", "links"] } });
    expect(job).toMatchObject({ status: "completed", completed: DOCS.length, creditsUsed: 0, next: null });
    expect(job.data.map(({ metadata }) => metadata?.url).sort()).toEqual(DOCS.map(at));
    for (const page of job.data) expect(page).toMatchObject({ markdown: expect.stringContaining("The heron") });
    const errors = await app.getCrawlErrors(job.id);
    expect(errors.robotsBlocked).toEqual([at("/docs/private")]);
    expect(errors.errors).toEqual([
      expect.objectContaining({ url: at("/docs/missing"), code: "http-status", error: expect.stringContaining("404") }),
    ]);
  });

  test("takes the pages that its options name", async () => {
    const cases: [Record<string, unknown>, string[]][] = [
      [{ includePaths: ["^/docs/t"], sitemap: "skip" }, ["/docs/", "/docs/three", "/docs/two"]],
      [{ excludePaths: ["/t[a-z]+$", "unlinked"] }, ["/docs/", "/docs/one"]],
      [{ maxDiscoveryDepth: 0, sitemap: "skip" }, ["/docs/"]],
      [{ crawlEntireDomain: true, excludePaths: ["docs/.", "about"] }, ["/docs/"]],
      [{ regexOnFullURL: true, includePaths: [":\\d+/docs/one$"] }, ["/docs/", "/docs/one"]],
      [{ sitemap: "only" }, ["/docs/", "/docs/one", "/docs/unlinked"]],
    ];
    const jobs = await Promise.all(cases.map(([options]) => app.crawl(at("/docs/"), { pollInterval: 1, ...options })));
    const found = jobs.map(({ data }) => data.map(({ metadata }) => metadata?.url).sort());
    expect(found).toEqual(cases.map(([, paths]) => paths.map(at)));
  });

  test("is read by pages of results that follow an absolute next", async () => {
    const { id } = await app.crawl(at("/docs/"), { pollInterval: 1 });
    const get = async (url: string) => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${shared.served.token}` } });
      return (await answer.json()) as { success: boolean; next?: string; data: { metadata: { url: string } }[] };
    };
    const urls: string[] = [];
    for (let next: string | undefined = `${shared.served.address}/v2/crawl/${id}?limit=2`; next !== undefined; ) {
      const page = await get(next);
      expect(page.success).toBe(true);
      expect(page.data.length).toBeLessThanOrEqual(2);
      urls.push(...page.data.map(({ metadata }) => metadata.url));
      next = page.next;
    }
    expect(urls).toEqual(DOCS.map(at));
  });

  test("is listed while it runs, and is cancelled", async () => {
    const slow = await startSite(() => undefined, { host: "127.0.0.94" });
    shared.sites.push(slow);
    const { id, url } = await app.startCrawl(`${slow.origin}/`, { limit: 5 });
    expect(url).toBe(`${shared.served.address}/v2/crawl/${id}`);
    expect(await app.getCrawlStatus(id)).toMatchObject({ status: "scraping", completed: 0, data: [] });
    const { crawls } = await app.getActiveCrawls();
    expect(crawls).toContainEqual(expect.objectContaining({ id, url: `${slow.origin}/` }));
    const watched = watch(id);
    await watched.opened;
    expect(await app.cancelCrawl(id)).toBe(true);
    expect(await watched.done).toMatchObject({ status: "cancelled" });
    expect((await app.getCrawlStatus(id)).status).toBe("cancelled");
  });

  test.each<[Record<string, unknown>, string]>([
    [{ includePaths: ["(?=x)"] }, "includePaths.0"],
    [{ excludePaths: ["(a{30}){30}|(b{30}){30}"] }, "excludePaths.0"],
    [{ prompt: "all of it" }, "prompt"],
    [{ ignoreQueryParameters: true }, "ignoreQueryParameters"],
    [{ robotsUserAgent: "x" }, "robotsUserAgent"],
    [{ webhook: "ftp://a.test/" }, "webhook"],
    [{ scrapeOptions: { formats: ["branding"] } }, "scrapeOptions.formats.0"],
  ])("with %j is refused by a sentence that names %s", async (options, name) => {
    await expect(app.startCrawl(at("/"), options)).rejects.toMatchObject({
      status: 400,
      code: "BAD_REQUEST",
      message: expect.stringContaining(name),
    });
  });

  test("that does not exist", async () => {
    await expect(app.getCrawlStatus("00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({ status: 404 });
  });
});

/** Watches a job as its users do, and fails if it needs a poll. */
function watch(id: string, kind: "crawl" | "batch" = "crawl") {
  const watcher = app.watcher(id, { kind, pollInterval: 60 });
  const documents: unknown[] = [];
  watcher.on("document", (document) => documents.push(document));
  const opened = new Promise<void>((resolve) => watcher.once("snapshot", () => resolve()));
  const done = new Promise<{ status: string }>((resolve, reject) => {
    watcher.on("done", resolve);
    watcher.on("error", (event) => reject(new Error(JSON.stringify(event))));
  });
  void watcher.start();
  return { documents, opened, done };
}

test("a watcher gets each document once, and the end", async () => {
  const { id } = await app.startCrawl(at("/docs/"));
  const { documents, done } = watch(id);
  expect(await done).toMatchObject({ status: "completed" });
  const urls = documents.map((document) => (document as { metadata: { url: string } }).metadata.url);
  expect(urls.sort()).toEqual(["/docs/", "/docs/one", "/docs/three", "/docs/two", "/docs/unlinked"].map(at));
});

describe("a batch", () => {
  test("has the pages that are named, and lists what is no URL", async () => {
    const { id, url, invalidURLs } = await app.startBatchScrape([at("/docs/one"), at("/about"), "nonsense"], {
      options: { formats: ["markdown"] },
    });
    expect([url, invalidURLs]).toEqual([`${shared.served.address}/v2/batch/scrape/${id}`, ["nonsense"]]);
    expect(await watch(id, "batch").done).toMatchObject({ status: "completed" });
    const job = await app.getBatchScrapeStatus(id);
    expect(job).toMatchObject({ status: "completed", total: 2, completed: 2 });
    expect(job.data.map(({ metadata }) => metadata?.url)).toEqual([at("/about"), at("/docs/one")]);
  });

  test("is waited for, and tells its errors", async () => {
    const job = await app.batchScrape([at("/docs/missing"), at("/docs/private"), at("/")], { pollInterval: 1 });
    expect(job).toMatchObject({ status: "completed", total: 3, completed: 1 });
    const { errors, robotsBlocked } = await app.getBatchScrapeErrors(job.id);
    expect([errors.map(({ url }) => url), robotsBlocked]).toEqual([[at("/docs/missing")], [at("/docs/private")]]);
    expect(await app.cancelBatchScrape(job.id)).toBe(false);
  });

  test("that must have no invalid URL is refused", async () => {
    const refused = app.startBatchScrape([at("/"), "nonsense"], { ignoreInvalidURLs: false });
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining("nonsense") });
    const repeated = app.startBatchScrape([at("/")], { idempotencyKey: "1" });
    await expect(repeated).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("x-idempotency-key"),
    });
  });
});

describe("a map", () => {
  test("has what the page links to, what sitemaps list and what crawls here know", async () => {
    const { links } = await app.map(at("/"));
    expect(links.map(({ url }) => url)).toEqual(
      expect.arrayContaining(["/", "/docs/", "/docs/unlinked", "/about"].map(at)),
    );
    expect(links[0]).toMatchObject({ url: at("/"), title: "The mill", description: "About The mill" });
    expect(links.map(({ url }) => url)).not.toContain(at("/about?from=home"));
  });

  test("of the sitemaps alone, and with the best first", async () => {
    const only = await app.map(at("/"), { sitemap: "only" });
    expect(only.links.map(({ url }) => url).sort()).toEqual([at("/"), at("/docs/one"), at("/docs/unlinked")]);
    const { links } = await app.map(at("/"), { search: "chapter two", limit: 10 });
    expect(links[0]).toMatchObject({ url: at("/docs/two"), title: "Chapter two" });
  });
});

describe("a search", () => {
  test("finds stored pages, and adds them in a format", async () => {
    const { web = [] } = await app.search("miller sacks chapter", { limit: 2, includeDomains: ["127.0.0.91"] });
    expect(web).toHaveLength(2);
    expect(web[0]).toMatchObject({
      url: expect.stringContaining("/docs/"),
      description: expect.stringContaining("miller"),
    });
    const [full] = (await app.search("unlinked", { scrapeOptions: { formats: ["markdown"] } })).web ?? [];
    expect(full).toMatchObject({ url: at("/docs/unlinked"), markdown: expect.stringContaining("The heron") });
    expect((await app.search("miller", { excludeDomains: ["127.0.0.91", "127.0.0.92"] })).web).toEqual([]);
  });

  test("of what is not here is refused", async () => {
    await expect(app.search("miller", { sources: ["news"] })).rejects.toMatchObject({ status: 400 });
    await expect(app.search("miller", { tbs: "qdr:d" })).rejects.toMatchObject({ status: 400 });
  });
});

test("webhooks are told in their form, with their signature", async () => {
  const told: { body: string; headers: Record<string, unknown> }[] = [];
  const receiver = await startSite(
    async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      told.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
      response.writeHead(204).end();
    },
    { host: "127.0.0.95" },
  );
  shared.sites.push(receiver);
  const webhook = {
    url: `${receiver.origin}/hook`,
    metadata: { mill: "1" },
    headers: { "X-Mill": "water" },
    secret: SECRET,
  };
  const { id } = await app.startCrawl(at("/docs/"), { limit: 2, webhook });
  await expect.poll(() => told.length, { timeout: 60_000 }).toBe(4);
  const notices = told.map(({ body }) => JSON.parse(body));
  expect(notices.map(({ type }) => type).sort()).toEqual([
    "crawl.completed",
    "crawl.page",
    "crawl.page",
    "crawl.started",
  ]);
  for (const notice of notices) expect(notice).toMatchObject({ success: true, id, metadata: { mill: "1" } });
  for (const { data } of notices.filter(({ type }) => type === "crawl.page"))
    expect(data).toEqual([
      expect.objectContaining({
        markdown: expect.stringContaining("The heron"),
        metadata: expect.objectContaining({ statusCode: 200, url: expect.stringContaining("/docs/") }),
      }),
    ]);
  for (const { body, headers } of told) {
    expect(headers["x-mill"]).toBe("water");
    expect(headers["x-firecrawl-signature"]).toBe(`sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`);
  }
});

describe("version 1", () => {
  test("of the same client: scrape, map and crawl", async () => {
    const { v1 } = app;
    const page = await v1.scrapeUrl(at("/docs/two"), { formats: ["markdown"] });
    expect(page).toMatchObject({ success: true, markdown: expect.stringContaining("Chapter two") });
    const map = await v1.mapUrl(at("/"), { sitemapOnly: true });
    expect((map as { links: string[] }).links.sort()).toEqual([at("/"), at("/docs/one"), at("/docs/unlinked")]);
    const job = await v1.crawlUrl(at("/docs/"), { limit: 3, ignoreSitemap: true, maxDepth: 1 }, 1);
    expect(job).toMatchObject({ success: true, status: "completed", completed: 3 });
  });

  test("of client 1.29, by the calls of LangChain's FireCrawlLoader", async () => {
    const older = new FirecrawlOne({ apiKey: shared.served.token, apiUrl: shared.served.address });
    expect(await older.scrapeUrl(at("/docs/two"), {})).toMatchObject({
      success: true,
      markdown: expect.stringContaining("Chapter two"),
      metadata: { sourceURL: at("/docs/two") },
    });
    const job = await older.crawlUrl(at("/docs/"), { limit: 2, scrapeOptions: { formats: ["markdown"] } });
    expect(job).toMatchObject({ success: true, status: "completed", data: [{ markdown: expect.any(String) }, {}] });
    const map = await older.mapUrl(at("/"), {});
    expect((map as { links: string[] }).links).toContain(at("/docs/"));
  });
});

describe("firecrawl-mcp", () => {
  test("its scrape, map, search, crawl and check_crawl_status", async () => {
    const { call, close } = await openFirecrawlMcp(shared.served);
    expect(await call("firecrawl_scrape", { url: at("/docs/three"), formats: ["markdown"] })).toMatchObject({
      markdown: expect.stringContaining("Chapter three"),
    });
    expect(await call("firecrawl_map", { url: at("/"), search: "unlinked" })).toMatchObject({
      links: expect.arrayContaining([expect.objectContaining({ url: at("/docs/unlinked") })]),
    });
    expect(await call("firecrawl_search", { query: "miller unlinked" })).toMatchObject({
      success: true,
      data: { web: [expect.objectContaining({ url: at("/docs/unlinked") })] },
    });
    const job = await call("firecrawl_crawl", { url: at("/docs/"), limit: 2 });
    expect(job).toMatchObject({ status: "completed", completed: 2 });
    expect(await call("firecrawl_check_crawl_status", { id: job.id })).toMatchObject({ status: "completed" });
    await close();
  });
});
