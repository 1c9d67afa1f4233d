import { createExecutionContext, env, introspectWorkflowInstance } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { emptyForm } from "../../src/console/new-crawl/crawl-form-data.ts";
import { site } from "../../src/console/site.tsx";
import { EXPORT_GROUPS } from "../../src/crawl/export-table.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { keepSite } from "./kept-site.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** The console's pages as the Worker makes them. */

const silent = { sendBatch: async () => undefined } as unknown as Queue;
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };
const cookies: Record<string, string> = {};

async function request(path: string, init: RequestInit = {}, token = "test-token"): Promise<Response> {
  const headers = { ...SAME_ORIGIN, cookie: cookies[token] ?? "" };
  const changes = { ...env, FRONTIER: silent, NOTICES: silent };
  return site.request(
    `http://localhost${path}`,
    { headers, redirect: "manual", ...init },
    changes,
    createExecutionContext(),
  );
}

const pageAt = async (path: string, token?: string) => (await request(path, {}, token)).text();
const post = (path: string, form: Record<string, string>) =>
  request(path, { method: "POST", body: new URLSearchParams(form) });
/** The text of HTML, without its tags. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");

beforeAll(async () => {
  for (const token of ["test-token", "reading-token"]) {
    const answer = await post("/sign-in", { token, to: "/crawls" });
    cookies[token] = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  }
});

describe("the map", () => {
  test("of a flat site has many boxes of about the same size, which lead to their records", async () => {
    const pages = Array.from({ length: 3_000 }, (_, i) => `https://flat.test/page-${String(i).padStart(4, "0")}`);
    const world = new World((url) => ({ links: url === "https://flat.test/" ? pages : [] }));
    const id = await world.start(["https://flat.test/"], { limit: 10_000 });
    while (((await world.deps.ledger.crawl(id))?.counters.completed ?? 0) === 0) await world.turn();
    const html = await pageAt(`/crawls/${id}/map`);
    const wide = html.slice(html.indexOf('class="treemap wide"'), html.indexOf('class="treemap tall"'));
    const areas = [...wide.matchAll(/<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"/g)].map(
      ([, width, height]) => Number(width) * Number(height),
    );
    expect(areas.length).toBeGreaterThan(24);
    expect(Math.max(...areas)).toBeLessThan(0.1 * 1_000 * 400);
    expect(html).not.toContain("others");
    const [, address = ""] = /<a href="([^"]*cursor=[^"]*)"/.exec(html) ?? [];
    expect(textOf(await pageAt(address.replaceAll("&amp;", "&")))).toMatch(/\/page-\d{4}Queued/);
    // Nothing is fetched but the seed: what waits is queued, and not left out.
    expect(html).toContain('<g data-state="queued">');
    expect(html).not.toContain('<g data-state="other">');
    expect(textOf(html)).toContain("mostly queued");
    await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
  });
});

describe("a list of URLs", () => {
  const upload = (text: string, name: string, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [field, values] of Object.entries(emptyForm())) for (const value of values) form.append(field, value);
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.append("list", new File([text], name));
    return request("/crawls/new", { method: "POST", body: form });
  };
  const crawlAt = async (answer: Response) => {
    const { ledger } = new World(() => ({ links: [] })).deps;
    return ledger.crawl((answer.headers.get("location") ?? "").replace("/crawls/", ""));
  };

  test("of more than a request takes is crawled whole, and alone", async () => {
    const urls = Array.from({ length: 2_500 }, (_, i) => `page ${i};https://listed.test/${i}`);
    const answer = await upload(["title;url", ...urls, "none;nonsense", urls[0]].join("\n"), "list.csv");
    expect(answer.status).toBe(303);
    expect(await crawlAt(answer)).toMatchObject({
      status: "running",
      counters: { discovered: 2_500 },
      options: { depth: 0, limit: 2_500, source: "links" },
    });
  });

  test("has a limit and a depth that somebody chose, and the URL of the form", async () => {
    const answer = await upload("https://listed.test/a\n", "list.txt", { url: "listed.test", limit: "7", depth: "2" });
    const options = { depth: 2, limit: 7, source: "all" };
    expect(await crawlAt(answer)).toMatchObject({ counters: { discovered: 2 }, options });
  });

  test.each([
    ["<html>", "looks like XML or HTML, and is no sitemap"],
    ["<sitemapindex><sitemap><loc>https://a.test/1.xml</loc></sitemap></sitemapindex>", "write its URL into"],
    ["nothing here", "has no URL that can be crawled"],
    ["http://127.0.0.1/\nhttp://127.0.0.2/", "is an IP address"],
    [Array.from({ length: 100_001 }, (_, i) => `https://a.test/${i}`).join("\n"), "at most 100,000"],
  ])("that cannot be taken says why: %#", async (text, why) => {
    const answer = await upload(text, "list.txt");
    const html = await answer.text();
    expect([answer.status, textOf(/ id="list-problem"(.*?)<\/p>/s.exec(html)?.[1] ?? "")]).toEqual([
      400,
      expect.stringContaining(why),
    ]);
  });
});

describe("the analysis of a crawl", () => {
  test("is started by a button, which readers do not have, and shows its steps", async () => {
    const world = new World(() => ({ links: [] }));
    const id = await world.start(["https://analyzed.test/"]);
    const path = `/crawls/${id}`;
    const button = `action="${path}/analyze"`;
    expect(await pageAt(path)).not.toContain(button);
    await world.runToEnd(id);
    expect([await pageAt(path), await pageAt(path, "reading-token")]).toEqual([
      expect.stringContaining(button),
      expect.not.stringContaining(button),
    ]);
    expect((await post(`${path}/analyze`, {})).status).toBe(303);
    const [pass] = await world.deps.passes.list(id);
    await using instance = await introspectWorkflowInstance(env.PASSES, pass?.id ?? "");
    await instance.waitForStatus("complete");
    expect(textOf(await pageAt(path))).toMatch(/AnalysisCompleted .*Analyze again/);
    await env.LEDGER.prepare(
      "UPDATE passes SET status = 'running', stage = 'Reading the links', steps_done = 3, steps = 8 WHERE crawl = ?1",
    )
      .bind(id)
      .run();
    const html = await pageAt(path);
    expect(textOf(html)).toContain("Reading the links: 3 of 8 steps done.");
    // The page follows it.
    expect(html).toMatch(/id="analysis" data-live="[^"]*" data-every="3"/);
    expect(html).not.toContain(button);
    await world.deps.passes.fail({ crawl: id, id: pass?.id ?? "" }, "R2 is away", world.now);
    expect(textOf(await pageAt(path))).toContain("AnalysisR2 is away");
  });
});

describe("the exports of a crawl", () => {
  test.each([
    [
      "warc",
      ["markdown", "chunks", "llms", "llms-full", "jsonl", "csv", "parquet", "warc", "wacz", "zip", "sitemap", "urls"],
    ],
    ["files", ["markdown", "chunks", "llms", "llms-full", "jsonl", "csv", "parquet", "zip", "sitemap", "urls"]],
  ] as const)("that stores its pages as %s have a tab, with a link for each format", async (store, formats) => {
    const world = new World(() => ({ links: [] }));
    const id = await world.start(["https://export.test/"], { store });
    await world.runToEnd(id);
    expect(await pageAt(`/crawls/${id}`)).toContain(`href="/crawls/${id}/export"`);
    const html = await pageAt(`/crawls/${id}/export`, "reading-token");
    const links = [...html.matchAll(/href="(\/api\/crawls\/[^"]*\/export\?format=([\w-]+))"/g)];
    expect(links.map(([, , format]) => format)).toEqual(formats);
    const groups = [...html.matchAll(/<section class="panel" id="for-\w+"><h2>(.*?)<\/h2>/g)].map(([, title]) => title);
    expect(groups).toEqual(Object.values(EXPORT_GROUPS).map(({ title }) => title));
    expect(textOf(html)).toContain(`orbweaver export ${id} --format folder --out DIR`);
    expect(textOf(html).includes("no WARC or WACZ")).toBe(store === "files");
    for (const [, address = ""] of links) {
      const answer = await request(address, {}, "reading-token");
      expect([address, answer.status]).toEqual([address, 200]);
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment/);
      await answer.arrayBuffer();
    }
  });
});

describe("what the pages of a crawl have in common", () => {
  test("is left out of texts, and of the search for a price", async () => {
    const url = "https://repeated.test/";
    const world = new World(() => ({ links: [], text: "A text of the page." }));
    const id = await world.start([url], { search: true });
    await world.runToEnd(id);
    const box = "Leave out of the search what many pages repeat: at most 0.000005 USD on Cloudflare";
    expect(textOf(await pageAt(`/crawls/${id}`))).toContain(box);
    expect(textOf(await pageAt(`/crawls/${id}/report`))).toContain(box);
    const text = `/crawls/${id}/record?${new URLSearchParams({ url, tab: "text" })}`;
    const whole = await pageAt(text);
    expect(whole).toContain(`${text.replaceAll("&", "&amp;")}&amp;rawText=true`);
    expect(textOf(whole)).toContain("The entire main content. Show the raw text");
    expect(textOf(await pageAt(`${text}&rawText=true`))).toContain("Leave out what pages have in common");
  });

  test("is left out of the search if the checkbox is chosen", async () => {
    const world = new World(() => ({ links: [], text: "A text of the page." }));
    const id = await world.start(["https://repeated.test/"], { search: true });
    await world.runToEnd(id);
    expect((await post(`/crawls/${id}/analyze`, { reindex: "on" })).status).toBe(303);
    const [pass] = await world.deps.passes.list(id);
    expect(pass?.reindex).toBe(true);
    await using instance = await introspectWorkflowInstance(env.PASSES, pass?.id ?? "");
    await instance.waitForStatus("complete");
  });
});

describe("the ranks of a crawl", () => {
  test("are columns of its records and facts of each record after an analysis, and an order of a search", async () => {
    const home = "https://ranked.test/";
    const world = new World(() => ({ links: [], title: "Ranked", text: "A text of the ranked page." }));
    const id = await world.start([home], { search: true });
    await world.runToEnd(id);
    await keepSite(id, [{ url: home, links: [`${home}a`] }, { url: `${home}a` }]);
    const records = `/crawls/${id}/records`;
    const record = `/crawls/${id}/record?${new URLSearchParams({ url: `${home}a` })}`;
    expect(await pageAt(records)).not.toContain("sort=rank.desc");
    expect(textOf(await pageAt(record))).not.toContain("Rank (0 to 255)");
    const search = (order: string) => pageAt(`/search?${new URLSearchParams({ q: "ranked", crawl: id, order })}`);
    expect(textOf(await search("authority"))).toContain(`Analyze it first: orbweaver analyze ${id}`);
    await analyzeCrawl(id, world);
    const html = await pageAt(`${records}?sort=inLinks.desc`);
    expect(html).toContain("sort=rank.desc");
    const listed = [...html.matchAll(/class="title" href="[^"]*url=([^"&]+)"/g)].map(([, url = ""]) => url);
    expect(listed.map(decodeURIComponent)).toEqual([`${home}a`, home]);
    expect(textOf(await pageAt(record))).toMatch(/Rank \(0 to 255\)\d+In-links1/);
    const found = await search("authority");
    expect(found).toMatch(/<option value="authority" selected/);
    expect(textOf(found)).toContain("1 page");
  });
});

describe("the webhooks of a crawl", () => {
  test("are added with a secret that is shown once, tested, redelivered and removed", async () => {
    const world = new World(() => ({ links: [] }));
    const id = await world.start(["https://told.test/"]);
    const at = `/crawls/${id}/webhooks`;
    expect(await pageAt(`/crawls/${id}`)).toContain(`href="${at}"`);
    expect(textOf(await pageAt(at))).toContain("No webhooks yet");
    const added = await post(at, { url: "https://receiver.test/hook" });
    expect(added.status).toBe(200);
    expect(await added.text()).toMatch(/<code>whsec_[A-Za-z0-9+/]{43}=<\/code>/);
    const html = await pageAt(at);
    expect(textOf(html)).toContain("receiver.test/hook");
    expect(html).not.toContain("whsec_");
    const actionOf = (page: string, name: string) => new RegExp(`action="([^"]+/${name})"`).exec(page)?.[1] ?? "";
    expect((await post(actionOf(html, "test"), {})).headers.get("location")).toBe(at);
    const tested = await pageAt(at);
    expect(textOf(tested)).toMatch(/webhook\.test.*Waiting/);
    expect((await post(actionOf(tested, "redeliver"), {})).status).toBe(303);
    const read = await pageAt(at, "reading-token");
    expect(read).toContain("receiver.test/hook");
    expect(read).not.toContain('method="post" action="/crawls');
    expect((await post(actionOf(tested, "remove"), {})).status).toBe(303);
    expect(textOf(await pageAt(at))).toContain("No webhooks yet");
    await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
  });

  test("have a form and digests, which can be changed, and show no header", async () => {
    const world = new World(() => ({ links: [] }));
    const id = await world.start(["https://told.test/"]);
    const at = `/crawls/${id}/webhooks`;
    const typed = {
      url: "https://receiver.test/topic",
      format: "ntfy",
      headers: "Authorization: Bearer tk_x",
      digest: "daily",
    };
    expect((await post(at, typed)).status).toBe(200);
    const [, change = ""] = /href="([^"]+\?change=[^"]+)"/.exec(await pageAt(at)) ?? [];
    const form = await pageAt(change.split("#", 1)[0] ?? "");
    expect(form).toContain("Change the webhook");
    expect(form).toContain('<option value="ntfy" selected');
    expect(form).not.toContain("tk_x");
    const [, action = ""] = /action="([^"]+\/update)"/.exec(form) ?? [];
    const wrong = await post(action, { ...typed, headers: "", whenText: "release" });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toMatch(/id="whenText-problem"[\s\S]*release[\s\S]*added:WORDS/);
    const saved = await post(action, { ...typed, headers: "", digest: "weekly@08:30", whenText: "added:release" });
    expect(saved.headers.get("location")).toBe(at);
    expect(textOf(await pageAt(at))).toContain("ntfy; weekly@08:30; added:release");
    const [stored] = await world.deps.webhooks.list(id);
    const headers = stored?.style?.headers ?? {};
    expect(JSON.stringify(headers)).not.toContain("tk_x");
    expect(await world.deps.sealedValues.openHeaders(headers)).toEqual({ authorization: "Bearer tk_x" });
    await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
  });

  test("show what is wrong with a URL, and keep what was typed", async () => {
    const world = new World(() => ({ links: [] }));
    const id = await world.start(["https://told.test/"]);
    const answer = await post(`/crawls/${id}/webhooks`, { url: "ftp://receiver.test/" });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain('id="url-problem"');
    expect(html).toContain('value="ftp://receiver.test/"');
    await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
  });
});

test("a crawl without a page offers what it has, and where a log-in is brought", async () => {
  const world = new World((url) => (url.startsWith("https://closed.test") ? { status: 401 } : { links: [] }));
  const outcomeOf = async (seed: string, token?: string) => {
    const id = await world.start([seed]);
    await world.runToEnd(id);
    const html = await pageAt(`/crawls/${id}`, token);
    return textOf(html.slice(html.indexOf('data-key="outcome"'), html.indexOf('data-key="newest"')));
  };
  const closed = await outcomeOf("https://closed.test/");
  for (const said of ["0 pages stored", "CSV", "JSON Lines", "Log in with a session", "Ask why a URL is missing"])
    expect(closed).toContain(said);
  for (const empty of ["Markdown", "WACZ", "opens offline", "Read the pages", "as a map", "Find broken links"])
    expect(closed).not.toContain(empty);
  expect(await outcomeOf("https://closed.test/", "reading-token")).not.toContain("Log in with a session");
  const whole = await outcomeOf("https://whole.test/");
  for (const said of ["Markdown", "opens offline", "Read the pages", "as a map", "Find broken links"])
    expect(whole).toContain(said);
  expect(whole).not.toContain("Log in with a session");
});

test("thirty days of a watch show what was held back, why, and by what evidence", async () => {
  const world = new World(() => ({ links: [] }));
  const id = await world.start(["https://seen.test/"], { watch: { ...WATCH, everyS: 86_400 } });
  const at = Date.now();
  const noise = { "n:x": { at, url: "https://seen.test/", texts: ["Visitor <1>", "Visitor <2>"], pages: ["p"] } };
  await world.deps.templates.write(id, "seen.test", JSON.stringify({ pages: 1, versions: 1, blocks: {}, noise }));
  expect(await pageAt(`/crawls/${id}`)).toContain(`href="/crawls/${id}/month"`);
  const html = await pageAt(`/crawls/${id}/month`);
  expect(html).toContain("<del>Visitor &lt;1&gt;</del> <ins>Visitor &lt;2&gt;</ins>");
  expect(textOf(html)).toMatch(/0 changes of 0 pages in 30 days.*Numbers of a text.*Noise: two looks, moments apart/);
  await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
});

describe("the schedules", () => {
  beforeEach(async () => {
    await env.LEDGER.prepare("DELETE FROM schedules").run();
  });

  test("are listed, added and removed", async () => {
    expect(textOf(await pageAt("/schedules"))).toContain("No schedules yet");
    const added = await post("/schedules", { cron: "0 3 * * *", url: "https://a.test/", limit: "7" });
    expect([added.status, added.headers.get("location")]).toEqual([303, "/schedules"]);
    const html = await pageAt("/schedules");
    expect(textOf(html)).toMatch(/a\.test.*0 3 \* \* \*/);
    const [, removal = ""] = /action="(\/schedules\/[^"]+\/remove)"/.exec(html) ?? [];
    expect((await post(removal, {})).status).toBe(303);
    expect(textOf(await pageAt("/schedules"))).toContain("No schedules yet");
  });

  test("show what is wrong, and keep what was typed", async () => {
    const answer = await post("/schedules", { cron: "every day", url: "https://a.test/", limit: "7" });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(textOf(html)).toContain("is not a cron expression");
    expect(html).toContain('value="every day"');
    const wrong = await (await post("/schedules", { cron: "0 3 * * *", url: "ftp://a.test/" })).text();
    expect(wrong).toContain('id="url-problem"');
  });

  test("have no forms for a read-only token, which cannot post them either", async () => {
    await post("/schedules", { cron: "0 3 * * *", url: "https://a.test/" });
    const html = await pageAt("/schedules", "reading-token");
    expect(html).toContain("a.test");
    expect(html).not.toContain('action="/schedules');
    const body = new URLSearchParams({ cron: "0 3 * * *", url: "https://b.test/" });
    expect((await request("/schedules", { method: "POST", body }, "reading-token")).status).toBe(403);
  });
});

