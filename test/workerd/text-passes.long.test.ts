import { env, introspectWorkflowInstance } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { type DoStep, type PassOrder, PassRun } from "../../src/passes/pass-run.ts";
import { runPass } from "../../src/passes/run-pass.ts";
import { startPass } from "../../src/passes/start-pass.ts";
import { classifyPages } from "../../src/passes/text/classify-pages.ts";
import { findTopics } from "../../src/passes/text/find-topics.ts";
import { startClassification, startTopics } from "../../src/passes/text/start-text-pass.ts";
import { readTextPass } from "../../src/reading/analysis/read-text-pass.ts";
import { chooseExamples } from "../../src/reading/records/choose-examples.ts";
import { World } from "./world.ts";

/** The passes that read texts: labels by examples, and topics. */

afterEach(() => env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'"));

const SITE = "https://a.test/";
const WORDS = {
  cooking: "oven butter flour recipe whisk dough simmer garlic onion pan stir bake crust".split(" "),
  sailing: "anchor mast rudder harbour tide sail rope wind deck hull keel compass storm".split(" "),
};
type Kind = keyof typeof WORDS;
const PER_KIND = 12;

/** Words that differ from page to page of a kind. */
function textOf(kind: Kind, number: number): string {
  const words = WORDS[kind].filter((_, i) => i !== number % 13 && i !== (number * 5 + 3) % 13);
  return [...words, ...words, `page${number}`].join(" ");
}

/** A crawl with a search index, in which its texts are. */
async function newSite(changes: Partial<CrawlOptions> = { search: true }) {
  const urls = (["cooking", "sailing"] as const).flatMap((kind) =>
    Array.from({ length: PER_KIND }, (_, i) => ({ url: `${SITE}p/${kind === "cooking" ? i : 100 + i}`, kind, i })),
  );
  const world = new World((url) => {
    const page = urls.find((each) => each.url === url);
    if (page !== undefined) return { links: [], text: textOf(page.kind, page.i) };
    return url === SITE ? { links: [...urls.map((each) => each.url), `${SITE}gone`] } : { status: 404 };
  });
  const id = await world.start([SITE], changes);
  await world.runToEnd(id);
  const crawl = (await world.deps.ledger.crawl(id)) as Crawl;
  const of = (kind: Kind) => urls.filter((each) => each.kind === kind).map(({ url }) => url);
  return { world, crawl, cooking: of("cooking"), sailing: of("sailing") };
}

const plainly: DoStep = (_, work) => work();

/** Begins a pass whose steps the test runs. */
const noRuns = { create: async () => undefined } as unknown as World["deps"]["passRuns"];

async function beginClassification(world: World, crawl: Crawl, given: { url: string; label: string }[]) {
  const examples = await chooseExamples(crawl, given, world.deps);
  const answer = await startClassification(crawl, examples, { ...world.deps, passRuns: noRuns });
  if (answer.kind === "refused") throw new Error(answer.why);
  return answer.pass;
}

async function beginTopics(world: World, crawl: Crawl) {
  const answer = await startTopics(crawl, { ...world.deps, passRuns: noRuns });
  if (answer.kind === "refused") throw new Error(answer.why);
  return answer.pass;
}

const runOf = (world: World, pass: PassOrder, doStep = plainly) => new PassRun(pass, doStep, () => world.deps);

async function labelsOf(crawl: string) {
  const { results } = await env.LEDGER.prepare("SELECT url, label, confidence FROM urls WHERE crawl = ?1 ORDER BY url")
    .bind(crawl)
    .all<{ url: string; label: string | null; confidence: number | null }>();
  return new Map(results.map(({ url, label, confidence }) => [url, { label, confidence }]));
}

async function keysOf(crawl: string): Promise<string[]> {
  return (await env.MIRROR.list({ prefix: `${crawl}/packs/passes/` })).objects.map(
    ({ key }) => key.split("/").at(-1) ?? "",
  );
}

async function resultOf(crawl: string, id: string): Promise<number[]> {
  const object = await env.MIRROR.get(`${crawl}/packs/passes/result-${id}`);
  return object === null ? [] : [...new Uint8Array(await object.arrayBuffer())];
}

/** Each step fails once before its work and once after it. */
function failingSteps(): DoStep {
  return async (_, work) => {
    await work();
    return work();
  };
}

const examplesOf = (cooking: string[], sailing: string[]) => [
  ...cooking.slice(0, 3).map((url) => ({ url, label: "food" })),
  ...sailing.slice(0, 3).map((url) => ({ url, label: "boats" })),
];

describe("a classification", () => {
  test("labels all completed pages, and says how well it does", async () => {
    const { world, crawl, cooking, sailing } = await newSite();
    const pass = await beginClassification(world, crawl, [
      ...examplesOf(cooking, sailing),
      { url: `${SITE}gone`, label: "food" },
    ]);
    await classifyPages(runOf(world, pass));
    const labels = await labelsOf(crawl.id);
    expect(cooking.map((url) => labels.get(url)?.label)).toEqual(cooking.map(() => "food"));
    expect(sailing.map((url) => labels.get(url)?.label)).toEqual(sailing.map(() => "boats"));
    expect(labels.get(`${SITE}gone`)).toEqual({ label: null, confidence: null });
    expect(labels.get(cooking[0] as string)?.confidence).toBe(1);
    expect(labels.get(cooking[9] as string)?.confidence).toBeGreaterThan(0.5);
    const found = await readTextPass(crawl, "classify", world.deps);
    expect(found?.result).toMatchObject({ folds: 3, missing: [`${SITE}gone`], isByMarks: false, macro: { f1: 1 } });
    expect(found?.result.labels.map(({ label, examples }) => [label, examples])).toEqual([
      ["boats", 3],
      ["food", 3],
    ]);
    // The seed has a label, too.
    expect(Object.values(found?.result.pages ?? {}).reduce((sum, pages) => sum + pages)).toBe(2 * PER_KIND + 1);
    expect(await world.deps.records.list(crawl.id, { cursor: "", limit: 100, label: "boats" })).toHaveLength(
      found?.result.pages.boats ?? 0,
    );
  });

  test("whose steps are repeated gives the same bytes, and writes no label twice", async () => {
    const { world, crawl, cooking, sailing } = await newSite();
    const first = await beginClassification(world, crawl, examplesOf(cooking, sailing));
    await classifyPages(runOf(world, first));
    const [bytes, labels] = [await resultOf(crawl.id, first.id), await labelsOf(crawl.id)];
    expect(bytes.length).toBeGreaterThan(50);
    const second = await beginClassification(world, crawl, examplesOf(cooking, sailing));
    world.deps.meter.take();
    await classifyPages(runOf(world, second, failingSteps()));
    expect(await resultOf(crawl.id, second.id)).toEqual(bytes);
    expect(await labelsOf(crawl.id)).toEqual(labels);
    expect(await keysOf(crawl.id)).toEqual([`result-${second.id}`]);
    // Nothing but the results is left: the rows of passes and labels were not written anew.
    const third = await beginClassification(world, crawl, examplesOf(cooking, sailing));
    const { write } = world.deps.labels;
    let written = 0;
    world.deps.labels.write = async (id, rows) => {
      world.deps.meter.take();
      await write.call(world.deps.labels, id, rows);
      written += world.deps.meter.usage.ledgerRowsWritten ?? 0;
    };
    await classifyPages(runOf(world, third));
    expect(written).toBe(0);
  });

  test("by marks, in an instance of Workflows", async () => {
    const { world, crawl, cooking, sailing } = await newSite();
    await world.deps.marks.put(crawl.id, cooking.slice(0, 2), "food", 1);
    await world.deps.marks.put(crawl.id, sailing.slice(0, 2), "boats", 1);
    const examples = await chooseExamples(crawl, undefined, world.deps);
    expect(examples).toMatchObject({ isByMarks: true, missing: [] });
    const answer = await startClassification(crawl, examples, world.deps);
    if (answer.kind === "refused") throw new Error(answer.why);
    await using instance = await introspectWorkflowInstance(env.PASSES, answer.pass.id);
    await instance.waitForStatus("complete");
    expect((await labelsOf(crawl.id)).get(sailing[7] as string)?.label).toBe("boats");
    const [pass] = await world.deps.passes.list(crawl.id);
    expect(pass).toMatchObject({ kind: "classify", status: "completed" });
  });

  test("without a text that can be read goes by the URLs", async () => {
    const { world, crawl, cooking, sailing } = await newSite();
    world.deps.reindexing.read = async () => [];
    world.deps.readContent = async () => {
      throw new Error("the reader is dead");
    };
    const pass = await beginClassification(world, crawl, examplesOf(cooking, sailing));
    await classifyPages(runOf(world, pass));
    expect((await labelsOf(crawl.id)).get(cooking[5] as string)?.label).not.toBeNull();
  });
});

describe("topics", () => {
  test("are groups of pages with the words that name them", async () => {
    const { world, crawl, cooking, sailing } = await newSite();
    const pass = await beginTopics(world, crawl);
    await findTopics(runOf(world, pass));
    const found = await readTextPass(crawl, "topics", world.deps);
    expect(found?.result.topics).toHaveLength(2);
    for (const { words, pages, central, ranked } of found?.result.topics ?? []) {
      const [kind, urls] = words.some((word) => WORDS.cooking.includes(word))
        ? (["cooking", cooking] as const)
        : (["sailing", sailing] as const);
      expect(pages).toBe(PER_KIND);
      expect(words.filter((word) => !WORDS[kind].includes(word))).toEqual([]);
      expect(central.every(({ url, closeness }) => urls.includes(url) && closeness > 0.5)).toBe(true);
      expect(ranked).toEqual([]);
    }
    // The seed has no text.
    expect(found?.result).toMatchObject({ pages: 2 * PER_KIND + 1, ungrouped: 1 });
  });

  test("whose steps are repeated give the same bytes; other results stay", async () => {
    const { world, crawl, cooking, sailing } = await newSite();
    const classified = await beginClassification(world, crawl, examplesOf(cooking, sailing));
    await classifyPages(runOf(world, classified));
    const first = await beginTopics(world, crawl);
    await findTopics(runOf(world, first));
    const bytes = await resultOf(crawl.id, first.id);
    const second = await beginTopics(world, crawl);
    await findTopics(runOf(world, second, failingSteps()));
    expect(await resultOf(crawl.id, second.id)).toEqual(bytes);
    expect((await keysOf(crawl.id)).sort()).toEqual([`result-${classified.id}`, `result-${second.id}`].sort());
    // An analysis leaves both, and then topics have ranks.
    const answer = await startPass(crawl, { ...world.deps, passRuns: noRuns });
    if (answer.kind === "refused") throw new Error(answer.why);
    await runPass(runOf(world, answer.pass));
    expect(await world.deps.passes.lastCompleted(crawl.id, "classify")).toMatchObject({ id: classified.id });
    expect(await env.LEDGER.prepare("SELECT pass FROM crawls WHERE id = ?1").bind(crawl.id).first("pass")).toBe(
      answer.pass.id,
    );
    const third = await beginTopics(world, crawl);
    await findTopics(runOf(world, third));
    const found = await readTextPass(crawl, "topics", world.deps);
    expect(found?.result.topics[0]?.ranked.length).toBeGreaterThan(0);
    expect(await world.deps.passes.lastCompleted(crawl.id)).toMatchObject({ id: answer.pass.id, kind: "analyze" });
  });

  test.each([
    { kept: "nothing", changes: {}, part: "text" },
    { kept: "Markdown", changes: { formats: ["markdown" as const] }, part: "markdown" },
  ])(
    "of a crawl that kept $kept are made of texts that are read again, in bounded steps",
    async ({ changes, part }) => {
      const { world, crawl, cooking, sailing } = await newSite({ store: "warc", ...changes });
      const asked: string[] = [];
      world.deps.readContent = async (_, { url, parts }) => {
        asked.push(url);
        expect(parts).toEqual([part]);
        const [kind, urls] = cooking.includes(url) ? (["cooking", cooking] as const) : (["sailing", sailing] as const);
        const text = url === SITE ? "" : textOf(kind, urls.indexOf(url));
        return new TextEncoder().encode(
          JSON.stringify({ metadata: {}, [part]: text.replace("oven", "[oven](/anchor)") }),
        );
      };
      const steps: string[] = [];
      const pass = await beginTopics(world, crawl);
      await findTopics(
        runOf(world, pass, (name, work) => {
          steps.push(name);
          return work();
        }),
      );
      // A step may call 32 readers.
      // With the version of the steps.
      expect(steps.filter((name) => name.startsWith("terms "))).toEqual(["terms 0 (3)", "terms 1 (3)"]);
      expect(asked.toSorted()).toEqual([SITE, ...cooking, ...sailing].toSorted());
      const found = await readTextPass(crawl, "topics", world.deps);
      expect(found?.result.topics.map(({ pages }) => pages)).toEqual([PER_KIND, PER_KIND]);
    },
  );

  test("of an index whose texts come in pieces are the same", async () => {
    const { world, crawl } = await newSite();
    const first = await beginTopics(world, crawl);
    await findTopics(runOf(world, first));
    const whole = await readTextPass(crawl, "topics", world.deps);
    const { read } = world.deps.reindexing;
    let queries = 0;
    world.deps.reindexing.read = (id, after) => {
      queries += 1;
      return read.call(world.deps.reindexing, id, after, 400, 500);
    };
    const second = await beginTopics(world, crawl);
    await findTopics(runOf(world, second));
    expect(queries).toBeGreaterThan(3);
    expect((await readTextPass(crawl, "topics", world.deps))?.result).toEqual(whole?.result);
  });

  test("wait for a pass of another kind", async () => {
    const { world, crawl } = await newSite();
    await beginTopics(world, crawl);
    const answer = await startPass(crawl, { ...world.deps, passRuns: { ...noRuns, get: async () => null } as never });
    expect(answer).toEqual({
      kind: "refused",
      why: "a search for topics of it is running. Try again when it has ended",
    });
  });

  test("of a crawl without texts are none", async () => {
    const world = new World(() => ({ links: [] }));
    const id = await world.start([SITE], {});
    await world.runToEnd(id);
    const crawl = (await world.deps.ledger.crawl(id)) as Crawl;
    const pass = await beginTopics(world, crawl);
    await findTopics(runOf(world, pass));
    const found = await readTextPass(crawl, "topics", world.deps);
    expect(found?.result).toEqual({ topics: [], pages: 1, ungrouped: 1, sampled: 1 });
  });
});
