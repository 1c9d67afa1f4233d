import { DocumentFrequencies } from "../../topic/weights/document-frequencies.ts";
import { packArrays, toUint32s, unpackArrays } from "../array-object.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { forPartGroups, readTerms, type TermParts } from "./gather-terms.ts";

/** Counts how many pages have each term: objects `frequencies-N`, each with all that was counted so far. */

const CPU_MS_PER_PAGE = 0.1;

/** After `gatherTerms`. Returns the number of objects: the last one has all pages. */
export async function countFrequencies(run: PassRun, parts: TermParts): Promise<number> {
  return forPartGroups(parts, (group, first, end) =>
    run.step(`frequencies ${group}`, "Counting the words", (deps, order) => countGroup(group, first, end, deps, order)),
  );
}

async function countGroup(group: number, first: number, end: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const frequencies = group === 0 ? new DocumentFrequencies() : await readFrequencies(group, deps, order);
  const before = frequencies.pages;
  for (let part = first; part < end; part++)
    for (const [, page] of await readTerms(part, deps, order)) frequencies.add(page);
  const arrays = [Uint32Array.of(frequencies.pages), frequencies.counts];
  await deps.passObjects.put(order, `frequencies-${group}`, packArrays(arrays));
  deps.meter.add({ cpuMs: (frequencies.pages - before) * CPU_MS_PER_PAGE });
  return null;
}

/** `groups`: what `countFrequencies` returned. */
export async function readFrequencies(
  groups: number,
  { passObjects }: PassDeps,
  order: PassOrder,
): Promise<DocumentFrequencies> {
  const arrays = unpackArrays(await passObjects.bytes(order, `frequencies-${groups - 1}`)).map(toUint32s);
  return new DocumentFrequencies(arrays[1], arrays[0]?.[0] ?? 0);
}
