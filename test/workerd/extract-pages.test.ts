import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import { site } from "../../src/console/site.tsx";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { StoredContent } from "../../src/crawl/page/page-format.ts";
import type { ModelQuestion, ModelReply } from "../../src/extract/ask-for-values.ts";
import type { Extracted } from "../../src/extract/extraction.ts";
import { amendCrawl } from "../../src/lifecycle/start.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { emptyMetadata } from "../../src/media/text/plain-content.ts";
import { tellChanges } from "../../src/notices/tell-changes.ts";
import { extractPages, POSTPONED_MS } from "../../src/passes/extract/extract-pages.ts";
import { findDueExtractions } from "../../src/passes/extract/start-extraction.ts";
import { type DoStep, PassEnded, PassRun } from "../../src/passes/pass-run.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { readExtractedPage, readExtraction } from "../../src/reading/records/read-extraction.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** A model is asked about the pages of a crawl, whatever happens to it and to the pass. */

// A heartbeat looks at the passes and extractions of all crawls.
afterEach(async () => {
  await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  await env.LEDGER.exec("UPDATE crawls SET deleting_at = 1 WHERE options ->> '$.extract' IS NOT NULL");
});

const SITE = "https://a.test/";
const SCHEMA = { type: "object", properties: { name: { type: "string" } } };
const extract = { schema: SCHEMA, prompt: null, evidence: "marked" as const };

type Reply = (path: string, nth: number) => ModelReply;

const answer = (values: unknown): ModelReply => ({
  kind: "answer",
  text: JSON.stringify({ values, evidence: [] }),
  isCutOff: false,
  tokens: { input: 10, output: 5 },
});
const named: Reply = (path) => answer({ name: `Page ${path}` });
const LATER: ModelReply = { kind: "later", retryAfterMs: 1_000, detail: "the model's server answered 429" };

/** A world whose pages say their path, and whose model answers as it is told. */
class ModelWorld extends World {
  readonly paths: string[] = [];
  reply: Reply = named;
  says = (path: string) => `Page ${path}`;
  rests: number[] = [];

  constructor(pages = 6) {
    super((url) => ({
      links: url === SITE ? Array.from({ length: pages - 1 }, (_, i) => `${SITE}p${i + 1}`) : [],
      body: `<p>${this.says(new URL(url).pathname)}</p>`,
    }));
    this.deps.readContent = async ({ body }) => {
      const markdown = new TextDecoder().decode(body).replace(/<\/?p>/g, "");
      const content: StoredContent = {
        metadata: { ...emptyMetadata(), title: null } as StoredContent["metadata"],
        markdown,
      };
      return new TextEncoder().encode(JSON.stringify(content));
    };
    this.deps.model = {
      name: "tiny",
      characters: 1_000,
      mostTokens: () => ({ input: 20, output: 10 }),
      ask: async (question: ModelQuestion) => {
        const path = /URL: https:\/\/a\.test(\S+)/.exec(question.messages[1]?.content ?? "")?.[1] ?? "";
        this.paths.push(path);
        return this.reply(path, this.paths.length);
      },
    };
  }

  async crawl(changes: Partial<CrawlOptions> = {}): Promise<string> {
    const id = await this.start([SITE], { extract, ...changes });
    await this.runToEnd(id);
    return id;
  }

  /** Runs a pass. `doStep`: as of Workflows. */
  async extract(
    crawl: string,
    doStep: DoStep = (_, work) => work(),
    id: string = crypto.randomUUID(),
  ): Promise<string> {
    this.now += 1_000;
    await this.deps.passes.begin(crawl, id, this.now, null, { kind: "extract" });
    const rest = async (_: string, ms: number) => void this.rests.push(ms);
    try {
      await extractPages(new PassRun({ crawl, id, kind: "extract" }, doStep, () => this.deps, rest));
    } catch (error) {
      if (error instanceof PassEnded) await this.deps.passes.fail({ crawl, id }, error.message, this.now);
      throw error;
    }
    return id;
  }

  async found(crawl: string): Promise<Record<string, Extracted | null>> {
    const { results } = await env.LEDGER.prepare("SELECT url, extracted FROM urls WHERE crawl = ?1 ORDER BY url")
      .bind(crawl)
      .all<{ url: string; extracted: string | null }>();
    return Object.fromEntries(
      results.map(({ url, extracted }) => [new URL(url).pathname, extracted === null ? null : JSON.parse(extracted)]),
    );
  }
}

