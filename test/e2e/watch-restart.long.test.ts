import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ChangesView, CrawlView } from "../../src/api/views.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { scratch, serveFast } from "./cli.ts";
import { until, visitsOf } from "./watched-site.ts";

/** A watch on a laptop: Ctrl-C, a month's sleep, and `serve` again. A second of its clock is four real milliseconds. */

const SPEED = 250;
const EVERY_S = 3_600;
const PAGES = Array.from({ length: 20 }, (_, i) => `/${i}`);

const dir = scratch();
afterAll(() => dir.remove());

test("after Ctrl-C and a month, serve goes on: what fell due is spread over one interval, and nothing is lost", {
  timeout: 600_000,
}, async () => {
  let text = "one";
  /** When each page was first asked for. */
  const asked = new Map<string, number>();
  const site = await startSite(
    ({ url = "" }, response) => {
      if (!asked.has(url)) asked.set(url, performance.now());
      if (url !== "/" && !PAGES.includes(url)) return void response.writeHead(404, HTML).end("no");
      const said = `<main><p>This page says ${url === "/7" ? text : "this"}, and much else beside it.</p></main>`;
      response.writeHead(200, HTML).end(page(url, ...(url === "/" ? PAGES : [])).replace("<h1>", `${said}<h1>`));
    },
    { host: "127.0.0.51" },
  );
  const state = join(dir.path, "state");
  const before = await serveFast(state, SPEED, new Date("2031-01-01T00:00:00Z"));
  const order = {
    url: `${site.origin}/`,
    limit: 100,
    source: "links",
    politeness: { minDelayMs: 0 },
    watch: { everyS: EVERY_S },
  };
  const { id } = await getOrPost<{ id: string }>(before, "/api/crawls", order);
  await until(
    before,
    () => getOrPost<CrawlView>(before, `/api/crawls/${id}`),
    (view) => visitsOf(view) >= 10,
  );
  await before.close();

  text = "something else";
  asked.clear();
  const after = await serveFast(state, SPEED, new Date("2031-02-01T00:00:00Z"));
  const crawl = () => getOrPost<CrawlView>(after, `/api/crawls/${id}`);
  const visits = () => PAGES.flatMap((path) => asked.get(path) ?? []);
  await until(after, crawl, () => visits().length === PAGES.length);
  // Visits that are all sent at once would take no time.
  expect((Math.max(...visits()) - Math.min(...visits())) * SPEED).toBeGreaterThan(0.5 * EVERY_S * 1_000);
  const changes = () => getOrPost<ChangesView>(after, `/api/crawls/${id}/changes`);
  const told = await until(after, changes, (view) => view.changes.length > 0);
  expect(told.changes).toMatchObject([
    { kind: "changed", url: `${site.origin}/7`, at: expect.stringMatching(/^2031-02/) },
  ]);
  await after.close();
  await site.close();
});
