import { expect, test } from "vitest";
import { askForValues, type ModelQuestion, type ModelReply } from "../../../src/extract/ask-for-values.ts";
import { pageTextOf } from "../../../src/extract/page-text.ts";

/** What is asked, and what is done with answers of all kinds. */

const page = pageTextOf("https://a.test/", "Drill", "Price: 12 €", 1_000);
const schema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };
const GOOD = '{"values":{"price":12},"evidence":[{"path":"/price","words":"12 €"}]}';

const answer = (text: string, isCutOff = false): ModelReply => {
  return { kind: "answer", text, isCutOff, tokens: { input: 1, output: 1 } };
};

async function ask(replies: ModelReply[]) {
  const questions: ModelQuestion[] = [];
  const asked = await askForValues(page, { schema, prompt: "the price" }, "f00d", async (question) => {
    questions.push(question);
    return replies[questions.length - 1] as ModelReply;
  });
  return { asked, questions };
}

test("a page stands in a fence, and its words are data", async () => {
  const { questions } = await ask([answer(GOOD)]);
  const [{ messages: [system, user] = [] } = { messages: [] }] = questions;
  expect(system?.content).toContain('"<page f00d>"');
  expect(user?.content).toMatch(/<page f00d>\nURL: https:\/\/a\.test\/\nTitle: Drill\n\nPrice: 12 €\n<\/page f00d>$/);
});

test.each([
  ["as it was asked for", GOOD],
  ["after thoughts", `<think>{"values": 1}</think>\n${GOOD}`],
  ["in a fence", `\`\`\`json\n${GOOD}\n\`\`\``],
  ["with words around it", `Here it is: ${GOOD} I hope it helps.`],
  ["with paths in another form", '{"values":{"price":12},"evidence":[{"path":"$.price","words":"12 €"}]}'],
  ["with evidence by path", '{"values":{"price":12},"evidence":{"/values/price":"12 €"}}'],
])("an answer is read: %s", async (_, text) => {
  const { asked, questions } = await ask([answer(text)]);
  const claims = [{ path: "/price", words: "12 €" }];
  expect(asked).toEqual({ kind: "answer", answer: { values: { price: 12 }, claims, problem: null } });
  expect(questions).toHaveLength(1);
});

test.each([
  ["no JSON", answer("I cannot do that."), "it is not one JSON object"],
  ["another shape", answer('{"price": 12}'), 'it has no "values"'],
  ["invalid by the schema", answer('{"values":{"price":"12"},"evidence":[]}'), "/price:"],
  ["cut off", answer('{"values":{"pri', true), "it was cut off"],
  ["nothing", answer(""), "it is not one JSON object"],
])("an answer that cannot be used is asked for once more: %s", async (_, first, says) => {
  const { asked, questions } = await ask([first, answer(GOOD)]);
  expect(asked).toMatchObject({ kind: "answer", answer: { values: { price: 12 }, problem: null } });
  expect(questions[1]?.messages.at(-1)?.content).toContain(says);
  const twice = await ask([first, first]);
  expect(twice.asked).toMatchObject({ kind: "answer", answer: { values: null } });
  expect(twice.asked.kind === "answer" && twice.asked.answer.problem).toContain(says);
  expect(twice.questions).toHaveLength(2);
});

test.each<ModelReply>([
  { kind: "later", retryAfterMs: 5_000, detail: "429" },
  { kind: "refused", detail: "401" },
  { kind: "spent", detail: "no budget" },
])("a server that does not answer is no answer: $kind", async (reply) => {
  expect((await ask([reply])).asked).toEqual(reply);
  expect((await ask([answer("?"), reply])).asked).toEqual(reply);
});

test("a long page is cut after a whole line, and says so", () => {
  const text = `${"a".repeat(30)}\n${"b".repeat(30)}\nc`;
  expect(pageTextOf("u", null, text, 40)).toMatchObject({ text: "a".repeat(30), cut: { sent: 30, of: 63 } });
  expect(pageTextOf("u", null, text, 20)).toMatchObject({ text: "a".repeat(20), cut: { sent: 20, of: 63 } });
  expect(pageTextOf("u", null, text, 63)).toMatchObject({ text, cut: null });
});
