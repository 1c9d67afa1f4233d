import { gzipMember } from "./gzip-member.ts";
import { encodeText } from "./header-block.ts";
import { sha256Of } from "./sha256.ts";
import { labelledDigest } from "./warc-record.ts";

/**
 * A large index in two files, so that a reader need not load all of it: `index.cdx.gz` has the lines in gzip members of
 * some hundreds, and `index.idx` has the first key and the place of each member. ReplayWeb.page and pywb read it; pywb
 * calls it ZipNum (https://pywb.readthedocs.io/en/latest/manual/indexing.html#zipnum-sharded-index).
 */

/** As in Browsertrix Crawler: a member has some 20 KB. */
const LINES_PER_BLOCK = 256;

interface CdxBlock {
  /** One gzip member of `index.cdx.gz`. */
  bytes: Uint8Array;
  /** Its line in `index.idx`. */
  idxLine: string;
}

export const IDX_HEADER = `!meta 0 ${JSON.stringify({ format: "cdxj-gzip-1.0", filename: "index.cdx.gz" })}\n`;

/** `lines` must be sorted (`compareLines`), and each must end with a line feed. */
export async function* cdxBlocks(
  lines: AsyncIterable<string> | Iterable<string>,
  linesPerBlock = LINES_PER_BLOCK,
): AsyncGenerator<CdxBlock> {
  let offset = 0;
  let block: string[] = [];
  for await (const line of lines) {
    block.push(line);
    if (block.length < linesPerBlock) continue;
    const compressed = toBlock(block, offset);
    yield compressed;
    offset += compressed.bytes.byteLength;
    block = [];
  }
  if (block.length > 0) yield toBlock(block, offset);
}

function toBlock(block: readonly string[], offset: number): CdxBlock {
  const bytes = gzipMember([encodeText(block.join(""))]);
  const [key = ""] = block[0]?.split(" {", 1) ?? [];
  const place = { offset, length: bytes.byteLength, digest: labelledDigest(sha256Of(bytes)) };
  return { bytes, idxLine: `${key} ${JSON.stringify({ ...place, filename: "index.cdx.gz" })}\n` };
}
