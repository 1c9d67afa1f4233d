import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { findIds, JoinedNotes, type NoteParts, PageNotes, type SiteNotes } from "../../graph/page-notes.ts";
import { MissingPairs, type PairSet, PairSink } from "../../graph/pairs.ts";
import { RedirectSources, type SourceList } from "../../graph/redirect-sources.ts";
import { packArrays, toUint32s, unpackArrays } from "../array-object.ts";
import type { Listed } from "../list-rows.ts";
import { countMemberSteps, memberGroups } from "../members.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { readPages } from "../text/read-pages.ts";
import { openSite } from "./gather-facts.ts";
import { openIndex } from "./read-links.ts";
import { NO_MEMBER } from "./url-index.ts";

/**
 * Notes what has to be known of all pages before the findings of any can be told (graph/page-notes.ts): objects
 * `noted-KIND` and `missing-fragments`. Members without a page to which a fragment leads are read once, and the others
 * twice.
 */

/** Estimates, for the bill: twice what pages with 50 links take. */
const CPU_MS_PER_PAGE = 0.2;
/** The arrays of a range of notes, in this order. */
const PARTS = [
  "titles",
  "headings",
  "descriptions",
  "canonicals",
  "alternates",
  "fragments",
] as const satisfies (keyof NoteParts)[];

export interface NoteCounts {
  /** Links of pages that were too many to keep. */
  droppedLinks: number;
  /** Fragments and alternates that are not checked. */
  leftOut: number;
}

/** The number of steps of `notePages`; an estimate, because fewer members may have to be read for their ids. */
export function countNoteSteps({ members }: Listed): number {
  return 2 * countMemberSteps(members) + 2;
}

export async function notePages(run: PassRun, { members }: Listed): Promise<NoteCounts> {
  let droppedLinks = 0;
  let ranges = 0;
  for (const { group: range, numbers } of memberGroups(members)) {
    ranges += 1;
    droppedLinks += await run.step(`notes ${range}`, "Reading what pages say of themselves", (deps, order) =>
      noteRange(numbers(), range, deps, order),
    );
  }
  const { leftOut, reads } = await run.step("join notes", "Joining what pages say", (deps, order) =>
    joinRanges(ranges, deps, order),
  );
  let found = 0;
  for (const { group: range, numbers } of memberGroups(reads)) {
    found += 1;
    await run.step(`ids ${range}`, "Looking for the targets of fragments", (deps, order) =>
      readIds(numbers(), range, deps, order),
    );
  }
  await run.step("fragments", "Looking for missing fragments", (deps, order) => findFragments(found, deps, order));
  return { droppedLinks, leftOut };
}

async function noteRange(numbers: number[], range: number, deps: PassDeps, order: PassOrder): Promise<number> {
  const { passObjects, meter } = deps;
  const { index, site } = await openSite(deps, order);
  const notes = new PageNotes(site);
  const sources = new RedirectSources();
  let dropped = 0;
  for await (const { node, page } of readPages(numbers, index, deps, order)) {
    dropped += page.dropped;
    notes.add(node, page);
    sources.add(page, site);
    meter.add({ cpuMs: CPU_MS_PER_PAGE });
  }
  const parts = notes.toParts();
  await passObjects.put(order, `sources-${range}`, packJson(sources.toList()));
  await passObjects.put(order, `notes-${range}`, packArrays(PARTS.map((name) => parts[name])));
  return dropped;
}

/** One kind of pairs is in memory at a time. */
async function joinRanges(ranges: number, deps: PassDeps, order: PassOrder) {
  const { passObjects } = deps;
  const sources = new RedirectSources();
  for (let range = 0; range < ranges; range++)
    sources.join(unpackJson<SourceList>(await passObjects.bytes(order, `sources-${range}`)));
  await passObjects.put(order, "redirect-sources", packJson(sources.toList()));
  let leftOut = 0;
  for (const [at, kind] of PARTS.entries()) {
    const joined = new JoinedNotes(kind);
    for (let range = 0; range < ranges; range++) {
      const [part] = unpackArrays(await passObjects.bytes(order, `notes-${range}`)).slice(at);
      // A copy, without the arrays beside it.
      if (part !== undefined) joined.add(toUint32s(part.slice()));
    }
    const { pairs, leftOut: beyond } = joined.finish();
    leftOut += beyond;
    await passObjects.put(order, `noted-${kind}`, packArrays([pairs]));
  }
  const members = await targetMembers(deps, order);
  await passObjects.put(order, "target-members", packArrays([members]));
  return { leftOut, reads: members.length };
}

/** The members with pages to which fragments lead, in their order. */
async function targetMembers(deps: Pick<PassDeps, "passObjects">, order: PassOrder): Promise<Uint32Array> {
  const fragments = await readPairs("noted-fragments", deps, order);
  const index = await openIndex(deps, order);
  const found = new Set<number>();
  for (let at = 0; at < fragments.length; at += 2) found.add(index.memberOf(fragments[at] as number));
  found.delete(NO_MEMBER);
  return Uint32Array.from(found).sort();
}

async function readIds(places: number[], range: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const index = await openIndex(deps, order);
  const [targets] = unpackArrays(await passObjects.bytes(order, "target-members")).map(toUint32s);
  const numbers = places.map((place) => targets?.[place] as number);
  const fragments = await readPairs("noted-fragments", deps, order);
  const found = new PairSink();
  for await (const { node, page } of readPages(numbers, index, deps, order)) {
    findIds(node, page, fragments, found);
    meter.add({ cpuMs: CPU_MS_PER_PAGE });
  }
  await passObjects.put(order, `ids-${range}`, packArrays([found.toPairs()]));
  return null;
}

async function findFragments(ranges: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const missing = new MissingPairs(await readPairs("noted-fragments", deps, order));
  for (let range = 0; range < ranges; range++) missing.take(await readPairs(`ids-${range}`, deps, order));
  await deps.passObjects.put(order, "missing-fragments", packArrays([missing.finish()]));
  return null;
}

/** The pages that link to each redirect. */
export async function readSources({ passObjects }: Pick<PassDeps, "passObjects">, order: PassOrder) {
  return new Map(unpackJson<SourceList>(await passObjects.bytes(order, "redirect-sources")));
}

export async function readNotes(deps: Pick<PassDeps, "passObjects">, order: PassOrder): Promise<SiteNotes> {
  const read = (kind: keyof SiteNotes) => readPairs(`noted-${kind}`, deps, order);
  return {
    titles: await read("titles"),
    headings: await read("headings"),
    descriptions: await read("descriptions"),
    canonicals: await read("canonicals"),
    alternates: await read("alternates"),
  };
}

/** What the step "fragments" found. */
export function readMissingFragments(deps: Pick<PassDeps, "passObjects">, order: PassOrder): Promise<PairSet> {
  return readPairs("missing-fragments", deps, order);
}

async function readPairs(
  name: string,
  { passObjects }: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): Promise<PairSet> {
  const [pairs] = unpackArrays(await passObjects.bytes(order, name)).map(toUint32s);
  return pairs ?? new Uint32Array();
}
