import { asciiJson } from "../core/ascii-json.ts";
import { essenceOf } from "../core/media-type.ts";
import { surt } from "./surt.ts";
import { labelledDigest } from "./warc-record.ts";

/**
 * One line of a CDXJ index (https://specs.webrecorder.net/cdxj/0.1.0/): a sort key, the time to the second, and where in which file the
 * record lies, in JSON whose numbers are text as pywb writes them.
 */

export interface IndexEntry {
  url: string;
  /** The record's WARC-Date, in milliseconds. */
  date: number;
  /** Of the response; parameters are left out. Null where it has none, and passed over for a revisit. */
  contentType: string | null;
  status: number;
  /** Hex, of the payload. */
  sha256: string;
  isRevisit: boolean;
  /** Of the gzip member, in the file. */
  offset: number;
  length: number;
  /** The file's name, without its folder in a WACZ. */
  filename: string;
}

/** With its line feed, and nothing in it that is not ASCII. */
export function cdxjLine(entry: IndexEntry): string {
  const { url, date, contentType, status, sha256, isRevisit, offset, length, filename } = entry;
  const mime = isRevisit ? "warc/revisit" : essenceOf(contentType);
  const json = asciiJson({
    url,
    ...(mime === "" ? {} : { mime }),
    status: String(status),
    digest: labelledDigest(sha256),
    length: String(length),
    offset: String(offset),
    filename,
  });
  return `${surt(url)} ${timestamp(date)} ${json}\n`;
}

/** The order of an index: that of its lines' bytes, as `LC_ALL=C sort` has it. */
export function compareLines(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** 14 digits, in UTC. */
export function timestamp(date: number): string {
  return new Date(date).toISOString().replace(/\D/g, "").slice(0, 14);
}
