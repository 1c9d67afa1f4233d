import { EXPORT_NAMES, type ExportName, exportFormat } from "../../crawl/export-table.ts";

/** What the name of a file says about its format. */

/** The longest ending first. */
const ENDINGS = EXPORT_NAMES.flatMap((format) => exportFormat(format).files.map((ending) => ({ ending, format }))).sort(
  (a, b) => b.ending.length - a.ending.length,
);

/** Null if the name says nothing. A long ending stands without a dot too: `llms.txt`, `site-llms.txt`. */
export function formatOfName(file: string): ExportName | null {
  const name = file.toLowerCase();
  return ENDINGS.find(({ ending }) => name.endsWith(ending.includes(".") ? ending : `.${ending}`))?.format ?? null;
}
