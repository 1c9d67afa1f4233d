import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExplainView } from "../../src/api/views.ts";
import { page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { pageOf, startVariantSites, type VariantSite } from "../sites/variant-site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `orbweaver explain`, on a site with a robots.txt. */

const dir = scratch();
let site: Site;
let served: Served;
const FLAGS = ["--delay", "0", "--depth", "1", "--exclude", "/drafts/**"];

beforeAll(async () => {
  site = await startHandmadeSite({
    "/robots.txt": { body: "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.2" },
    "/": page("home", "/one", "/private/x", "/drafts/y", "http://elsewhere.test/"),
    "/one": page("one", "/two"),
    "/two": page("two"),
  });
  served = await serve(`${dir.path}/served`);
  await crawl(dir.path, `${site.origin}/`, ...FLAGS, ...served.remote);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

async function explained(url: string, ...args: string[]): Promise<ExplainView> {
  const { stdout, stderr, code } = await run("explain", url, "--json", ...args, ...served.remote);
  expect([stderr, code]).toEqual(["", 0]);
  return JSON.parse(stdout) as ExplainView;
}

test("for an existing crawl: each verdict names its rule, without any request for a page", async () => {
  const cases: [path: string, verdict: string, step: string, rule: string, words: string][] = [
    ["/one#top", "completed", "pace", "Crawl-delay", "0.2 s between requests"],
    ["/private/x", "disallowed", "robots", "Disallow: /private/", "the group for *"],
    ["/drafts/y", "refused", "scope", "excluded", "/drafts/**"],
    ["/two", "refused", "record", "depth", "deeper"],
    ["/new", "would be fetched", "robots", "no rule matches", "allows"],
  ];
  site.log.length = 0;
  for (const [path, verdict, step, rule, words] of cases) {
    const view = await explained(site.origin + path);
    const found = view.steps.find((each) => each.step === step);
    expect([path, view.verdict, found?.rule]).toEqual([path, verdict, rule]);
    expect(found?.detail).toContain(words);
  }
  const elsewhere = await explained("http://elsewhere.test/");
  expect(elsewhere).toMatchObject({ verdict: "refused", pace: null });
  expect(elsewhere.sentence).toContain("elsewhere.test");
  expect(site.log).toEqual([]);
});

test("for a planned crawl: only robots.txt is fetched", async () => {
  const fresh = await startHandmadeSite(
    { "/robots.txt": { body: "User-agent: *\nDisallow: /private/" } },
    { host: "127.0.0.7" },
  );
  try {
    const order = ["--seed", `${fresh.origin}/`, ...FLAGS];
    expect((await explained(`${fresh.origin}/drafts/y`, ...order)).verdict).toBe("refused");
    expect((await explained(`${fresh.origin}/`, ...order, "--depth", "0")).verdict).toBe("would be fetched");
    const { stdout } = await run("explain", `${fresh.origin}/private/x`, ...order, ...served.remote);
    expect(stdout).toContain("Disallowed. robots.txt forbids it: Disallow: /private/.");
    expect(fresh.log.map(({ path }) => path)).toEqual(["/robots.txt"]);
  } finally {
    await fresh.close();
  }
});

test("options that do not go together are refused", async () => {
  const misplaced = await run("explain", `${site.origin}/`, "--depth", "1", ...served.remote);
  expect([misplaced.code, misplaced.stderr]).toEqual([2, expect.stringContaining("--depth is for a planned crawl")]);
  const both = await run("explain", `${site.origin}/`, "--crawl", "x", "--seed", "y", ...served.remote);
  expect(both.code).toBe(2);
});

test("URLs of the same page are refused, the rule is named, and --keep-duplicates fetches them", async () => {
  const shop: VariantSite = {
    ...{ name: "shop", folders: ["shop"], pages: 90, sorts: "sort" },
    ...{ idle: { sort: ["price", "name"] }, live: { color: ["red"] } },
  };
  const variants = await startVariantSites([shop], { host: "127.0.7.1" });
  try {
    const crawlShop = (...args: string[]) =>
      crawl(dir.path, `${variants.origin}/`, "--source", "links", "--delay", "0", ...args, ...served.remote);
    const stored = ({ byUrl }: Awaited<ReturnType<typeof crawl>>): string[] =>
      [...byUrl].filter(([, { status }]) => status === "completed").map(([url]) => url.slice(variants.origin.length));
    const pagesOf = (urls: string[]) => [...new Set(urls.map((url) => pageOf(shop, url)))].toSorted();

    const all = await crawlShop("--keep-duplicates");
    // The home page, and four URLs of each item. A rule is tested by a hundred URLs, so there are more of them.
    expect(stored(all)).toHaveLength(1 + 90 * 4);
    const learned = await crawlShop();
    expect(pagesOf(stored(learned))).toEqual(pagesOf(stored(all)));
    expect(pagesOf(stored(learned))).toHaveLength(1 + 90 * 2);

    const { stdout } = await run("status", learned.summary.id, "--json", ...served.remote);
    const { refused } = JSON.parse(stdout) as { refused: { reason: string; count: number }[] };
    const skipped = [...learned.byUrl.values()].filter(({ reason }) => reason === "same-page");
    const count = refused.find(({ reason }) => reason === "same-page")?.count ?? 0;
    expect(count + skipped.length).toBeGreaterThan(20);
    expect(stored(learned).length + skipped.length).toBe(learned.byUrl.size);

    // One URL in 20 is fetched as a test.
    const urls = ["a", "b", "c", "d", "e", "f"].map((name) => `${variants.origin}/shop/new-${name}?sort=price`);
    const views = await Promise.all(urls.map((url) => explained(url, "--crawl", learned.summary.id)));
    const steps = views.flatMap(({ verdict, steps }) =>
      verdict === "refused" ? (steps.find(({ step }) => step === "same-page") ?? []) : [],
    );
    expect(steps[0]).toMatchObject({ ok: false, rule: "?sort at /shop/*" });
    expect(steps[0]?.detail).toContain("the same without it");
    const kept = await explained(urls[0] ?? "", "--crawl", all.summary.id);
    expect(kept.steps.some(({ step }) => step === "same-page")).toBe(false);
  } finally {
    await variants.close();
  }
});

test("Pages that need a browser are counted, and the summary, the records and explain say so", async () => {
  const shell = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>';
  const paths = ["/app", "/app/2", "/whole"];
  const scripts = await startHandmadeSite(
    { "/": page("home", ...paths), "/app": shell, "/app/2": shell, "/whole": page("whole", "/") },
    { host: "127.0.7.2" },
  );
  try {
    const { summary, byUrl } = await crawl(dir.path, `${scripts.origin}/`, "--delay", "0", ...served.remote);
    expect(summary).toMatchObject({ completed: 4, shells: 2, rendered: 0 });
    const why = 'its <div id="root"> is empty, and scripts fill it';
    const shells = ["/", ...paths].map((path) => byUrl.get(scripts.origin + path)?.shell);
    expect(shells).toEqual([null, why, why, null]);
    const status = await run("status", summary.id, ...served.remote);
    expect(status.stdout).toContain(
      "2 pages look empty without scripts, so text may be missing: --render auto draws them in a browser.",
    );
    const { stdout } = await run("explain", `${scripts.origin}/app`, ...served.remote);
    expect(stdout).toContain(`its text may be missing: ${why}; a crawl with --render auto draws it`);
  } finally {
    await scripts.close();
  }
});

test("--form fills in search forms, and says where a form sends POST", async () => {
  const form = `<form action="/find"><input type=hidden name=in value=all><input id=q name=q></form>
    <form method=post action="/order"><input id=o name=o></form>`;
  const shop = await startHandmadeSite(
    {
      "/": `<!doctype html><title>Shop</title><h1>Shop</h1>${form}`,
      "/find?in=all&q=red+shoes": page("red shoes", "/item"),
      "/find?in=all&q=boots": page("boots"),
      "/item": page("item"),
    },
    { host: "127.0.7.3" },
  );
  try {
    const words = `${dir.path}/words.txt`;
    writeFileSync(words, "red shoes\n\nboots\n");
    const flags = ["--delay", "0", "--source", "links", "--form", `#q=@${words}`, "--form", "#o=1,2"];
    const { summary, byUrl } = await crawl(dir.path, `${shop.origin}/`, ...flags, ...served.remote);
    const found = [...byUrl].map(([url, { status, via }]) => [url.slice(shop.origin.length), status, via]);
    expect(found.toSorted()).toEqual([
      ["/", "completed", null],
      ["/find?in=all&q=boots", "completed", `${shop.origin}/`],
      ["/find?in=all&q=red+shoes", "completed", `${shop.origin}/`],
      ["/item", "completed", `${shop.origin}/find?in=all&q=red+shoes`],
    ]);
    expect(shop.log.every(({ method = "GET" }: { method?: string }) => method === "GET")).toBe(true);
    const status = await run("status", summary.id, ...served.remote);
    expect(status.stdout).toContain(`1 link not followed (post-form), such as ${shop.origin}/order`);
    expect((await explained(`${shop.origin}/order`)).sentence).toContain("only forms that send GET are filled in");
  } finally {
    await shop.close();
  }
});

test.each([
  ["#q", "--form #q is not SELECTOR=VALUE,VALUE."],
  ["#q=@/nowhere/words", "--form cannot read /nowhere/words"],
  ["p:first-child=a", "only names, classes, ids, attributes, spaces and > are possible"],
])("--form %s is refused", async (form, message) => {
  const refused = await run(
    "crawl",
    `${site.origin}/`,
    "--form",
    form,
    "--state",
    `${dir.path}/state`,
    ...served.remote,
  );
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(message)]);
});

test("a crawl of a language keeps its pages, and one of a country asks no other host", async () => {
  const german = (title: string, ...links: string[]) => page(title, ...links).replace('lang="en"', 'lang="de-AT"');
  const abroad = "http://1.2.4.8/";
  const sites = await startHandmadeSite(
    {
      "/": page("home", "/about", "/de/"),
      "/about": page("about"),
      "/de/": german("Start", "/de/preise", abroad, "/umzug"),
      "/de/preise": german("Preise"),
      "/umzug": redirect(`${abroad}umzug`),
    },
    { host: "127.0.7.3" },
  );
  try {
    const args = ["--delay", "0", "--source", "links", "--external", "--language", "de,fr", "--country", "TW,at"];
    const { summary, records } = await crawl(dir.path, `${sites.origin}/`, abroad, ...args, ...served.remote);
    expect(Object.fromEntries(records.map(({ url, reason }) => [url.replace(sites.origin, ""), reason]))).toEqual({
      "/": "language",
      "/about": "language",
      "/de/": null,
      "/de/preise": null,
      "/umzug": "redirected",
      [abroad]: "country",
      [`${abroad}umzug`]: "country",
    });
    expect(records.find(({ url }) => url === abroad)?.explanation).toBe(
      "its host is in another country than the crawl asks for: its address 1.2.4.8 is in China (CN)",
    );
    const { stdout } = await run("records", summary.id, "--language", "DE", ...served.remote);
    const lines = stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { language: string }).language)).toEqual(["de-AT", "de-AT"]);
    const planned = await explained(`${abroad}x`, "--seed", abroad, "--country", "TW");
    expect(planned).toMatchObject({ verdict: "skipped", sentence: expect.stringContaining("is in China (CN)") });
  } finally {
    await sites.close();
  }
});

