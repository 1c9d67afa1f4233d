import { readRecord } from "../../archive/read-warc-record.ts";
import {
  fieldsInRow,
  type KeptFields,
  keptFieldsOf,
  type RowFields,
  type WantedFields,
} from "../../crawl/page/row-fields.ts";
import type { FieldValues } from "../../media/html/fields/field-rule.ts";
import type { Packs } from "./packs.ts";

/** The fields of a page: those of its row, and the large ones in a pack if one of them is wanted. */
interface ReadFields {
  values: FieldValues;
  /** Whether the pack of the large ones is gone. */
  isGone: boolean;
}

/** Throws UnreadableRecord if the pack does not match the ledger. */
export async function readFields(
  crawl: string,
  fields: RowFields,
  packs: Packs,
  wanted: WantedFields = "all",
): Promise<ReadFields> {
  const values = fieldsInRow(fields);
  const kept = keptFieldsOf(fields, wanted);
  if (kept === null) return { values, isGone: false };
  const large = await readLarge(crawl, kept, packs);
  return { values: { ...values, ...large }, isGone: large === null };
}

async function readLarge(crawl: string, kept: KeptFields, packs: Packs): Promise<FieldValues | null> {
  const member = await packs.read(crawl, kept.pack, kept.offset, kept.length);
  if (member === null) return null;
  return JSON.parse(new TextDecoder().decode((await readRecord(member)).payload)) as FieldValues;
}
