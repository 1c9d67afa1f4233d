import { SECTION_KINDS, SECTION_STATUSES } from "../../sections/section.ts";
import type { SectionRow } from "../../sections/sum-sections.ts";
import { packArrays, toUint16s, toUint32s, unpackArrays } from "../array-object.ts";

/** What is summed up of the rows of a range, as columns: 20 bytes a row. */

export type SectionColumns = Omit<SectionRow, "rank" | "changes" | "days">[];

/** Bytes and times are summed up, so a larger one counts as this. */
const MAX = 0xffff_ffff;

export function packColumns(rows: SectionColumns): Uint8Array {
  const orNone = (value: number | null) => (value === null ? 0 : Math.min(value, MAX - 1) + 1);
  return packArrays([
    Uint16Array.from(rows, ({ pattern }) => pattern),
    Uint8Array.from(rows, ({ kind }) => (kind === null ? 0 : SECTION_KINDS.indexOf(kind) + 1)),
    Uint8Array.from(rows, ({ status }) => SECTION_STATUSES.indexOf(status)),
    Uint32Array.from(rows, ({ bytes }) => Math.min(bytes, MAX)),
    Uint32Array.from(rows, ({ fetchMs }) => Math.min(fetchMs, MAX)),
    Uint32Array.from(rows, ({ words }) => orNone(words)),
    Uint32Array.from(rows, ({ contentLinks }) => orNone(contentLinks)),
    Uint32Array.from(rows, ({ navigationLinks }) => orNone(navigationLinks)),
  ]);
}

export function* readColumns(packed: Uint8Array<ArrayBuffer>): Generator<SectionColumns[number], void> {
  const arrays = unpackArrays(packed);
  const at = (i: number) => arrays[i] ?? new Uint8Array();
  const patterns = toUint16s(at(0));
  const [kinds, statuses] = [at(1), at(2)];
  const [bytes, times, words, content, navigation] = [3, 4, 5, 6, 7].map((i) => toUint32s(at(i)));
  const orNull = (value = 0) => (value === 0 ? null : value - 1);
  for (const [i, pattern] of patterns.entries())
    yield {
      pattern,
      kind: SECTION_KINDS[(kinds[i] ?? 0) - 1] ?? null,
      status: SECTION_STATUSES[statuses[i] ?? 0] ?? "queued",
      bytes: bytes?.[i] ?? 0,
      fetchMs: times?.[i] ?? 0,
      words: orNull(words?.[i]),
      contentLinks: orNull(content?.[i]),
      navigationLinks: orNull(navigation?.[i]),
    };
}
