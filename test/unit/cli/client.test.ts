import { afterEach, expect, test } from "vitest";
import { Client } from "../../../src/cli/client.ts";
import { UserError } from "../../../src/cli/errors.ts";
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

test("an internal error is shown with the id of its request, for the log", async () => {
  site = await startSite((_, response) => {
    const errors = [{ code: "internal", message: "An internal error." }];
    response.writeHead(500).end(JSON.stringify({ errors, requestId: "r-1" }));
  });
  const message = "An internal error. Request id: r-1";
  await expect(new Client(site.origin, "t").crawls()).rejects.toThrow(new UserError(message));
  await expect(new Client(site.origin, "t", "a/logs").crawls()).rejects.toThrow(`${message}; logs: a/logs`);
});
