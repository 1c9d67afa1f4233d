import { type LinkRuns, NODES_PER_BUCKET } from "./links/read-links.ts";
import { countBuckets } from "./links/turn-links.ts";
import { type Listed, ROWS_PER_RANGE } from "./list-rows.ts";
import { MEMBERS_PER_BLOCK } from "./members.ts";
import type { PassRun } from "./pass-run.ts";
import { type ResultFacts, writeSections } from "./sectioned-object.ts";

/** Writes the result of a pass. A section is the object of that name that a step wrote. */

export const RESULT_STEPS = 1;

export async function writeResult(run: PassRun, listed: Listed, { runs }: LinkRuns): Promise<void> {
  const buckets = countBuckets(listed);
  const names = [
    "index",
    "same-pages",
    "sections",
    ...(listed.rows === 0 ? [] : ["ranks"]),
    ...numbered("members", Math.ceil(listed.members / MEMBERS_PER_BLOCK)),
    ...numbered("in-counts", buckets),
    ...numbered("rows", listed.ranges),
    ...numbered("in-links", buckets),
    ...numbered("edges", runs),
  ];
  const sections = names.map((name) => [name, [name]] as const);
  const facts: ResultFacts = {
    rows: listed.rows,
    nodesPerBucket: NODES_PER_BUCKET,
    rowsPerRange: ROWS_PER_RANGE,
  };
  await run.step("result", "Writing the result", async ({ passObjects }, order) => {
    await writeSections("result", sections, facts, order, passObjects);
    return null;
  });
}

export function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${i}`);
}
