import { sha256Of } from "../../archive/sha256.ts";
import type { Clock } from "../../core/clock.ts";
import type { ModelBudget } from "../../crawl/page/model-budget.ts";
import type { AskModel, ModelQuestion } from "../../extract/ask-for-values.ts";
import type { InstalledModel } from "../../fetch/model/installed-model.ts";
import type { ModelAnswers } from "../../store/learned/model-answers.ts";

/** Asks a model for a crawl, so that no question is paid for twice and no budget is passed. */

/** A string of these characters is longer than any usable answer. */
const MAX_KEPT = 200_001;

/** An answer is stored under the hash of its question before anybody uses it. */
export function askOnce(
  crawl: string,
  budget: ModelBudget,
  model: InstalledModel,
  answers: Pick<ModelAnswers, "find" | "reserve" | "release" | "keep">,
): AskModel {
  return async (question) => {
    const key = questionKey(question, model.name);
    const known = await answers.find(crawl, key);
    if (known !== null) return known;
    const most = model.mostTokens(question);
    if (!(await answers.reserve(crawl, most, budget)))
      return { kind: "spent", detail: "the budget of the crawl for its model is spent" };
    const reply = await model.ask(question);
    if (reply.kind !== "answer") await answers.release(crawl, most);
    else await answers.keep(crawl, key, { ...reply, text: reply.text.slice(0, MAX_KEPT) }, most);
    return reply;
  };
}

/** What is said to the model has the page's text and the schema in it. */
export function questionKey({ messages, schema }: ModelQuestion, model: string): string {
  return sha256Of(new TextEncoder().encode(JSON.stringify([model, schema, messages])));
}

const FIRST_WAIT_MS = 1_000;

/** A server that took so long to fail is not asked again. Real time. */
const MAX_TRY_MS = 30_000;

/**
 * Asks again a server that cannot answer now, at most `tries` times in all. Null waits are doubled from a second on. A
 * server that wants more than `mostWaitMs` is not waited for.
 */
export function askPatiently(
  ask: AskModel,
  { tries, mostWaitMs }: { tries: number; mostWaitMs: number },
  clock: Clock,
): AskModel {
  return async (question) => {
    for (let tried = 1; ; tried++) {
      const startedAt = clock.now();
      const reply = await ask(question);
      const isSlow = clock.now() - startedAt > MAX_TRY_MS * clock.speed;
      if (reply.kind !== "later" || tried >= tries || isSlow) return reply;
      const waitMs = reply.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (tried - 1);
      if (waitMs > mostWaitMs) return reply;
      await clock.sleep(waitMs);
    }
  };
}
