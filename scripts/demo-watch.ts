import type { ChangesView, CrawlView, VisitsView } from "../src/api/views.ts";
import { callApi } from "../test/e2e/api-calls.ts";
import { type Served, serveFast } from "../test/e2e/cli.ts";
import { articleOf, startTaggedSite, until } from "../test/e2e/watched-site.ts";
import type { Site } from "../test/sites/site.ts";

/** A watch for the pictures of the console: some days of a small handbook, whose prices page changes. */

/** A day takes 17 seconds. */
const SPEED = 5_000;
const START = new Date("2026-11-16T08:00:00Z");
const DAYS = 4;
const DAY_S = 86_400;
const PAGES = 60;

const WORDS =
  "quiet harbour lantern meadow signal timber orchard window copper bridge valley engine drift needle".split(" ");

interface DemoWatch {
  server: Served;
  site: Site;
  id: string;
  /** The page that changes. */
  changed: string;
}

function chapter(number: number, edition: number): string {
  const word = (step: number) => WORDS[(number * step + 1) % WORDS.length] ?? "";
  const title = `The ${word(3)} ${word(5)}, chapter ${number}`;
  const texts = [7, 9, 11].map((step) => `The ${word(step)} stands beside the ${word(step + 2)}. ${title} says why.`);
  return articleOf(title, edition === 1 ? texts : [...texts, `Edition ${edition}: the ${word(13)} came later.`]);
}

function prices(euros: number): string {
  return articleOf("Prices of lanterns", [
    "All prices are for one lantern, with a year of oil.",
    `The small lantern costs ${euros} euros and fits on a window sill.`,
    euros === 12 ? "The large lantern costs 30 euros." : "The large lantern costs 32 euros. Ask us for more than ten.",
    "We ship on Mondays.",
  ]);
}

/** Watches for some days. `state`: its folder. The caller closes the server and the site. */
export async function startDemoWatch(state: string): Promise<DemoWatch> {
  const paths = Array.from({ length: PAGES }, (_, i) => `/chapters/${i + 1}`);
  const pages: Record<string, string> = {
    "/": articleOf("The Lantern Handbook", ["All about lanterns, chapter by chapter."], "/prices", ...paths),
    "/prices": prices(12),
    ...Object.fromEntries(paths.map((path, i) => [path, chapter(i + 1, 1)])),
  };
  const site = await startTaggedSite(pages, "127.0.0.1");
  const server = await serveFast(state, SPEED, START);
  const read = <T>(path: string) => callApi<T>(server, "GET", path);
  const { id } = await callApi<{ id: string }>(server, "POST", "/api/crawls", {
    url: `${site.origin}/`,
    source: "links",
    limit: 1_000,
    maxCostUsd: 1,
    politeness: { minDelayMs: 0, delayFactor: 0 },
    watch: { everyS: DAY_S },
  });
  const at = `/api/crawls/${id}`;
  await until(
    server,
    () => read<CrawlView>(at),
    ({ status }) => status === "watching",
  );
  for (let day = 1; day <= DAYS; day++) {
    if (day === 2) pages["/prices"] = prices(14);
    if (day === 3) delete pages["/chapters/7"];
    for (const number of [3, 8, 20]) pages[`/chapters/${number * day}`] = chapter(number * day, day + 1);
    const end = START.getTime() + day * DAY_S * 1000;
    await until(
      server,
      () => read<VisitsView>(`${at}/visits`),
      ({ freshness }) => Date.parse(freshness?.surveyedAt ?? "") >= end,
    );
  }
  await until(
    server,
    () => read<ChangesView>(`${at}/changes`),
    ({ changes }) => changes.some(({ url }) => url.endsWith("/prices")),
  );
  return { server, site, id, changed: `${site.origin}/prices` };
}
