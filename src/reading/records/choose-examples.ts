import type { Crawl } from "../../crawl/crawl.ts";
import type { PartedStores } from "../../frontier/shards/over-parts.ts";
import type { ClassExamples } from "../../passes/text/class-examples.ts";
import { canonicalize } from "../../url/canonicalize.ts";

/** URLs that one statement looks up. */
const CHUNK = 1_000;

/**
 * The examples of a classification: those given, or the marks of the crawl if none are. Of a URL that is given twice
 * the last label counts.
 */
export async function chooseExamples(
  { id }: Pick<Crawl, "id">,
  given: readonly { url: string; label: string }[] | undefined,
  { marks, labels }: Pick<PartedStores, "marks" | "labels">,
): Promise<ClassExamples> {
  const chosen = given ?? (await marks.list(id));
  const labelOf = new Map(chosen.map(({ url, label }) => [canonicalize(url) ?? url, label]));
  const urls = [...labelOf.keys()];
  const completed = new Set<string>();
  for (let from = 0; from < urls.length; from += CHUNK)
    for (const url of await labels.completedPages(id, urls.slice(from, from + CHUNK))) completed.add(url);
  return {
    examples: [...labelOf].flatMap(([url, label]) => (completed.has(url) ? [{ url, label }] : [])),
    missing: urls.filter((url) => !completed.has(url)),
    isByMarks: given === undefined,
  };
}
