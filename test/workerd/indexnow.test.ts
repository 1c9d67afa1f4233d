import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import type { FetchResult } from "../../src/crawl/page/outcome.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { submit } from "../../src/lifecycle/indexnow.ts";
import { PRIVATE_HOSTS } from "../unit/url/private-hosts.ts";
import { HOST, holds, KEY, LOCATION, ORIGIN, startWatch, submission } from "./owned-host.ts";
import type { World } from "./world.ts";

/** An owner's word by IndexNow: its answers, its key file, and what it brings. */

const rowOf = (crawl: string, path: string) =>
  env.LEDGER.prepare("SELECT status, signalled_at, visit_at FROM urls WHERE crawl = ?1 AND url = ?2")
    .bind(crawl, `${ORIGIN}${path}`)
    .first<{ status: string; signalled_at: number | null; visit_at: number | null }>();

async function untilChecked(world: World): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await world.turn();
    if ((await world.deps.indexnow.pending(1)).length === 0) return;
  }
}

describe("a submission", () => {
  test("waits until the key file has been read, and then makes its pages due and discovers new ones", async () => {
    const { world, crawl } = await startWatch(holds(`${KEY}\n`));
    expect(await submit(submission("/a", "/new"), world.deps)).toBe("pending");
    expect(await rowOf(crawl, "/a")).toMatchObject({ signalled_at: null });
    await untilChecked(world);
    expect(world.fetched.filter((url) => url === LOCATION)).toHaveLength(1);
    expect((await rowOf(crawl, "/a"))?.signalled_at).not.toBeNull();
    expect((await rowOf(crawl, "/a"))?.visit_at).toBeLessThanOrEqual(world.now + 86_400_000);
    expect(await rowOf(crawl, "/new")).not.toBeNull();
    expect(await rowOf(crawl, `/${KEY}.txt`)).toBeNull();
    // From now on the key is known.
    expect(await submit(submission("/"), world.deps)).toBe("valid");
    expect((await rowOf(crawl, "/"))?.signalled_at).not.toBeNull();
    expect(world.fetched.filter((url) => url === LOCATION)).toHaveLength(1);
  });

  test.each<[name: string, file: (result: FetchResult) => FetchResult]>([
    ["does not hold the key", holds("another-key-0123")],
    ["holds the key inside a word", holds(`x${KEY}`)],
    ["is a page that has the key among other words", holds(`<p>Copyright ${KEY} by us</p>`)],
    ["has something beside keys", holds(`${KEY}\n<!-- -->`)],
    ["is empty", holds("")],
    ["redirects", (result) => ({ ...result, kind: "redirect", target: `${ORIGIN}/x`, location: "/x" }) as FetchResult],
  ])("is refused if the file %s", async (_, file) => {
    const { world, crawl } = await startWatch(file);
    await submit(submission("/a"), world.deps);
    await untilChecked(world);
    expect(await submit(submission("/a"), world.deps)).toBe("refused");
    expect(await rowOf(crawl, "/a")).toMatchObject({ signalled_at: null });
    // A corrected file counts after ten minutes.
    world.now += 600_001;
    expect(await submit(submission("/a"), world.deps)).toBe("pending");
  });

  test("brings as many visits as the budget allows: ten at once for a small site", async () => {
    const links = Array.from({ length: 15 }, (_, i) => `${ORIGIN}/${i}`);
    const { world, crawl } = await startWatch(holds(KEY));
    await env.LEDGER.prepare(
      `INSERT INTO urls (crawl, url, status, depth, priority, seq, fetched_at)
       SELECT ?1, value, 'completed', 1, 0, 100 + key, 1 FROM json_each(?2)`,
    )
      .bind(crawl, JSON.stringify(links))
      .run();
    await submit(submission("/"), world.deps);
    await untilChecked(world);
    for (let i = 0; i < 3; i++) await submit({ ...submission(), urls: links }, world.deps);
    const { n } = (await env.LEDGER.prepare(
      "SELECT count(*) AS n FROM urls WHERE crawl = ?1 AND signalled_at IS NOT NULL",
    )
      .bind(crawl)
      .first<{ n: number }>()) ?? { n: 0 };
    expect(n).toBe(10);
  });

  test("discovers nothing where the page limit has no room", async () => {
    const { world, crawl } = await startWatch(holds(KEY), { limit: 2 });
    await submit(submission("/new"), world.deps);
    await untilChecked(world);
    expect(await rowOf(crawl, "/new")).toBeNull();
  });

  test("discovers nothing outside the scope", async () => {
    const { world, crawl } = await startWatch(holds(KEY), { excludePatterns: ["/private/**"] });
    await submit(submission("/private/new"), world.deps);
    await untilChecked(world);
    expect(await rowOf(crawl, "/private/new")).toBeNull();
  });

  test("is accepted if the file has other keys too", async () => {
    const { world } = await startWatch(holds(`\ufeffanother-key-0123\r\n${KEY}\r\n`));
    await submit(submission("/a"), world.deps);
    await untilChecked(world);
    expect(await submit(submission("/a"), world.deps)).toBe("valid");
  });

  test("with a sixth unproven key within ten minutes is left out, and a host is asked for five files", async () => {
    const { world } = await startWatch(holds("nothing"));
    const flood = async () => {
      const states = [];
      for (let i = 0; i < 8; i++)
        states.push(await submit({ ...submission("/a"), location: `${ORIGIN}/${i}.txt` }, world.deps));
      return states;
    };
    const five = Array.from({ length: 5 }, () => "pending");
    expect(await flood()).toEqual([...five, "left-out", "left-out", "left-out"]);
    for (let turn = 0; turn < 8; turn++) {
      await heartbeat(world.deps);
      await flood();
      world.now += 60_000;
    }
    expect(world.fetched.filter((url) => /\/\d\.txt$/.test(url))).toHaveLength(5);
    world.now += 600_001;
    await heartbeat(world.deps);
    expect(await flood()).toContain("pending");
  });

  test("of a key that was valid a week ago waits beside the keys of strangers", async () => {
    const { world } = await startWatch(holds(KEY));
    await submit(submission("/a"), world.deps);
    await untilChecked(world);
    world.now += 7 * 86_400_000;
    for (let i = 0; i < 8; i++) await submit({ ...submission("/a"), location: `${ORIGIN}/${i}.txt` }, world.deps);
    expect(await submit(submission("/a"), world.deps)).toBe("pending");
    for (let turn = 0; turn < 6; turn++) await heartbeat(world.deps);
    expect(await submit(submission("/a"), world.deps)).toBe("valid");
  });

  test("is checked for a paused watch only after it is resumed", async () => {
    const { world, crawl } = await startWatch(holds(KEY));
    await env.LEDGER.prepare("UPDATE crawls SET status = 'paused' WHERE id = ?1").bind(crawl).run();
    await submit(submission("/a"), world.deps);
    await heartbeat(world.deps);
    expect(world.fetched).not.toContain(LOCATION);
    await env.LEDGER.prepare("UPDATE crawls SET status = 'watching' WHERE id = ?1").bind(crawl).run();
    await untilChecked(world);
    expect(world.fetched).toContain(LOCATION);
  });

  test("of all hosts, at most 200 keys wait", async () => {
    const { world } = await startWatch(holds(KEY));
    await env.LEDGER.prepare(
      `INSERT INTO indexnow_keys (host, location, key, status, at, urls)
       SELECT 'h' || value, 'l', 'k', 'pending', ?1, '[]' FROM json_each(?2)`,
    )
      .bind(world.now, JSON.stringify(Array.from({ length: 200 }, (_, i) => i)))
      .run();
    expect(await submit(submission("/a"), world.deps)).toBe("left-out");
    expect((await world.deps.indexnow.pending(1_000)).length).toBe(200);
  });

  test("of a host that no watch has leaves no trace", async () => {
    const { world } = await startWatch(holds(KEY));
    const other = { ...submission(), host: "other.test", urls: ["https://other.test/"] };
    expect(await submit(other, world.deps)).toBe("left-out");
    expect(await world.deps.indexnow.pending(10)).toEqual([]);
  });
});

