import { env } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import { type Finding, type FindingKind, makeFinding, orderFindings } from "../../src/graph/problems/finding.ts";
import type { FindingRun } from "../../src/passes/links/find-problems.ts";
import { mergeFindings } from "../../src/passes/links/merge-findings.ts";
import { MAX_PASS_ROWS } from "../../src/passes/list-rows.ts";
import { PassRun } from "../../src/passes/pass-run.ts";
import { startPass } from "../../src/passes/start-pass.ts";
import { startTopics } from "../../src/passes/text/start-text-pass.ts";
import { World } from "./world.ts";

/** Passes over large crawls: what is too large is refused at once, and many runs of findings are merged by and by. */

afterEach(() => env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'"));

const SITE = "https://a.test/";
const create = async () => undefined;

async function newCrawl() {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([SITE]);
  await world.runToEnd(id);
  const deps = { ...world.deps, passRuns: { create } as unknown as World["deps"]["passRuns"] };
  return { world, id, deps };
}

test("a crawl of more URLs than a pass takes is refused before anything of it is listed", async () => {
  const { id, deps } = await newCrawl();
  const startWith = async (discovered: number, start: typeof startTopics) => {
    await env.LEDGER.prepare("UPDATE crawls SET discovered = ?2 WHERE id = ?1").bind(id, discovered).run();
    const crawl = await deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no such crawl");
    return start(crawl, deps);
  };
  for (const start of [startPass, startTopics])
    expect(await startWith(MAX_PASS_ROWS + 1, start)).toEqual({
      kind: "refused",
      why: "a pass takes 2,000,000 URLs at most, and this crawl has more",
    });
  expect(await deps.passes.list(id)).toEqual([]);
  expect(await startWith(MAX_PASS_ROWS, startPass)).toMatchObject({ kind: "started" });
});

/** 200 runs of three findings of two kinds each, as steps write them. */
async function writeRuns({ world, id }: { world: World; id: string }, pass: string) {
  const all: Finding[] = [];
  const runs: FindingRun[] = [];
  for (let i = 0; i < 200; i++) {
    const found = [1, 2, 3].map((n) => makeFinding("thin-page", { page: `${SITE}${(i * 7_919 + n * 131) % 10_007}` }));
    const links = [makeFinding("broken-link", { page: `${SITE}${i}`, target: `${SITE}${i % 11}` })];
    const kinds: FindingRun["kinds"] = [];
    let text = "";
    for (const some of [links, found]) {
      const lines = some.sort(orderFindings).map((finding) => `${JSON.stringify(finding)}\n`);
      kinds.push([some[0]?.kind as FindingKind, text.length, lines.join("").length, some.length]);
      text += lines.join("");
    }
    await world.deps.passObjects.put({ crawl: id, id: pass }, `found-${i}`, Buffer.from(text));
    runs.push({ name: `found-${i}`, kinds });
    all.push(...links, ...found);
  }
  return { runs, all };
}

test("more runs than are merged at once give the same list, in order, and are merged in steps of their own", async () => {
  const { world, id, deps } = await newCrawl();
  const crawl = await deps.ledger.crawl(id);
  const answer = crawl === null ? null : await startPass(crawl, deps);
  if (answer?.kind !== "started") throw new Error("the pass has not begun");
  const order = { crawl: id, id: answer.pass.id };
  const { runs, all } = await writeRuns({ world, id }, order.id);
  const steps: string[] = [];
  const run = new PassRun(
    order,
    (name, work) => {
      steps.push(name.replace(/ \(\d+\)$/, ""));
      return work();
    },
    () => world.deps,
  );
  const merged = await mergeFindings(run, { runs, cut: [] }, null);
  const lists = await Promise.all(
    merged.map(async ({ kind }) => {
      const bytes = await world.deps.passObjects.bytes(order, `report-${kind}-0`);
      return new TextDecoder().decode(bytes).trim().split("\n");
    }),
  );
  const expected = all.sort(orderFindings);
  const told = [...new Map(expected.map((finding) => [finding.id, finding])).values()];
  const listed = lists.flat().map((line) => JSON.parse(line) as Finding & { change: string });
  expect(listed).toEqual(told.map((finding) => ({ ...finding, change: "still" })));
  expect(merged.map(({ kind, count }) => [kind, count.found])).toEqual([
    ["broken-link", 200],
    ["thin-page", told.length - 200],
  ]);
  const ofKind = (kind: string) => [0, 1, 2, 3].map((n) => `merged-${kind}-200-${n}`).concat(`merge ${kind}`);
  expect(steps).toEqual([...ofKind("broken-link"), ...ofKind("thin-page")]);
});
