import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FormattedRecordView } from "../../src/api/views.ts";
import { HTML, page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, type OutRecord, readRecords, run, type Served, scratch, serve, start } from "./cli.ts";

/**
 * `--markdown`: a file of it beside each page, or in the installation for later. Markdown of the server's own, chunks,
 * and llms.txt.
 */

const dir = scratch();
const QUICK = ["--delay", "0", "--concurrency", "8"];
const TITLES: Record<string, string> = {
  "/": "Home: the \"first\" page, and it's 'quoted'",
  "/a.html": "# no: comment &amp; &lt;b&gt;",
  "/a.html.md": "--- url: elsewhere",
  "/Case": "大文字 🪵",
  "/case": "",
};
let site: Site;
let served: Served;

beforeAll(async () => {
  served = await serve(join(dir.path, "served"));
  const links = [...Object.keys(TITLES), "/missing"];
  site = await startHandmadeSite(
    Object.fromEntries(Object.entries(TITLES).map(([path, title]) => [path, page(title, ...links)])),
  );
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

/** The front matter of a file, read as the lines of JSON strings that it is, and what follows it. */
function readMarkdown(path: string): { front: Record<string, string>; markdown: string } {
  const [, lines = "", markdown = ""] =
    /^---\n((?:\w+: [^\n]*\n)*)---\n\n?(.*)$/s.exec(readFileSync(path, "utf8")) ?? [];
  const fields = lines.split("\n").slice(0, -1);
  const front = fields.map((line): [string, string] => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), JSON.parse(line.slice(colon + 2)) as string];
  });
  return { front: Object.fromEntries(front), markdown };
}

function expectMarkdown(out: string, records: OutRecord[]): void {
  const completed = records.filter(({ status }) => status === "completed");
  expect(completed).toHaveLength(Object.keys(TITLES).length);
  const files = completed.flatMap(({ file, markdownFile }) => [file, markdownFile ?? null]);
  expect(new Set(files.map((file) => file?.toLowerCase())).size).toBe(2 * completed.length);
  for (const { url, title, fetchedAt, file, markdownFile } of completed) {
    expect(markdownFile).toBe(`${file}~.md`);
    const { front } = readMarkdown(join(out, markdownFile ?? ""));
    expect(front).toEqual({ url, fetchedAt, ...(title === null ? {} : { title }) });
    const path = url.slice(site.origin.length);
    expect(readFileSync(join(out, file ?? ""), "utf8")).toContain(`<title>${TITLES[path]}</title>`);
  }
  expect(records.find(({ url }) => url.endsWith("/missing"))).toMatchObject({ file: null, markdownFile: null });
}

test("--out has a .md beside each page, the records say where, and `records` prints the same", async () => {
  const out = join(dir.path, "with-out", "out");
  const flags = [...QUICK, "--markdown", ...served.remote];
  const { records, byUrl, summary, ended } = await crawl(join(dir.path, "with-out"), `${site.origin}/`, ...flags);
  expectMarkdown(out, records);
  expect(ended.stderr).toContain("Wrote 5 pages, each with its Markdown, and records.jsonl");
  const what = ["--with", "markdown,headers", "--status", "completed"];
  const lines = (await run("records", summary.id, ...what, ...served.remote)).stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(Object.keys(TITLES).length);
  for (const line of lines) {
    const { url, markdown, headers } = JSON.parse(line) as FormattedRecordView;
    const file = readMarkdown(join(out, byUrl.get(url)?.markdownFile ?? ""));
    expect(file.markdown.trimEnd()).toBe(markdown?.trimEnd());
    expect(headers).toHaveProperty("content-type");
  }
});

test("without --markdown there is none, and the records do not speak of it", async () => {
  const { records } = await crawl(join(dir.path, "without"), `${site.origin}/`, ...QUICK, ...served.remote);
  expect(records.some((record) => "markdownFile" in record)).toBe(false);
});

test("without --out the summary says how to get it, and resume writes it without being told", async () => {
  const state = join(dir.path, "resumed");
  const first = start("crawl", `${site.origin}/`, "--delay", "1", "--markdown", "--state", state);
  const before = site.log.length;
  while (site.log.length < before + 4) await new Promise((resolve) => setTimeout(resolve, 10));
  first.child.kill("SIGINT");
  const { stdout } = await first.ended;
  const id = /resume (\S+)/.exec(stdout)?.[1] ?? "";
  expect(stdout).toContain(`export ${id} --format markdown --state ${state}\n`);
  const out = join(dir.path, "resumed-out");
  expect((await run("resume", id, "--out", out, "--state", state)).code).toBe(0);
  expectMarkdown(out, readRecords(out));
});