const valuesIn = (found: Record<string, Extracted | null>) =>
  Object.fromEntries(Object.entries(found).map(([path, each]) => [path, each?.values ?? null]));

const ALL = Object.fromEntries(
  ["/", "/p1", "/p2", "/p3", "/p4", "/p5"].map((path) => [path, { name: `Page ${path}` }]),
);

test("each page is asked about once, and its record, what explains it and its crawl's row have what was found", async () => {
  const world = new ModelWorld();
  const id = await world.crawl();
  expect(await findDueExtractions(world.deps)).toContain(id);
  await world.extract(id);
  expect(valuesIn(await world.found(id))).toEqual(ALL);
  expect((await world.found(id))["/p1"]?.evidence).toMatchObject([{ path: "/name", words: "Page /p1", at: 0 }]);
  expect(world.paths).toHaveLength(6);
  expect((await world.deps.ledger.crawl(id))?.model).toEqual({ calls: 6, input: 60, output: 30 });
  expect(await findDueExtractions(world.deps)).not.toContain(id);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  const { steps } = await explain(`${SITE}p1`, { crawl }, world.deps, "all");
  expect(steps.find(({ step }) => step === "values")).toMatchObject({ ok: true, rule: "asked" });
  // Nothing is asked again, whoever runs the pass.
  await world.extract(id);
  expect(world.paths).toHaveLength(6);
});

/** A watch whose pages have a price, and what it told and would tell a webhook. */
async function pricedWatch() {
  const world = new ModelWorld(3);
  const prices = new Map<string, string>();
  const schema = { type: "object", properties: { price: { type: "number" }, name: { type: "string" } } };
  let page = "";
  const { readContent } = world.deps;
  world.deps.readContent = async (stored, request) => {
    const path = new URL(request.url).pathname;
    page = `Page ${path} costs ${prices.get(path) ?? "19.90"} dollars`;
    const content = JSON.parse(new TextDecoder().decode(await readContent(stored, request))) as StoredContent;
    return new TextEncoder().encode(JSON.stringify({ ...content, markdown: page }));
  };
  world.reply = (path) => {
    const price = prices.get(path) ?? "19.90";
    const text = JSON.stringify({
      values: { name: `Page ${path}`, price: Number(price) },
      evidence: [{ path: "/price", words: price }],
    });
    return { kind: "answer", text, isCutOff: false, tokens: { input: 10, output: 5 } };
  };
  const id = await world.crawl({ extract: { ...extract, schema } });
  await watchCrawl(id, { ...WATCH, everyS: 3_600 }, world.deps);
  const made = { url: "https://receiver.test/", events: null, secret: "whsec_x" };
  const when = { digest: null, when: ["price < 18"], whenText: [] };
  await world.deps.webhooks.add(id, { ...made, id: crypto.randomUUID() }, world.now);
  await world.deps.webhooks.add(id, { ...made, id: crypto.randomUUID(), telling: when }, world.now);
  await world.extract(id);
  const becomes = async (path: string, price: string) => {
    prices.set(path, price);
    await env.LEDGER.prepare("UPDATE urls SET sha256 = ?3 WHERE crawl = ?1 AND url = ?2")
      .bind(id, `${SITE}${path.slice(1)}`, `of ${price}`)
      .run();
  };
  const told = async () => (await world.deps.changes.list(id, { after: 0, at: 0, kinds: null, limit: 100 })).changes;
  return { world, id, becomes, told };
}

