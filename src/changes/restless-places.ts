import type { PagePart } from "../media/document.ts";
import { hashOf } from "./page-version.ts";

/**
 * Decides whether what a page says beside its text (links, pictures, data) is other than in the stored version, so that
 * the version is stored anew. A place that differs at visit after visit is restless: by itself it has the page stored
 * only when two visits in a row agree, or when many visits have passed. So a random link or an advertisement costs a
 * page some versions, and never one at each visit.
 */

/** A page's memory of its places, by their hashes. A few hundred bytes at most. */
export type RestlessPlaces = Readonly<Record<string, RestlessPlace>>;

/** How restless it is, and the hash of what the last visit found there, if that was not stored. */
type RestlessPlace = readonly [strikes: number, unstored?: string];

export type PartKind = PagePart["kind"];

/** What differs of one kind: values that are new, and values that are gone. */
export interface PartChange {
  kind: PartKind;
  added: readonly string[];
  removed: readonly string[];
}

export interface PartFinding {
  /** Whether the version is stored for the sake of its parts. */
  isStored: boolean;
  /** What differs at places that are not restless. */
  changes: readonly PartChange[];
  /** The memory after this visit; null if it is empty. */
  restless: RestlessPlaces | null;
}

/** A difference that was stored adds so many strikes, and a visit without one takes one away. */
const STRIKE = 2;
const MAX_STRIKES = 6;
/** With so many a place is restless: it has differed at two visits in a row, or nearly. */
const RESTLESS = 4;
/** A version whose restless places differ is stored when so many visits have passed. */
const MOST_VISITS = 8;
/** Places of one page that are remembered each for itself. Of more, the page is one place. */
const MAX_PLACES = 30;
const ALL_PLACES = "*";

/** `visits`: since the stored version was found, this one included: at least 1. */
export function findParts(
  before: readonly PagePart[],
  after: readonly PagePart[],
  known: RestlessPlaces | null,
  visits: number,
): PartFinding {
  const memory = known ?? {};
  const old = placesOf(before);
  const now = placesOf(after);
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter((place) => old.get(place) !== now.get(place));
  const isRestless = (place: string) => strikesOf(place, memory) >= RESTLESS;
  const isSettled = (place: string) => memory[place]?.[1] !== undefined && memory[place][1] === (now.get(place) ?? "");
  const counting = differing.filter((place) => !isRestless(place) || isSettled(place));
  const isStored = counting.length > 0 || (differing.length > 0 && visits >= MOST_VISITS);
  const places = new Set(counting);
  return {
    isStored,
    changes: isStored ? changesAt(before, after, places) : [],
    restless: remember(memory, differing, now, isStored),
  };
}

/** The memory after a visit that found nothing else than what is stored. */
export function calmed(known: RestlessPlaces | null): RestlessPlaces | null {
  return known === null ? null : findParts([], [], known, 1).restless;
}

function strikesOf(place: string, memory: RestlessPlaces): number {
  return memory[place]?.[0] ?? memory[ALL_PLACES]?.[0] ?? 0;
}

function remember(
  memory: RestlessPlaces,
  differing: readonly string[],
  now: ReadonlyMap<string, string>,
  isStored: boolean,
): RestlessPlaces | null {
  const next: Record<string, RestlessPlace> = {};
  const others = new Set(differing);
  for (const [place, [strikes]] of Object.entries(memory))
    if (!others.has(place) && strikes > 1 && place !== ALL_PLACES) next[place] = [strikes - 1];
  for (const place of differing) {
    const strikes = strikesOf(place, memory);
    next[place] = isStored ? [Math.min(strikes + STRIKE, MAX_STRIKES)] : [strikes, now.get(place) ?? ""];
  }
  const all = memory[ALL_PLACES]?.[0] ?? 0;
  if (Object.keys(next).length > MAX_PLACES)
    return { [ALL_PLACES]: [isStored ? Math.min(all + STRIKE, MAX_STRIKES) : Math.max(all, 1)] };
  if (all > 1) next[ALL_PLACES] = [all - 1];
  return Object.keys(next).length === 0 ? null : next;
}

/** What is at each place: the hashes of its values, whatever their order. */
function placesOf(parts: readonly PagePart[]): Map<string, string> {
  const values = new Map<string, Set<string>>();
  for (const { kind, place, value } of parts) {
    const key = keyOf(kind, place);
    const known = values.get(key);
    if (known === undefined) values.set(key, new Set([value]));
    else known.add(value);
  }
  return new Map([...values].map(([place, of]) => [place, hashOf([...of].sort().join("\n"))]));
}

function keyOf(kind: PartKind, place: string): string {
  return hashOf(`${kind} ${place}`);
}

function changesAt(before: readonly PagePart[], after: readonly PagePart[], places: ReadonlySet<string>): PartChange[] {
  const at = (parts: readonly PagePart[]) => parts.filter(({ kind, place }) => places.has(keyOf(kind, place)));
  const [old, now] = [at(before), at(after)];
  return (["link", "image", "data"] as const).flatMap((kind) => {
    const valuesOf = (parts: readonly PagePart[]) =>
      new Set(parts.filter((part) => part.kind === kind).map(({ value }) => value));
    const [gone, there] = [valuesOf(old), valuesOf(now)];
    const added = [...there].filter((value) => !gone.has(value));
    const removed = [...gone].filter((value) => !there.has(value));
    return added.length + removed.length === 0 ? [] : [{ kind, added, removed }];
  });
}

/** At most so many characters of a value are told. */
const MAX_TOLD = 200;
const NAMES: Record<PartKind, string> = { link: "links", image: "images", data: "data" };

/** The changes of these kinds in a few words; null if there are none. */
export function describeParts(changes: readonly PartChange[], kinds: readonly string[]): string | null {
  const told = changes.filter(({ kind }) => kinds.includes(NAMES[kind]));
  const words = told.map(({ kind, added, removed }) => {
    const counts = [
      ...(added.length === 0 ? [] : [`${added.length} added`]),
      ...(removed.length === 0 ? [] : [`${removed.length} removed`]),
    ];
    return `${NAMES[kind]}: ${counts.join(", ")}: ${(added[0] ?? removed[0] ?? "").slice(0, MAX_TOLD)}`;
  });
  return words.length === 0 ? null : words.join("; ");
}
