import * as z from "zod"; // schemas at the border, types inferred from them; the field's usual choice
import { RESOURCES } from "../../crawl/bounds/usage.ts";
import { EXPORT_PARAMETERS } from "../../crawl/export-table.ts";
import { OPTION_ROWS } from "../../crawl/options/option-table.ts";
import { REASONS, type Reason } from "../../crawl/page/reason.ts";
import { URL_STATUSES } from "../../crawl/page/status.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { nearestName } from "./nearest-name.ts";

/** Schemas of fields that several requests and answers share. */

/** The maximum number of unknown keys in a message, and of characters of each. */
const MAX_UNKNOWN = 10;
const MAX_KEY_LENGTH = 64;

export const time = z.iso.datetime();
export const count = z.int().min(0);
/** `pending` is internal: the API shows it as `queued`. */
export const urlStatus = z.enum(URL_STATUSES).exclude(["pending"]);
export const reason = z.enum(Object.keys(REASONS) as Reason[]);

/** Usage of the platform by resource, and its price in US dollars. */
export const usage = z.partialRecord(z.enum(RESOURCES), z.number().min(0));
export const cost = z.number().min(0);

/** Objects and lists of objects in answers. */
export const objectOf = z.strictObject;
export const listOf = <T extends z.core.$ZodLooseShape>(fields: T) => z.array(z.strictObject(fields));

/** An object in a request. An unknown key is refused as a typo, with the nearest name. */
export const requestOf = <T extends z.core.$ZodLooseShape>(fields: T) =>
  z.strictObject(fields, {
    error: (issue) => (issue.code === "unrecognized_keys" ? describeUnknown(issue.keys ?? [], namesIn(fields)) : null),
  });

/** The keys of an object's fields, and those of the objects among them as `options.depth`. */
function namesIn(fields: z.core.$ZodLooseShape): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
    const keys = inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
    return [name, ...keys.map((key) => `${name}.${key}`)];
  });
}

function describeUnknown(keys: readonly string[], names: readonly string[]): string {
  const described = keys.slice(0, MAX_UNKNOWN).map((key) => {
    const shown = key.slice(0, MAX_KEY_LENGTH);
    const nearest = ownName(shown, names) ?? nearestName(shown, names);
    return `no ${shown}${nearest === null ? "" : ` (did you mean ${nearest}?)`}`;
  });
  return `there is ${described.join(", ")}`;
}

/** The option that Cloudflare or Firecrawl calls so; null if there is none among these names. */
function ownName(foreign: string, names: readonly string[]): string | null {
  const found = OPTION_ROWS.find(
    ([path, { elsewhere = {} }]) =>
      names.includes(path) && Object.values(elsewhere).some((name) => name.split(".").at(-1) === foreign),
  );
  return found?.[0] ?? null;
}

/** Parameters with bounds and a default. */
export const integer = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback);
export const flag = (fallback: boolean) => z.boolean().default(fallback);
export const choice = <const T extends string>(words: readonly T[], fallback: NoInfer<T>) =>
  z.enum(words).default(fallback);
export const choices = <const T extends string>(words: readonly T[], fallback: NoInfer<T>[]) =>
  z.array(z.enum(words)).max(words.length).default(fallback);
/** An integer in a query, where every value is a string. */
export const queryInteger = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** What is said of a map of headers: the name of one that is none. Other mistakes have their usual sentence. */
export const headerMapError = ({ code, path = [] }: { code?: string; path?: PropertyKey[] | undefined }) =>
  code === "invalid_key" ? `${String(path.at(-1))} is no name of a header` : undefined;

export const textLike = (pattern: RegExp, max: number) => z.string().max(max).regex(pattern);

/** A field of a form in a query: an empty one counts as left out. */
export const optionalText = z
  .string()
  .max(MAX_URL_LENGTH)
  .transform((text) => text.trim() || undefined)
  .optional();

/** The same for a field with a closed set of values. */
export const emptyAsMissing = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema);

export const NEXT_CURSOR = EXPORT_PARAMETERS.cursor;

/** Beside the result of what asks all ledgers. */
export const silentLedgers = z
  .array(z.string())
  .describe("A sentence for each database that did not answer: its crawls are missing from the result.");

export const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());