test("a watch tells the values that have changed by name, with the words of the page, each once", async () => {
  const { world, id, becomes, told } = await pricedWatch();
  expect(await told()).toEqual([]);
  await becomes("/p1", "17.50");
  await becomes("/p2", "18.50");
  await world.extract(id);
  const change = (seq: number, path: string, after: number, words: string) => ({
    ...{ seq, url: `${SITE}${path}`, kind: "changed", at: expect.any(Number) },
    detail: `price: 19.9 → ${after} (“${words}”)`,
    fields: [{ name: "price", before: 19.9, after, words }],
  });
  const expected = [change(1, "p1", 17.5, "17.50"), change(2, "p2", 18.5, "18.50")];
  expect(await told()).toEqual(expected);
  // Nothing is told again, by another pass or where the page says the same.
  await becomes("/p1", "17.50");
  await world.extract(id);
  expect(await told()).toEqual(expected);
  expect((await world.deps.ledger.crawl(id))?.changes).toBe(2);

  // A webhook is told them; one with a condition on a value, those that meet it.
  const messages: string[][] = [];
  for (const webhook of await world.deps.toldChanges.waiting(0, 10, world.now + 1)) {
    if (webhook.crawl !== id) continue;
    await tellChanges(webhook, world.deps);
    const { results } = await env.LEDGER.prepare("SELECT body FROM deliveries WHERE crawl = ?1 AND webhook = ?2")
      .bind(id, webhook.id)
      .all<{ body: string }>();
    messages.push(results.map(({ body }) => body));
  }
  const prices = messages.map((bodies) =>
    bodies.flatMap((body) => {
      const { data } = JSON.parse(body) as { data: { changes: { fields: { after: number; words: string }[] }[] } };
      return data.changes.flatMap(({ fields }) => fields.map(({ after, words }) => [after, words]));
    }),
  );
  expect(prices.toSorted((a, b) => a.length - b.length)).toEqual([
    [[17.5, "17.50"]],
    [
      [17.5, "17.50"],
      [18.5, "18.50"],
    ],
  ]);
});

test("a digest has the values that have changed, with their words, a page once", async () => {
  const { world, id, becomes } = await pricedWatch();
  const webhook = { id: crypto.randomUUID(), url: "https://receiver.test/", events: null, secret: "whsec_x" };
  const telling = { digest: "daily@07:00", when: ["price < 18"], whenText: [] };
  await world.deps.webhooks.add(id, { ...webhook, telling }, world.now);
  await becomes("/p1", "17.50");
  await becomes("/p2", "18.50");
  await world.extract(id);
  world.now += 60_000;
  await becomes("/p1", "16.00");
  await world.extract(id);
  world.now += 2 * 86_400_000;
  const waiting = await world.deps.toldChanges.digestsDue(10, world.now);
  for (const each of waiting.filter((one) => one.id === webhook.id)) await tellChanges(each, world.deps);
  const { results } = await env.LEDGER.prepare("SELECT body FROM deliveries WHERE webhook = ?1")
    .bind(webhook.id)
    .all<{ body: string }>();
  const digests = results.map(({ body }) => JSON.parse(body));
  expect(digests).toHaveLength(1);
  expect(digests[0]).toMatchObject({ type: "pages.digest", data: { pages: [{ url: `${SITE}p1`, changes: 2 }] } });
  expect(digests[0].data.pages).toHaveLength(1);
  expect(digests[0].data.pages[0].fields).toEqual([{ name: "price", before: 19.9, after: 16, words: "16.00" }]);
});

test("a value that changed while the model failed is told when it answers again, after a kill too", async () => {
  const { world, id, becomes, told } = await pricedWatch();
  await becomes("/p1", "17.50");
  const { reply } = world;
  world.reply = () => LATER;
  await world.extract(id).catch(() => undefined);
  expect(await told()).toEqual([]);
  world.reply = reply;
  const { write } = world.deps.extractions;
  // The answer of the ledger is lost after its work.
  world.deps.extractions.write = async (...given) => {
    world.deps.extractions.write = write;
    await write.apply(world.deps.extractions, given);
    throw new Error("killed");
  };
  await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  await world.extract(id).catch(() => undefined);
  await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  await world.extract(id);
  expect((await told()).map(({ detail }) => detail)).toEqual(["price: 19.9 → 17.5 (“17.50”)"]);
});

test("pages that changed are asked about again, and others are not, also where their bytes changed alone", async () => {
  const world = new ModelWorld();
  const id = await world.crawl();
  await world.extract(id);
  world.paths.length = 0;
  await env.LEDGER.prepare("UPDATE urls SET sha256 = 'other' WHERE crawl = ?1 AND url IN (?2, ?3)")
    .bind(id, `${SITE}p1`, `${SITE}p2`)
    .run();
  const { readContent } = world.deps;
  world.deps.readContent = async (stored, request) => {
    const json = await readContent(stored, request);
    return request.url.endsWith("p1")
      ? new TextEncoder().encode(new TextDecoder().decode(json).replace("Page", "New page"))
      : json;
  };
  world.reply = (path) => answer({ name: `New page ${path}` });
  await world.extract(id);
  expect(world.paths).toEqual(["/p1"]);
  expect(valuesIn(await world.found(id))).toEqual({ ...ALL, "/p1": { name: "New page /p1" } });
});

