import { gzipMember } from "../src/archive/gzip-member.ts";
import type { RecordBytes } from "../src/archive/warc-record.ts";
import { joinBytes } from "../src/core/join-bytes.ts";

export interface Members {
  /** The members in a row. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The place of each record in `bytes`, in the order of the records. */
  places: { offset: number; length: number }[];
}

/** Writes records as one file. */
export function gzipMembers(records: readonly RecordBytes[]): Members {
  const members = records.map(gzipMember);
  let offset = 0;
  const places = members.map(({ byteLength: length }) => {
    const place = { offset, length };
    offset += length;
    return place;
  });
  return { bytes: joinBytes(members), places };
}
