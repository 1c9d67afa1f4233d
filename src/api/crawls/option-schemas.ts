import * as z from "zod";
import { type Option, UNIT_WORDS } from "../../crawl/options/option.ts";
import {
  type Below,
  type Head,
  OPTION_ROWS,
  OPTIONS,
  type OptionPath,
  type Options,
} from "../../crawl/options/option-table.ts";
import { requestOf } from "../requests/fields.ts";
import { OPTION_FORMATS } from "./option-formats.ts";

/** Schemas of requests, made of the table of options. */

const FORMATS: Record<string, z.ZodType> = OPTION_FORMATS;
/** Characters of a text without a format of its own. */
const MAX_TEXT = 500;

type Formats = typeof OPTION_FORMATS;
/** The kinds that need no schema of their own. */
type Bounded = "integer" | "number" | "interval" | "switch" | "choice" | "choices" | "text";

/** A path of another kind without a schema in OPTION_FORMATS has no type here, so the request does not compile. */
type Value<Path, Row> = Path extends keyof Formats
  ? Formats[Path]
  : Row extends { kind: Bounded; default: infer V }
    ? z.ZodType<V, V>
    : never;

type Schema<Path, Row> = Row extends { required: true }
  ? Value<Path, Row>
  : Row extends { otherwise: string }
    ? z.ZodOptional<Value<Path, Row>>
    : z.ZodDefault<Value<Path, Row>>;

/** The fields of an object of options. `Prefix` is the path of the object with a dot, or empty. */
type Shape<Rows, Prefix extends string> = {
  [First in Head<keyof Rows> & string]: First extends keyof Rows
    ? Schema<`${Prefix}${First}`, Rows[First]>
    : z.ZodPrefault<z.ZodObject<Shape<Below<Rows, First>, `${Prefix}${First}.`>, z.core.$strict>>;
};

/** Sentences for the objects that group options. */
const OBJECTS: Record<string, string> = {
  options: "The scope of the crawl.",
  politeness: "How fast the crawl sends requests to a host.",
  traps: "Limits that stop the crawl in a crawler trap.",
  renderOptions: "What the browser does on a page that it draws. `render` must be `auto` or `always`.",
  "renderOptions.viewport": "The size of the browser's window.",
  watch: "The watch.",
  "watch.ignore": "Changes that do not count.",
};

/** The shape of the request that has all options. */
export const optionShape = shapeBelow("") as Shape<Options, "">;

function shapeBelow(prefix: string): Record<string, z.ZodType> {
  const inside = OPTION_ROWS.filter(([path]) => path.startsWith(prefix));
  const names = new Set(inside.map(([path]) => path.slice(prefix.length).replace(/\..*/, "")));
  return Object.fromEntries([...names].map((name) => [name, schemaAt(prefix + name)]));
}

function schemaAt(path: string): z.ZodType {
  const row = (OPTIONS as Record<string, Option>)[path];
  if (row === undefined)
    return requestOf(shapeBelow(`${path}.`))
      .prefault({})
      .describe(OBJECTS[path] ?? "");
  const value = schemaOf(path, row);
  const schema = row.required ? value : row.otherwise === undefined ? value.default(row.default) : value.optional();
  return schema.describe(describeOption(row));
}

function schemaOf(path: string, { kind, min = 0, max = 0, choices = [], least = 0 }: Option): z.ZodType {
  switch (kind) {
    case "integer":
    case "interval":
      return z.int().min(min).max(max);
    case "number":
      return z.number().min(min).max(max);
    case "switch":
      return z.boolean();
    case "choice":
      return z.enum(choices);
    case "choices": {
      const list = z.array(z.enum(choices)).max(choices.length);
      return least === 0 ? list : list.min(least);
    }
    case "text":
      return FORMATS[path] ?? z.string().max(MAX_TEXT);
    default:
      return FORMATS[path] as z.ZodType;
  }
}

/** The sentences of an option, with the unit of the API. */
function sentencesOf({ sentence, unit, inJson }: Option): string {
  return [withUnit(sentence, unit), inJson].filter(Boolean).join(" ");
}

function describeOption(row: Option): string {
  return [sentencesOf(row), row.otherwise && `The default is ${row.otherwise}.`].filter(Boolean).join(" ");
}

/** The first sentence ends in the unit. */
function withUnit(sentence: string, unit: Option["unit"]): string {
  const words = unit === undefined ? undefined : UNIT_WORDS[unit];
  return words === undefined ? sentence : sentence.replace(/\.(?= |$)/, `, in ${words}.`);
}

type Optional<Path extends OptionPath> = z.ZodOptional<Value<Path, Options[Path]>>;

/** The options that can change until a crawl ends. */
export const amendedShape = Object.fromEntries(
  OPTION_ROWS.flatMap(([path, row]) =>
    row.amended === undefined ? [] : [[path, schemaOf(path, row).optional().describe(withUnit(row.amended, row.unit))]],
  ),
) as { [Path in OptionPath as Options[Path] extends { amended: string } ? Path : never]: Optional<Path> };

/** An option in an answer, which always has a value. */
export function answered<Path extends OptionPath>(path: Path): Value<Path, Options[Path]> {
  const row: Option = OPTIONS[path];
  return schemaOf(path, row).describe(sentencesOf(row)) as Value<Path, Options[Path]>;
}
