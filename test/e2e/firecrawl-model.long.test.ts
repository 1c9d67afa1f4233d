import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Firecrawl from "@mendable/firecrawl-js";
import FirecrawlOne from "firecrawl-js-1";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ModelBehaviour, type ModelCall, type ModelServer, startModel } from "../sites/model-server.ts";
import { type Site, startSite } from "../sites/site.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { type Served, scratch, serveWith } from "./cli.ts";
import { openFirecrawlMcp } from "./firecrawl-mcp.ts";

/** What Firecrawl's own clients, unmodified, have a model do: values of pages, jobs of values, and uploads. */

const SCHEMA = { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } };
const dir = scratch();
let site: Site;
let model: ModelServer;
let served: Served;
let app: Firecrawl;
let behave: (call: ModelCall) => ModelBehaviour;

const at = (path: string) => `${site.origin}${path}`;
const number = (path: string) => Number(/\d+/.exec(path)?.[0] ?? 1);

/** A model that reads. */
const reads = ({ page }: ModelCall): ModelBehaviour => {
  const [, name, price] = /(Drill \d+)[\s\S]*?Price: (\d+)/.exec(page) ?? [];
  if (name === undefined) return { values: { name: null, price: null } };
  const evidence = [
    { path: "/name", words: name },
    { path: "/price", words: `${price}` },
  ];
  return { values: { name, price: Number(price) }, evidence };
};

beforeAll(async () => {
  site = await startSite(
    ({ url = "/" }, response) => {
      const links = Array.from({ length: 3 }, (_, i) => `<a href="/shop/p${i + 1}">Next</a>`).join(" ");
      if (url === "/robots.txt") response.end("User-agent: *\nContent-Signal: /closed/ ai-input=no\n");
      else
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(
            `<html lang="en"><title>Drill ${number(url)}</title><main><h1>Drill ${number(url)}</h1><p>A strong drill for walls of stone and of brick, with two gears and a case. Price: ${number(url)}99 dollars.</p>${links}</main></html>`,
          );
    },
    { host: "127.0.0.96" },
  );
  model = await startModel((call) => behave(call));
  const variables = { MODEL_URL: model.url, MODEL: "tiny" };
  const clock = { ORBWEAVER_CLOCK: `2031-01-01T00:00:00.000Z 1000 ${new Date().toISOString()}` };
  served = await serveWith({ ...variables, ...clock }, join(dir.path, "served"), []);
  app = new Firecrawl({ apiKey: served.token, apiUrl: served.address });
});

beforeEach(() => {
  model.calls.length = 0;
  behave = reads;
});

afterAll(async () => {
  await served.close();
  await Promise.all([site.close(), model.close()]);
  dir.remove();
});

describe("scrape", () => {
  const json = { type: "json" as const, schema: SCHEMA };

  test("has values by a schema, and a page that is stored is not asked about twice", async () => {
    for (const cacheState of ["miss", "hit"])
      expect(await app.scrape(at("/p7"), { formats: ["markdown", json] })).toMatchObject({
        json: { name: "Drill 7", price: 799 },
        markdown: expect.stringContaining("strong drill"),
        metadata: { cacheState },
      });
    expect(model.calls).toHaveLength(1);
    const { v1 } = app;
    for (const older of [v1, new FirecrawlOne({ apiKey: served.token, apiUrl: served.address })])
      expect(
        await older.scrapeUrl(at("/p7"), { formats: ["json"], jsonOptions: { schema: SCHEMA as never } }),
      ).toMatchObject({ json: { price: 799 } });
  });

  test("by a prompt alone, and says which values have no evidence, and why there are none", async () => {
    behave = () => ({ values: { maker: "Nobody" } });
    const page = await app.scrape(at("/p8"), { formats: [{ type: "json", prompt: "Who made it?" }] });
    expect(page).toMatchObject({ json: { maker: "Nobody" }, warning: "The words of the page do not show /maker." });
    behave = () => ({ text: "no" });
    const none = await app.scrape(at("/p8"), { formats: [{ type: "json", prompt: "Who?" }] });
    expect(none).toMatchObject({ json: null, warning: expect.stringContaining("it is not one JSON object") });
  });

  test("of what robots.txt refuses to models is refused, and nothing is sent", async () => {
    await expect(app.scrape(at("/closed/p1"), { formats: [json] })).rejects.toMatchObject({ status: 403 });
    // The page was fetched for another purpose.
    await app.scrape(at("/p9"));
    await app.scrape(at("/p9"), { formats: [json] });
    expect(model.calls).toHaveLength(1);
  });

  test("that cannot be asked is refused with its place", async () => {
    const wrong = { type: "json" as const, schema: { type: "nonsense" } };
    await expect(app.scrape(at("/p7"), { formats: [wrong] })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("schema"),
    });
    await expect(app.scrape(at("/p7"), { formats: ["summary"] })).rejects.toMatchObject({
      message: expect.stringContaining("writes no text"),
    });
  });
});

