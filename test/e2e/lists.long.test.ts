import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
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
