import { afterEach, expect, test } from "vitest";
import { Client } from "../../../src/cli/client.ts";
import { type Site, startSite } from "../../sites/site.ts";

/** What the command line makes of an API that has had enough of it. */

let site: Site;
afterEach(() => site.close());

async function clientOf(refusals: number): Promise<Client> {
  let left = refusals;
  site = await startSite((_, response) => {
    if (left-- > 0) {
      const errors = [{ code: "rate-limited", message: "This token has made too many requests." }];
      response.writeHead(429, { "retry-after": "0" }).end(JSON.stringify({ errors }));
    } else response.end(JSON.stringify({ success: true, result: [] }));
  });
  return new Client(site.origin, "t");
}

test("it waits as long as it is told, and asks again", async () => {
  expect(await (await clientOf(3)).crawls()).toEqual([]);
  expect(site.log).toHaveLength(4);
});

test("and gives up in the end, with the API's own sentence", async () => {
  await expect((await clientOf(100)).crawls()).rejects.toThrow("This token has made too many requests.");
  expect(site.log).toHaveLength(4);
});
