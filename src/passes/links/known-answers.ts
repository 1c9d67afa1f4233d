import { DAY_MS } from "../../core/clock.ts";
import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import type { ExternalAnswer } from "../../graph/external-answers.ts";
import type { PassDeps, PassOrder } from "../pass-run.ts";

/** What other sites answered, from one pass to the next: an object of the crawl, replaced as a whole. */

export type AnswerEntry = [url: string, answer: ExternalAnswer];

/** A URL is asked again after so long, whatever it answered. */
const ASK_AGAIN_MS = 7 * DAY_MS;
/** A pass that asks nobody tells what is broken by answers that are no older. */
const KEEP_MS = 30 * DAY_MS;

/** The answers of earlier passes that still count. `isAsking`: the pass asks again what is too old. */
export async function readKnownAnswers(
  { passObjects, clock }: Pick<PassDeps, "passObjects" | "clock">,
  order: PassOrder,
  isAsking: boolean,
) {
  const bytes = await passObjects.externals(order);
  const since = clock.now() - (isAsking ? ASK_AGAIN_MS : KEEP_MS);
  const known = bytes === null ? [] : unpackJson<AnswerEntry[]>(bytes);
  return new Map(known.filter(([, { askedAt }]) => askedAt > since));
}

/** Replaces what is known. What was not asked is asked by the next pass. */
export async function writeKnownAnswers(
  answers: Iterable<AnswerEntry>,
  { passObjects }: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): Promise<void> {
  await passObjects.putExternals(order, packJson([...answers].filter(([, { askedAt }]) => askedAt > 0)));
}

/** The answers to a round of requests: object `asked-NAME`. A round that is repeated asks nothing twice. */
export async function readRound(
  name: string,
  { passObjects }: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): Promise<AnswerEntry[]> {
  const bytes = await passObjects.find(order, `asked-${name}`);
  return bytes === null ? [] : unpackJson<AnswerEntry[]>(bytes);
}

/** The answers of all rounds so far. */
export async function* readRounds(
  { passObjects }: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): AsyncGenerator<AnswerEntry, void> {
  for (const name of await passObjects.names(order, "asked-"))
    yield* await readRound(name.slice("asked-".length), { passObjects }, order);
}

/** Keeps the answers of a pass that ends without a result, so that the next one does not ask again. */
export async function keepAnswers(
  deps: Pick<PassDeps, "passObjects" | "clock" | "ledger">,
  order: PassOrder,
): Promise<void> {
  const known = await readKnownAnswers(deps, order, false);
  let asked = 0;
  for await (const [url, answer] of readRounds(deps, order)) {
    known.set(url, answer);
    asked += 1;
  }
  // Nothing may be written for a crawl that is being deleted.
  if (asked > 0 && (await deps.ledger.crawl(order.crawl)) !== null) await writeKnownAnswers(known, deps, order);
}
