import { PRICES } from "../../crawl/bounds/usage.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Store } from "../../store/store.ts";
import type { StartPassDeps } from "../needs.ts";
import { beginPass, type StartedPass } from "../start-pass.ts";
import { type ClassExamples, packExamples } from "./class-examples.ts";
import { TEXT_CPU_MS } from "./gather-terms.ts";

/** Begins the passes that read texts: topics, and the labels of pages. */

export async function startTopics(crawl: Crawl, deps: StartPassDeps): Promise<StartedPass> {
  return beginPass(crawl, deps, { kind: "topics", usd: textUsd(crawl) });
}

/** What it says if an example, or a label, cannot be used; null if all is well. */
export function problemOfExamples({ examples, missing, isByMarks }: ClassExamples): string | null {
  const counts = Map.groupBy(examples, ({ label }) => label);
  const [only, ...others] = counts.keys();
  if (only === undefined)
    return missing.length > 0
      ? "None of the examples is a completed page of this crawl."
      : isByMarks
        ? "No page of this crawl is marked. Mark at least two pages of each label, or send examples."
        : "There are no examples. Give at least two pages of each label.";
  if (others.length === 0)
    return `All examples have the label "${only}". A classification needs at least two labels: add examples of what is not "${only}".`;
  if (counts.size > MAX_LABELS)
    return `There are ${counts.size} labels, and a classification takes ${MAX_LABELS} at most.`;
  if (examples.length > MAX_LABELLED || examples.length * counts.size > MAX_WORK)
    return `There are ${examples.length} examples of ${counts.size} labels, which is more than a classification takes. 20 of each label are usually enough.`;
  const [rare] = [...counts].filter(([, some]) => some.length < 2);
  if (rare !== undefined)
    return `The label "${rare[0]}" has one example that is a completed page of this crawl. Add a second one, or leave the label out: with one, nobody can say how well it is recognised.`;
  return null;
}

export const MAX_LABELLED = 5_000;
const MAX_LABELS = 50;
/** Examples times labels: a fold then takes at most some 15 s of CPU time. */
const MAX_WORK = 50_000;

export async function startClassification(
  crawl: Crawl,
  examples: ClassExamples,
  deps: StartPassDeps & Pick<Store, "passObjects">,
): Promise<StartedPass> {
  return beginPass(crawl, deps, {
    kind: "classify",
    usd: textUsd(crawl) + (crawl.counters.completed * PRICES.ledgerRowsWritten) / 1_000_000,
    prepare: (pass) => deps.passObjects.put(pass, "examples", packExamples(examples)),
  });
}

/** A page takes up to two reads of R2, and its text may have to be made again. */
function textUsd({ counters }: Crawl): number {
  return (counters.completed * (TEXT_CPU_MS * PRICES.cpuMs + 2 * PRICES.mirrorReads)) / 1_000_000;
}
