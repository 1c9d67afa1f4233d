import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { mementoAt, NEWEST } from "../../src/crawl/watch/memento.ts";
import { Mementos } from "../../src/store/watches/mementos.ts";
import { withMementos } from "./several-mementos.ts";
import { World } from "./world.ts";

/** Mementos in the store and by HTTP, for URLs with several of them. */

const SITE = "https://a.test";
/** A crawl has one memento of each URL, so those of /page are the records of these pages, by other times. */
const TIMES = ["2024-02-29T12:00:00.250Z", "2025-01-01T00:00:00.000Z", "2026-11-21T09:30:00.999Z"].map(Date.parse);
const DIGITS = ["20240229120000", "20250101000000", "20261121093000"];
const DATES = ["Thu, 29 Feb 2024 12:00:00 GMT", "Wed, 01 Jan 2025 00:00:00 GMT", "Sat, 21 Nov 2026 09:30:00 GMT"];
const [FIRST = 0, SECOND = 0] = TIMES;

/** workerd warns where `text` reads a media type that it does not know as text. */
const decoded = async (answer: Response) => new TextDecoder().decode(await answer.arrayBuffer());

describe("the store", () => {
  test("finds around a time what mementoAt chooses from all of them, and lists them from a time on", async () => {
    const several = await withMementos(env.LEDGER, [
      ...Array.from({ length: 60 }, (_, i) => ({ crawl: "m", url: "u", time: 1_000 * (i + 1) + (i % 7) })),
      ...Array.from({ length: 9 }, (_, i) => ({ crawl: "m", url: "a", time: 400_000 * i, kind: "asset" as const })),
      { crawl: "m", url: "other", time: 5_500 },
      { crawl: "other", url: "u", time: 5_600 },
    ]);
    const store = new Mementos(several);
    const all = await store.list("m", "u", { from: 0, limit: 1_000 });
    expect(all).toHaveLength(60);
    expect(all.map(({ time }) => time)).toEqual(all.map(({ time }) => time).toSorted((a, b) => a - b));
    for (const time of [0, 999, 1_000, 1_001, 2_000, 2_001, 5_550, 30_000, 59_500, 60_003, 70_000, NEWEST]) {
      const around = await store.around("m", "u", time);
      expect(around.length).toBeLessThanOrEqual(6);
      expect(mementoAt(around, time), String(time)).toEqual(mementoAt(all, time));
    }
    const assets = await store.list("m", "a", { from: 0, limit: 1_000 });
    for (const time of [-1, 0, 999, 1_000, 399_999, 400_000, 500_000, 1_900_000, 3_100_000, 4_000_000]) {
      const around = await store.around("m", "a", time);
      expect(mementoAt(around, time), String(time)).toEqual(mementoAt(assets, time));
    }
    const part = await store.list("m", "u", { from: 30_000, limit: 3 });
    expect(part).toEqual(all.filter(({ time }) => time >= 30_000).slice(0, 3));
    expect(await store.around("m", "none", 5)).toEqual([]);
  });

  test("has a memento for a stored page and for a redirect, and none for other rows", async () => {
    const rows = [
      { url: "page", status: "completed" },
      { url: "moved", status: "skipped", reason: "redirected", detail: "to https://a.test/x", http_status: 301 },
      {
        url: "moved-away",
        status: "skipped",
        reason: "redirected",
        detail: "to https://b.test/, which scope refuses: off-host",
      },
      { url: "noindex", status: "skipped", reason: "noindex" },
      { url: "gone", status: "errored", reason: "http-status", http_status: 410 },
      { url: "queued", status: "queued", reason: "timeout" },
    ];
    const store = new Mementos(
      await withMementos(
        env.LEDGER,
        rows.map((row) => ({ crawl: "k", time: 5, ...row })),
      ),
    );
    const found = async (url: string) => (await store.around("k", url, NEWEST)).map(({ redirectTo }) => redirectTo);
    expect(await Promise.all(rows.map(({ url }) => found(url)))).toEqual([
      [null],
      ["https://a.test/x"],
      ["https://b.test/"],
      [],
      [],
      [],
    ]);
  });

  test("reads a URL's mementos by the primary key", async () => {
    const plans: string[] = [];
    const db = {
      prepare: (sql: string) => {
        const plan = (values: unknown[]) => async () => {
          const { results } = await env.LEDGER.prepare(`EXPLAIN QUERY PLAN ${sql}`)
            .bind(...values)
            .all<{ detail: string }>();
          plans.push(...results.map(({ detail }) => detail).filter((detail) => / urls /.test(`${detail} `)));
          return { results: [] };
        };
        return { bind: (...values: unknown[]) => ({ all: plan(values) }) };
      },
    } as unknown as D1Database;
    await new Mementos(db).around("c", "u", 5);
    await new Mementos(db).list("c", "u", { from: 0, limit: 5 });
    expect(plans.length).toBeGreaterThanOrEqual(5);
    for (const plan of plans) expect(plan).toBe("SEARCH urls USING PRIMARY KEY (crawl=? AND url=?)");
  });
});

