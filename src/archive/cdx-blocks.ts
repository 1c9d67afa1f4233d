import { gzipMember } from "./gzip-member.ts";
import { encodeText } from "./header-block.ts";
import { sha256Of } from "./sha256.ts";
import { labelledDigest } from "./warc-record.ts";

/**
 * A large index in two files, so that a reader need not take all of it: `index.cdx.gz` holds the lines in gzip members of some hundreds,
 * and `index.idx` says with which key each member begins, and where. ReplayWeb.page reads it, as does pywb, which calls it ZipNum
 * (https://pywb.readthedocs.io/en/latest/manual/indexing.html#zipnum-sharded-index).
 */

/** What Browsertrix Crawler takes: a member is then some 20 KB. */
const LINES_PER_BLOCK = 256;

export interface CdxBlock {
  /** One gzip member of `index.cdx.gz`. */
  bytes: Uint8Array;
  /** Its line in `index.idx`. */
  idxLine: string;
}

export const IDX_HEADER = `!meta 0 ${JSON.stringify({ format: "cdxj-gzip-1.0", filename: "index.cdx.gz" })}\n`;

/** `lines` are sorted (`compareLines`), and each ends in a line feed. */
export async function* cdxBlocks(
  lines: AsyncIterable<string> | Iterable<string>,
  linesPerBlock = LINES_PER_BLOCK,
): AsyncGenerator<CdxBlock> {
  let offset = 0;
  let block: string[] = [];
  for await (const line of lines) {
    block.push(line);
    if (block.length < linesPerBlock) continue;
    const packed = pack(block, offset);
    yield packed;
    offset += packed.bytes.byteLength;
    block = [];
  }
  if (block.length > 0) yield pack(block, offset);
}

function pack(block: readonly string[], offset: number): CdxBlock {
  const bytes = gzipMember([encodeText(block.join(""))]);
  const [key = ""] = block[0]?.split(" {", 1) ?? [];
  const place = { offset, length: bytes.byteLength, digest: labelledDigest(sha256Of(bytes)) };
  return { bytes, idxLine: `${key} ${JSON.stringify({ ...place, filename: "index.cdx.gz" })}\n` };
}
