import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CrawlView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { crawl, readRecords, run, type Served, scratch, serve } from "./cli.ts";

/** `orbweaver delete`, on a running installation and on a state folder that no process uses. */

const dir = scratch();
const state = join(dir.path, "state");
const STATE = ["--state", state];
let site: Site;
/** Uses the state folder until a test closes it. */
let served: Served;

beforeAll(async () => {
  site = await startHandmadeSite({
    "/": page("home", "/one", "/two"),
    "/one": page("one"),
    "/two": page("two"),
  });
  served = await serve(state);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

async function listed(): Promise<string[]> {
  const { stdout } = await run("list", "--json", ...served.remote);
  return (JSON.parse(stdout) as CrawlView[]).map(({ id }) => id);
}

/** Bytes of the mirror's objects on disk, without its index. */
function mirrorBytes(): number {
  const folder = join(state, "v3", "r2");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const blobs = files.filter(({ parentPath }) => parentPath.endsWith("blobs"));
  return blobs.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

test("delete frees the space of a crawl and keeps its --out folder", async () => {
  const folder = join(dir.path, "deleted");
  const { summary } = await crawl(folder, `${site.origin}/`, "--delay", "0", ...served.remote);
  const { id } = summary;
  expect(await listed()).toEqual([id]);
  expect(mirrorBytes()).toBeGreaterThan(0);

  const withoutYes = await run("delete", id, ...served.remote);
  expect([withoutYes.code, withoutYes.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  expect(await listed()).toEqual([id]);

  const deleted = await run("delete", id, "--yes", ...served.remote);
  expect([deleted.code, deleted.stderr, deleted.stdout]).toEqual([0, "", `Crawl ${id} is deleted.\n`]);
  expect(await listed()).toEqual([]);
  expect(mirrorBytes()).toBe(0);
  for (const command of [["status"], ["records"], ["delete", "--yes"]]) {
    const gone = await run(...command, id, ...served.remote);
    expect([gone.code, gone.stderr]).toEqual([1, `There is no crawl ${id}.\n`]);
  }
  const out = join(folder, "out");
  const records = readRecords(out);
  expect(records).toHaveLength(3);
  for (const { file } of records) expect(existsSync(join(out, file ?? ""))).toBe(true);
});

test("a crawl keeps its retention, and more than ten years is refused", async () => {
  const { summary } = await crawl(
    dir.path,
    `${site.origin}/`,
    "--delay",
    "0",
    "--retention-days",
    "30",
    ...served.remote,
  );
  const { stdout } = await run("status", summary.id, "--json", ...served.remote);
  expect((JSON.parse(stdout) as CrawlView).options.retentionDays).toBe(30);
  const refused = await run("crawl", `${site.origin}/`, "--retention-days", "3651", ...served.remote);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--retention-days: ")]);
});

test("a running crawl is deleted only with --force, and here at once, because no page is in flight", async () => {
  const slow = await startHandmadeSite(
    { "/robots.txt": { body: "User-agent: *\nCrawl-delay: 100" }, "/": page("home", "/one") },
    { host: "127.0.0.9" },
  );
  try {
    const headers = { authorization: `Bearer ${served.token}` };
    const body = JSON.stringify({ url: `${slow.origin}/`, retentionDays: 3 });
    const made = await fetch(`${served.address}/api/crawls`, { method: "POST", headers, body });
    const { id } = ((await made.json()) as { result: { id: string } }).result;
    await served.close();

    const refused = await run("delete", id, "--yes", ...STATE);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("cancel it first")]);
    const deleted = await run("delete", id, "--yes", "--force", ...STATE);
    expect([deleted.code, deleted.stdout]).toEqual([0, `Crawl ${id} is deleted.\n`]);
    const left = await run("list", "--json", ...STATE);
    expect((JSON.parse(left.stdout) as CrawlView[]).map((crawl) => crawl.id)).not.toContain(id);
  } finally {
    await slow.close();
  }
});
