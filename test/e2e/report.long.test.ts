import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import type { SectionsView } from "../../src/api/views.ts";
import { startSite } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { findBrowser } from "./browser.ts";
import { crawl, run } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { faultsOf, SIZES } from "./look.ts";
import { shareServer } from "./served-sites.ts";

allowPrivateHosts();

/** `orbweaver report`: what people see, its files, and its exit codes. */

const BROWSER = findBrowser("the console's report");
const shared = shareServer();
/** The crawl that the first test makes. */
let id = "";
/** The crawl of a shop. */
let shopId = "";

test("report analyzes, prints, writes files and fails as it is told", async () => {
  const pages: Record<string, string> = {
    "/": `<nav><a href="/gone">Old <i>menu</i></a></nav><p><a href="/a">A</a></p>`,
    "/a": `<a href="/gone">here</a> <a href="/#none">There</a>`,
  };
  const site = await startSite(({ url = "" }, response) => {
    const body = pages[url];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(`<!doctype html><title>${url}</title><meta name=description content="${url}">${body ?? ""}`);
  });
  const { dir } = shared;
  const place = shared.served.remote;
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0", ...place);
  id = summary.id;

  const first = await run("report", summary.id, "--fail-on", "orphans,new-broken", ...place);
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("steps done")]);
  const told = first.stdout.replaceAll(site.origin, "");
  expect(told).toContain("error     2      Broken links");
  expect(told).toContain(
    '  /gone\n    from / "Old menu" (status 404, in navigation)\n    from /a "here" (status 404)\n',
  );
  expect(told).toContain(
    'Broken fragments: Correct what follows the #, or give the target that id.\n  /#none\n    from /a "There"\n',
  );

  const file = join(dir.path, "report.html");
  const html = await run("report", summary.id, "--format", "html", "--out", file, "--fail-on", "broken", ...place);
  expect([html.code, html.stderr]).toEqual([1, `Wrote ${file}.\nFound: broken (2).\n`]);
  expect(readFileSync(file, "utf8")).toContain("Old menu");

  const wrong = [
    await run("report", summary.id, "--kind", "broken", ...place),
    await run("report", summary.id, "--fail-on", "everything", ...place),
  ];
  expect(wrong.map(({ code }) => code)).toEqual([2, 2]);
  await site.close();
});

test("a pipeline fails for what is new since the last crawl, and for what was not judged", async () => {
  const gone = new Set<string>();
  const page = (links: string) => `<title>Page</title>${links}`;
  const pages: Record<string, string> = {
    "/": page('<a href="/a">One</a> <a href="/b">Two</a> <a href="/all.zip">Files</a>'),
    "/a": page('<a href="/b">Two</a>'),
    "/b": page('<a href="/">Home</a>'),
    "/isle": page('<a href="/isle2">Other isle</a>'),
    "/isle2": page('<a href="/isle">First isle</a>'),
  };
  const site = await startSite(({ url = "" }, response) => {
    if (url === "/sitemap.xml") return void response.end(`<urlset><url><loc>${site.origin}/isle</loc></url></urlset>`);
    const body = gone.has(url) ? undefined : pages[url];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(body ?? "none");
  });
  const place = shared.served.remote;
  const crawlSite = (...flags: string[]) =>
    crawl(shared.dir.path, `${site.origin}/`, "--delay", "0", ...flags, ...place);
  const report = (of: string, ...flags: string[]) => run("report", of, ...flags, ...place);
  const first = await crawlSite();
  const before = await report(first.summary.id, "--fail-on", "new-broken", "--format", "csv");
  const kindsOf = (csv: string) =>
    csv.split("\r\n").flatMap((row) => row.match(/(?<=,)[a-z]+-(?:link|page)(?=,)/)?.[0] ?? []);
  expect([before.code, kindsOf(before.stdout)]).toEqual([0, ["broken-link", "unreachable-page", "unreachable-page"]]);

  gone.add("/b");
  const second = await crawlSite("--fail-on", "new-broken");
  expect(second.ended.code).toBe(1);
  for (const [format, word] of [
    ["md", "**new**"],
    ["html", "new"],
    ["csv", "new"],
    ["json", '"new"'],
    ["junit", "<system-out>new</system-out>"],
    ["sarif", '"baselineState":"new"'],
  ] as const) {
    const told = await report(second.summary.id, "--against", first.summary.id, "--format", format);
    expect([format, told.code, told.stdout.includes(word)]).toEqual([format, 0, true]);
  }
  const third = await crawlSite("--fail-on", "new-broken");
  expect(third.ended.code).toBe(0);

  const short = await crawlSite("--limit", "1", "--fail-on", "incomplete");
  expect(short.ended.code).toBe(1);
  const told = await report(short.summary.id);
  expect(told.stdout).toMatch(
    /^1 pages?, .*\n(?:Compared .*\n)?\d of \d URLs were not judged: \d \(the crawl had reached its page limit\)\./,
  );
  await site.close();
});

