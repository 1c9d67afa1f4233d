import { OPTION_ROWS } from "../../crawl/options/option-table.ts";
import { longName } from "./flag-help.ts";

/** Refusals of the API name options as its requests do. People gave flags. */

const FLAGS = new Map(
  OPTION_ROWS.flatMap(([path, row]) => {
    const flag = longName(row);
    // fields-file.ts names the line of a file of rules. A flag without a value cannot be wrong, and `formats` is also
    // what records are asked for, by another flag.
    const isSure = flag !== "" && row.kind !== "rules" && row.kind !== "extraction" && row.flagValue === undefined;
    return isSure ? [[path as string, flag] as const] : [];
  }),
);
/** A path at the begin of a problem, within what a request may hold, with the place in a list. */
const PATH = /(^|; )(?:(?:crawl|request)\.)?((?:[A-Za-z]\w*\.)*[A-Za-z]\w*)((?:\.\d+)?): /g;

/** The problems of a refusal, joined by "; ", with flags in place of paths. */
export function nameFlags(problems: string): string {
  return problems.replace(PATH, (whole, before: string, path: string) => {
    const flag = FLAGS.get(path) ?? FLAGS.get(path.replace(/^options\./, ""));
    return flag === undefined ? whole : `${before}${flag}: `;
  });
}
