import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import {
  findIds,
  findMissingFragments,
  joinNotes,
  type NoteParts,
  PageNotes,
  type SiteNotes,
} from "../../graph/page-notes.ts";
import { type PairSet, PairSink } from "../../graph/pairs.ts";
import { RedirectSources, type SourceList } from "../../graph/redirect-sources.ts";
import { packArrays, toUint32s, unpackArrays } from "../array-object.ts";
import type { Listed, Member } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { MEMBERS_PER_STEP, membersFrom, readPages } from "../text/read-pages.ts";
import { openSite } from "./gather-facts.ts";
import { openIndex } from "./read-links.ts";
import { NO_MEMBER } from "./url-index.ts";

/**
 * Notes what has to be known of all pages before the findings of any can be told (graph/page-notes.ts): objects `notes`
 * and `missing-fragments`. Members without a page to which a fragment leads are read once, and the others twice.
 */

/** Estimates, for the bill: twice what pages with 50 links take. */
const CPU_MS_PER_PAGE = 0.2;
/** The arrays of a range of notes, and of `notes`, in this order. */
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
  return 2 * Math.ceil(members / MEMBERS_PER_STEP) + 2;
}

export async function notePages(run: PassRun, { members }: Listed): Promise<NoteCounts> {
  let droppedLinks = 0;
  let ranges = 0;
  for (let first = 0; first < members; first += MEMBERS_PER_STEP) {
    const range = ranges++;
    droppedLinks += await run.step(`notes ${range}`, "Reading what pages say of themselves", (deps, order) =>
      noteRange(first, range, deps, order),
    );
  }
  const { leftOut, reads } = await run.step("join notes", "Joining what pages say", (deps, order) =>
    joinRanges(ranges, deps, order),
  );
  let found = 0;
  for (let first = 0; first < reads; first += MEMBERS_PER_STEP) {
    const range = found++;
    await run.step(`ids ${range}`, "Looking for the targets of fragments", (deps, order) =>
      readIds(first, range, deps, order),
    );
  }
  await run.step("fragments", "Looking for missing fragments", (deps, order) => findFragments(found, deps, order));
  return { droppedLinks, leftOut };
}

async function noteRange(first: number, range: number, deps: PassDeps, order: PassOrder): Promise<number> {
  const { passObjects, meter } = deps;
  const { index, site } = await openSite(deps, order);
  const members = unpackJson<Member[]>(await passObjects.bytes(order, "members"));
  const notes = new PageNotes(site);
  const sources = new RedirectSources();
  let dropped = 0;
  for await (const { node, page } of readPages(membersFrom(first, members.length), members, index, deps, order)) {
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

async function joinRanges(ranges: number, { passObjects }: PassDeps, order: PassOrder) {
  const parts: NoteParts[] = [];
  for (let range = 0; range < ranges; range++) parts.push(toParts(await passObjects.bytes(order, `notes-${range}`)));
  const notes = joinNotes(parts);
  const sources = new RedirectSources();
  for (let range = 0; range < ranges; range++)
    sources.join(unpackJson<SourceList>(await passObjects.bytes(order, `sources-${range}`)));
  await passObjects.put(order, "redirect-sources", packJson(sources.toList()));
  await passObjects.put(order, "notes", packArrays(PARTS.map((name) => notes[name])));
  const members = await targetMembers(notes, { passObjects }, order);
  await passObjects.put(order, "target-members", packArrays([members]));
  return { leftOut: notes.leftOut, reads: members.length };
}

function toParts(bytes: Uint8Array<ArrayBuffer>): NoteParts {
  const arrays = unpackArrays(bytes).map(toUint32s);
  return Object.fromEntries(PARTS.map((name, i) => [name, arrays[i]])) as unknown as NoteParts;
}

/** The members with pages to which fragments lead, in their order. */
async function targetMembers(
  { fragments }: SiteNotes,
  deps: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): Promise<Uint32Array> {
  const index = await openIndex(deps, order);
  const found = new Set<number>();
  for (let at = 0; at < fragments.length; at += 2) found.add(index.memberOf(fragments[at] as number));
  found.delete(NO_MEMBER);
  return Uint32Array.from(found).sort();
}

async function readIds(first: number, range: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const index = await openIndex(deps, order);
  const members = unpackJson<Member[]>(await passObjects.bytes(order, "members"));
  const [targets] = unpackArrays(await passObjects.bytes(order, "target-members")).map(toUint32s);
  const numbers = [...(targets ?? []).slice(first, first + MEMBERS_PER_STEP)];
  const notes = await readNotes(deps, order);
  const found = new PairSink();
  for await (const { node, page } of readPages(numbers, members, index, deps, order)) {
    findIds(node, page, notes, found);
    meter.add({ cpuMs: CPU_MS_PER_PAGE });
  }
  await passObjects.put(order, `ids-${range}`, packArrays([found.toPairs()]));
  return null;
}

async function findFragments(ranges: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects } = deps;
  const found: Uint32Array[] = [];
  for (let range = 0; range < ranges; range++)
    found.push(...unpackArrays(await passObjects.bytes(order, `ids-${range}`)).map(toUint32s));
  const missing = findMissingFragments(await readNotes(deps, order), found);
  await passObjects.put(order, "missing-fragments", packArrays([missing]));
  return null;
}

/** The pages that link to each redirect. */
export async function readSources({ passObjects }: Pick<PassDeps, "passObjects">, order: PassOrder) {
  return new Map(unpackJson<SourceList>(await passObjects.bytes(order, "redirect-sources")));
}

export async function readNotes({ passObjects }: Pick<PassDeps, "passObjects">, order: PassOrder): Promise<SiteNotes> {
  return { ...toParts(await passObjects.bytes(order, "notes")), leftOut: 0 };
}

/** What `findMissingFragments` found. */
export async function readMissingFragments({ passObjects }: PassDeps, order: PassOrder): Promise<PairSet> {
  const [missing] = unpackArrays(await passObjects.bytes(order, "missing-fragments")).map(toUint32s);
  return missing ?? new Uint32Array();
}