test("links to other sites are asked once, at their pace, and what is gone is broken", async () => {
  const answers: Record<string, number | string> = {
    "/ok": 200,
    "/none": 404,
    "/gone": 410,
    "/fault": 500,
    "/moved": "/none-either",
    "/none-either": 404,
    "/private": 404,
  };
  const others = await Promise.all(
    ["127.0.0.2", "127.0.0.3"].map((host) =>
      startSite(
        ({ url = "", method }, response) => {
          if (url === "/robots.txt") return void response.end("User-agent: *\nDisallow: /private\n");
          const answer = answers[url] ?? 404;
          // As many servers do, it knows no HEAD.
          if (method !== "GET") response.writeHead(405);
          else if (typeof answer === "string") response.writeHead(302, { location: answer });
          else response.writeHead(answer, { "content-type": "text/html" });
          response.end("x".repeat(10_000));
        },
        { host },
      ),
    ),
  );
  const [one, two] = others.map(({ origin }) => origin) as [string, string];
  const linked = ["/ok", "/none", "/gone", "/fault", "/moved", "/private"];
  const links = [...linked.map((path) => one + path), `${two}/none`, "http://no-such-host.invalid/x"];
  const site = await startSite(({ url = "" }, response) => {
    response.setHeader("content-type", "text/html");
    if (url === "/") response.end(`<a href="/a">A</a> ${links.map((href) => `<a href="${href}">To</a>`).join(" ")}`);
    else if (url === "/a") response.end(`<nav><a href="${two}/none">again</a></nav>`);
    else response.writeHead(404).end();
  });
  const place = shared.served.remote;
  const flags = ["--delay", "0", "--check-external", ...place];
  const { summary, ended } = await crawl(shared.dir.path, `${site.origin}/`, ...flags);
  expect([ended.code, summary.completed, ended.stderr]).toEqual([0, 2, expect.stringContaining("is analyzed")]);
  const told = await run("report", summary.id, "--format", "csv", "--kind", "broken-external-link", ...place);
  const short = (text: string) => text.replaceAll(one, "one").replaceAll(two, "two").replaceAll(site.origin, "");
  const rows = short(told.stdout).trim().split("\r\n").slice(1);
  // What was not judged stands before the findings.
  const lines = rows.filter((row) => row.includes("broken-external-link"));
  expect(rows.slice(0, -lines.length).every((row) => row.includes("not-judged"))).toBe(true);
  expect(lines.map((line) => line.split(",").slice(3, 9).join(",")).sort()).toEqual([
    "/,http://no-such-host.invalid/x,To,content,,a host name that does not exist",
    "/,one/gone,To,content,,status 410",
    "/,one/moved,To,content,,redirects to status 404",
    "/,one/none,To,content,,status 404",
    "/,two/none,To,content,,status 404",
    "/a,two/none,again,navigation,,status 404",
  ]);
  const failing = await run("report", summary.id, "--fail-on", "broken", ...place);
  expect([failing.code, failing.stdout, failing.stderr]).toEqual([
    1,
    expect.stringContaining(
      "8 URLs of other sites were checked: 5 do not exist.\n" +
        "2 of them are not judged (1: robots.txt forbids it; 1: status 500).\n",
    ),
    "Found: broken (6).\n",
  ]);
  expect((await run("report", summary.id, "--fail-on", "broken-internal", ...place)).code).toBe(0);

  const again = await run("analyze", summary.id, ...place);
  expect(again.code).toBe(0);
  const asked = ["/fault", "/gone", "/moved", "/none", "/none-either", "/ok", "/robots.txt"];
  expect(others.map(({ log }) => log.map(({ path }) => path).sort())).toEqual([asked, ["/none", "/robots.txt"]]);
  for (const { log } of others)
    for (const [i, { startedAt }] of log.entries())
      if (i > 0) expect(startedAt - (log[i - 1]?.startedAt ?? 0)).toBeGreaterThan(1_000);
  await Promise.all([site, ...others].map((each) => each.close()));
});

