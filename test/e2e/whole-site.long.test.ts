import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { HTML, page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { walk } from "../sites/walk.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

allowPrivateHosts();

/** Whole crawls through the command line, checked against the log of the site and an independent walk of it. */

const shared = shareServer();
const { dir, sites } = shared;
const QUICK = ["--delay", "0", "--concurrency", "8"];

function closeLater<T extends Site>(site: T): T {
  sites.push(site);
  return site;
}

test("a generated site: exactly the pages of an independent walk, each fetched once, after robots.txt", async () => {
  const site = closeLater(await startGeneratedSite({ pages: 300, links: 20, bytes: 4_000 }));
  const { summary, records } = await crawl(
    join(dir.path, "generated"),
    `${site.origin}/`,
    ...QUICK,
    ...shared.served.remote,
  );
  const log = [...site.log];
  expect(summary).toMatchObject({ status: "completed", total: 300, completed: 300, errored: 0 });
  expect(log[0]?.path).toBe("/robots.txt");
  expect(log).toHaveLength(303);
  expect(new Set(log.map(({ path }) => path)).size).toBe(303);
  expect(site.connectionsPeak()).toBeLessThanOrEqual(8);
  const expected = await walk(`${site.origin}/`);
  expect(new Set(records.filter(({ status }) => status === "completed").map(({ url }) => url))).toEqual(expected);
});

describe("a site with every kind of link and response", () => {
  let site: Site;
  let other: Site;
  let result: Awaited<ReturnType<typeof crawl>>;
  const out = () => join(dir.path, "handmade", "out");
  const at = (path: string) => result.byUrl.get(`${site.origin}${path}`);

  beforeAll(async () => {
    other = closeLater(await startHandmadeSite({ "/": page("elsewhere") }, { host: "127.0.0.2" }));
    site = closeLater(
      await startHandmadeSite({
        "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /private\n" },
        "/": `<!doctype html><title>Home</title>
          <link rel="next" href="/next"><link rel="stylesheet" href="/style.css">
          <a href="/plain#part">a</a> <a href="/plain">again</a> <a href='/plain?utm_source=x'>tracked</a>
          <map><area href="/area"></map> <iframe src="/iframe"></iframe>
          <a href="/private/secret">forbidden</a> <a href="${other.origin}/">elsewhere</a>
          <a href="/moved">moved</a> <a href="/away">away</a> <a href="/loop">loop</a> <a href="/missing">missing</a>
          <a href="/priced">priced</a> <a href="/walled">walled</a>
          <a href="/picture.png">picture</a> <a href="/data">data</a> <a href="/empty">empty</a> <a href="/binary">binary</a>
          <a href="/based/">based</a> <a href="/refresh">refresh</a> <a href="/frames">frames</a> <a href="/gbk">gbk</a>
          <a href="/Case">Case</a> <a href="/case">case</a> <a href="/dir">dir</a> <a href="/dir/">dir/</a> <a href="/q?a=1">q</a> <a href="/q?a=2">q</a>
          <a href="mailto:x@example.com">mail</a> <a href="javascript:void 0">script</a> <a href="http://[broken">broken</a>`,
        "/next": page("next"),
        "/plain": page("plain"),
        "/area": page("area"),
        "/iframe": page("iframe"),
        "/private/secret": page("secret"),
        "/moved": redirect("/target", 301),
        "/target": page("target"),
        "/away": redirect(`${other.origin}/`),
        "/loop": redirect("/loop"),
        "/priced": { status: 402, headers: { ...HTML, "crawler-price": "USD 0.01" }, body: "pay" },
        // Without its header it would be tried again.
        "/walled": { status: 503, headers: { ...HTML, "cf-mitigated": "challenge" }, body: "Just a moment..." },
        "/data": { headers: { "content-type": "application/x-unknown" }, body: "{}" },
        "/empty": { headers: HTML, body: "" },
        "/binary": { headers: HTML, body: new Uint8Array(5_000) },
        "/based/": `<base href="/below/"><a href="leaf">leaf</a>`,
        "/below/leaf": page("leaf"),
        "/refresh": `<meta http-equiv="refresh" content="0; url=refreshed"><p>wait`,
        "/refreshed": page("refreshed"),
        "/frames": `<frameset><frame src="framed"></frameset>`,
        "/framed": page("framed"),
        "/gbk": {
          headers: { "content-type": "text/html" },
          body: new Uint8Array([
            ...Buffer.from('<meta charset="gb2312"><title>'),
            0xd6,
            0xd0,
            0xce,
            0xc4,
            ...Buffer.from("</title>"),
          ]),
        },
        "/Case": page("upper"),
        "/case": page("lower"),
        "/dir": page("no slash"),
        "/dir/": page("slash"),
        "/q?a=1": page("one"),
        "/q?a=2": page("two"),
      }),
    );
    result = await crawl(join(dir.path, "handmade"), `${site.origin}/`, ...QUICK, ...shared.served.remote);
  });

  test("the completed pages are those of an independent walk, without the disallowed ones", async () => {
    const expected = await walk(`${site.origin}/`);
    for (const path of ["/private/secret", "/binary"]) expected.delete(`${site.origin}${path}`);
    const completed = result.records.filter(({ status }) => status === "completed").map(({ url }) => url);
    expect(new Set(completed)).toEqual(expected);
  });

  test.each([
    ["/private/secret", "disallowed", "robots", "Disallow: /private"],
    ["/moved", "skipped", "redirected", "/target"],
    ["/away", "skipped", "redirected", "scope refuses"],
    ["/loop", "errored", "redirect-loop", "/loop"],
    ["/missing", "errored", "http-status", "404"],
    ["/priced", "errored", "payment-required", "USD 0.01"],
    ["/walled", "errored", "challenged", "Cloudflare"],
    ["/data", "skipped", "content-type", "application/x-unknown"],
    ["/empty", "skipped", "empty", ""],
    ["/binary", "skipped", "content-type", "binary"],
  ])("%s is %s: %s", (path, status, reason, words) => {
    expect(at(path)).toMatchObject({ status, reason, explanation: expect.stringContaining(words) });
  });

  test("every URL has one final status, and the counters add up", () => {
    const { summary, records } = result;
    expect(summary.total).toBe(records.length);
    expect(summary.finished).toBe(records.length);
    const { completed, disallowed, skipped, errored, cancelled } = summary;
    expect(completed + disallowed + skipped + errored + cancelled).toBe(summary.total);
    for (const { status, reason } of records) expect(reason === null).toBe(status === "completed");
  });

  test("no URL is fetched twice, and no disallowed, external or picture URL is fetched", async () => {
    // The walk above is in the log too, so this looks at a second crawl.
    site.log.length = 0;
    const otherBefore = other.log.length;
    await crawl(join(dir.path, "handmade2"), `${site.origin}/`, ...QUICK);
    for (const [path, times] of site.counts()) expect([path, times]).toEqual([path, 1]);
    expect(site.log[0]?.path).toBe("/robots.txt");
    expect(site.counts().has("/private/secret")).toBe(false);
    expect(site.counts().has("/picture.png")).toBe(false);
    expect(other.log).toHaveLength(otherBefore);
  });

  test("--out contains the bodies byte for byte, each in its own file", () => {
    const files = result.records.flatMap(({ file }) => (file === null ? [] : [file]));
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
    expect(readFileSync(join(out(), at("/Case")?.file ?? ""), "utf8")).toBe(page("upper"));
    expect(readFileSync(join(out(), at("/dir/")?.file ?? ""), "utf8")).toBe(page("slash"));
    expect(at("/dir/")?.file).toBe(`pages/127.0.0.1~${site.port}/dir/index.html`);
  });

  test("a page in GBK is decoded", () => {
    expect(at("/gbk")?.title).toBe("中文");
  });

  test("a record has the page that linked to it, and its depth", () => {
    expect(at("/below/leaf")).toMatchObject({ depth: 2, via: `${site.origin}/based/`, httpStatus: 200 });
  });
});

