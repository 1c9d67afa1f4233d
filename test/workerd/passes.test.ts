import { env, introspectWorkflowInstance } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import type { Usage } from "../../src/crawl/bounds/usage.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { type DoStep, PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { startPass } from "../../src/passes/start-pass.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { type KeptPage, keepSite } from "./kept-site.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** Passes: their result is the same whatever happens to their steps, and nothing of them is left that is not needed. */

// A heartbeat looks at the passes of all crawls.
afterEach(() => env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'"));

const SITE = "https://a.test/";
const [B, C, OLD] = [`${SITE}b`, `${SITE}c`, `${SITE}old`];
/** The example of Page and Brin: A links to B and C, B to C, and C to A, here over a redirect. */
const PAGES: KeptPage[] = [
  { url: SITE, links: [B, C, "https://other.test/"], staleLinks: [OLD] },
  { url: B, links: [C, C] },
  { url: C, links: [OLD] },
  { url: OLD, redirect: SITE },
];

async function newSite(changes: Partial<CrawlOptions> = {}): Promise<{ world: World; crawl: Crawl }> {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([SITE], changes);
  await world.runToEnd(id);
  await keepSite(id, PAGES);
  return { world, crawl: await crawlOf(world, id) };
}

async function crawlOf(world: World, id: string): Promise<Crawl> {
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no such crawl");
  return crawl;
}

/** Instances that only note what is asked of them. `status`: null if there is no such instance. */
function noRuns(status: string | null = "running") {
  const asked: string[] = [];
  const note = (what: string) => async () => void asked.push(what);
  const run = {
    status: async () => ({ status }),
    pause: note("pause"),
    resume: note("resume"),
    restart: note("restart"),
    terminate: note("terminate"),
  };
  const get = async () => {
    if (status === null) throw new Error("instance.not_found");
    return run;
  };
  return { asked, passRuns: { create: note("create"), get } as unknown as World["deps"]["passRuns"] };
}

/** Begins a pass whose steps the test runs. */
async function beginPass(world: World, crawl: Crawl): Promise<string> {
  const answer = await startPass(crawl, { ...world.deps, passRuns: noRuns().passRuns });
  if (answer.kind === "refused") throw new Error(answer.why);
  return answer.pass.id;
}

const plainly: DoStep = (_, work) => work();

function runOf(world: World, crawl: string, id: string, doStep: DoStep = plainly): PassRun {
  return new PassRun({ crawl, id }, doStep, () => world.deps);
}

async function keysOf(crawl: string): Promise<string[]> {
  return (await env.MIRROR.list({ prefix: `${crawl}/packs/passes/` })).objects.map(({ key }) => key);
}

/** What is left of a completed pass. */
function objectsOf(crawl: string, id: string): string[] {
  return ["report", "result"].map((name) => `${crawl}/packs/passes/${name}-${id}`);
}

async function resultOf(crawl: string, id: string): Promise<number[]> {
  const object = await env.MIRROR.get(`${crawl}/packs/passes/result-${id}`);
  return object === null ? [] : [...new Uint8Array(await object.arrayBuffer())];
}

async function ranksOf(crawl: string): Promise<Record<string, number | null>> {
  const { results } = await env.LEDGER.prepare("SELECT url, rank FROM urls WHERE crawl = ?1 ORDER BY url")
    .bind(crawl)
    .all<{ url: string; rank: number | null }>();
  return Object.fromEntries(results.map(({ url, rank }) => [url, rank]));
}

async function inLinksOf(crawl: string): Promise<Record<string, number | null>> {
  const { results } = await env.LEDGER.prepare("SELECT url, in_links FROM urls WHERE crawl = ?1 ORDER BY url")
    .bind(crawl)
    .all<{ url: string; in_links: number | null }>();
  return Object.fromEntries(results.map(({ url, in_links }) => [url, in_links]));
}

function usageSince(before: Usage, after: Usage, resource: keyof Usage): number {
  return (after[resource] ?? 0) - (before[resource] ?? 0);
}

test("an instance ranks the pages, writes one result, and bills its crawl", async () => {
  const { world, crawl } = await newSite();
  const answer = await startPass(crawl, world.deps);
  if (answer.kind === "refused") throw new Error(answer.why);
  await using instance = await introspectWorkflowInstance(env.PASSES, answer.pass.id);
  await instance.waitForStatus("complete");
  const [pass] = await world.deps.passes.list(crawl.id);
  expect(pass).toMatchObject({ id: answer.pass.id, status: "completed", error: null });
  expect(pass?.stepsDone).toBe(pass?.steps);
  expect(await keysOf(crawl.id)).toEqual(objectsOf(crawl.id, answer.pass.id));
  const ranks = await ranksOf(crawl.id);
  // C has the most; the redirect and A have as much as C, less the damping.
  expect(Object.values(ranks).every((rank) => rank !== null)).toBe(true);
  expect(ranks[C]).toBeGreaterThan(ranks[OLD] ?? 0);
  expect(ranks[OLD]).toBeGreaterThan(ranks[B] ?? 0);
  // The redirect leads to the site, and the link of an earlier delivery does not count.
  expect(await inLinksOf(crawl.id)).toEqual({ [SITE]: 1, [B]: 1, [C]: 2, [OLD]: 1 });
  const { usage } = await crawlOf(world, crawl.id);
  expect(usageSince(crawl.usage, usage, "mirrorWrites")).toBeGreaterThan(5);
  expect(usageSince(crawl.usage, usage, "cpuMs")).toBeGreaterThan(0);
  expect(await env.LEDGER.prepare("SELECT pass FROM crawls WHERE id = ?1").bind(crawl.id).first("pass")).toBe(
    answer.pass.id,
  );
});

test("an instance whose step fails for good ends with the reason, and leaves nothing", async () => {
  const { world, crawl } = await newSite();
  const id = await beginPass(world, crawl);
  await using instance = await introspectWorkflowInstance(env.PASSES, id);
  await instance.modify(async (m) => {
    await m.disableRetryDelays();
    await m.mockStepError({ name: "links 1 (3)" }, new Error("R2 is away"));
  });
  await env.PASSES.create({ id, params: { crawl: crawl.id, id } });
  await instance.waitForStatus("errored");
  expect(await world.deps.passes.list(crawl.id)).toMatchObject([{ id, status: "errored", error: "R2 is away" }]);
  expect(await keysOf(crawl.id)).toEqual([]);
});

test("a second pass has the same bytes, writes no rank, and replaces the first", async () => {
  const { world, crawl } = await newSite();
  const first = await beginPass(world, crawl);
  await runPass(runOf(world, crawl.id, first));
  const bytes = await resultOf(crawl.id, first);
  expect(bytes.length).toBeGreaterThan(100);
  const ranks = await ranksOf(crawl.id);
  const second = await beginPass(world, crawl);
  const written: number[] = [];
  const { writeFigures } = world.deps.passRows;
  world.deps.passRows.writeFigures = (id, changed) => {
    written.push(changed.length);
    return writeFigures.call(world.deps.passRows, id, changed);
  };
  await runPass(runOf(world, crawl.id, second));
  expect(await resultOf(crawl.id, second)).toEqual(bytes);
  expect([written, await ranksOf(crawl.id)]).toEqual([[0], ranks]);
  expect(await keysOf(crawl.id)).toEqual(objectsOf(crawl.id, second));
  expect((await world.deps.passes.list(crawl.id)).map(({ id }) => id)).toEqual([second]);
});

test("a pass over rows that have a rank and no number of in-links writes the number", async () => {
  const { world, crawl } = await newSite();
  await runPass(runOf(world, crawl.id, await beginPass(world, crawl)));
  const before = [await ranksOf(crawl.id), await inLinksOf(crawl.id)];
  await env.LEDGER.prepare("UPDATE urls SET in_links = NULL WHERE crawl = ?1").bind(crawl.id).run();
  await runPass(runOf(world, crawl.id, await beginPass(world, crawl)));
  expect([await ranksOf(crawl.id), await inLinksOf(crawl.id)]).toEqual(before);
});

test("ranks are written without reading the rows of other pages", async () => {
  const { world, crawl } = await newSite();
  await env.LEDGER.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     INSERT INTO urls (crawl, url, status, depth, priority, seq)
     SELECT ?1, 'https://a.test/many/' || i, 'completed', 1, 0, i + 10 FROM n`,
  )
    .bind(crawl.id)
    .run();
  world.deps.meter.take();
  await world.deps.passRows.writeFigures(crawl.id, [
    { url: B, rank: 7, inLinks: 1, twinOf: null },
    { url: C, rank: 9, inLinks: 2, twinOf: null },
  ]);
  const { ledgerRowsRead = 0, ledgerRowsWritten } = world.deps.meter.take();
  expect([ledgerRowsRead < 20, ledgerRowsWritten]).toEqual([true, 2]);
  expect(await ranksOf(crawl.id)).toMatchObject({ [B]: 7, [C]: 9, [SITE]: null });
  // A range takes more than one query here.
  await runPass(runOf(world, crawl.id, await beginPass(world, crawl)));
  const ranks = Object.values(await ranksOf(crawl.id));
  expect([ranks.length, ranks.includes(null)]).toEqual([1_000 + PAGES.length, false]);
});

test("a site without links has a result, too", async () => {
  const { world, crawl } = await newSite();
  await keepSite(
    crawl.id,
    PAGES.map(({ url }) => ({ url })),
  );
  const id = await beginPass(world, crawl);
  await runPass(runOf(world, crawl.id, id));
  expect((await resultOf(crawl.id, id)).length).toBeGreaterThan(100);
  const ranks = Object.values(await ranksOf(crawl.id));
  expect(ranks.every((rank) => rank !== null && rank === ranks[0])).toBe(true);
});

test("an object whose pieces fail is not written", async () => {
  const { world, crawl } = await newSite();
  const pieces = async function* () {
    yield new Uint8Array(2);
    throw new Error("R2 is away");
  };
  const pass = { crawl: crawl.id, id: "p" };
  await expect(world.deps.passObjects.putPieces(pass, "in-links-0", 4, pieces())).rejects.toThrow("R2 is away");
  expect(await keysOf(crawl.id)).toEqual([]);
});

test("links that no row names do not count", async () => {
  const { world, crawl } = await newSite();
  await runPass(runOf(world, crawl.id, await beginPass(world, crawl)));
  const ranks = await ranksOf(crawl.id);
  await keepSite(
    crawl.id,
    PAGES.map(({ staleLinks: _, ...page }) => page),
  );
  await runPass(runOf(world, crawl.id, await beginPass(world, crawl)));
  expect(await ranksOf(crawl.id)).toEqual(ranks);
});

test("steps that fail, repeat and die give the same bytes", async () => {
  const { world, crawl } = await newSite();
  const calm = await beginPass(world, crawl);
  await runPass(runOf(world, crawl.id, calm));
  const bytes = await resultOf(crawl.id, calm);
  const id = await beginPass(world, crawl);
  /** What each finished step returned, as Workflows keep it. */
  const kept = new Map<string, unknown>();
  let calls = 0;
  const badly: DoStep = async (name, work) => {
    if (kept.has(name)) return kept.get(name) as never;
    calls += 1;
    if (calls % 3 === 1) throw new Error("the process is killed before the step");
    const value = await work();
    if (calls % 3 === 2) throw new Error("the process is killed after the step");
    await work().catch(() => undefined);
    kept.set(name, value);
    return value;
  };
  for (let kills = 0; !kept.has("complete"); kills++) {
    expect(kills).toBeLessThan(100);
    await runPass(runOf(world, crawl.id, id, badly)).catch(() => undefined);
  }
  expect(await resultOf(crawl.id, id)).toEqual(bytes);
  expect(await keysOf(crawl.id)).toEqual(objectsOf(crawl.id, id));
});

test("a running crawl is refused, and a second pass is told the first", async () => {
  const world = new World(() => ({ links: [] }));
  const running = await world.start([SITE]);
  expect(await startPass(await crawlOf(world, running), world.deps)).toEqual({
    kind: "refused",
    why: "it is still running",
  });
  const { world: other, crawl } = await newSite();
  const id = await beginPass(other, crawl);
  const { asked, passRuns } = noRuns();
  const again = await startPass(crawl, { ...other.deps, passRuns });
  expect([again, asked]).toMatchObject([{ kind: "already-running", pass: { id } }, []]);
  // Also after the crawl was resumed.
  const resumed = await startPass({ ...crawl, status: "running" }, { ...other.deps, passRuns });
  expect(resumed).toMatchObject({ kind: "already-running", pass: { id } });
});

test.each([
  { kind: "analyze", checkExternal: true, reindex: false },
  { kind: "analyze", checkExternal: false, reindex: true },
  { kind: "classify", checkExternal: false, reindex: false },
] as const)("the row of a pass says what it was asked for: %o", async (asked) => {
  const { world, crawl } = await newSite();
  const begun = await world.deps.passes.begin(crawl.id, "pass", world.now, null, asked);
  expect(begun).toMatchObject({ id: "pass", status: "running", ...asked });
  expect(await world.deps.passes.list(crawl.id)).toMatchObject([asked]);
});

test("a limit on the cost refuses a pass, and stops one at its next step", async () => {
  const { world, crawl } = await newSite({ maxCostUsd: 1 });
  const limited = { ...crawl, options: { ...crawl.options, maxCostUsd: 1e-9 } };
  expect(await startPass(limited, world.deps)).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("limit"),
  });
  const id = await beginPass(world, crawl);
  await env.LEDGER.prepare("UPDATE crawls SET options = json_set(options, '$.maxCostUsd', 1e-9) WHERE id = ?1")
    .bind(crawl.id)
    .run();
  await expect(runPass(runOf(world, crawl.id, id))).rejects.toThrow("USD, which is its limit");
});

test("a deletion in the middle of a pass leaves nothing", async () => {
  const { world, crawl } = await newSite();
  const id = await beginPass(world, crawl);
  const { asked, passRuns } = noRuns();
  const deps = { ...world.deps, passRuns };
  const run = runOf(world, crawl.id, id, async (name, work) => {
    if (name.startsWith("in-links 0")) await deleteCrawl(crawl.id, true, deps);
    return work();
  });
  await expect(runPass(run)).rejects.toThrow("the pass has ended");
  expect(asked).toEqual(["terminate"]);
  world.now += IN_FLIGHT_MS;
  await heartbeat(deps);
  const rows = await env.LEDGER.prepare("SELECT count(*) AS n FROM passes WHERE crawl = ?1").bind(crawl.id).first("n");
  expect([await keysOf(crawl.id), rows, await world.deps.ledger.crawl(crawl.id)]).toEqual([[], 0, null]);
});

const STALLED_MS = 21 * 60_000;
test.each([
  { name: "works", afterMs: 1_000, boot: null, status: "running", asked: [] },
  { name: "stands still", afterMs: STALLED_MS, boot: null, status: "running", asked: ["pause", "resume"] },
  { name: "was left by a process", afterMs: 0, boot: "other", status: "running", asked: ["pause", "resume"] },
  { name: "is paused", afterMs: STALLED_MS, boot: null, status: "paused", asked: ["resume"] },
  { name: "has no instance", afterMs: STALLED_MS, boot: null, status: null, asked: ["create"] },
  { name: "has an instance that ended", afterMs: STALLED_MS, boot: null, status: "errored", asked: ["restart"] },
])("a heartbeat asks of a pass that $name: $asked", async ({ afterMs, boot, status, asked: expected }) => {
  const { world, crawl } = await newSite();
  const id = await beginPass(world, crawl);
  world.now += afterMs;
  const { asked, passRuns } = noRuns(status);
  const deps = { ...world.deps, boot, passRuns };
  expect((await heartbeat(deps)).mended).toEqual(expected.length > 0 ? [id] : []);
  expect(asked).toEqual(expected);
  // The next heartbeat does not ask again.
  expect((await heartbeat(deps)).mended).toEqual([]);
  expect(asked).toEqual(expected);
});

test("a pass that cannot go on does not keep a heartbeat from the others", async () => {
  const sites = [await newSite(), await newSite()];
  const ids: string[] = [];
  for (const { world, crawl } of sites) ids.push(await beginPass(world, crawl));
  const [{ world }] = sites as [(typeof sites)[0]];
  world.now += STALLED_MS;
  const { asked, passRuns } = noRuns();
  const [first] = await world.deps.passes.running();
  const get = async (id: string) => {
    const run = await passRuns.get(id);
    return id === first?.id ? { ...run, resume: () => Promise.reject(new Error("the engine is away")) } : run;
  };
  const { mended, failed } = await heartbeat({
    ...world.deps,
    passRuns: { ...passRuns, get } as typeof passRuns,
  });
  expect(mended).toEqual(ids.filter((id) => id !== first?.id));
  expect(failed).toEqual([{ deed: "mend", id: first?.crawl }]);
  expect(asked).toEqual(["pause", "pause", "resume"]);
});

test("a pass that Workflows do not start ends at once, with the reason", async () => {
  const { world, crawl } = await newSite();
  const create = () => Promise.reject(new Error("too many instances"));
  const passRuns = { ...noRuns().passRuns, create } as unknown as World["deps"]["passRuns"];
  const why = "Workflows did not start the pass: too many instances";
  expect(await startPass(crawl, { ...world.deps, passRuns })).toEqual({ kind: "refused", why });
  expect(await world.deps.passes.list(crawl.id)).toMatchObject([{ status: "errored", error: why }]);
  expect(await startPass(crawl, { ...world.deps, passRuns: noRuns().passRuns })).toMatchObject({ kind: "started" });
});

test("a watch that was analyzed is analyzed again after changes, daily at most", async () => {
  const { world, crawl } = await newSite({ watch: WATCH });
  const { passRuns } = noRuns();
  const deps = { ...world.deps, passRuns };
  const analyzed = async () => (await heartbeat(deps)).analyzed;
  expect(await analyzed()).toEqual([]);
  await runPass(runOf(world, crawl.id, await beginPass(world, crawl)));
  world.now += 86_400_000;
  expect(await analyzed()).toEqual([]);
  await env.LEDGER.prepare("UPDATE crawls SET change_seq = change_seq + 1 WHERE id = ?1").bind(crawl.id).run();
  expect(await analyzed()).toEqual([crawl.id]);
  expect(await analyzed()).toEqual([]);
});
