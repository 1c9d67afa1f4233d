import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { VersionsView } from "../../src/api/views.ts";
import { site } from "../../src/console/site.tsx";
import { Versions } from "../../src/store/watches/versions.ts";
import { type Web, World } from "./world.ts";

/** The versions of a URL over all crawls: by the API, in the console, and what reading them costs. */

const PAGE = "https://a.test/page";
const READER = { authorization: "Bearer reading-token" };

/** The bytes of a page in this world are its URL; the answers of /page differ by crawl. */
const ANSWERS: Web[] = [
  (url) => ({ links: url.endsWith("/") ? [PAGE] : [] }),
  (url) => ({ links: url.endsWith("/") ? [PAGE] : [] }),
  (url) => (url === PAGE ? { redirect: "https://a.test/new" } : { links: url.endsWith("/") ? [PAGE] : [] }),
  (url) => (url === PAGE ? { status: 410 } : { links: url.endsWith("/") ? [PAGE] : [] }),
  (url) => (url === PAGE ? { throws: "no answer" } : { links: url.endsWith("/") ? [PAGE] : [] }),
  (url) => ({ links: url.endsWith("/") ? [PAGE] : [], same: `other ${url}` }),
];
const ids: string[] = [];

beforeAll(async () => {
  for (const [i, web] of ANSWERS.entries()) {
    const world = new World(web);
    world.now = Date.parse("2026-11-21T09:30:00Z") + i * 86_400_000;
    const id = await world.start(["https://a.test/"], { maxAttempts: 1, store: "files" });
    await world.runToEnd(id);
    ids.push(id);
  }
});

async function ask(query: Record<string, string>) {
  const address = `/api/versions?${new URLSearchParams(query)}`;
  return app.request(address, { headers: READER }, env, createExecutionContext());
}

async function versionsOf(query: Record<string, string>): Promise<VersionsView> {
  const answer = await ask(query);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { result: VersionsView }).result;
}

describe("/api/versions", () => {
  test("lists the answers of a URL in all crawls, newest first, and says which of them differ", async () => {
    const { url, versions, cursor } = await versionsOf({ url: `${PAGE}#top` });
    expect([url, cursor]).toEqual([PAGE, null]);
    // The crawl without an answer has no version.
    expect(versions.map(({ crawl, httpStatus, status, changed }) => [crawl, httpStatus, status, changed])).toEqual([
      [ids[5], 200, "completed", true],
      [ids[3], 410, "errored", true],
      [ids[2], 302, "skipped", true],
      [ids[1], 200, "completed", false],
      [ids[0], 200, "completed", null],
    ]);
    expect(versions.map(({ time }) => time.slice(0, 10))).toEqual([
      "2026-11-26",
      "2026-11-24",
      "2026-11-23",
      "2026-11-22",
      "2026-11-21",
    ]);
    expect(versions.map(({ redirectTo }) => redirectTo)).toEqual([null, null, "https://a.test/new", null, null]);
  });

  test("has a replay for what can be shown, and it shows this version", async () => {
    const { versions } = await versionsOf({ url: PAGE });
    expect(versions.map(({ replay }) => replay !== null)).toEqual([true, false, true, true, true]);
    for (const { replay, time, redirectTo } of versions) {
      if (replay === null) continue;
      const keyed = await app.request(replay, { headers: READER, redirect: "manual" }, env, createExecutionContext());
      const answer = await app.request(
        keyed.headers.get("location") ?? "",
        { redirect: "manual" },
        env,
        createExecutionContext(),
      );
      expect([answer.status, answer.headers.get("content-location")]).toEqual([redirectTo === null ? 200 : 302, null]);
      expect(Date.parse(answer.headers.get("memento-datetime") ?? "")).toBe(Math.floor(Date.parse(time) / 1000) * 1000);
    }
  });

  test("lists those of one crawl, by the beginning of its id", async () => {
    const { versions } = await versionsOf({ url: PAGE, crawl: ids[1]?.slice(0, 8) ?? "" });
    expect(versions.map(({ crawl, changed }) => [crawl, changed])).toEqual([[ids[1], null]]);
    expect((await ask({ url: PAGE, crawl: "none" })).status).toBe(404);
  });

  test("comes in pages without a gap", async () => {
    const all = (await versionsOf({ url: PAGE })).versions;
    const read: VersionsView["versions"] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 10; pages++) {
      const page: VersionsView = await versionsOf({ url: PAGE, limit: "2", cursor });
      read.push(...page.versions);
      cursor = page.cursor;
    }
    expect(read).toEqual(all);
  });

  test("is empty for a URL that no crawl has, and refuses what is no URL", async () => {
    expect(await versionsOf({ url: "https://a.test/nowhere" })).toEqual({
      url: "https://a.test/nowhere",
      versions: [],
      cursor: null,
    });
    const wrong: Record<string, string>[] = [{ url: "mailto:a@b.test" }, { url: PAGE, cursor: "x" }, {}];
    for (const query of wrong) expect((await ask(query)).status).toBe(400);
  });

  test("leaves out crawls that are being deleted", async () => {
    await env.LEDGER.prepare("UPDATE crawls SET deleting_at = 1 WHERE id = ?1").bind(ids[5]).run();
    expect((await versionsOf({ url: PAGE })).versions.map(({ crawl }) => crawl)).not.toContain(ids[5]);
    await env.LEDGER.prepare("UPDATE crawls SET deleting_at = NULL WHERE id = ?1").bind(ids[5]).run();
  });
});