test("feeds, JSON and XML are pages, and a feed's entries are followed", async () => {
  const typed = (type: string, body: string) => ({ headers: { "content-type": type }, body });
  const site = closeLater(
    await startHandmadeSite({
      "/": page("home", "/feed.xml", "/broken.rss", "/map.xml", "/api", "/note.xml", "/drawing", "/no.rss"),
      "/feed.xml": typed(
        "text/xml",
        "<rss version='2.0'><channel><title>News</title><item><title>One</title><link>/one</link></item></channel></rss>",
      ),
      "/broken.rss": typed(
        "application/rss+xml",
        "<rss><channel><title>B<item><title>T & < o</titel><link>/two</link></item>",
      ),
      "/map.xml": typed("application/xml", "<urlset><url><loc>/never</loc></url></urlset>"),
      "/api": typed("application/vnd.api+json; charset=utf-8", '{"next": "/never"}'),
      "/note.xml": typed("application/xml", "<?xml-stylesheet href='/never'?><note>Hi</note>"),
      "/drawing": typed("application/xml", "<svg xmlns='http://www.w3.org/2000/svg'><a href='/never'/></svg>"),
      "/no.rss": typed("application/rss+xml", "Nothing"),
      "/one": page("one"),
      "/two": page("two"),
    }),
  );
  const { summary, byUrl } = await crawl(
    join(dir.path, "documents"),
    `${site.origin}/`,
    "--markdown",
    ...QUICK,
    ...shared.served.remote,
  );
  const kindOf = (path: string) => {
    const { status, document, title, explanation } = byUrl.get(site.origin + path) ?? {};
    return [status, document, title, explanation];
  };
  expect(summary).toMatchObject({ total: 10, completed: 7 });
  expect(kindOf("/feed.xml")).toEqual(["completed", "feed", "News", null]);
  expect(kindOf("/broken.rss")).toEqual(["completed", "feed", expect.any(String), expect.stringContaining("broken")]);
  expect(kindOf("/api")).toEqual(["completed", "json", null, null]);
  expect(kindOf("/note.xml")).toEqual(["completed", "xml", null, null]);
  expect(kindOf("/one")).toEqual(["completed", null, "one", null]);
  expect(kindOf("/map.xml")).toEqual(["skipped", null, null, expect.stringContaining("sitemap")]);
  expect(kindOf("/drawing")).toEqual(["skipped", null, null, expect.stringContaining("image/svg+xml")]);
  expect(kindOf("/no.rss")).toEqual([
    expect.not.stringContaining("completed"),
    null,
    null,
    expect.stringContaining("no feed"),
  ]);
  const { stdout } = await run(
    "records",
    summary.id,
    "--document",
    "json",
    "--with",
    "markdown",
    ...shared.served.remote,
  );
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ url: `${site.origin}/api`, markdown: '```json\n{"next": "/never"}\n```' }]);
});