test("crawls and batches have values with their pages, when the model has answered", async () => {
  const options = { formats: ["markdown" as const, { type: "json" as const, schema: SCHEMA }] };
  const batch = await app.batchScrape([at("/shop/p1"), at("/shop/p2")], { options, pollInterval: 1 });
  expect(batch.data.map((page) => page.json)).toEqual([
    { name: "Drill 1", price: 199 },
    { name: "Drill 2", price: 299 },
  ]);
  const { id } = await app.startCrawl(at("/shop/"), { limit: 3, sitemap: "skip", scrapeOptions: options });
  const told: unknown[] = [];
  const watcher = app.watcher(id, { kind: "crawl", pollInterval: 60 });
  watcher.on("document", (document) => told.push((document as { json?: unknown }).json));
  const done = new Promise((resolve) => watcher.once("done", resolve));
  await watcher.start();
  await done;
  expect(told).toHaveLength(3);
  for (const each of told) expect(each).toMatchObject({ price: expect.any(Number) });
});

describe("extract", () => {
  test("has one object of the values of all pages, with their sources", async () => {
    behave = (call) => {
      const { values } = reads(call) as { values: { name: string } };
      return { values: { items: [values], shop: values.name } };
    };
    const schema = { type: "object", properties: { items: { type: "array" }, shop: { type: "string" } } };
    const urls = [at("/shop/p2"), at("/shop/p1"), "nonsense"];
    const job = await app.extract({ urls, schema, prompt: "all", showSources: true, pollInterval: 1 });
    expect(job).toMatchObject({
      status: "completed",
      data: { items: [{ name: "Drill 2" }, { name: "Drill 1" }], shop: "Drill 2" },
      sources: { shop: [at("/shop/p2")], items: [at("/shop/p2"), at("/shop/p1")] },
    });
    const below = await app.v1.extract([`${site.origin}/shop/*`], { schema: schema as never });
    expect(below).toMatchObject({
      success: true,
      data: { items: expect.arrayContaining([{ name: "Drill 3", price: 399 }]) },
    });
  });

  test("that finds nothing has failed, and says why", async () => {
    behave = () => ({ status: 401, message: "wrong key" });
    const job = await app.extract({ urls: [at("/p3")], schema: SCHEMA, pollInterval: 1 });
    expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("wrong key") });
    await expect(app.startExtract({ prompt: "What is a drill?" })).rejects.toMatchObject({ status: 400 });
    await expect(app.startExtract({ urls: [at("/")], prompt: "x", enableWebSearch: true })).rejects.toMatchObject({
      message: expect.stringContaining("no search of the web"),
    });
    const { id } = await app.startCrawl(at("/p1"), { limit: 1 });
    await expect(app.getExtractStatus(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe("parse", () => {
  const pdf = tinyPdf("Offer", ["Drill 5 is strong. Price: 599 dollars."]);
  const html = `<title>Offer</title><nav>Menu</nav><main><h1>Drill 6</h1><p>A strong drill for walls of stone and of brick, with two gears and a case. Price: 699 dollars.</p><a href="/x">x</a></main>`;

  test("reads an upload, by its bytes, and keeps nothing", async () => {
    const page = await app.parse({ data: html, filename: "offer.html", contentType: "text/html" });
    expect(page).toMatchObject({
      markdown: expect.stringContaining("# Drill 6"),
      metadata: { sourceURL: "offer.html" },
    });
    expect(page.markdown).not.toContain("Menu");
    const read = await app.parse({ data: pdf, filename: "offer.bin" }, { formats: ["markdown", "links"] });
    expect(read).toMatchObject({ markdown: expect.stringContaining("Drill 5 is strong"), metadata: { numPages: 1 } });
    expect((await app.search('"Drill 5 is"')).web).toEqual([]);
  });

  test("with values by a model", async () => {
    const json = { type: "json" as const, schema: SCHEMA };
    expect(await app.parse({ data: pdf, filename: "offer.pdf" }, { formats: [json] })).toMatchObject({
      json: { name: "Drill 5", price: 599 },
    });
  });

  test("of what is no document, or is damaged, says so", async () => {
    const zero = new Uint8Array(100);
    await expect(app.parse({ data: zero, filename: "x.bin" })).rejects.toMatchObject({ status: 415 });
    const broken = new TextEncoder().encode("%PDF-1.7\nnothing");
    await expect(app.parse({ data: broken, filename: "x.pdf" })).rejects.toMatchObject({ status: 422 });
    await expect(app.parse({ data: html, filename: "x.html" }, { redactPII: true })).rejects.toMatchObject({
      status: 400,
    });
    const bare = await fetch(`${served.address}/v2/parse`, {
      method: "POST",
      headers: { authorization: `Bearer ${served.token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(bare.status).toBe(400);
  });
});

test("firecrawl-mcp has values and uploads", async () => {
  const { call, close } = await openFirecrawlMcp(served);
  const page = await call("firecrawl_scrape", {
    url: at("/p7"),
    formats: ["json"],
    jsonOptions: { schema: SCHEMA, prompt: "the product" },
  });
  expect(page).toMatchObject({ json: { name: "Drill 7", price: 799 } });
  const file = join(dir.path, "offer.pdf");
  writeFileSync(file, tinyPdf("Offer", ["Drill 5 is strong. Price: 599 dollars."]));
  expect(await call("firecrawl_parse", { filePath: file, formats: ["markdown"] })).toMatchObject({
    data: { markdown: expect.stringContaining("Drill 5") },
  });
  await close();
});