describe.each(["files", "warc"] as const)("by HTTP, with pages stored as %s", (store) => {
  const READER = { authorization: "Bearer reading-token" };
  let id = "";
  let key = "";
  let several: D1Database = env.LEDGER;

  beforeAll(async () => {
    const paths = ["/page", "/v1", "/v2", "/v3", "/old", "/image", "/round"];
    const world = new World((url) => {
      const { pathname } = new URL(url);
      if (pathname === "/old") return { redirect: `${SITE}/page` };
      if (pathname === "/round") return { redirect: `${SITE}/round2` };
      if (pathname === "/round2") return { redirect: `${SITE}/round` };
      return { links: pathname === "/" ? paths.map((path) => SITE + path) : [] };
    });
    id = await world.start([`${SITE}/`], { store });
    await world.runToEnd(id);
    // A crawl that stores files has no older pages.
    const page = TIMES.map((time, i) => ({
      crawl: id,
      url: `${SITE}/page`,
      time,
      like: store === "warc" ? `${SITE}/v${i + 1}` : `${SITE}/page`,
    }));
    const others = ["/", "/old", "/round", "/round2"].map((path) => ({
      crawl: id,
      url: SITE + path,
      time: SECOND,
      like: SITE + path,
    }));
    several = await withMementos(env.LEDGER, [...page, ...others]);
    const redirect = await ask(`/replay/${id}/${SITE}/`, READER);
    key = /^\/replay\/[^/]+\/([^/]+)\//.exec(redirect.headers.get("location") ?? "")?.[1] ?? "";
  });

  const ask = async (path: string, headers: Record<string, string> = {}, changes: Partial<Env> = {}) =>
    app.request(
      path,
      { headers, redirect: "manual" },
      { ...env, LEDGER: several, ...changes },
      createExecutionContext(),
    );
  const open = (rest: string, headers: Record<string, string> = {}) => ask(`/replay/${id}/${key}/${rest}`, headers);
  const shown = (i: number) => (store === "warc" ? `${SITE}/v${i + 1}` : `${SITE}/page`);
  const at = (digits: string) => `http://localhost/replay/${id}/${key}/${digits}/${SITE}/page`;

  test("the TimeGate answers with the newest memento, and names its address", async () => {
    const answer = await open(`${SITE}/page`);
    expect([answer.status, await answer.text()]).toEqual([200, shown(2)]);
    expect(
      Object.fromEntries(
        ["memento-datetime", "content-location", "vary"].map((name) => [name, answer.headers.get(name)]),
      ),
    ).toEqual({
      "memento-datetime": DATES[2],
      "content-location": at("20261121093000"),
      vary: "accept, accept-datetime",
    });
    expect(answer.headers.get("link")).toBe(
      [
        `<${SITE}/page>; rel="original"`,
        `<http://localhost/replay/${id}/${key}/${SITE}/page>; rel="timegate"`,
        `<http://localhost/replay/${id}/${key}/timemap/link/${SITE}/page>; rel="timemap"; type="application/link-format"`,
        `<${at("20240229120000")}>; rel="first memento"; datetime="${DATES[0]}"`,
        `<${at("20250101000000")}>; rel="prev memento"; datetime="${DATES[1]}"`,
        `<${at("20261121093000")}>; rel="last memento"; datetime="${DATES[2]}"`,
      ].join(", "),
    );
  });

  test.each([
    ["before all", "Mon, 01 Jan 1990 00:00:00 GMT", 0],
    ["at the first", DATES[0], 0],
    ["a second before the second", "Tue, 31 Dec 2024 23:59:59 GMT", 0],
    ["at the second", DATES[1], 1],
    ["a second before the third", "Sat, 21 Nov 2026 09:29:59 GMT", 1],
    ["at the third", DATES[2], 2],
    ["in the future", "Fri, 31 Dec 2100 23:59:59 GMT", 2],
  ])("Accept-Datetime %s chooses the memento in force", async (_, date = "", i) => {
    const answer = await open(`${SITE}/page`, { "accept-datetime": date });
    expect([answer.status, await answer.text()]).toEqual([200, shown(i)]);
    expect(answer.headers.get("memento-datetime")).toBe(DATES[i]);
    expect(answer.headers.get("content-location")).toBe(at(DIGITS[i] ?? ""));
    expect(answer.headers.get("vary")).toBe("accept, accept-datetime");
  });

  test.each([
    "",
    "yesterday",
    "2026-11-21",
    "2026-11-21T09:30:00Z",
    "20261121093000",
    "Sat, 21 Nov 2026",
    "Sat, 21 Nov 2026 09:30:00",
    "Sat, 21 Nov 2026 09:30:00 UTC",
    "Sat, 21 Nov 2026 10:30:00 +0100",
    "Sat, 31 Nov 2026 09:30:00 GMT",
    "Mon, 21 Nov 2026 09:30:00 GMT",
    "Saturday, 21-Nov-26 09:30:00 GMT",
    "Sat Nov 21 09:30:00 2026",
    "Invalid Date",
  ])("Accept-Datetime %j is refused, with and without a key", async (date) => {
    for (const answer of [
      await open(`${SITE}/page`, { "accept-datetime": date }),
      await ask(`/replay/${id}/${SITE}/page`, { ...READER, "accept-datetime": date }),
    ]) {
      expect(answer.status).toBe(400);
      const { errors } = (await answer.json()) as { errors: { code: string; message: string; path: string }[] };
      expect(errors[0]).toMatchObject({ code: "invalid-request", path: "accept-datetime" });
      expect(errors[0]?.message).toMatch(/such as: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    }
    expect((await open(`${SITE}/page`, { "accept-datetime": date })).headers.get("vary")).toBe("accept-datetime");
  });

  test.each([
    ["20240229120000", 0, true],
    ["20250101000000", 1, true],
    ["20261121093000", 2, true],
    ["1999", 0, false],
    ["2024", 0, false],
    ["202501", 1, false],
    ["20261120", 1, false],
    ["20261121", 2, false],
    ["20261121092959", 1, false],
    ["2100", 2, false],
  ])("the address with %s shows memento %i, and only an exact one is its own", async (digits, i, isExact) => {
    // Accept-Datetime is for the TimeGate.
    const answer = await open(`${digits}/${SITE}/page`, { "accept-datetime": DATES[0] ?? "" });
    expect([answer.status, await answer.text()]).toEqual([200, shown(i)]);
    expect(answer.headers.get("memento-datetime")).toBe(DATES[i]);
    expect(answer.headers.get("content-location")).toBe(isExact ? null : at(DIGITS[i] ?? ""));
    expect(answer.headers.get("vary")).toBe("accept");
    expect(answer.headers.get("link")).toContain(`<http://localhost/replay/${id}/${key}/${SITE}/page>; rel="timegate"`);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^sandbox allow-forms allow-top-navigation-by-user-activation; default-src 'none';/);
    expect(policy).toContain(`img-src http://localhost/replay/${id}/${key}/${digits}/ data:`);
  });

  test("a redirect is a memento that leads to its target at the same time", async () => {
    for (const digits of ["20250101000000", "2025"]) {
      const answer = await open(`${digits}/${SITE}/old`);
      expect([answer.status, answer.headers.get("location"), answer.headers.get("memento-datetime")]).toEqual([
        302,
        `/replay/${id}/${key}/${digits}/${SITE}/page`,
        DATES[1],
      ]);
      expect(answer.headers.get("link")).toContain('rel="original"');
    }
    expect((await open(`${SITE}/old`)).headers.get("location")).toBe(`/replay/${id}/${key}/${SITE}/page`);
    const round = await open(`2025/${SITE}/round`);
    expect([round.status, await round.text()]).toEqual([404, expect.stringContaining("skipped: it redirects")]);
  });

  test.each(["20261", "202613", "20260231", "2026112124", "202611210930001"])(
    "%s is no time, and the page says what to write",
    async (digits) => {
      const answer = await open(`${digits}/${SITE}/page`);
      expect(answer.status).toBe(404);
      const text = await answer.text();
      expect(text).toContain(`${digits} is not a time`);
      expect(text).toContain("YYYYMMDDhhmmss");
      expect(text).toContain(`href="/replay/${id}/${key}/${SITE}/page"`);
    },
  );

  test("a URL that the crawl does not have is not found at any time, and the page says what to do", async () => {
    const answer = await open(`2026/${SITE}/nowhere`);
    expect(answer.status).toBe(404);
    const text = await answer.text();
    for (const words of ["no record of it", "orbweaver versions URL", "/explain?url="]) expect(text).toContain(words);
    expect((await open(`${SITE}/nowhere`)).headers.get("vary")).toBe("accept-datetime");
    expect(await (await open("2026/favicon.ico")).text()).toContain("/replay/CRAWL/YYYYMMDDhhmmss/URL");
  });

  test("the TimeMap lists all mementos, with a key and with a token", async () => {
    const answer = await open(`timemap/link/${SITE}/page`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/link-format"]);
    expect(await decoded(answer)).toBe(
      `${[
        `<${SITE}/page>; rel="original"`,
        `<http://localhost/replay/${id}/${key}/timemap/link/${SITE}/page>; rel="self"; type="application/link-format"; from="${DATES[0]}"; until="${DATES[2]}"`,
        `<http://localhost/replay/${id}/${key}/${SITE}/page>; rel="timegate"`,
        `<${at("20240229120000")}>; rel="first memento"; datetime="${DATES[0]}"`,
        `<${at("20250101000000")}>; rel="memento"; datetime="${DATES[1]}"`,
        `<${at("20261121093000")}>; rel="last memento"; datetime="${DATES[2]}"`,
      ].join(",\n")}\n`,
    );
    const json = await ask(`/replay/${id.slice(0, 8)}/timemap/json/${SITE}/page?utm_source=x`, READER);
    expect(await json.json()).toMatchObject({
      original_uri: `${SITE}/page`,
      mementos: {
        first: {
          datetime: "2024-02-29T12:00:00.250Z",
          uri: `http://localhost/replay/${id}/20240229120000/${SITE}/page`,
        },
        list: [{}, {}, {}],
      },
      next_uri: null,
    });
    const later = await open(`timemap/link/2025/${SITE}/page`);
    expect((await decoded(later)).match(/rel="[a-z ]*memento"/g)).toEqual(['rel="memento"', 'rel="last memento"']);
  });

  test.each([
    [`timemap/link/${SITE}/nowhere`, "/api/versions?url=... lists the crawls"],
    [`timemap/json/2027/${SITE}/page`, "no memento of https://a.test/page from then on"],
    [`timemap/link/202613/${SITE}/page`, "202613 is not a time"],
    ["timemap/link/nowhere", "not an http or https URL"],
  ])("the TimeMap at %s is not found, and the answer says why", async (rest, words) => {
    const answer = await open(rest);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(words)]);
  });

  test("every form of address needs a token or a key, and a key opens only its own crawl", async () => {
    for (const form of [`2026/${SITE}/page`, `timemap/link/${SITE}/page`, `timemap/json/2025/${SITE}/page`]) {
      expect([form, (await ask(`/replay/${id}/${form}`)).status]).toEqual([form, 401]);
      const answer = await ask(`/replay/none/${key}/${form}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([302, `/replay/none/${form}`]);
      const [expiry = ""] = key.split(".");
      expect((await ask(`/replay/${id}/${expiry}.${"0".repeat(64)}/${form}`)).status).toBe(302);
    }
    const dated = await ask(`/replay/${id}/20261121/${SITE}/page?x`, READER);
    expect([dated.status, dated.headers.get("location")]).toEqual([
      302,
      `/replay/${id}/${key}/20261121/${SITE}/page?x`,
    ]);
  });

  test("a crawl that is being deleted has no mementos", async () => {
    await env.LEDGER.prepare("UPDATE crawls SET deleting_at = 1 WHERE id = ?1").bind(id).run();
    for (const form of [`2026/${SITE}/page`, `${SITE}/page`, `timemap/link/${SITE}/page`])
      expect([form, (await open(form)).status]).toEqual([form, 404]);
  });
});

test("a long TimeMap comes in parts that name the next one", async () => {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([`${SITE}/`], { store: "files" });
  await world.runToEnd(id);
  const many = Array.from({ length: 2_500 }, (_, i) => ({ crawl: id, url: `${SITE}/`, time: FIRST + i * 3_600_000 }));
  const LEDGER = await withMementos(env.LEDGER, many);
  const counts: number[] = [];
  const headers = { authorization: "Bearer reading-token" };
  const seen = new Set<string>();
  let next: string | null = `/replay/${id}/timemap/json/${SITE}/`;
  for (; next !== null && counts.length < 5; ) {
    const answer = await app.request(next, { headers }, { ...env, LEDGER }, createExecutionContext());
    const page = (await answer.json()) as { mementos: { list: { uri: string }[] }; next_uri: string | null };
    counts.push(page.mementos.list.length);
    for (const { uri } of page.mementos.list) seen.add(uri);
    next = page.next_uri;
  }
  expect([counts, seen.size]).toEqual([[1_000, 1_000, 500], 2_500]);
});
