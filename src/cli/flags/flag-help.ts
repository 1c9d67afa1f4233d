import { formatInterval } from "../../core/interval.ts";
import { bytes } from "../../core/shown-values.ts";
import type { Option } from "../../crawl/options/option.ts";
import { nameOptions, OPTIONS } from "../../crawl/options/option-table.ts";

/** The help of a flag, made of its row in the table of options. */

/** The first sentences of an option are its help as long as they have fewer characters together. */
const MAX_CHARACTERS = 150;

/** How such values are written. */
const VALUE_NOTES: Record<string, string> = {
  "<size>": "a size such as 500kB or 2GB",
  "<time>": "a time such as 30m or 2h",
  "<list>": "separated by commas",
};

export function helpOf(row: Option): string {
  const { flagHelp, sentence, see } = row;
  const says = withFlags(flagHelp ?? firstSentences(sentence)).replace(/\.$/, "");
  const more = see === undefined ? [] : [`see docs/${see.replace(/#.*/, "")}`];
  const said = [says, ...notesOf(row), ...more].join("; ");
  const preset = describeDefault(row);
  return preset === "" ? said : `${said} (default: ${preset})`;
}

/** How the value is written. */
export function notesOf(row: Option): string[] {
  const { flag, flagNote } = row;
  const written = flagNote ?? VALUE_NOTES[flag?.split(" ")[1] ?? ""];
  return [...(written === undefined ? [] : [written]), ...(isRepeated(row) ? ["may be repeated"] : [])];
}

export function longName({ flag }: Option): string {
  return flag?.split(" ")[0] ?? "";
}

/** Whether a flag with one value may be given several times. */
export function isRepeated({ kind, flag }: Option): boolean {
  return /^(lines|pairs|forms)$/.test(kind) || (kind === "choices" && flag?.endsWith("<name>") === true);
}

/** The sentence with the flags of the options that it names. */
function withFlags(sentence: string): string {
  return nameOptions(sentence, (path) => longName(OPTIONS[path]) || null).replaceAll("`", "");
}

function firstSentences(text: string): string {
  const [first = "", ...others] = text.split(/(?<=\.) /);
  return others.reduce((said, next) => (said.length + next.length < MAX_CHARACTERS ? `${said} ${next}` : said), first);
}

/** Empty if the sentence says it all. */
export function describeDefault({ kind, unit, otherwise, choices, flagValue, suggested, ...row }: Option): string {
  if (otherwise !== undefined && suggested === undefined) return withFlags(otherwise);
  if (flagValue !== undefined || kind === "switch") return "";
  const value = suggested ?? row.default;
  if (Array.isArray(value)) return value.length === choices?.length ? "all" : value.join(",");
  if (typeof value !== "number") return typeof value === "string" ? value : "";
  if (kind === "interval") return formatInterval(value);
  if (unit === "ms") return String(value / 1_000);
  return unit === "bytes" && value > 0 ? bytes(value) : String(value);
}
