import { gunzipSync } from "node:zlib";
import { readHeaderBlock } from "../../src/archive/header-block.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { exportWarc } from "../../src/reading/exports/export-archive.ts";
import type { Store } from "../../src/store/store.ts";

/** The records of a crawl's exported WARC file, in order. */

export interface WarcRecord {
  type: string;
  url: string;
  /** By names in lower case. */
  fields: Map<string, string>;
  block: Uint8Array;
}

export async function exportRecords(
  crawl: string,
  deps: Pick<Store, "ledger" | "archiveIndex" | "packs">,
): Promise<WarcRecord[]> {
  const state = (await deps.ledger.crawl(crawl)) as Crawl;
  const { bytes, open } = await exportWarc(state, { cursor: "", isPart: false }, deps.archiveIndex, deps);
  const file = new Uint8Array(await new Response(open(0)).arrayBuffer());
  if (file.byteLength !== bytes) throw new Error(`the export has ${file.byteLength} bytes instead of ${bytes}`);
  return readWarc(gunzipSync(file));
}

/** Those of the bytes of a file. */
export function readWarc(bytes: Uint8Array): WarcRecord[] {
  const records: WarcRecord[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const header = readHeaderBlock(bytes.subarray(at));
    const fields = new Map(header.fields.map(([name, value]) => [name.toLowerCase(), value]));
    const start = at + header.length;
    const end = start + Number(fields.get("content-length"));
    const [type = "", url = ""] = [fields.get("warc-type"), fields.get("warc-target-uri")];
    records.push({ type, url, fields, block: bytes.subarray(start, end) });
    at = end + 4;
  }
  return records;
}
