import type { ExportName } from "../../crawl/export-table.ts";

/** What the name of a file says about its format. */

/** By the end of the name. The longer ones come first. */
const ENDINGS: [ending: string, format: ExportName][] = [
  [".chunks.jsonl", "chunks"],
  ["llms-full.txt", "llms-full"],
  ["llms.txt", "llms"],
  [".jsonl", "jsonl"],
  [".ndjson", "jsonl"],
  [".csv", "csv"],
  [".parquet", "parquet"],
  [".markdown", "markdown"],
  [".md", "markdown"],
  [".warc.gz", "warc"],
  [".warc", "warc"],
  [".wacz", "wacz"],
  [".xml", "sitemap"],
  [".graphml", "graphml"],
];

/** A terminal shows them as noise. */
const BINARY: ReadonlySet<string> = new Set<ExportName>(["parquet", "warc", "wacz", "graph-nodes", "graph-edges"]);

/** Null if the name says nothing. */
export function formatOfName(file: string): ExportName | null {
  const name = file.toLowerCase();
  return ENDINGS.find(([ending]) => name.endsWith(ending))?.[1] ?? null;
}

export function isBinary(format: string): boolean {
  return BINARY.has(format);
}
