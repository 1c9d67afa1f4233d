import { gzipMember } from "../../archive/gzip-member.ts";
import { sha256Of } from "../../archive/sha256.ts";
import { resourceRecord } from "../../archive/warc-record.ts";
import type { Outcome } from "../../crawl/page/outcome.ts";
import {
  fieldsInRow,
  keptFieldsOf,
  MAX_FIELDS_LENGTH,
  type RowFields,
  splitFields,
  toRowFields,
} from "../../crawl/page/row-fields.ts";
import { toStoredJson } from "../../store/records/stored-text.ts";

/** Takes the large fields of a page out of its outcome, as a record for the pack of its batch. */

/** Whether the outcome has fields that are too large for a row. Those that are in a pack already do not count. */
export function hasLargeFields({ fields }: Outcome): boolean {
  return fields !== undefined && keptFieldsOf(fields) === null && splitFields(fieldsInRow(fields)) !== null;
}

/**
 * The fields for the row. `keep` puts a record into the pack. Fields beyond the limit of a page stay as they are: the
 * page ends for them (bound-rows.ts).
 */
export function keepLargeFields(
  { url, fields = {}, fetchedAt }: Outcome,
  keep: (record: Uint8Array) => { pack: string; offset: number; length: number },
): RowFields {
  const split = splitFields(fieldsInRow(fields));
  if (split === null) return fields;
  const json = toStoredJson(split.large);
  if (json.length > MAX_FIELDS_LENGTH) return fields;
  const names = Object.keys(split.large);
  return toRowFields(split.small, { ...keep(recordOf(url, json, fetchedAt)), size: json.length, names });
}

/** Its name says that it is a resource of ours, as that of content does. */
function recordOf(url: string, json: string, date: number): Uint8Array {
  const payload = new TextEncoder().encode(json);
  const contentType = "application/json";
  return gzipMember(
    resourceRecord({ url: `urn:fields:${url}`, date, sha256: sha256Of(payload), payload, contentType }),
  );
}
