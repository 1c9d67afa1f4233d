import { type ApplyIntent, applyLightly, sendMoved } from "../../frontier/shards/apply-intents.ts";
import type { NumberedIntent } from "../../store/shards/shard-intents.ts";
import type { SteerDeps } from "../needs.ts";
import { sendAgain } from "../send-again.ts";
import type { ShardDeps } from "../../frontier/needs.ts";

/** Applies intents of all kinds. `onRetried` gets the number of URLs that each chunk of a retry has opened. */
export function applyAll(onRetried: (urls: number) => void = () => undefined): ApplyIntent<SteerDeps> {
  return async (part, numbered, deps) => {
    const { kind } = numbered.intent;
    if (kind === "retry") return retryAt(part, numbered, deps, onRetried);
    if (kind !== "resume") return applyLightly(part, numbered, deps);
    const moved = await deps.shardParts.apply(part, numbered, deps.clock.now());
    if (moved !== false) await sendAgain(moved, deps);
    return true;
  };
}

/** Works in chunks, as retry.ts. An interruption has it begin again with the first URL that was not opened. */
async function retryAt(
  part: string,
  numbered: NumberedIntent,
  deps: ShardDeps,
  onRetried: (urls: number) => void,
): Promise<boolean> {
  if (!(await deps.shardParts.reopen(part, numbered, deps.clock.now()))) return true;
  for (let after: string | null = ""; after !== null; ) {
    const moved = await deps.shardParts.retryChunk(part, numbered, after, deps.clock.now());
    if (moved === null) return true;
    onRetried(moved.retried.length + moved.reopened + moved.unlooked);
    await sendMoved({ crawl: part, settled: [], ...moved }, deps);
    after = moved.retried.toSorted().at(-1) ?? null;
  }
  await deps.shardParts.finishRetry(part, numbered);
  return true;
}
