import type { Chunk } from "./chunk.ts";

/** Says what became of a page's chunks, for an index that has them. */

export type ChunkChange =
  | { change: "added"; chunk: Chunk }
  /** The chunk `was` stood in the same place with another text. */
  | { change: "changed"; was: string; chunk: Chunk }
  | { change: "removed"; id: string };

/**
 * Compares the chunks that an index has with those of today. The same place is the one under the same headings, between
 * the same neighbours that stayed. A chunk that only moved is no change. The chunks of today come in their order, then
 * those that are gone.
 */
export function compareChunks(before: readonly Chunk[], after: readonly Chunk[]): ChunkChange[] {
  const replaced = pairPlaces(before, after);
  const known = new Set(before.map(({ id }) => id));
  const stay = new Set(after.map(({ id }) => id));
  const changes: ChunkChange[] = [];
  for (const chunk of after) {
    const was = replaced.get(chunk.id);
    if (known.has(chunk.id)) continue;
    changes.push(was === undefined ? { change: "added", chunk } : { change: "changed", was, chunk });
  }
  const gone = new Set(replaced.values());
  for (const { id } of before) if (!stay.has(id) && !gone.has(id)) changes.push({ change: "removed", id });
  return changes;
}

/** For each new chunk in the place of an old one, the id of the old one. */
function pairPlaces(before: readonly Chunk[], after: readonly Chunk[]): Map<string, string> {
  const stay = new Set(after.map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const old = placesOf(before, stay);
  const pairs = new Map<string, string>();
  for (const [place, chunks] of placesOf(after, known))
    for (const [i, id] of chunks.entries()) {
      const was = old.get(place)?.[i];
      if (was !== undefined) pairs.set(id, was);
    }
  return pairs;
}

/** The chunks that do not stay, by their place: the headings, and the last chunk before it that stays. */
function placesOf(chunks: readonly Chunk[], staying: ReadonlySet<string>): Map<string, string[]> {
  const places = new Map<string, string[]>();
  const anchors = new Map<string, string>();
  for (const { id, headings } of chunks) {
    const path = JSON.stringify(headings);
    if (staying.has(id)) {
      anchors.set(path, id);
      continue;
    }
    const place = `${path} ${anchors.get(path) ?? ""}`;
    places.set(place, [...(places.get(place) ?? []), id]);
  }
  return places;
}
