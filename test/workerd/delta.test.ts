import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { ChangesView, DeltaEnd, DeltaLine } from "../../src/api/views.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { Changes } from "../../src/store/watches/changes.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { Random } from "./platform/random.ts";
import { type Found, pageUrl, WatchedCrawl } from "./watched-crawl.ts";

/** Deltas: what became of a watch's pages since a cursor, for an index that follows it. */

useModelLedger();

/** Reads the lines of all parts. `between` runs after each part; if it returns false, the download breaks off there. */
async function read(
  crawl: WatchedCrawl,
  since: string | null,
  { formats = "", between = async () => true }: { formats?: string; between?: () => Promise<boolean> } = {},
): Promise<{ lines: DeltaLine[]; cursor: string | null; parts: number }> {
  const lines: DeltaLine[] = [];
  let parts = 0;
  let path: string | undefined = `/delta?${new URLSearchParams({ since: since ?? "", formats, parts: "true" })}`;
  while (path !== undefined) {
    const response = await crawl.get(path);
    expect(response.status).toBe(200);
    parts += 1;
    const next = /^<\/api\/crawls\/[^/]+(\/.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
    const all = (await response.text()).split("\n").slice(0, -1);
    const parsed = all.map((line) => JSON.parse(line) as DeltaLine | DeltaEnd);
    lines.push(...parsed.filter((line) => "url" in line));
    const ends = parsed.filter((line) => "cursor" in line);
    // Only the last line of the last part has a cursor.
    expect(ends).toEqual(next === undefined ? [parsed.at(-1)] : []);
    if (ends[0] !== undefined) return { lines, cursor: ends[0].cursor, parts };
    if (!(await between())) return { lines, cursor: null, parts };
    path = next;
  }
  throw new Error("there is no next part");
}

const told = ({ lines }: { lines: DeltaLine[] }) =>
  lines.map(({ change, url }) => `${change} ${url.split("/").at(-1)}`);
const cursorOf = async (crawl: WatchedCrawl) => (await read(crawl, null)).cursor;
const says = (text: string): Found => ({ says: text });

/** An index by id, as a follower keeps it. */
class Follower {
  readonly index = new Map<string, string>();
  cursor: string | null = null;

  apply(lines: readonly DeltaLine[]): void {
    for (const { id, change, url, sha256 } of lines) {
      if (change === "removed") this.index.delete(id);
      else this.index.set(id, `${url} ${sha256}`);
    }
  }
}

describe("the deltas of a watch, applied in order, are its full export", () => {
  const FOUND: Found[] = ["missing", "missing", "moved", "noindex", "failed", "not-modified"];

  async function act(crawl: WatchedCrawl, random: Random, known: { urls: number }): Promise<void> {
    const find = () => (random.chance(0.6) ? says(`text ${random.between(1, 4)}`) : random.oneOf(FOUND));
    const queued = await crawl.queued();
    if (queued.length > 0) return crawl.complete(new Map(queued.map((n) => [n, find()])));
    if (random.chance(0.1)) return crawl.retry();
    if (random.chance(0.2)) {
      const fresh = Array.from({ length: random.between(1, 5) }, (_, i) => known.urls + i);
      known.urls += fresh.length;
      return crawl.discover(fresh);
    }
    const numbers = Array.from({ length: random.between(1, 20) }, () => random.between(0, known.urls - 1));
    return crawl.visit(new Map(numbers.map((n) => [n, find()])));
  }

  test.each(Array.from({ length: 8 }, (_, seed) => seed))("run %i", async (seed) => {
    const random = new Random(seed);
    const known = { urls: 30 };
    const crawl = await WatchedCrawl.start(Array.from({ length: known.urls }, () => says("first")));
    const followers = [new Follower(), new Follower()];
    let mostParts = 0;
    const follow = async (follower: Follower, mayBreak: boolean) => {
      const delta = await read(crawl, follower.cursor, {
        // Parts of 24 changes.
        formats: "markdown",
        between: async () => {
          await act(crawl, random, known);
          return !mayBreak || random.chance(0.9);
        },
      });
      const ids = delta.lines.map(({ id }) => id);
      expect(new Set(ids).size, "a page came twice").toBe(ids.length);
      follower.apply(delta.lines);
      follower.cursor = delta.cursor ?? follower.cursor;
      mostParts = Math.max(mostParts, delta.parts);
    };
    for (let step = 0; step < 60; step++) {
      await act(crawl, random, known);
      if (random.chance(0.08)) await follow(random.oneOf(followers), true);
    }
    const full = new Follower();
    for (const follower of followers) await follow(follower, false);
    // What changed during the last downloads.
    for (const follower of followers) {
      const { lines, cursor } = await read(crawl, follower.cursor);
      follower.apply(lines);
      expect((await read(crawl, cursor)).lines, "the cursor repeats").toEqual([]);
    }
    full.apply((await read(crawl, null)).lines);
    expect(full.index.size).toBeGreaterThan(5);
    for (const { index } of followers) expect([...index].sort()).toEqual([...full.index].sort());
    expect(mostParts).toBeGreaterThan(1);
  });
});

test("a delta of chunks has a line for each page that cannot be read, and a cursor", async () => {
  const crawl = await WatchedCrawl.start([says("0"), says("1")]);
  const lines = async (query: string) => {
    const response = await crawl.get(`/delta?${query}`);
    const text = await response.text();
    return response.status === 200
      ? text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : response.status;
  };
  const problem = "it is not in the mirror";
  const full = await lines("of=chunks&chunkTokens=100");
  expect(full).toEqual([
    { change: "unknown", url: pageUrl(0), problem },
    { change: "unknown", url: pageUrl(1), problem },
    { cursor: expect.stringMatching(/\.0$/) },
  ]);
  await crawl.visit(new Map([[0, "missing"]]));
  await crawl.visit(new Map([[0, "missing"]]));
  const since = new URLSearchParams({ since: (full as { cursor: string }[]).at(-1)?.cursor ?? "" });
  // Nobody knows any more which chunks its reader has.
  expect(await lines(`of=chunks&${since}`)).toEqual([
    { change: "cleared", url: pageUrl(0) },
    { cursor: expect.stringMatching(/\.1$/) },
  ]);
  for (const refused of ["of=chunks&formats=markdown", "of=chunks&clean=true", "of=words", "of=chunks&chunkTokens=9"])
    expect([refused, await lines(refused)]).toEqual([refused, 400]);
});

describe("a page", () => {
  test("comes once, with its latest state", async () => {
    const crawl = await WatchedCrawl.start([0, 1, 2, 3, 4].map((n) => says(`${n}`)));
    const cursor = await cursorOf(crawl);
    await crawl.visit(
      new Map<number, Found>([
        [1, says("new")],
        [2, says("new")],
        [3, "moved"],
        [4, "missing"],
      ]),
    );
    await crawl.visit(
      new Map<number, Found>([
        [1, "moved"],
        [2, says("newer")],
        [4, "missing"],
      ]),
    );
    await crawl.discover([5, 6]);
    await crawl.complete(
      new Map<number, Found>([
        [5, says("5")],
        [6, says("6")],
      ]),
    );
    await crawl.visit(
      new Map<number, Found>([
        [5, says("5 again")],
        [6, "moved"],
      ]),
    );
    await crawl.visit(new Map([[4, says("back")]]));
    const delta = await read(crawl, cursor);
    expect(told(delta).toSorted()).toEqual([
      "added 5",
      "changed 2",
      "changed 4",
      "removed 1",
      "removed 3",
      "removed 6",
    ]);
    expect(delta.lines.find(({ url }) => url === pageUrl(2))).toMatchObject({ status: "completed", sha256: "newer" });
    const removed = delta.lines.find(({ url }) => url === pageUrl(1));
    expect(Object.keys(removed ?? {})).toEqual(["id", "change", "url"]);
  });

  test("has an id that stays the same, in full exports and in deltas, and is not that of another crawl", async () => {
    const crawl = await WatchedCrawl.start([says("0"), says("1")]);
    const { lines, cursor } = await read(crawl, null);
    expect(told({ lines })).toEqual(["added 0", "added 1"]);
    await crawl.visit(new Map([[1, says("new")]]));
    const [changed] = (await read(crawl, cursor)).lines;
    expect(changed?.id).toBe(lines[1]?.id);
    const other = await read(await WatchedCrawl.start([says("0"), says("1")]), null);
    expect(other.lines[1]?.id).not.toBe(changed?.id);
  });

  test("that is no page, or did not complete, is in no delta", async () => {
    const crawl = await WatchedCrawl.start([says("0"), "failed", "moved"]);
    expect(told(await read(crawl, null))).toEqual(["added 0"]);
  });
});

describe("a cursor is refused, with what to do next,", () => {
  const refusal = async (crawl: WatchedCrawl, since: string) => {
    const response = await crawl.get(`/delta?since=${since}`);
    const { errors } = await response.json<{ errors: { code: string; message: string }[] }>();
    return [response.status, errors[0]?.code, errors[0]?.message] as const;
  };

  test("if changes after it were deleted", async () => {
    const crawl = await WatchedCrawl.start([says("0")]);
    const cursors = [await cursorOf(crawl)];
    for (const text of ["a", "b", "c"]) {
      await crawl.visit(new Map([[0, says(text)]]));
      cursors.push(await cursorOf(crawl));
    }
    await env.LEDGER.prepare("DELETE FROM changes WHERE crawl = ?1 AND seq <= 2").bind(crawl.id).run();
    for (const expired of cursors.slice(0, 2))
      expect(await refusal(crawl, expired ?? "")).toEqual([
        410,
        "cursor-expired",
        expect.stringMatching(/expired.*full export/),
      ]);
    expect(told(await read(crawl, cursors[2] ?? ""))).toEqual(["changed 0"]);
    await env.LEDGER.prepare("DELETE FROM changes WHERE crawl = ?1").bind(crawl.id).run();
    expect((await refusal(crawl, cursors[2] ?? ""))[0]).toBe(410);
    expect((await read(crawl, cursors[3] ?? "")).cursor).toBe(cursors[3]);
  });

  test("if it is of another crawl, or of the future", async () => {
    const crawl = await WatchedCrawl.start([says("0")]);
    const other = await cursorOf(await WatchedCrawl.start([says("0")]));
    expect(await refusal(crawl, other ?? "")).toEqual([
      410,
      "cursor-expired",
      expect.stringContaining("another crawl"),
    ]);
    const future = `${crawl.id.slice(0, 8)}.7`;
    expect(await refusal(crawl, future)).toEqual([410, "cursor-expired", expect.stringContaining("does not have")]);
    expect((await refusal(crawl, "yesterday"))[0]).toBe(400);
    expect((await refusal(crawl, "7"))[0]).toBe(400);
  });
});

test("a crawl that is no watch, or has not ended its first crawl, has no delta", async () => {
  const crawl = new WatchedCrawl();
  await crawl.create(2);
  await crawl.complete(new Map([[0, says("0")]]));
  const first = await crawl.get("/delta");
  expect([first.status, await first.text()]).toEqual([409, expect.stringContaining("first crawl")]);
  await crawl.complete(new Map([[1, says("1")]]));
  expect((await crawl.get("/delta")).status).toBe(200);

  const init = {
    method: "POST",
    headers: { authorization: "Bearer test-token" },
    body: JSON.stringify({ url: "https://a.test/" }),
  };
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  const made = await app.request("/api/crawls", init, { ...env, FRONTIER: silent }, createExecutionContext());
  const { id } = (await made.json<{ result: { id: string } }>()).result;
  const plain = await app.request(`/api/crawls/${id}/delta`, { headers: init.headers }, env, createExecutionContext());
  expect([plain.status, await plain.text()]).toEqual([409, expect.stringContaining(`orbweaver watch ${id}`)]);
});

test("what was made of a page that a watch has replaced is not taken for its new version", async () => {
  const mirror = new Mirror(env.MIRROR);
  const text = (words: string) => new TextEncoder().encode(JSON.stringify({ metadata: {}, text: words }));
  const crawl = crypto.randomUUID();
  await mirror.putContent(crawl, pageUrl(1), text("old"), "digest-of-old");
  expect(await mirror.content(crawl, pageUrl(1), "digest-of-old")).toMatchObject({ text: "old" });
  expect(await mirror.content(crawl, pageUrl(1), "digest-of-new")).toBeNull();
  expect(await mirror.content(crawl, pageUrl(1))).toMatchObject({ text: "old" });
});

test("a delta of a few changes reads few rows, however many changes the watch has told", async () => {
  const crawl = await WatchedCrawl.start(Array.from({ length: 50 }, (_, n) => says(`${n}`)));
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO changes (crawl, seq, url, kind, at) SELECT ?1, i, 'https://a.test/' || (i % 50), 'changed', i FROM n`,
    ).bind(crawl.id),
    env.LEDGER.prepare("UPDATE crawls SET change_seq = 20000 WHERE id = ?1").bind(crawl.id),
  ]);
  let rows = 0;
  const db = {
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => ({
        all: async () => {
          const answer = await env.LEDGER.prepare(sql)
            .bind(...values)
            .all();
          rows += answer.meta.rows_read;
          return answer;
        },
      }),
    }),
  } as unknown as D1Database;
  const changes = new Changes(db);
  expect(await changes.latest(crawl.id, { since: 19_990, after: 19_990, until: 20_000 })).toHaveLength(10);
  expect(rows).toBeLessThan(100);
  expect(await changes.newest(crawl.id, { before: 20_001, kinds: null, limit: 10 })).toHaveLength(10);
  expect(rows).toBeLessThan(150);
});

describe("the list of changes", () => {
  interface Listed {
    result: ChangesView | null;
    errors?: { code: string; message: string }[];
  }
  const list = async (crawl: WatchedCrawl, query: string) => {
    const response = await crawl.get(`/changes${query}`);
    const { result, errors = [] } = await response.json<Listed>();
    return { status: response.status, seqs: result?.changes.map(({ seq }) => seq), cursor: result?.cursor, errors };
  };
  const withChanges = async () => {
    const crawl = await WatchedCrawl.start([says("0")]);
    for (const text of ["a", "b", "c"]) await crawl.visit(new Map([[0, says(text)]]));
    return crawl;
  };
  const remove = (crawl: WatchedCrawl, upTo: number) =>
    env.LEDGER.prepare("DELETE FROM changes WHERE crawl = ?1 AND seq <= ?2").bind(crawl.id, upTo).run();

  test.each(["?since=0", "?since=1", "?since=1&kind=added", "?since=1&limit=1"])(
    "after a cursor whose next changes were removed is refused, with what to do next: %s",
    async (query) => {
      const crawl = await withChanges();
      await remove(crawl, 2);
      expect(await list(crawl, query)).toMatchObject({
        status: 410,
        errors: [{ code: "cursor-expired", message: expect.stringMatching(/expired.*leave `since` out/) }],
      });
    },
  );

  test("begins with the oldest that is kept, without a cursor and from a time on", async () => {
    const crawl = await withChanges();
    await remove(crawl, 2);
    for (const query of ["", "?since=1970-01-01", "?since=2"])
      expect(await list(crawl, query)).toMatchObject({ status: 200, seqs: [3], cursor: 3 });
  });

  test("of which none is kept goes on after the last", async () => {
    const crawl = await withChanges();
    await remove(crawl, 3);
    for (const query of ["", "?since=1970-01-01", "?since=3"])
      expect(await list(crawl, query)).toMatchObject({ status: 200, seqs: [], cursor: 3 });
    await crawl.visit(new Map([[0, says("d")]]));
    expect(await list(crawl, "?since=3")).toMatchObject({ seqs: [4], cursor: 4 });
  });

  test("after a change that the crawl does not have is refused", async () => {
    const crawl = await withChanges();
    expect(await list(crawl, "?since=4")).toMatchObject({ status: 410 });
    expect(await list(crawl, "?since=3")).toMatchObject({ status: 200, seqs: [] });
    const fresh = await WatchedCrawl.start([says("0")]);
    expect(await list(fresh, "?since=0")).toMatchObject({ status: 200, seqs: [], cursor: 0 });
  });
});

test("a delta whose changes are removed while it is read has no last line", async () => {
  const crawl = await WatchedCrawl.start([says("0")]);
  const cursor = await cursorOf(crawl);
  await crawl.visit(new Map([[0, says("a")]]));
  const response = await crawl.get(`/delta?since=${cursor}`);
  await env.LEDGER.prepare("DELETE FROM changes WHERE crawl = ?1").bind(crawl.id).run();
  await expect(response.text()).rejects.toThrow();
});
