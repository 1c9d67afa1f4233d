import { existsSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { RefusedRequest } from "../../../src/cli/errors.ts";
import { Client } from "../../../src/cli/installation/client.ts";
import { hasTool } from "../../e2e/required-tools.ts";
import { type Site, startSite } from "../../sites/site.ts";

/** The client and the rate limit of the API. */

let site: Site;
afterEach(() => site.close());

async function clientAfter(refusals: number): Promise<Client> {
  let left = refusals;
  site = await startSite((_, response) => {
    if (left-- > 0) {
      const errors = [{ code: "rate-limited", message: "This token has made too many requests." }];
      response.writeHead(429, { "retry-after": "0" }).end(JSON.stringify({ errors }));
    } else response.end(JSON.stringify({ success: true, result: [] }));
  });
  return new Client(site.origin, "t");
}

test("the client waits for Retry-After, and repeats the request", async () => {
  expect(await (await clientAfter(3)).crawls()).toEqual([]);
  expect(site.log).toHaveLength(4);
});

test("after three waits it throws the message of the API", async () => {
  await expect((await clientAfter(100)).crawls()).rejects.toThrow("This token has made too many requests.");
  expect(site.log).toHaveLength(4);
});

test("a list of crawls is read to its end", async () => {
  site = await startSite(({ url }, response) => {
    const isFirst = !url?.includes("cursor");
    if (isFirst) response.setHeader("link", '</api/crawls?cursor=5.a>; rel="next"');
    response.end(JSON.stringify({ success: true, result: [{ id: isFirst ? "a" : "b" }] }));
  });
  expect(await new Client(site.origin, "t").crawls()).toEqual([{ id: "a" }, { id: "b" }]);
});

async function startFailing(): Promise<Site> {
  return startSite((_, response) => {
    const errors = [{ code: "internal", message: "An internal error." }];
    response.writeHead(500).end(JSON.stringify({ errors, requestId: "r-1" }));
  });
}

const internal = (message: string) =>
  new RefusedRequest(message, 500, [{ code: "internal", message: "An internal error." }]);

test("an internal error is shown with the id of its request, for the log", async () => {
  site = await startFailing();
  const message = "An internal error. Request id: r-1";
  await expect(new Client(site.origin, "t").crawls()).rejects.toThrow(internal(message));
  await expect(new Client(site.origin, "t", "a/logs").crawls()).rejects.toThrow(`${message}; logs: a/logs`);
});

test.skipIf(!hasTool("proc", existsSync("/proc/self/fd"), "a full disk"))(
  "an internal error of an installation on a full disk says that it is full",
  async () => {
    site = await startFailing();
    // It has no room for anybody.
    const client = new Client(site.origin, "t", "/proc/logs");
    await expect(client.crawls()).rejects.toThrow(internal("The disk that /proc is on is full."));
  },
);

test("a redirect of the API itself is followed, with the token and the body", async () => {
  const got: unknown[] = [];
  site = await startSite((request, response) => {
    const { url, method, headers } = request;
    if (url?.includes("/latest/")) return void response.writeHead(307, { location: "/api/crawls/a/marks" }).end();
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      got.push([method, url, headers.authorization, body]);
      response.end(JSON.stringify({ success: true, result: { marked: 1 } }));
    });
  });
  await new Client(site.origin, "t").mark("latest", ["https://a.test/"], "right");
  expect(got).toEqual([["POST", "/api/crawls/a/marks", "Bearer t", '{"urls":["https://a.test/"],"label":"right"}']]);
});

test.each([301, 302, 303, 307, 308])(
  "a redirect to another origin (%i) gets neither token nor body",
  async (status) => {
    const other = await startSite((_, response) => void response.end("{}"), { host: "127.0.0.61" });
    site = await startSite(
      ({ url }, response) => void response.writeHead(status, { location: other.origin + url }).end(),
    );
    const client = new Client(site.origin, "t");
    await expect(client.crawls()).rejects.toThrow(`redirects to ${other.origin}. Is that the right address?`);
    await expect(client.mark("a", ["https://a.test/"], "right")).rejects.toThrow();
    expect(other.log).toEqual([]);
    await other.close();
  },
);

test("a redirect without an end is given up", async () => {
  site = await startSite(({ url }, response) => void response.writeHead(307, { location: `${url}` }).end());
  await expect(new Client(site.origin, "t").crawls()).rejects.toThrow("redirects again and again");
});