test("formats that there are not are refused with their names", async () => {
  const { code, stderr } = await run("records", "x", "--with", "pdf", ...served.remote);
  expect([code, stderr]).toEqual([2, expect.stringContaining("formats")]);
});

const MARKDOWN = { "content-type": "text/markdown; charset=utf-8", vary: "Accept" };
const PROSE = "The carriage moves along the ways, and the tool cuts the metal. ".repeat(12);

/** A site with Markdown at the same address, beside a page, and a list of its pages. */
async function startMarkdownSite(): Promise<Site & { accepted: Map<string, string> }> {
  const accepted = new Map<string, string>();
  const named = `<link rel="alternate" type="text/markdown" href="/guide/belt.md">`;
  const html = (title: string, body: string, head = "") =>
    `<!doctype html><html lang="en"><head><title>${title}</title>${head}<meta name="description" content="About ${title}."></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
  const pages: Record<string, string> = {
    "/": html("Lathe", `<p>${PROSE}</p><p><a href="/oil">Oil</a> <a href="/guide/belt">Belt</a></p>`),
    "/oil": html("Oil as HTML", `<p>${PROSE}</p>`),
    "/guide/belt": html("Belt", `<p>${PROSE}</p><h2 id="age">Age</h2><p>${PROSE}</p>`, named),
    "/guide/listed": html("Listed", `<p>${PROSE}</p>`),
  };
  const markdown: Record<string, string> = {
    "/oil": "# Oil as Markdown\n\nSAE 30. See [the tank](/tank).\n",
    "/guide/belt.md": `# Belt\n\nWritten by hand.\n\n## Age\n\n${PROSE}\n`,
    "/llms.txt": "# Lathe\n\n## Guide\n\n- [Listed](/guide/listed): a page without links to it\n",
  };
  const site = await startSite((request, response) => {
    const path = request.url ?? "";
    const accept = request.headers.accept ?? "";
    accepted.set(path, accept);
    const own = markdown[path];
    if (own !== undefined && (pages[path] === undefined || accept.startsWith("text/markdown")))
      response.writeHead(200, MARKDOWN).end(own);
    else if (pages[path] !== undefined) response.writeHead(200, { ...HTML, vary: "Accept" }).end(pages[path]);
    else response.writeHead(404, HTML).end("not found");
  });
  return Object.assign(site, { accepted });
}

test("--prefer-markdown takes the server's Markdown, at the same address and beside a page", async () => {
  const lathe = await startMarkdownSite();
  const seed = `${lathe.origin}/`;
  const at = (path: string) => `${lathe.origin}${path}`;
  const { byUrl, summary } = await crawl(join(dir.path, "own"), seed, ...QUICK, "--prefer-markdown", ...served.remote);
  // Each page is requested once, and the Markdown beside a page too.
  expect(Object.fromEntries(lathe.counts())).toEqual({
    ...{ "/robots.txt": 1, "/sitemap.xml": 1, "/sitemap_index.xml": 1 },
    ...{ "/": 1, "/oil": 1, "/guide/belt": 1, "/guide/belt.md": 1, "/tank": 1 },
  });
  expect(lathe.accepted.get("/oil")).toMatch(/^text\/markdown,text\/html/);
  expect(byUrl.get(at("/oil"))).toMatchObject({ contentType: MARKDOWN["content-type"], title: "Oil as Markdown" });
  expect(byUrl.get(at("/guide/belt"))).toMatchObject({ contentType: HTML["content-type"], title: "Belt" });
  // A link of the Markdown was followed.
  expect(byUrl.get(at("/tank"))).toMatchObject({ httpStatus: 404 });
  expect(byUrl.has(at("/guide/belt.md"))).toBe(false);
  const printed = await run("records", summary.id, "--with", "markdown,json,chunks,headers", ...served.remote);
  const records = printed.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as FormattedRecordView);
  const find = (path: string) => records.find(({ url }) => url === at(path));
  expect(find("/oil")?.markdown).toBe("# Oil as Markdown\n\nSAE 30. See [the tank](/tank).\n");
  expect(find("/oil")?.headers).toMatchObject({ vary: "Accept" });
  const belt = find("/guide/belt");
  expect(belt?.markdown).toContain("Written by hand.");
  expect(belt?.json).toMatchObject({ markdownUrl: at("/guide/belt.md"), description: "About Belt." });
  expect(belt?.chunks?.map(({ link }) => link)).toEqual([at("/guide/belt#:~:text=Belt")]);
  // The archive has both answers.
  const warc = await fetch(`${served.address}/api/crawls/${summary.id}/export?format=warc`, {
    headers: { authorization: `Bearer ${served.token}` },
  });
  const archive = gunzipSync(Buffer.from(await warc.arrayBuffer())).toString();
  for (const path of ["/oil", "/guide/belt", "/guide/belt.md"])
    expect(archive).toMatch(new RegExp(`WARC-Type: response\r\n(?:[^\r]+\r\n)*WARC-Target-URI: ${at(path)}\r\n`));
  expect(archive.match(/WARC-Type: request/g)?.length).toBeGreaterThanOrEqual(4);
  expect(archive).toContain("accept: text/markdown,text/html;q=0.9");
  await lathe.close();
});

