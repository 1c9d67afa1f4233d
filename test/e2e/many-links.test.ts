import { once } from "node:events";
import { expect, test } from "vitest";
import type { RecordView } from "../../src/api/views.ts";
import type { Summary } from "../../src/cli/summary.ts";
import { HTML } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Pages of so many links that a limit was reached: each link has a row, or is counted by the reason of its refusal. */

const shared = shareServer();
const { sites } = shared;

/** A page of `links` links, the first 80 of which exist. `write`: the link with this number. */
async function siteOf(links: number, write: (at: number) => string): Promise<string> {
  const site = await startSite(async ({ url = "/" }, response) => {
    if (url === "/robots.txt") return void response.writeHead(404).end();
    if (url !== "/") {
      const exists = Number(/\d+/.exec(url)?.[0]) < 80;
      return void response.writeHead(exists ? 200 : 404, HTML).end(`<title>${url}</title>`);
    }
    response.writeHead(200, HTML);
    response.write("<title>Many links</title>");
    for (let at = 0; at < links; at += 1_000) {
      const some = Array.from({ length: Math.min(1_000, links - at) }, (_, i) => write(at + i)).join("\n");
      if (!response.write(some)) await once(response, "drain");
    }
    response.end();
  });
  sites.push(site);
  return `${site.origin}/`;
}

const crawl = (home: string, ...flags: string[]) =>
  run("crawl", home, "--limit", "50", "--delay", "0", "--source", "links", ...flags, ...shared.served.remote);
const summaryOf = async (home: string) => JSON.parse((await crawl(home, "--json")).stdout) as Summary;
const refusedOf = async (id: string) => {
  const { stdout } = await run("status", id, "--json", ...shared.served.remote);
  return (JSON.parse(stdout) as { refused: { reason: string; count: number }[] }).refused;
};

test("a page of 200,000 links is read, and each of them has a row", { timeout: 300_000 }, async () => {
  const home = await siteOf(200_000, (at) => `<li><a href="/item/${at}">item ${at}</a></li>`);
  const summary = await summaryOf(home);
  expect(summary).toMatchObject({ status: "completed", total: 200_001, completed: 50, skipped: 199_951, errored: 0 });
  expect(await refusedOf(summary.id)).toEqual([]);
  const { stdout } = await run("records", summary.id, "--status", "completed", ...shared.served.remote);
  const records = stdout.split("\n").filter((line) => line !== "");
  const record = records.map((line) => JSON.parse(line) as RecordView).find(({ url }) => url === home);
  expect(record).toMatchObject({ title: "Many links", explanation: expect.stringContaining("too large for a tree") });
});

test("what 120,000 links lead to has rows, or is refused for a reason", { timeout: 300_000 }, async () => {
  const home = await siteOf(
    120_000,
    (at) => `<a href="${at % 10 === 9 ? "https://other.example" : ""}/item/${at}">${at}</a>`,
  );
  const summary = await summaryOf(home);
  expect(summary).toMatchObject({ status: "completed", total: 108_001, completed: 50 });
  expect(await refusedOf(summary.id)).toMatchObject([{ reason: "off-host", count: 12_000 }]);
});

test("links beyond the limit of a page are counted, and the summary says so", { timeout: 300_000 }, async () => {
  const home = await siteOf(260_000, (at) => `<a href=${at}>${at}</a>`);
  const { stdout, stderr } = await crawl(home);
  expect(stdout + stderr).toMatch(/10,000 links not followed \(link-limit\), such as http:\S+\/250000/);
});