test("a pass that dies anywhere pays nothing twice", async () => {
  const world = new ModelWorld();
  const id = await world.crawl();
  let writes = 0;
  const { write } = world.deps.extractions;
  for (let lives = 0; lives < 20; lives++) {
    world.deps.extractions.write = async (...args) => {
      writes += 1;
      if (writes % 2 === 1) throw new Error("killed");
      return write.apply(world.deps.extractions, args);
    };
    const ended = await world.extract(id).then(
      () => true,
      () => false,
    );
    if (ended) break;
    await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  }
  expect(valuesIn(await world.found(id))).toEqual(ALL);
  expect(world.paths.toSorted()).toEqual(Object.keys(ALL));
});

test("a server that is busy is waited for, and its pages come", async () => {
  const world = new ModelWorld();
  const id = await world.crawl();
  world.reply = (path, nth) => (nth <= 6 ? LATER : named(path, nth));
  await expect(world.extract(id)).rejects.toThrow(
    "the model failed on 6 pages, and read none: the model's server answered 429",
  );
  // All six failed once; the next pass has them.
  expect(await findDueExtractions(world.deps)).not.toContain(id);
  world.now += POSTPONED_MS;
  expect(await findDueExtractions(world.deps)).toContain(id);
  await world.extract(id);
  expect(valuesIn(await world.found(id))).toEqual(ALL);
});

test("a page on which the server fails is given up after three passes, and says why; the others are not", async () => {
  const world = new ModelWorld();
  const id = await world.crawl();
  world.reply = (path, nth) => (path === "/p3" ? LATER : named(path, nth));
  for (let pass = 0; pass < 4; pass++) {
    const isOfOthers = pass === 0 || pass === 3;
    if (isOfOthers) await world.extract(id);
    else await expect(world.extract(id)).rejects.toThrow("the model failed on 1 page");
    expect((await world.deps.ledger.crawl(id))?.modelGaps).toEqual({
      ...{ failed: 1, left: 0 },
      why: "the model's server answered 429",
    });
    world.now += POSTPONED_MS;
  }
  const found = await world.found(id);
  expect(valuesIn(found)).toEqual({ ...ALL, "/p3": null });
  expect(found["/p3"]?.problem).toBe("the model's server answered 429");
  expect(world.paths.filter((path) => path === "/p3")).toHaveLength(3);
  expect(await findDueExtractions(world.deps)).not.toContain(id);
  world.reply = named;
  await world.deps.extractions.askAgain(id);
  await world.extract(id);
  expect(valuesIn(await world.found(id))).toEqual(ALL);
  expect((await world.deps.ledger.crawl(id))?.modelGaps).toEqual({ failed: 0, left: 0, why: null });
});

test("a server that does not work ends the pass with its words, and the crawl is as it was", async () => {
  const world = new ModelWorld(60);
  const id = await world.crawl();
  world.reply = () => ({ kind: "refused", detail: "the model's server answered 401" });
  await expect(world.extract(id)).rejects.toThrow("the model does not answer: the model's server answered 401");
  expect((await world.deps.ledger.crawl(id))?.modelGaps).toMatchObject({ failed: 48, left: 12 });
  expect((await world.deps.ledger.crawl(id))?.status).toBe("completed");
  expect(await findDueExtractions(world.deps)).not.toContain(id);
});

test("no more calls are made than the crawl may, and the pages that were not asked about stay open", async () => {
  const world = new ModelWorld();
  const id = await world.crawl({ modelCalls: 4 });
  await world.extract(id);
  expect(world.paths).toHaveLength(4);
  expect(Object.values(await world.found(id)).filter((found) => found === null)).toHaveLength(2);
  expect((await world.deps.ledger.crawl(id))?.modelGaps).toEqual({ failed: 0, left: 2, why: null });
  const paid = await world.crawl({ modelCostUsd: 0.000_05, modelPrices: "1,2" });
  world.paths.length = 0;
  await world.extract(paid);
  // A call may cost 40 millionths and costs 20, so beside others that are out one fits, and two after another.
  expect(world.paths.length).toBeGreaterThanOrEqual(1);
  expect(world.paths.length).toBeLessThanOrEqual(2);
  const spent = (await world.deps.ledger.crawl(paid))?.model;
  expect((spent?.input ?? 0) + 2 * (spent?.output ?? 0)).toBeLessThanOrEqual(50);
});

