import { gzipMember } from "../src/archive/gzip-member.ts";
import { joinBytes, type RecordBytes } from "../src/archive/warc-record.ts";

export interface Members {
  /** One after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** In the order of the records; `offset` into `bytes`. */
  places: { offset: number; length: number }[];
}

/** Records as the file that they make. */
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
