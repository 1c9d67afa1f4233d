import { expect } from "vitest";
import { page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import type { Served } from "./cli.ts";

/** The pace of a host, by its log, where the installation's clock is faster than the host's. */

export const SPEED = 5;

/** From the end of each request to the start of the next, in milliseconds of the installation's clock. */
export function gaps({ log }: Pick<Site, "log">, speed = SPEED): number[] {
  return log.slice(1).map(({ startedAt }, i) => (startedAt - (log[i]?.finishedAt ?? Number.POSITIVE_INFINITY)) * speed);
}

interface CrawlAnswer {
  id: string;
  status: string;
  counts: { completed: number };
}

const call = (served: Served, path: string, body?: unknown) => getOrPost<CrawlAnswer>(served, path, body);

async function ended(served: Served, id: string): Promise<CrawlAnswer> {
  for (;;) {
    const crawl = await call(served, `/api/crawls/${id}`);
    if (crawl.status !== "running") return crawl;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * Several crawls of a host at once, each with this delay. `sites`: gets the host, for the caller to close. `host`: its
 * address, which no other site may have.
 */
export async function expectPace(
  served: Served,
  sites: Site[],
  { seconds, crawls, host }: { seconds: number; crawls: number; host: string },
): Promise<void> {
  const pages = {
    "/robots.txt": redirect("/rules"),
    "/rules": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /secret" },
    "/": page("home", "/moved"),
    "/moved": redirect("/target"),
    "/target": page("t"),
  };
  const made = await startHandmadeSite(pages, { host, delayMs: 20 });
  sites.push(made);
  const politeness = { minDelayMs: seconds * 1000, maxDelayMs: seconds * 1000 };
  const order = { url: `${made.origin}/`, limit: 100, politeness };
  const ids = await Promise.all(Array.from({ length: crawls }, () => call(served, "/api/crawls", order)));
  for (const { status, counts } of await Promise.all(ids.map(({ id }) => ended(served, id)))) {
    expect([status, counts.completed]).toEqual(["completed", 2]);
  }
  expect(made.log).toHaveLength(5 * crawls + 2);
  expect(Math.min(...gaps(made))).toBeGreaterThanOrEqual(seconds * 1000);
  expect(made.connectionsPeak()).toBe(1);
}
