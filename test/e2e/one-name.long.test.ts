import { expect, test } from "vitest";
import type { RecordView } from "../../src/api/views.ts";
import { startSite } from "../sites/site.ts";
import { callApi, waitForEnd } from "./api-calls.ts";
import { run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Nothing about a request changes after a refusal. */

const shared = shareServer();

test("after a 403, a 429 and a challenge, every request has the headers of the first one, byte for byte", async () => {
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
    const { id } = await callApi<{ id: string }>(shared.served, "POST", "/api/crawls", {
      ...{ url: `${site.origin}/`, limit: 20, source: "links", politeness: { minDelayMs: 0 } },
      ...{ userAgent: "Test/1 (+https://example.org)", from: "me@example.org" },
      headers: { "X-A": "b", "User-Agent": "other" },
    });
    await waitForEnd(shared.served, id);
    expect(asked.map(({ path }) => path).toSorted()).toEqual(["/", "/busy", ...paths].toSorted());
    expect(new Set(asked.map((one) => one.headers)).size).toBe(1);
    expect(asked[0]?.headers).toContain('"Test/1 (+https://example.org)"');
    const { records } = await callApi<{ records: RecordView[] }>(shared.served, "GET", `/api/crawls/${id}/records`);
    const ends = Object.fromEntries(records.map(({ url, reason }) => [url, reason]));
    expect(ends[`${site.origin}/challenge`]).toBe("challenged");
  } finally {
    await site.close();
  }
});

test.each([
  ["User-Agent: other", 'give --user-agent "other"'],
  ["host: other.example", "crawl http://other.example/"],
  ["Connection: close", "it belongs to the connection"],
])("--header %j would not be sent, and is refused", async (header, advice) => {
  const { code, stderr } = await run("crawl", "http://127.0.0.1/", "--header", header, ...shared.served.remote);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^--header \S+ is not sent: /);
  expect(stderr).toContain(advice);
});
