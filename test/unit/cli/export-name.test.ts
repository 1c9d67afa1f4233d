import { expect, test } from "vitest";
import { formatOfName } from "../../../src/cli/queries/export-name.ts";

const NAMES: [file: string, format: string | null][] = [
  ["site.csv", "csv"],
  ["out/Site.Parquet", "parquet"],
  ["site.jsonl", "jsonl"],
  ["docs.chunks.jsonl", "chunks"],
  ["site.md", "markdown"],
  ["llms.txt", "llms"],
  ["public/llms-full.txt", "llms-full"],
  ["site-llms.txt", "llms"],
  ["a.graph-nodes.parquet", "graph-nodes"],
  ["a.ndjson", "jsonl"],
  ["a.markdown", "markdown"],
  ["csv", null],
  ["site.warc.gz", "warc"],
  ["site.wacz", "wacz"],
  ["a.test.urls.txt", "urls"],
  ["urls.txt", "urls"],
  ["sitemap.xml", "sitemap"],
  ["links.graphml", "graphml"],
  ["notes.txt", null],
  ["site", null],
];

test.each(NAMES)("%s", (file, format) => {
  expect(formatOfName(file)).toBe(format);
});
