import { expect, test } from "vitest";
import { ModelDatabase } from "./database.ts";
import type { FaultPlan } from "./faults.ts";
import { Invocation } from "./invocation.ts";
import { Isolate } from "./isolates.ts";
import { quietSurroundings } from "./network.ts";
import { clear, withStorage } from "./storage.ts";

/** The model of D1, against its pages on errors, retries and limits. */

interface Opened {
  db: D1Database;
  database: ModelDatabase;
  /** Lets time pass until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T>;
  elapsed(): number;
}

async function withDatabase(test: (opened: Opened) => Promise<void>, plan?: FaultPlan): Promise<void> {
  await withStorage(async (storage) => {
    clear(storage);
    const around = quietSurroundings(1, plan);
    const database = new ModelDatabase(storage, around);
    const db = database.bindingOf(new Invocation(new Isolate(1)));
    const startedAt = around.time.now();
    const elapsed = () => around.time.now() - startedAt;
    await test({ db, database, run: (promise) => around.time.until(promise), elapsed });
  });
}

const ADD = "INSERT INTO refusals (crawl, reason, count, examples) VALUES (?1, ?2, 1, '[]')";
const COUNT = "SELECT count(*) AS n FROM refusals";

test("a call takes about 30 ms, and calls run one at a time", async () => {
  await withDatabase(async ({ db, run, elapsed }) => {
    await run(db.prepare(COUNT).first());
    expect(elapsed()).toBeGreaterThan(10);
    expect(elapsed()).toBeLessThan(60);
    const before = elapsed();
    const slow = () => db.batch(Array.from({ length: 100 }, () => db.prepare(COUNT)));
    await run(Promise.all([slow(), slow(), slow()]));
    expect(elapsed() - before).toBeGreaterThan(90);
  });
});

test("results are as D1 gives them", async () => {
  await withDatabase(async ({ db, run }) => {
    const { meta } = await run(db.prepare(ADD).bind("c", "r").run());
    expect(meta).toMatchObject({ changes: 1 });
    expect(meta.rows_written).toBeGreaterThan(0);
    expect(await run(db.prepare(COUNT).first("n"))).toBe(1);
    expect(await run(db.prepare("SELECT reason FROM refusals WHERE crawl = ?1").bind("none").first())).toBeNull();
  });
});

test("a batch is a transaction", async () => {
  await withDatabase(async ({ db, run }) => {
    const [good, same] = [db.prepare(ADD).bind("c", "r"), db.prepare(ADD).bind("c", "r")];
    await expect(run(db.batch([good, same]))).rejects.toThrow("UNIQUE constraint failed");
    expect(await run(db.prepare(COUNT).first("n"))).toBe(0);
  });
});

test("a full database refuses what writes until it has room, and reads go on", async () => {
  await withDatabase(async ({ db, database, run }) => {
    database.fullUntil = Number.POSITIVE_INFINITY;
    await expect(run(db.prepare(ADD).bind("c", "a").run())).rejects.toThrow("Exceeded maximum DB size");
    expect(await run(db.prepare(COUNT).first("n"))).toBe(0);
    database.fullUntil = 0;
    await run(db.prepare(ADD).bind("c", "a").run());
    expect(await run(db.prepare(COUNT).first("n"))).toBe(1);
  });
});

test("limits of parameters, statements, values and queries are errors", async () => {
  await withDatabase(async ({ db, run }) => {
    const values = Array.from({ length: 101 }, (_, i) => i);
    const listed = values.map((i) => `?${i + 1}`).join();
    await expect(
      run(
        db
          .prepare(`SELECT ${listed}`)
          .bind(...values)
          .all(),
      ),
    ).rejects.toThrow("parameters");
    await expect(run(db.prepare(`SELECT '${"x".repeat(100_000)}'`).all())).rejects.toThrow("too long");
    await expect(run(db.prepare("SELECT ?1").bind("é".repeat(1_000_001)).all())).rejects.toThrow("too big");
    await expect(run(db.prepare("SELECT ?1").bind(new Uint8Array(2_000_001)).all())).rejects.toThrow("too big");
    expect(() => db.prepare("SELECT ?1").bind(undefined)).toThrow("D1_TYPE_ERROR");
    const many = Array.from({ length: 1_000 }, () => db.prepare("SELECT 1"));
    await expect(run(db.batch(many))).rejects.toThrow("Too many API requests");
  });
});

test("a row of more than 2 MB is refused, however its columns share them", async () => {
  await withDatabase(async ({ db, run }) => {
    const add = db.prepare("INSERT INTO refusals (crawl, reason, count, examples) VALUES ('c', ?1, 1, ?2)");
    await run(add.bind("a".repeat(900_000), "b".repeat(900_000)).run());
    await expect(run(add.bind("c".repeat(1_150_000), "d".repeat(1_150_000)).run())).rejects.toThrow("too big");
    expect(await run(db.prepare(COUNT).first("n"))).toBe(1);
    const more = db.prepare("UPDATE refusals SET examples = examples || ?1 WHERE crawl = 'c'");
    await expect(run(more.bind("e".repeat(600_000)).run())).rejects.toThrow("too big");
  });
});

test("what SQLite itself refuses is noted, and what a limit or a fault refuses is not", async () => {
  await withDatabase(async ({ db, database, run }) => {
    await expect(run(db.prepare(ADD).bind("c", "x".repeat(2_100_000)).run())).rejects.toThrow("too big");
    database.outageUntil = Number.POSITIVE_INFINITY;
    await expect(run(db.prepare(ADD).bind("c", "r").run())).rejects.toThrow("D1_ERROR");
    database.outageUntil = 0;
    expect(database.violations).toEqual([]);
    await run(db.prepare(ADD).bind("c", "r").run());
    const half = db.prepare("UPDATE refusals SET count = ?1 WHERE crawl = 'c'").bind(0.5);
    await expect(run(half.run())).rejects.toThrow("cannot store REAL value in INTEGER column");
    expect(database.violations).toEqual([expect.stringContaining("refusals.count")]);
  });
});

test("transient errors come before or after the effect, with the documented words", async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 5; i++) {
    await withDatabase(
      async ({ db, database, run }) => {
        for (let n = 0; n < 30; n++) {
          const error = await run(db.prepare(ADD).bind(`${i}`, `${n}`).run()).then(
            () => null,
            (failure: Error) => failure.message,
          );
          const stored = await database
            .bindingOf(null)
            .prepare("SELECT 1 FROM refusals WHERE crawl = ?1 AND reason = ?2")
            .bind(`${i}`, `${n}`)
            .first();
          if (error !== null) expect(error).toMatch(/^D1_ERROR: .*(reset|lost|remote node)/);
          seen.add(`${error === null ? "answered" : "failed"}, ${stored === null ? "absent" : "stored"}`);
        }
      },
      { rate: 0.3, budget: 100, kills: 0 },
    );
  }
  expect([...seen].sort()).toEqual(["answered, stored", "failed, absent", "failed, stored"]);
});

test("reads are tried three times, writes once", async () => {
  await withDatabase(
    async ({ db, run }) => {
      expect(await run(db.prepare(COUNT).first("n"))).toBe(0);
    },
    { rate: 1, budget: 2, kills: 0 },
  );
  await withDatabase(
    async ({ db, run }) => {
      await expect(run(db.prepare(ADD).bind("c", "r").run())).rejects.toThrow("D1_ERROR");
    },
    { rate: 1, budget: 1, kills: 0 },
  );
});

test("too many calls in line, and outages, are refused", async () => {
  await withDatabase(async ({ db, database, run }) => {
    const calls = Array.from({ length: 320 }, () => db.prepare(COUNT).all());
    const ends = await run(Promise.allSettled(calls));
    const refused = ends.filter((end) => end.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(String(refused[0]?.reason)).toContain("overloaded");
    database.outageUntil = Number.POSITIVE_INFINITY;
    await expect(run(db.prepare(ADD).bind("c", "r").run())).rejects.toThrow("D1_ERROR");
  });
});