describe("the record of a page in the console", () => {
  test("lists the versions of all crawls, with links to their replays", async () => {
    const headers = { "sec-fetch-site": "same-origin" };
    const body = new URLSearchParams({ token: "reading-token", to: "/crawls" });
    const signIn = await site.request(
      "http://localhost/sign-in",
      { method: "POST", body, headers },
      env,
      createExecutionContext(),
    );
    const cookie = (signIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    const path = `/crawls/${ids[1]}/record?${new URLSearchParams({ url: PAGE })}`;
    const answer = await site.request(
      `http://localhost${path}`,
      { headers: { ...headers, cookie } },
      env,
      createExecutionContext(),
    );
    const html = await answer.text();
    const panel = html.slice(html.indexOf("<h2>Versions</h2>"));
    for (const { replay, crawl } of (await versionsOf({ url: PAGE })).versions) {
      if (replay !== null) expect(panel).toContain(`href="${replay}"`);
      if (crawl !== ids[1]) expect(panel).toContain(`href="/crawls/${crawl}/record?`);
    }
    expect(panel).toContain("This crawl");
    for (const word of ["First", "Same", "Changed"]) expect(panel).toContain(`<td>${word}</td>`);
  });
});

describe("reading versions", () => {
  /** Notes the statements, and the rows that they read. */
  function noting() {
    const noted = { rows: 0, plans: [] as string[] };
    const prepare = (sql: string) => ({
      bind: (...values: unknown[]) => ({
        all: async () => {
          const plan = await env.LEDGER.prepare(`EXPLAIN QUERY PLAN ${sql}`)
            .bind(...values)
            .all<{ detail: string }>();
          noted.plans.push(...plan.results.map(({ detail }) => detail));
          const found = await env.LEDGER.prepare(sql)
            .bind(...values)
            .all();
          noted.rows += found.meta.rows_read;
          return found;
        },
      }),
    });
    return { noted, db: { prepare } as unknown as D1Database };
  }

  test("takes a row of each crawl and two looks into it, however many URLs the crawls have", async () => {
    const count = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)";
    await env.LEDGER.prepare(
      `INSERT INTO urls (crawl, url, status, depth, priority, seq, http_status, fetched_at)
       ${count} SELECT c.id, 'https://a.test/many-' || i, 'completed', 1, 0, 1000 + i, 200, 5 FROM n, crawls c`,
    ).run();
    const crawls = (await env.LEDGER.prepare("SELECT count(*) AS n FROM crawls").first<number>("n")) ?? 0;
    for (const crawl of [null, ids[0] ?? ""]) {
      const { noted, db } = noting();
      expect((await new Versions(db).list("https://a.test/many-7", { crawl, cursor: "", limit: 100 })).length).toBe(
        crawl === null ? crawls : 1,
      );
      expect(noted.plans).toContain("SEARCH u USING PRIMARY KEY (crawl=? AND url=?)");
      expect(noted.plans.filter((plan) => /SCAN u/.test(plan))).toEqual([]);
      expect(noted.plans).toContain("SEARCH v USING PRIMARY KEY (crawl=? AND url=? AND fetched_at<?)");
      // A crawl is read for its current version and for the earlier ones, and each version again where it is sorted.
      expect(noted.rows).toBeLessThanOrEqual(crawl === null ? 6 * crawls : 6);
    }
  });
});
