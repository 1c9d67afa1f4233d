import { asciiJson } from "../core/formats/ascii-json.ts";
import { essenceOf } from "../core/media-type.ts";
import { surt } from "./surt.ts";
import { labelledDigest } from "./warc-record.ts";

/**
 * One line of a CDXJ index (https://specs.webrecorder.net/cdxj/0.1.0/): a sort key, the time to the second, and the
 * place of the record in JSON. Numbers are strings, as pywb writes them.
 */

interface IndexEntry {
  url: string;
  /** The record's WARC-Date, in milliseconds since the Unix epoch. */
  date: number;
  /** The response's Content-Type; null if it has none. Parameters are dropped, and a revisit ignores it. */
  contentType: string | null;
  status: number;
  /** The payload's digest, in hex; null if it is not known. */
  sha256: string | null;
  isRevisit: boolean;
  /** The place of the gzip member in the file, in bytes. */
  offset: number;
  length: number;
  /** The file's name, without its folder in a WACZ. */
  filename: string;
}

/** The line with its line feed, in ASCII. */
export function cdxjLine(entry: IndexEntry): string {
  const { url, date, contentType, status, sha256, isRevisit, offset, length, filename } = entry;
  const mime = isRevisit ? "warc/revisit" : essenceOf(contentType);
  const json = asciiJson({
    url,
    ...(mime === "" ? {} : { mime }),
    status: String(status),
    ...(sha256 === null ? {} : { digest: labelledDigest(sha256) }),
    length: String(length),
    offset: String(offset),
    filename,
  });
  return `${surt(url)} ${timestamp(date)} ${json}\n`;
}

/** The order of an index: by the bytes of its lines, as `LC_ALL=C sort` does. */
export function compareLines(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** 14 digits in UTC, from milliseconds since the Unix epoch. */
export function timestamp(date: number): string {
  return new Date(date).toISOString().replace(/\D/g, "").slice(0, 14);
}