describe("the list of crawls", () => {
  test("finds crawls by their seed, id or status", async () => {
    const world = new World(() => ({ links: [] }));
    const [alpha = "", beta = ""] = [
      await world.start(["https://alpha.test/"]),
      await world.start(["https://beta.test/"]),
    ];
    await world.deps.ledger.cancel(alpha, "cancelled_by_user", world.now);
    await world.runToEnd(beta);
    const found = async (q: string) => {
      const html = await pageAt(`/crawls?${new URLSearchParams({ q })}`);
      return [alpha, beta].filter((id) => html.includes(`id="crawl-${id}"`));
    };
    expect(await found("")).toEqual([alpha, beta]);
    expect(await found("ALPHA")).toEqual([alpha]);
    expect(await found(beta.slice(0, 8))).toEqual([beta]);
    expect(await found("cancelled by")).toEqual([alpha]);
    expect(await found("nowhere")).toEqual([]);
    await env.LEDGER.prepare("UPDATE crawls SET purpose = 'scrape' WHERE id = ?1").bind(alpha).run();
    expect(await found("")).toEqual([beta]);
    const all = await pageAt("/crawls?all=true&q=test");
    expect([alpha, beta].filter((id) => all.includes(`id="crawl-${id}"`))).toEqual([alpha, beta]);
    expect(all).toContain('<span class="tag">Scrape</span>');
    expect(all).toContain('href="/crawls?q=test">Hide scrapes and maps</a>');
    expect(await pageAt("/crawls")).toContain('href="/crawls?all=true">Show scrapes and maps too</a>');
    expect(textOf(await pageAt("/crawls?q=nowhere"))).toContain("No listed crawl matches “nowhere”");
  });
});

describe("the page for agents", () => {
  test("has the settings of clients, with this address and without a token", async () => {
    const html = (await pageAt("/agents", "reading-token")).replaceAll("&quot;", '"');
    const settings = [...html.matchAll(/<pre tabindex="0">(.*?)<\/pre>/gs)].map(([, json = ""]) => JSON.parse(json));
    expect(settings).toMatchObject([
      { servers: { orbweaver: { type: "http", url: "http://localhost/mcp" } } },
      { mcpServers: { orbweaver: { url: "http://localhost/mcp", headers: { Authorization: "Bearer TOKEN" } } } },
      { mcpServers: { orbweaver: { command: "orbweaver", env: { ORBWEAVER_TOKEN: "TOKEN" } } } },
    ]);
    expect(html).not.toContain("reading-token");
    expect(await pageAt("/crawls")).toContain('<a href="/agents">Agents</a>');
  });
});