describe("the route", () => {
  afterEach(() => void vi.restoreAllMocks());
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  const send = async (path: string, body?: unknown, changes: Partial<Env> = {}) => {
    const init =
      body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await app.request(path, init, { ...env, FRONTIER: silent, ...changes }, createExecutionContext());
    return answer.status;
  };
  const list = (changes: Record<string, unknown> = {}) => ({
    host: HOST,
    key: KEY,
    urlList: [`${ORIGIN}/a`],
    ...changes,
  });
  const get = (url: string, key = KEY) => `/indexnow?${new URLSearchParams({ url, key })}`;

  test("answers as the documentation of IndexNow says", async () => {
    const { world } = await startWatch(holds(KEY));
    expect(await send("/indexnow", list())).toBe(202);
    expect(await send(get(`${ORIGIN}/a`))).toBe(202);
    await untilChecked(world);
    // The clock of the requests is the machine's, so the key is as old.
    await env.LEDGER.prepare("UPDATE indexnow_keys SET at = ?1").bind(Date.now()).run();
    expect(await send("/indexnow", list())).toBe(200);
    expect(await send(get(`${ORIGIN}/a`))).toBe(200);
    // Whether a key was refused would tell that the host is watched.
    await env.LEDGER.prepare("UPDATE indexnow_keys SET status = 'refused'").run();
    expect(await send("/indexnow", list())).toBe(202);
    expect(await send("/indexnow", "{")).toBe(400);
    expect(await send("/indexnow", list({ urlList: [] }))).toBe(400);
    expect(await send("/indexnow", list({ urlList: [`${ORIGIN}/${"x".repeat(131_072)}`] }))).toBe(400);
    expect(await send("/indexnow")).toBe(400);
    expect(await send("/indexnow", list({ key: "short" }))).toBe(422);
    expect(await send("/indexnow", list({ host: "other.test" }))).toBe(422);
    expect(await send("/indexnow", list({ keyLocation: `${ORIGIN}/find?text=${KEY}` }))).toBe(422);
  });

  test("answers a stranger alike whether a host is watched or not, whatever waits", async () => {
    const { world } = await startWatch(holds("nothing"));
    const database = vi.spyOn(env.LEDGER, "batch");
    const answersOf = async (host: string) => {
      const urls = { url: `https://${host}/a`, key: KEY };
      const requests: [string, RequestInit][] = [
        [`/indexnow?${new URLSearchParams(urls)}`, {}],
        [`/indexnow?${new URLSearchParams({ ...urls, keyLocation: `https://${host}/k.txt` })}`, {}],
        ["/indexnow", { method: "POST", body: JSON.stringify({ host, key: KEY, urlList: [urls.url] }) }],
        ["/indexnow", { method: "POST", body: JSON.stringify({ host: "x.test", key: KEY, urlList: [urls.url] }) }],
        ["/indexnow", { method: "POST", body: JSON.stringify({ host, key: "short", urlList: [urls.url] }) }],
      ];
      const answers = [];
      for (const [path, init] of requests) {
        const before = database.mock.calls.length;
        const answer = await app.request(path, init, { ...env, FRONTIER: silent }, createExecutionContext());
        const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
        const calls = database.mock.calls.length - before;
        answers.push({
          status: answer.status,
          headers,
          text: (await answer.text()).replace(/"requestId":"[^"]+"/, ""),
          calls,
        });
      }
      return answers;
    };
    // It waits, it is refused, and no more of it is taken.
    for (const state of ["new", "refused", "full"]) {
      if (state === "refused") {
        await heartbeat(world.deps);
        await heartbeat(world.deps);
      }
      if (state === "full")
        for (let i = 0; i < 8; i++) await submit({ ...submission("/a"), location: `${ORIGIN}/${i}.txt` }, world.deps);
      expect([state, await answersOf(HOST)]).toEqual([state, await answersOf("other.test")]);
    }
  });

  test("never asks for a private address that no watch has", async () => {
    const { world } = await startWatch(holds(KEY));
    const hosts = Object.values(PRIVATE_HOSTS).flat();
    for (const host of hosts) await send(get(`http://${host}/`));
    for (const host of hosts)
      expect([host, await send("/indexnow", list({ keyLocation: `http://${host}/key.txt` }))]).toEqual([host, 422]);
    expect(await world.deps.indexnow.pending(10)).toEqual([]);
  });

  test("answers 429 to too many submissions from one address, or for one host", async () => {
    await startWatch(holds(KEY));
    const counts = new Map<string, number>();
    const limit = {
      limit: async ({ key }: RateLimitOptions) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { success: (counts.get(key) ?? 0) <= 2 };
      },
    };
    const changes = { RATE_LIMITS: "", INDEXNOW_LIMIT: limit };
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await send("/indexnow", list(), changes));
    expect(statuses).toEqual([202, 202, 429]);
    expect([...counts.keys()]).toEqual(["", `host ${HOST}`]);
  });
});
