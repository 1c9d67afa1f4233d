import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, type Served, scratch, serve } from "./cli.ts";

/**
 * A batch of 25 pages of 9 MB each, from 25 hosts at once, with a JavaScript heap of 128 MB for each isolate: V8 ends
 * workerd if one needs more. An isolate on Cloudflare has 128 MB for its heap and for what lies beside it, such as the
 * bytes of bodies, for which workerd has no limit. test/workerd/fetch-limits.test.ts shows that those are bounded.
 */

const HOSTS = 25;
const PARAGRAPH = `<p>${"A paragraph of an ordinary page, with some words and <b>markup</b>. ".repeat(40)}</p>\n`;
const BODY = PARAGRAPH.repeat(Math.floor(9_000_000 / PARAGRAPH.length));
const V8_FLAGS = "--max-old-space-size=128 --max-semi-space-size=1 --initial-old-space-size=4";

const dir = scratch();
const sites: Site[] = [];
let server: Served;

beforeAll(async () => {
  const before = process.env.MINIFLARE_WORKERD_V8_FLAGS;
  process.env.MINIFLARE_WORKERD_V8_FLAGS = V8_FLAGS;
  server = await serve(join(dir.path, "state"));
  if (before === undefined) delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
  else process.env.MINIFLARE_WORKERD_V8_FLAGS = before;
  for (let i = 0; i < HOSTS; i++) {
    sites.push(
      await startSite(
        ({ url }, response) => {
          if (url === "/robots.txt") response.writeHead(404).end();
          else response.writeHead(200, HTML).end(`<!doctype html><title>${i}</title>${BODY}`);
        },
        { host: `127.0.1.${i + 1}` },
      ),
    );
  }
});

afterAll(async () => {
  await server.close();
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

test("25 pages of 9 MB at once are read within a heap of 128 MB", async () => {
  const urls = sites.map(({ origin }) => `${origin}/`);
  const { summary } = await crawl(dir.path, ...urls, "--limit", "100", "--delay", "0", ...server.remote);
  expect(summary).toMatchObject({ status: "completed", completed: HOSTS, errored: 0 });
});
