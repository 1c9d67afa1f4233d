import type { Chunk } from "../../chunks/chunk.ts";
import { compareChunks } from "../../chunks/compare-chunks.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { KeptVersion } from "../../crawl/page/kept-version.ts";
import type { DeltaRecord, PageChunks } from "../../crawl/watch/delta.ts";
import type { Mementos } from "../../store/watches/mementos.ts";
import { type Reading, readFormatsAt } from "../records/read-formats.ts";

/**
 * Says what became of the chunks of a watch's pages, for an index that follows it. The chunks that the index has are
 * those of a version that is still kept. They are cut again, which gives the same ids.
 */

/** Versions between two deltas that are read. An index may have the chunks of any of them. */
const MAX_VERSIONS = 10;

/** `page`: with the format `chunks`. `isFull`: the index has nothing. */
export async function chunksOfPage(
  crawl: Crawl,
  { record, formatted: { chunks = [] }, problem }: FormattedRecord<DeltaRecord>,
  isFull: boolean,
  deps: Reading & { mementos: Mementos },
): Promise<PageChunks> {
  const known = isFull ? { before: [], between: [] } : await readKnown(crawl, record, deps);
  // What cannot be read now keeps its place in the index.
  if (problem !== null) return { record, changes: [], isCleared: false, problem };
  const changes = compareChunks(known?.before ?? [], chunks);
  const told = new Set([
    ...chunks.map(({ id }) => id),
    ...changes.flatMap((change) =>
      change.change === "removed" ? change.id : change.change === "changed" ? change.was : [],
    ),
  ]);
  const forgotten = (known?.between ?? []).filter(({ id }) => !told.has(id)).map(({ id }) => id);
  const removed = [...new Set(forgotten)].map((id) => ({ change: "removed" as const, id }));
  return { record, changes: [...changes, ...removed], isCleared: known === null, problem: null };
}

/**
 * The chunks of the version that the index was told, and those of later versions. It may have read one of these while
 * it was exported. Null if a version is gone or cannot be read.
 */
async function readKnown(
  crawl: Crawl,
  { url, change, status, firstAt, first }: DeltaRecord,
  deps: Reading & { mementos: Mementos },
): Promise<{ before: Chunk[]; between: Chunk[] } | null> {
  const { mementos } = deps;
  // The visit that told the first change has stored its version, if there was one, just before.
  const told = await mementos.versionInForce(crawl.id, url, firstAt);
  const isNew = first === "added" || first === "restored" || first === "changed";
  const base = told === null || !isNew ? told : await mementos.versionInForce(crawl.id, url, told.fetchedAt - 1);
  if (change !== "added" && base === null) return null;
  const from = base?.fetchedAt ?? told?.fetchedAt ?? 0;
  const versions = await mementos.versionsFrom(crawl.id, url, from, MAX_VERSIONS + 1);
  if (versions.length > MAX_VERSIONS) return null;
  // The last one is that of the row.
  const former = status === "completed" ? versions.slice(0, -1) : versions;
  const read = await Promise.all(former.map((version) => chunksOfVersion(crawl, url, version, deps)));
  if (read.some((chunks) => chunks === null)) return null;
  const all = read.map((chunks) => chunks ?? []);
  return change === "added"
    ? { before: [], between: all.flat() }
    : { before: all[0] ?? [], between: all.slice(1).flat() };
}

/** Null if it is stored no longer. */
async function chunksOfVersion(
  crawl: Crawl,
  url: string,
  { packed, contentType, sha256 }: KeptVersion,
  deps: Reading,
): Promise<Chunk[] | null> {
  if (packed === null) return null;
  const row = { ...packed, contentType, sha256 };
  const read = await readFormatsAt(crawl, url, ["chunks"], row, deps).catch(() => null);
  return read?.formatted.chunks ?? null;
}