test.each([
  ["--language", "german", "it is no language tag, such as de, pt-BR or zh-Hant"],
  ["--country", "UK", "it is no country code of two letters (ISO 3166-1), which is GB here"],
  ["--country", "XX", "it is no country code of two letters (ISO 3166-1), such as DE or TW"],
])("%s %s is refused", async (option, value, message) => {
  const { code, stderr } = await run("crawl", `${site.origin}/`, option, value, ...served.remote);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("fields: rules are checked on a page, a crawl reads them, and other rules read what it stored", async () => {
  const rules = `${dir.path}/rules.json`;
  const product = (price: string) =>
    `<html lang="de"><title>Kettle</title><h1>Kettle</h1><p class="price">${price}</p><ul class="parts"><li>lid</li><li>base</li></ul></html>`;
  const shop = await startHandmadeSite({
    "/": page("shop", "/p/1", "/p/2"),
    "/p/1": product("1.234,56 €"),
    "/p/2": product("79 €"),
  });
  const json = async (...args: string[]) => {
    const { stdout, stderr } = await run(...args, ...served.remote);
    expect(stderr).toBe("");
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  try {
    writeFileSync(rules, '{\n  "price": {\n    "selector": ".price",\n    "as": "money"\n  }\n}');
    const wrong = await run("fields", `${shop.origin}/p/1`, "--fields", rules, ...served.remote);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`${rules}:4: price.as: `)]);
    const refused = await run("crawl", `${shop.origin}/`, "--fields", rules, ...served.remote);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`${rules}:4: price.as: `)]);

    writeFileSync(
      rules,
      '[{"urls": ["/p/*"], "fields": {"price": {"selector": ".price", "as": "number"}, "sku": {}}}]',
    );
    const checked = await run("fields", `${shop.origin}/p/1`, "--fields", rules, ...served.remote);
    expect(checked.stdout).toMatch(/^ {2}price +1234\.56 +selector \.price$/m);
    expect(checked.stdout).toMatch(/^ {2}sku +- +no JSON-LD/m);
    expect(checked.code).toBe(1);
    const proposed = await run("fields", `${shop.origin}/p/1`, ...served.remote);
    expect(proposed.stdout).toContain('{"selector":"p.price","as":"number"}');
    expect(proposed.code).toBe(0);

    const { summary } = await crawl(dir.path, `${shop.origin}/`, "--delay", "0", "--fields", rules, ...served.remote);
    const { id } = summary;
    const fieldsOf = (lines: { url: string; fields: unknown }[]) =>
      lines.map(({ url, fields }) => [url.slice(shop.origin.length), fields]);
    expect(fieldsOf(await json("records", id))).toEqual([
      ["/", null],
      ["/p/1", { price: 1234.56, sku: null }],
      ["/p/2", { price: 79, sku: null }],
    ]);
    const csv = (await run("export", id, "--format", "csv", ...served.remote)).stdout.split("\r\n");
    expect(csv[0]).toMatch(/,fields\.price,fields\.sku$/);
    expect(csv[2]).toMatch(/,1234\.56,$/);

    writeFileSync(rules, '{"parts": {"selector": ".parts li", "as": "list"}}');
    shop.log.length = 0;
    const reread = await json("records", id, "--fields", rules);
    expect(fieldsOf(reread)).toEqual([
      ["/", { parts: null }],
      ["/p/1", { parts: ["lid", "base"] }],
      ["/p/2", { parts: ["lid", "base"] }],
    ]);
    expect(reread[0].missing).toEqual({ parts: ".parts li matches nothing" });
    const stored = await run("fields", `${shop.origin}/p/2`, "--fields", rules, "--crawl", id, ...served.remote);
    expect(stored.stdout).toContain('["lid","base"]');
    expect(shop.log).toEqual([]);
  } finally {
    await shop.close();
  }
});
