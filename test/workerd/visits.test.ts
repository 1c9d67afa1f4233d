import { expect, test } from "vitest";
import { viewRecord } from "../../src/api/records/record-schemas.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { World } from "./world.ts";

/** What a record says of its last visit: how long it took, where it led, and what it waits for. */

const SEED = "https://a.test/";

async function recordOf(world: World, id: string, url: string) {
  const record = await world.deps.records.get(id, url);
  if (record === null) throw new Error(`no record of ${url}`);
  return viewRecord(record);
}

test("a record says how long its last answer took, where it redirects, and in which file its body is", async () => {
  const world = new World((url) => {
    if (url === SEED) return { links: [`${SEED}moved`, `${SEED}away`, `${SEED}x.zip`] };
    if (url.endsWith("/moved")) return { redirect: `${SEED}new,place` };
    return url.endsWith("/away") ? { redirect: "https://b.test/" } : { status: 404 };
  });
  const id = await world.start([SEED]);
  await world.runToEnd(id);
  expect(await recordOf(world, id, SEED)).toMatchObject({
    durationMs: 5,
    redirectTo: null,
    file: "a.test/index.html",
  });
  expect(await recordOf(world, id, `${SEED}moved`)).toMatchObject({
    durationMs: 5,
    redirectTo: `${SEED}new,place`,
    file: null,
  });
  // Scope refuses its target, which the record names all the same.
  expect(await recordOf(world, id, `${SEED}away`)).toMatchObject({ redirectTo: "https://b.test/", file: null });
});

test("a URL that was not fetched has no duration", async () => {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([SEED], { dryRun: true });
  await world.runToEnd(id);
  expect(await recordOf(world, id, SEED)).toMatchObject({ reason: "dry-run", durationMs: null });
});

test("a page that waits for its next attempt says so, in its record and its explanation", async () => {
  const world = new World((_, attempt) => (attempt < 2 ? { status: 500 } : { links: [] }));
  const id = await world.start([SEED]);
  while (world.fetched.length < 1) await world.turn();
  const waits = "waits for attempt 2, because attempt 1 failed: the server answered with an error: 500";
  expect(await recordOf(world, id, SEED)).toMatchObject({
    status: "queued",
    reason: "http-status",
    explanation: `it ${waits}`,
  });
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  expect((await explain(SEED, { crawl }, world.deps, "all")).sentence).toContain(`It ${waits}.`);
  expect(crawl.waitingFor).toBe(
    `it tries ${SEED} again, because attempt 1 failed: the server answered with an error: 500`,
  );

  await world.runToEnd(id);
  expect(await recordOf(world, id, SEED)).toMatchObject({ status: "completed", reason: null, explanation: null });
  expect((await world.deps.ledger.crawl(id))?.waitingFor).toBeNull();
});

test("a page whose attempts have all failed does not wait", async () => {
  const world = new World(() => ({ status: 500 }));
  const id = await world.start([SEED], { maxAttempts: 2 });
  await world.runToEnd(id);
  expect(await recordOf(world, id, SEED)).toMatchObject({
    status: "errored",
    explanation: "the server answered with an error: 500",
  });
});