test("sections are the kinds of pages that a shop with a blog has", async () => {
  const shop = await startShop();
  const place = shared.served.remote;
  const flags = ["--delay", "0", "--search", ...place];
  const { summary } = await crawl(shared.dir.path, `${shop.origin}/`, ...flags);
  shopId = summary.id;
  const early = await run("sections", shopId, ...place);
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining(`orbweaver analyze ${shopId}`)]);
  expect((await run("analyze", shopId, ...place)).code).toBe(0);
  const { stdout } = await run("sections", shopId, ...place);
  expect(stdout).toContain(`All patterns begin with ${shop.origin}\n`);
  const told = stdout.split("\n").filter((line) => line.includes(" /"));
  expect(told.map((line) => line.split(/ +/)).map((cells) => [cells[0], cells.at(-3), cells.at(-1)])).toEqual([
    ["24", "product", "/product/*"],
    ["18", "article", "/blog/*/*/*"],
    ["6", "other", "/category/*"],
    ["1", "home", "/"],
  ]);
  const found = JSON.parse((await run("sections", shopId, "--json", ...place)).stdout) as SectionsView;
  expect(found.sections[0]).toMatchObject({ name: "Products in /product/", examples: { length: 5 } });
  await shop.close();
});

/** A shop with products, categories and a blog by date. */
function startShop() {
  const text = (i: number) =>
    "Spiders weave patient silver webs between tall garden plants, every quiet morning. ".repeat(4 + (i % 9));
  const product = (i: number) => `/product/${"abcdefghijklmnopqrstuvwxyz"[i]}-lamp`;
  const post = (i: number) => `/blog/202${i % 3}/0${1 + (i % 9)}/${"abcdefghijklmnopqrstuvwxyz"[i]}-webs`;
  const category = (i: number) => `/category/${["desk", "floor", "wall", "street", "theatre", "garden"][i]}`;
  const list = (count: number, path: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => `<li><a href="${path(i)}">${path(i).split("/").at(-1)} ${i}</a></li>`).join(
      "",
    );
  const nav = `<nav><ul>${list(6, category)}</ul></nav>`;
  const titled = (title: string, head: string, body: string) =>
    `<!doctype html><html lang=en><title>${title}</title>${head}<body>${nav}<main><h1>${title}</h1>${body}</main>`;
  const pages = new Map([
    ["/", titled("The shop of lamps", "", `<ul>${list(24, product)}</ul><ul>${list(18, post)}</ul>`)],
  ]);
  for (let i = 0; i < 24; i++) {
    const data = { "@context": "https://schema.org", "@type": "Product", name: `Lamp ${i}`, offers: { price: i } };
    const head = `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
    pages.set(product(i), titled(`Lamp ${i}`, head, `<p>${text(i)}</p>`));
  }
  for (let i = 0; i < 18; i++)
    pages.set(
      post(i),
      titled(
        `On webs ${i}`,
        `<meta property="og:type" content="article">`,
        `<article><p>${text(i)}</p><p>${text(i + 4)}</p></article>`,
      ),
    );
  for (let i = 0; i < 6; i++) pages.set(category(i), titled(`Lamps ${i}`, "", `<ul>${list(24, product)}</ul>`));
  return startSite(({ url = "" }, response) => {
    const body = pages.get(url);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(body);
  });
}

test.skipIf(BROWSER === undefined)("the console leads from numbers to lists to records", async () => {
  const server = shared.served;
  const browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    const clickTo = (selector: string) => loadBy(page, () => page.click(selector));
    await page.goto(`${server.address}/crawls/${id}/report`);
    await page.fill("#token", server.token);
    await clickTo("main button");
    expect(page.url()).toMatch(/\/report$/);
    const faults = await faultsOf(page, "report");
    expect(await page.locator("tbody tr", { hasText: "Broken links" }).first().textContent()).toContain(
      "Correct the link, or remove it",
    );
    await page.emulateMedia({ media: "print" });
    for (const clicked of [".top", ".tabs", "#analysis", "#downloads", "#ignored", "main button"])
      expect(await page.locator(clicked).first().isVisible(), clicked).toBe(false);
    expect(await page.locator("tbody .meaning").first().isVisible()).toBe(true);
    await page.emulateMedia({ media: "screen" });
    await clickTo("td a:has-text('2')");
    expect(page.url()).toMatch(/\/report\?kind=broken-link$/);
    expect(await page.locator(".rows tbody bdi").allTextContents()).toEqual(["Old menu", "here"]);
    faults.push(...(await faultsOf(page, "report-list")));
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#downloads a:has-text('CSV')")]);
    expect(file.suggestedFilename()).toBe(`report-${id}.csv`);
    await clickTo(".rows tbody th a");
    expect(page.url()).toContain("/record?url=");
    await page.goto(`${server.address}/crawls/${shopId}/map`);
    faults.push(...(await faultsOf(page, "map-sections")));
    await page.setViewportSize(SIZES.desk);
    await clickTo("text=fetch time");
    await clickTo(".treemap.wide a:has-text('Products in /product/')");
    expect(page.url()).toContain("/records?q=");
    expect(await page.locator(".rows tbody tr").count()).toBe(24);
    await page.goto(`${server.address}/crawls/${shopId}/map`);
    await clickTo("text=By path");
    await page.locator("summary:has-text('blog/')").waitFor();
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
});
