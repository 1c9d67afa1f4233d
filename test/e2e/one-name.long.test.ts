import { join } from "node:path";
import { expect, test } from "vitest";
import { startSite } from "../sites/site.ts";
import { crawl, readRecords, scratch } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Nothing about a request changes after a refusal. */

const shared = shareServer();

test("after a 403, a 429 and a challenge, every request has the headers of the first one, byte for byte", async () => {
  const dir = scratch();
  const asked: { path: string; headers: string }[] = [];
  const paths = ["/forbidden", "/a", "/busy", "/b", "/challenge", "/c"];
  const site = await startSite((request, response) => {
    const path = request.url ?? "";
    if (path !== "/robots.txt") asked.push({ path, headers: JSON.stringify(request.rawHeaders) });
    const isFirst = asked.filter((one) => one.path === path).length === 1;
    if (path === "/robots.txt") response.writeHead(404).end();
    else if (path === "/forbidden") response.writeHead(403).end("no");
    else if (path === "/busy" && isFirst) response.writeHead(429, { "retry-after": "1" }).end();
    else if (path === "/challenge") response.writeHead(403, { "cf-mitigated": "challenge" }).end();
    else {
      const links = path === "/" ? paths.map((to) => `<a href="${to}">${to}</a>`) : [];
      response.writeHead(200, { "content-type": "text/html" }).end(`<title>${path}</title>${links.join("")}`);
    }
  });
  try {
    const headers = ["--user-agent", "Test/1 (+https://example.org)", "--from", "me@example.org", "--header", "X-A: b"];
    const args = ["--delay", "0", "--source", "links", "--header", "User-Agent: other", ...headers];
    await crawl(dir.path, `${site.origin}/`, ...args, ...shared.served.remote);
    expect(asked.map(({ path }) => path).toSorted()).toEqual(["/", "/busy", ...paths].toSorted());
    expect(new Set(asked.map((one) => one.headers)).size).toBe(1);
    expect(asked[0]?.headers).toContain('"Test/1 (+https://example.org)"');
    const ends = Object.fromEntries(readRecords(join(dir.path, "out")).map(({ url, reason }) => [url, reason]));
    expect(ends[`${site.origin}/challenge`]).toBe("challenged");
  } finally {
    await site.close();
    dir.remove();
  }
});
