import { expect, test } from "vitest";
import type { RecordView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { run, start } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `records ID --follow`: a line of JSON for each URL as it finishes. */

const PAGES = ["/a", "/b", "/c"];
const shared = shareServer();

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordView & { markdown?: string });

test("prints each record once while the crawl runs, and ends with it", async () => {
  const site = await startHandmadeSite({
    "/": page("home", ...PAGES, "/gone"),
    ...Object.fromEntries(PAGES.map((path) => [path, page(path.slice(1))])),
  });
  shared.sites.push(site);
  const { remote } = shared.served;
  const crawl = start("crawl", `${site.origin}/`, "--delay", "0", "--source", "links", "--markdown", ...remote);
  const id = /Crawl (\S+) started/.exec(await crawl.printed("started"))?.[1] ?? "";
  const followed = await run("records", id, "--follow", "--formats", "markdown", ...remote);
  expect([followed.code, followed.stderr]).toEqual([0, ""]);
  const records = linesOf(followed.stdout);
  expect(records[0]?.url).toBe(`${site.origin}/`);
  expect(records.map(({ url, status }) => `${new URL(url).pathname} ${status}`).sort()).toEqual([
    "/ completed",
    "/a completed",
    "/b completed",
    "/c completed",
    "/gone errored",
  ]);
  expect(records.every(({ status, markdown }) => (status === "completed") === (markdown !== undefined))).toBe(true);
  await crawl.ended;

  const completed = await run("records", id, "--follow", "--status", "completed", "--limit", "2", ...remote);
  expect(linesOf(completed.stdout).map(({ url }) => url)).toEqual(
    records
      .filter(({ status }) => status === "completed")
      .map(({ url }) => url)
      .slice(0, 2),
  );
  const refused = await run("records", id, "--follow", "--sort", "bytes", "--min-relevance", "0.5", ...remote);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Leave out --min-relevance, --sort.")]);
});
