import type { FieldValue, FieldValues } from "../../media/html/fields/field-rule.ts";

/**
 * The fields of a page as its row of the ledger has them. Large ones are in the pack of their batch, and the row has
 * their place: listings read many rows at once.
 */

/** No field has this name: names begin with a letter. The key is the first of its row, so that SQL finds it. */
const KEPT = "$kept";
/** How the JSON of such a row begins. */
export const KEPT_START = `{"${KEPT}"`;

/** What a row has of the fields of a page, in characters of JSON. Rules give at most 8,000, and their names. */
const MAX_IN_ROW = 12_000;
/** All fields of a page, in characters of JSON. An answer reads them at once. */
export const MAX_FIELDS_LENGTH = 4_000_000;

/** The place of large fields in a pack. */
export interface KeptFields {
  pack: string;
  offset: number;
  length: number;
  /** Characters of JSON. */
  size: number;
  names: string[];
}

export type RowFields = Record<string, FieldValue | null | KeptFields>;

/** Fields that a reader needs, by name. */
export type WantedFields = "all" | readonly string[];

/** The fields that are in the row itself. */
export function fieldsInRow(fields: RowFields): FieldValues {
  const { [KEPT]: _, ...values } = fields;
  return values as FieldValues;
}

/** The place of the others; null if there are none, or if none of them is wanted. */
export function keptFieldsOf(fields: RowFields, wanted: WantedFields = "all"): KeptFields | null {
  const kept = (fields[KEPT] ?? null) as KeptFields | null;
  const isWanted = wanted === "all" || kept?.names.some((name) => wanted.includes(name));
  return isWanted ? kept : null;
}

export function toRowFields(values: FieldValues, kept: KeptFields): RowFields {
  return { [KEPT]: kept, ...values };
}

/** Splits fields into those for the row, the smallest ones, and those for the pack. Null if all are for the row. */
export function splitFields(fields: FieldValues): { small: FieldValues; large: FieldValues } | null {
  if (JSON.stringify(fields).length <= MAX_IN_ROW) return null;
  const sized = Object.entries(fields).map(([name, value]) => ({
    name,
    size: JSON.stringify({ [name]: value }).length,
  }));
  const inRow = new Set<string>();
  let room = MAX_IN_ROW;
  for (const { name, size } of sized.sort((one, other) => one.size - other.size)) {
    room -= size;
    if (room < 0) break;
    inRow.add(name);
  }
  const part = (isSmall: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => inRow.has(name) === isSmall));
  return { small: part(true), large: part(false) };
}
