import { expect, test } from "vitest";
import type { ModelBudget } from "../../src/crawl/page/model-budget.ts";
import type { ModelQuestion, ModelReply } from "../../src/extract/ask-for-values.ts";
import type { InstalledModel } from "../../src/fetch/model/installed-model.ts";
import { askOnce } from "../../src/passes/extract/ask-once.ts";
import { World } from "./world.ts";

/** What is paid for is kept, and no budget is passed. */

const NO_LIMIT: ModelBudget = { calls: null, usd: null, prices: { input: 0, output: 0 } };
const question = (content: string): ModelQuestion => ({ messages: [{ role: "user", content }], schema: {} });

interface Asking {
  asked: string[];
  ask(content: string): Promise<ModelReply>;
  spent(): Promise<unknown>;
}

async function asking(
  world: World,
  crawl: string,
  budget: ModelBudget = NO_LIMIT,
  reply?: ModelReply,
): Promise<Asking> {
  const asked: string[] = [];
  const model: InstalledModel = {
    name: "tiny",
    characters: 1_000,
    ask: async ({ messages }) => {
      asked.push(messages[0]?.content ?? "");
      return (
        reply ?? {
          kind: "answer",
          text: `re: ${messages[0]?.content}`,
          isCutOff: false,
          tokens: { input: 7, output: 3 },
        }
      );
    },
    mostTokens: () => ({ input: 10, output: 100 }),
  };
  const ask = askOnce(crawl, budget, model, world.deps.modelAnswers);
  return {
    asked,
    ask: (content) => ask(question(content)),
    spent: async () => (await world.deps.ledger.crawl(crawl))?.model,
  };
}

const newWorld = async () => {
  const world = new World(() => ({ links: [] }));
  return { world, crawl: await world.start(["https://a.test/"]) };
};

test("a question is asked once, and its tokens are counted as the server says", async () => {
  const { world, crawl } = await newWorld();
  const first = await asking(world, crawl);
  expect(await first.ask("a")).toMatchObject({ text: "re: a" });
  // As after a kill: all that is left is what was stored.
  const second = await asking(world, crawl);
  expect(await second.ask("a")).toMatchObject({ text: "re: a" });
  expect(await second.ask("b")).toMatchObject({ text: "re: b" });
  expect([first.asked, second.asked]).toEqual([["a"], ["b"]]);
  expect(await second.spent()).toEqual({ calls: 2, input: 14, output: 6 });
});

test("calls at the same time do not pass a limit of calls", async () => {
  const { world, crawl } = await newWorld();
  const { ask, asked } = await asking(world, crawl, { ...NO_LIMIT, calls: 3 });
  const replies = await Promise.all(["a", "b", "c", "d", "e"].map(ask));
  expect(replies.map(({ kind }) => kind).toSorted()).toEqual(["answer", "answer", "answer", "spent", "spent"]);
  expect(asked).toHaveLength(3);
});

test("a limit of money counts what a call may take at most, until it has taken less", async () => {
  const { world, crawl } = await newWorld();
  // 10 tokens at 1 USD and 100 at 2 USD for a million are 210 millionths; really 7 + 6.
  const { ask } = await asking(world, crawl, { calls: null, usd: 0.000_3, prices: { input: 1, output: 2 } });
  expect((await Promise.all(["a", "b"].map(ask))).map(({ kind }) => kind).toSorted()).toEqual(["answer", "spent"]);
  const kinds: string[] = [];
  for (const content of ["c", "d", "e", "f", "g", "h", "i", "j"]) kinds.push((await ask(content)).kind);
  // 13 millionths each: the eighth call would begin at 91, and 91 + 210 is more than 300.
  expect(kinds).toEqual([...Array.from({ length: 6 }, () => "answer"), "spent", "spent"]);
});

test("a call that brought nothing counts as a call, without tokens, and is made again", async () => {
  const { world, crawl } = await newWorld();
  const later: ModelReply = { kind: "later", retryAfterMs: null, detail: "503" };
  const { ask, asked, spent } = await asking(world, crawl, NO_LIMIT, later);
  expect(await ask("a")).toEqual(later);
  expect(await ask("a")).toEqual(later);
  expect(asked).toEqual(["a", "a"]);
  expect(await spent()).toEqual({ calls: 2, input: 0, output: 0 });
});

test("a crawl that is being deleted asks and keeps nothing", async () => {
  const { world, crawl } = await newWorld();
  const { ask, asked } = await asking(world, crawl);
  await world.deps.deletions.mark(crawl, true, world.now);
  expect(await ask("a")).toMatchObject({ kind: "spent" });
  expect(asked).toEqual([]);
});