test("if a seed redirects to another host, that host joins the scope", async () => {
  const home = closeLater(await startHandmadeSite({ "/": page("home", "/a"), "/a": page("a") }, { host: "127.0.0.3" }));
  const apex = closeLater(await startHandmadeSite({ "/": redirect(`${home.origin}/`, 301) }));
  const { summary, byUrl } = await crawl(
    join(dir.path, "joined"),
    `${apex.origin}/`,
    ...QUICK,
    ...shared.served.remote,
  );
  expect(summary).toMatchObject({ status: "completed", completed: 2, skipped: 1 });
  expect(byUrl.get(`${home.origin}/a`)?.status).toBe("completed");
});

test("limit, depth, include and exclude", async () => {
  const links = Array.from({ length: 12 }, (_, i) => `/p${i}`);
  const site = closeLater(
    await startHandmadeSite({
      "/": page("home", ...links, "/docs/", "/docs/a/b"),
      ...Object.fromEntries(links.map((path) => [path, page(path, "/deep")])),
      "/deep": page("deep"),
      "/docs/": page("docs", "/docs/x", "/docs/old/y"),
      "/docs/x": page("x"),
      "/docs/a/b": page("b"),
      "/docs/old/y": page("y"),
    }),
  );
  const limited = await crawl(
    join(dir.path, "limit"),
    `${site.origin}/`,
    ...QUICK,
    "--limit",
    "5",
    ...shared.served.remote,
  );
  expect(limited.summary).toMatchObject({ status: "completed", completed: 5, total: 16, skipped: 11 });
  expect(limited.records.filter(({ reason }) => reason === "limit")).toHaveLength(11);

  const depth = ["--depth", "1", "--exclude", "/docs/**"];
  const shallow = await crawl(join(dir.path, "depth"), `${site.origin}/`, ...QUICK, ...depth, ...shared.served.remote);
  expect(shallow.summary.completed).toBe(13);
  expect(shallow.byUrl.has(`${site.origin}/deep`)).toBe(false);

  const globs = ["--include", "/docs/**", "--exclude", "/docs/old/*"];
  const narrow = await crawl(join(dir.path, "globs"), `${site.origin}/`, ...QUICK, ...globs, ...shared.served.remote);
  const paths = narrow.records.map(({ url }) => new URL(url).pathname);
  expect(paths.sort()).toEqual(["/", "/docs/", "/docs/a/b", "/docs/x"]);
});

test("--script-links follows URLs in scripts, which are ignored without it", async () => {
  const site = closeLater(
    await startHandmadeSite({
      "/": `<!doctype html><title>t</title><script>go("/from-script")</script>
        <script type="application/ld+json">{"@type":"Article","url":"\\/from-json"}</script><p data-next="/from-data">`,
      "/from-script": page("script"),
      "/from-json": page("json"),
      "/from-data": page("data"),
    }),
  );
  const without = await crawl(join(dir.path, "no-scripts"), `${site.origin}/`, ...QUICK, ...shared.served.remote);
  expect(without.summary.total).toBe(1);
  const flags = [...QUICK, "--script-links", ...shared.served.remote];
  const { records } = await crawl(join(dir.path, "scripts"), `${site.origin}/`, ...flags);
  expect(records.map(({ url, status }) => [url.slice(site.origin.length), status])).toEqual([
    ["/", "completed"],
    ["/from-data", "completed"],
    ["/from-json", "completed"],
    ["/from-script", "completed"],
  ]);
});
