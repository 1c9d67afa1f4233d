import type { Crawl } from "../../crawl/crawl.ts";
import { type ExportedName, exportFormat } from "../../crawl/export-table.ts";
import { hostOf } from "../../url/host-key.ts";

/** The name of a file with a crawl: `example.com-d9cf3704.csv`. */
export function exportName({ id, options }: Crawl, format: ExportedName): string {
  const host = hostOf(options.urls[0] ?? "").replace(/[^a-z0-9.-]+/g, "-");
  return `${host}-${id.slice(0, 8)}.${exportFormat(format).files[0]}`;
}