test("without it HTML is asked for, and chunks, llms.txt and Markdown are made of that", async () => {
  const lathe = await startMarkdownSite();
  const at = (path: string) => `${lathe.origin}${path}`;
  const flags = [...QUICK, "--llms", "--source", "links", "--chunk-tokens", "200", ...served.remote];
  const { byUrl, summary } = await crawl(join(dir.path, "llms"), at("/"), ...flags);
  expect(lathe.accepted.get("/oil")).not.toContain("markdown");
  expect(lathe.log.map(({ path }) => path).sort()).toEqual(
    ["/", "/guide/belt", "/guide/listed", "/llms.txt", "/oil", "/robots.txt"].sort(),
  );
  expect(byUrl.get(at("/guide/listed"))).toMatchObject({ status: "completed", depth: 1 });
  const exported = async (format: string, ...more: string[]) => {
    const { code, stdout, stderr } = await run("export", summary.id, "--format", format, ...more, ...served.remote);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const chunks = (await exported("chunks"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(chunks).toHaveLength(5);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  for (const { tokens } of chunks) expect(tokens).toBeLessThanOrEqual(200);
  const age = chunks.find(({ headings }) => headings.at(-1) === "Age");
  expect(age).toMatchObject({ url: at("/guide/belt"), title: "Belt", anchor: "age", link: at("/guide/belt#age") });
  const large = (await exported("chunks", "--chunk-tokens", "4000")).trimEnd().split("\n");
  expect(large).toHaveLength(4);
  expect(await exported("llms")).toBe(`# Lathe

> About Lathe.

## Pages

- [Lathe](${at("/")}): About Lathe.
- [Oil as HTML](${at("/oil")}): About Oil as HTML.

## guide (${at("/guide/")})

- [Belt](${at("/guide/belt")}): About Belt.
- [Listed](${at("/guide/listed")}): About Listed.
`);
  const full = await exported("llms-full");
  expect(full.match(/^Source: .*$/gm)).toEqual(
    ["/", "/oil", "/guide/belt", "/guide/listed"].map((path) => `Source: ${at(path)}`),
  );
  expect(full).toContain(`# Belt\n\nSource: ${at("/guide/belt")}\n\nThe carriage moves`);
  const refused = await run("export", summary.id, "--format", "chunk-delta", ...served.remote);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("no watch")]);
  await lathe.close();
});

test("a client that prefers Markdown gets it from the page route and from the replay", async () => {
  const { summary } = await crawl(join(dir.path, "accept"), `${site.origin}/`, ...QUICK, ...served.remote);
  const ask = async (path: string, accept: string) => {
    const headers = { authorization: `Bearer ${served.token}`, accept };
    const answer = await fetch(served.address + path, { headers });
    return { type: answer.headers.get("content-type"), vary: answer.headers.get("vary"), text: await answer.text() };
  };
  const stored = `/api/crawls/${summary.id}/page?url=${encodeURIComponent(`${site.origin}/`)}`;
  const replayed = `/replay/${summary.id}/${site.origin}/`;
  for (const path of [stored, replayed]) {
    const markdown = await ask(path, "text/markdown, text/html;q=0.9, */*;q=0.1");
    expect(markdown.type).toBe("text/markdown; charset=utf-8");
    expect(markdown.text).toMatch(/^# Home: the/);
    const html = await ask(path, "text/html,application/xhtml+xml,*/*;q=0.8");
    expect(html.type).toMatch(/^text\/html/);
    expect(html.text).toContain("<h1>Home: the");
    expect((await ask(path, "*/*")).type).toMatch(/^text\/html/);
    for (const { vary } of [markdown, html]) expect(vary?.split(", ")).toContain("accept");
  }
  expect((await ask(`${stored}&format=text`, "text/markdown")).type).toBe("text/plain; charset=utf-8");
});
