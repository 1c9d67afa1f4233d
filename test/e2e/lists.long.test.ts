import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Summary } from "../../src/cli/output/summary.ts";
import { startSite } from "../sites/site.ts";
import { MAIN, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Crawls of lists from files and standard input, and maps of redirects. */

const shared = shareServer();

async function startListed() {
  const site = await startSite(({ url = "" }, response) => {
    const [, code, to] = /^\/(30\d)(\/.*)$/.exec(url) ?? [];
    if (code !== undefined) response.writeHead(Number(code), { location: to }).end();
    else if (url === "/gone") response.writeHead(410).end("gone");
    else if (url === "/robots.txt") response.writeHead(404).end();
    else response.setHeader("content-type", "text/html").end(`<title>${url}</title><a href="/linked${url}">on</a>`);
  });
  shared.sites.push(site);
  return site;
}

const file = (name: string, text: string) => {
  const path = join(shared.dir.path, name);
  writeFileSync(path, text);
  return path;
};
const crawl = (...args: string[]) => run("crawl", "--delay", "0", "--json", ...args, ...shared.served.remote);

test("a list gives its pages alone, names what is none of it, and counts what comes again", async () => {
  const site = await startListed();
  const list = file("list.txt", `# pages\n${site.origin}/1\n\n${site.origin}/2\nnonsense\n${site.origin}/1#top\n`);
  const { stdout, stderr, code } = await crawl("--urls", list, `${site.origin}/3`);
  expect([code, stderr]).toEqual([0, expect.stringContaining("line 5: nonsense (it is no http or https URL)")]);
  expect(stderr).toContain("3 URLs, and 1 that repeat one of them");
  expect(JSON.parse(stdout)).toMatchObject({ status: "completed", total: 3, completed: 3 });
  expect(site.log.map(({ path }) => path).toSorted()).toEqual(["/1", "/2", "/3", "/robots.txt"]);
});

test("more URLs than one request takes come from standard input, and a limit that cuts them says so", async () => {
  const site = await startListed();
  const args = ["crawl", "--urls", "-", "--limit", "3", "--delay", "0", "--json", ...shared.served.remote];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => text(stream));
  child.stdin.end(Array.from({ length: 5_100 }, (_, i) => `title ${i};${site.origin}/page/${i}`).join("\n"));
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  expect(JSON.parse((await stdout) ?? "")).toMatchObject({ total: 5_100, completed: 3, skipped: 5_097 });
  expect(await stderr).toContain("--limit 3 leaves out 5,097 of 5,100 URLs or more");
});

/** An index of two sitemaps, one of them compressed; the other lists a page of a private host too. */
async function startMapped(elsewhere: string) {
  const site = await startSite(({ url = "" }, response) => {
    const urlset = (...pages: string[]) =>
      `<urlset>${pages.map((page) => `<url><loc>${page}</loc></url>`).join("")}</urlset>`;
    const xml = response.setHeader("content-type", "application/xml");
    if (url === "/robots.txt") xml.setHeader("content-type", "text/plain").end("User-agent: *\nDisallow: /closed\n");
    else if (url === "/index.xml")
      xml.end(
        `<sitemapindex>${["/1.xml", "/2.xml.gz", "/lost.xml"].map((path) => `<sitemap><loc>${site.origin}${path}</loc></sitemap>`).join("")}</sitemapindex>`,
      );
    else if (url === "/1.xml") xml.end(urlset(`${site.origin}/a?x=1`, `${site.origin}/closed`, elsewhere));
    else if (url === "/2.xml.gz") xml.end(gzipSync(urlset(`${site.origin}/a?x=1`, `${site.origin}/b`)));
    else if (url === "/lost.xml" || url === "/sitemap.xml") response.writeHead(404).end();
    else xml.setHeader("content-type", "text/html").end(`<title>${url}</title><a href="/linked">on</a>`);
  });
  shared.sites.push(site);
  return site;
}

test.each(["the URL of an index", "a file with the index"])("%s gives the pages of its sitemaps", async (what) => {
  const other = await startListed();
  const site = await startMapped(`${other.origin}/there`);
  const index = `${site.origin}/index.xml`;
  const given = what.startsWith("a file") ? file("index.xml", await (await fetch(index)).text()) : index;
  const before = site.log.length;
  const { stdout, stderr, code } = await crawl("--urls", given, `${site.origin}/own`);
  expect([code, stderr]).toEqual([0, expect.stringContaining("could not be read")]);
  expect(stderr).toContain(`${site.origin}/lost.xml`);
  const ended = JSON.parse(stdout) as Summary;
  expect(ended).toMatchObject({ status: "completed", total: 4, completed: 3, disallowed: 1 });
  const pages = site.log.slice(before).map(({ path }) => path);
  expect(pages.filter((path) => !/xml|robots/.test(path)).toSorted()).toEqual(["/a?x=1", "/b", "/own"]);
  // A site must not send us to a private host that nobody has named.
  expect(stderr).toContain(`private-address), such as ${other.origin}/there`);
  expect(other.log).toEqual([]);
  const { stdout: listed } = await run("list", "--json", ...shared.served.remote);
  expect(listed).not.toContain("index.xml");
});

test("a crawl reads the sitemaps that it is given", async () => {
  const site = await startMapped("http://192.0.2.1/never");
  const { stdout } = await crawl(`${site.origin}/own`, "--sitemap", `${site.origin}/index.xml`, "--source", "sitemaps");
  expect(JSON.parse(stdout)).toMatchObject({ status: "completed", completed: 3, disallowed: 1 });
});

test("a map of redirects names what differs, and exits with 1", async () => {
  const { origin } = await startListed();
  const good = [`${origin}/301/new ${origin}/new 301`, `${origin}/gone 410`, `${origin}/302/301/new ${origin}/new`];
  const fine = await crawl("--expect", file("good.txt", good.join("\n")));
  expect([fine.code, fine.stderr]).toEqual([0, expect.any(String)]);
  const counts = { expected: 3, asExpected: 3, differ: 0, chains: 1 };
  expect(JSON.parse(fine.stdout)).toMatchObject({ redirects: { ...counts, differing: [] } });
  const bad = `from,to,status\n${origin}/302/new,${origin}/new,301\n${origin}/301/gone,${origin}/gone,\n`;
  const { code, stdout } = await run(
    "crawl",
    "--delay",
    "0",
    "--expect",
    file("bad.csv", bad),
    ...shared.served.remote,
  );
  expect(code).toBe(1);
  expect(stdout).toContain(`${origin}/302/new (302) -> ${origin}/new (200)`);
  expect(stdout).toContain("it redirects temporarily (302), not with 301");
  expect(stdout).toContain(`${origin}/gone answers 410`);
  expect(stdout).toContain("0 of 2 URLs as expected, 2 differ.");
});