test("limits can be raised when the crawl has ended, and the pages that were left out are asked about", async () => {
  const world = new ModelWorld();
  const id = await world.crawl({ modelCalls: 4 });
  await world.extract(id);
  expect(await findDueExtractions(world.deps)).not.toContain(id);
  expect(await amendCrawl({ id, shards: null }, { modelCalls: 4, limit: 9 }, world.deps)).toBe(false);
  expect(await amendCrawl({ id, shards: null }, { modelCalls: 5 }, world.deps)).toBe(true);
  expect(await findDueExtractions(world.deps)).toContain(id);
  await world.extract(id);
  expect(world.paths).toHaveLength(5);
  expect(await amendCrawl({ id, shards: null }, { modelCalls: 0 }, world.deps)).toBe(true);
  await world.extract(id);
  expect(valuesIn(await world.found(id))).toEqual(ALL);
  expect(new Set(world.paths).size).toBe(world.paths.length);
});

test("what cannot be used, and values that no record has room for, are told in the record", async () => {
  const world = new ModelWorld(3);
  const id = await world.crawl();
  world.reply = (path, nth) =>
    path === "/"
      ? { kind: "answer", text: "no", isCutOff: false, tokens: { input: 1, output: 1 } }
      : path === "/p1"
        ? answer({ name: "x".repeat(20_000) })
        : named(path, nth);
  await world.extract(id);
  const found = await world.found(id);
  expect(found["/"]?.problem).toContain("it is not one JSON object");
  expect(found["/p1"]?.problem).toContain("12,000 characters");
  expect(found["/p2"]?.values).toEqual({ name: "Page /p2" });
});

test("the console's page of a crawl says what was spent, and that of a record where its values come from", async () => {
  const world = new ModelWorld(4);
  const id = await world.crawl({ modelPrices: "1,2" });
  world.reply = (path, nth) => (path === "/p3" ? LATER : named(path, nth));
  await world.extract(id);
  const page = async (path: string, init: RequestInit = {}) =>
    site.request(`http://localhost${path}`, { redirect: "manual", ...init }, env, createExecutionContext());
  const form = new URLSearchParams({ token: "test-token", to: "/crawls" });
  const headers = { "sec-fetch-site": "same-origin" };
  const signedIn = await page("/sign-in", { method: "POST", headers, body: form });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const textAt = async (path: string) =>
    (await (await page(path, { headers: { ...headers, cookie } })).text()).replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
  for (const address of [`/crawls/${id}`, `/crawls/${id}/values`])
    expect(await textAt(address)).toContain(
      " The model failed on 1 page: the model&#39;s server answered 429. “Ask about pages that are left” asks again.",
    );
  const record = await textAt(`/crawls/${id}/record?url=${encodeURIComponent(`${SITE}p1`)}`);
  expect(record).toContain("Values by tiny");
  expect(record).toContain("Page /p1");
  const values = await textAt(`/crawls/${id}/values`);
  expect(values).toContain("4 calls, 30 tokens read, 15 written, about 0.000060 USD.");
  expect(values).toContain("https://a.test/p1".slice(8));
  expect(values).toMatch(/&quot;type&quot;: &quot;object&quot;/);
});

test("what an extraction knows is shown, with the text in which a page's evidence stands", async () => {
  const world = new ModelWorld(2);
  const id = await world.crawl();
  await world.extract(id);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  const { pages, sections } = await readExtraction(crawl, world.deps);
  expect(pages.map(({ url, extracted }) => [url, extracted.values])).toEqual([
    [SITE, { name: "Page /" }],
    [`${SITE}p1`, { name: "Page /p1" }],
  ]);
  expect(sections.size).toBe(0);
  const page = await readExtractedPage(crawl, `${SITE}p1`, world.deps);
  expect(page).toMatchObject({ text: "Page /p1", extracted: { evidence: [{ words: "Page /p1", at: 0 }] } });
  expect(await readExtractedPage(crawl, `${SITE}none`, world.deps)).toBe(null);
});
