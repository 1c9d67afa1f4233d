import type { Extraction, ModelAnswer, ValueSchema } from "./extraction.ts";
import { againMessages, answerSchema, firstMessages, type Message } from "./model-prompt.ts";
import type { PageText } from "./page-text.ts";
import { readAnswer } from "./read-answer.ts";
import { type CheckedSchema, checkedSchema } from "./value-schema.ts";

/** Asks a model for the values of a page, and once more if its answer cannot be used. */

export interface ModelQuestion {
  messages: readonly Message[];
  /** The schema of the whole answer. */
  schema: ValueSchema;
}

/** Tokens as the model's server counts them; estimates where it does not say. */
export interface Tokens {
  input: number;
  output: number;
}

export type ModelReply =
  | { kind: "answer"; text: string; isCutOff: boolean; tokens: Tokens }
  /** The server cannot answer now. `retryAfterMs`: null if it does not say when. */
  | { kind: "later"; retryAfterMs: number | null; detail: string }
  /** The server will not answer this, or nothing at all. */
  | { kind: "refused"; detail: string }
  /** The budget has no room for the call, which was not made. */
  | { kind: "spent"; detail: string };

export type AskModel = (question: ModelQuestion) => Promise<ModelReply>;

/** `answer`: also one that cannot be used, with its problem. Nobody is to pay for that twice. */
export type Asked = { kind: "answer"; answer: ModelAnswer } | Exclude<ModelReply, { kind: "answer" }>;

/** `fence`: as in `firstMessages`. */
export async function askForValues(
  page: PageText,
  { schema, prompt }: Pick<Extraction, "schema" | "prompt">,
  fence: string,
  ask: AskModel,
): Promise<Asked> {
  const checked = checkedSchema(schema);
  const question = { messages: firstMessages(page, checked.asked, prompt, fence), schema: answerSchema(checked) };
  const first = await ask(question);
  if (first.kind !== "answer") return first;
  const read = judge(first, checked);
  if (read.kind === "usable") return { kind: "answer", answer: read.answer };
  const second = await ask({ ...question, messages: againMessages(question.messages, first.text, read.problems) });
  if (second.kind !== "answer") return second;
  const again = judge(second, checked);
  if (again.kind === "usable") return { kind: "answer", answer: again.answer };
  const problem = `the model was asked twice, and its answer cannot be used: ${again.problems.join("; ")}`;
  return { kind: "answer", answer: { values: null, claims: [], problem } };
}

type Judged = { kind: "usable"; answer: ModelAnswer } | { kind: "unusable"; problems: string[] };

function judge({ text, isCutOff }: Extract<ModelReply, { kind: "answer" }>, checked: CheckedSchema): Judged {
  const read = readAnswer(text);
  if (typeof read === "string") {
    const cut = "it was cut off: give fewer values, and shorter words as evidence";
    return { kind: "unusable", problems: [isCutOff ? cut : read] };
  }
  const problems = checked.problems(read.values);
  return problems.length === 0
    ? { kind: "usable", answer: { ...read, problem: null } }
    : { kind: "unusable", problems };
}
