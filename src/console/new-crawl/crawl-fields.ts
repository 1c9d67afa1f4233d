import type { Option } from "../../crawl/options/option.ts";
import { nameOptions, OPTION_GROUPS, OPTIONS, type OptionPath } from "../../crawl/options/option-table.ts";
import { writtenUnit } from "../../crawl/options/written-number.ts";

/** The options of a crawl as form fields, made of the table of options. */

export interface Field extends Pick<Option, "kind" | "unit" | "min" | "max" | "example"> {
  /** The parameter's path in API errors, such as `politeness.minDelayMs`. */
  name: OptionPath;
  label: string;
  text: string;
  choices: readonly string[];
  /** Undefined if the default follows from the installation or from other options. */
  default: unknown;
}

interface Group {
  title: string;
  fields: Field[];
}

/** `url` and `limit` stand above the groups. */
const GROUPS: Group[] = Object.entries(OPTION_GROUPS)
  .map(([title, rows]) => ({
    title,
    fields: (Object.entries(rows) as [OptionPath, Option][]).flatMap(([name, row]) =>
      row.label === undefined || title === "Start" ? [] : [fieldOf(name, row, row.label)],
    ),
  }))
  .filter(({ fields }) => fields.length > 0);

export function fieldGroups(): Group[] {
  return GROUPS;
}

export function crawlFields(): Field[] {
  return GROUPS.flatMap(({ fields }) => fields);
}

/** The fields of a watch, which can change after its start. */
export function watchFields(): Field[] {
  return crawlFields().filter(({ name }) => name.startsWith("watch."));
}

function fieldOf(name: OptionPath, row: Option, label: string): Field {
  const { kind, unit, min, max, example, choices = [], otherwise, required } = row;
  const written = writtenUnit(unit);
  return {
    name,
    label: written === null || kind === "interval" ? label : `${label} (${written})`,
    text: describe(row),
    kind,
    ...(unit === undefined ? {} : { unit }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(example === undefined ? {} : { example }),
    choices,
    default: otherwise === undefined && !required ? row.default : undefined,
  };
}

/** The field's help text, with the labels of the options that it names. */
function describe({ sentence, otherwise, choices }: Option): string {
  const text = otherwise ? `${sentence} The default is ${otherwise}.` : sentence;
  const labelOf = (path: OptionPath) => {
    const { label }: Option = OPTIONS[path];
    return label === undefined || choices?.includes(path) ? null : `“${label}”`;
  };
  return nameOptions(text, labelOf).replaceAll("`", "");
}
