import { once } from "node:events";
import { expect, test } from "vitest";
import type { CrawlDetail, RecordView } from "../../src/api/views.ts";
import { HTML } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** A page of so many links that it is too large for a tree, and that the limit of links is reached. */

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

test("each link of 260,000 has a row, or is counted by the reason of its refusal, and the summary says so", async () => {
  // Every tenth link leads to another host.
  const href = (at: number) => `${at % 10 === 9 ? "https://b.example" : ""}/item/${at}`;
  const home = await siteOf(260_000, (at) => `<a href=${href(at)}>${at}</a>`);
  const flags = ["--limit", "50", "--delay", "0", "--source", "links", ...shared.served.remote];
  const { code, stdout, stderr } = await run("crawl", home, ...flags);
  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(/10,000 links not followed \(link-limit\), such as http:\S+\/250000/);
  const id = /Crawl (\S+) started/.exec(stdout)?.[1] ?? "";
  const status = JSON.parse((await run("status", id, "--json", ...shared.served.remote)).stdout) as CrawlDetail;
  const counts = { completed: 50, skipped: 224_951, errored: 0, disallowed: 0 };
  expect(status).toMatchObject({ status: "completed", total: 225_001, counts });
  expect(status.refused.map(({ reason, count }) => [reason, count]).toSorted()).toEqual([
    ["link-limit", 10_000],
    ["off-host", 25_000],
  ]);
  const { stdout: listed } = await run("records", id, "--status", "completed", ...shared.served.remote);
  const records = listed.split("\n").filter((line) => line !== "");
  const record = records.map((line) => JSON.parse(line) as RecordView).find(({ url }) => url === home);
  expect(record).toMatchObject({ title: "Many links", explanation: expect.stringContaining("too large for a tree") });
});
