import { z } from "zod"; // schemas at the border, types inferred from them; the field's usual choice
import { REASONS, type Reason } from "../crawl/reason.ts";
import { URL_STATUSES } from "../crawl/status.ts";
import { RESOURCES } from "../crawl/usage.ts";
import { MAX_URL_LENGTH } from "../url/canonicalize.ts";

/** Schemas of fields that several requests and answers share. */

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

/** Parameters with bounds and a default. */
export const integer = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback);
export const number = (min: number, max: number, fallback: number) => z.number().min(min).max(max).default(fallback);
export const flag = (fallback: boolean) => z.boolean().default(fallback);
export const choice = <const T extends string>(words: readonly T[], fallback: NoInfer<T>) =>
  z.enum(words).default(fallback);
export const choices = <const T extends string>(words: readonly T[], fallback: NoInfer<T>[]) =>
  z.array(z.enum(words)).max(words.length).default(fallback);
/** An integer in a query, where every value is a string. */
export const queryInteger = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
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

export const NEXT_CURSOR = "Cursor of the next page of results: the `cursor` of the previous answer.";

export const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());
