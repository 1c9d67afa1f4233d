import { beforeAll, expect, test } from "vitest";
import type { Summary } from "../../src/cli/output/summary.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { commandIn, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** A site whose robots.txt fails: the command says for how long it waits, and `--max-time` ends it. */

const shared = shareServer();
let site: Site;
let isFailing = true;

beforeAll(async () => {
  site = await startSite(({ url = "/" }, response) => {
    if (url !== "/robots.txt") return void response.writeHead(200, HTML).end(page("home"));
    if (isFailing) response.writeHead(500, { "retry-after": "600" }).end();
    else response.writeHead(404).end();
  });
  shared.sites.push(site);
});

test("a crawl that waits for robots.txt says until when, and ends at its time limit with the reason", async () => {
  const { stdout, stderr, code } = await run(
    "crawl",
    `${site.origin}/`,
    "--json",
    "--max-time",
    "20s",
    ...shared.served.remote,
  );
  expect(code).toBe(1);
  const summary = JSON.parse(stdout) as Summary;
  expect(summary).toMatchObject({ status: "cancelled_due_to_timeout", completed: 0 });
  expect(stderr).toMatch(
    /waits until \d{4}-\d\d-\d\d \d\d:\d\d UTC for 127\.0\.0\.1: robots\.txt answered 500, .*To stop: .* To go on later: /,
  );
  expect(stderr).toContain("It has reached its time limit of 20 s.");
  expect(stderr.match(/waits until/g)).toHaveLength(1);
  const { stdout: status } = await run("status", summary.id, ...shared.served.remote);
  expect(status).toContain("robots.txt answered 500");
  isFailing = false;
  expect(commandIn(stderr, shared.served.token).slice(0, 2)).toEqual(["retry", summary.id]);
});
