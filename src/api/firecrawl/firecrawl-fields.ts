import * as z from "zod";

/** Kinds of parameters of Firecrawl's API, besides those that are honoured. docs/firecrawl.md lists them all. */

/** A parameter that would change the result, and cannot be honoured. `neutral`: the values that ask for nothing. */
export function refused(why: string, ...neutral: readonly unknown[]) {
  const isNeutral = (value: unknown) =>
    value === undefined ||
    value === null ||
    neutral.some((each) => JSON.stringify(each) === JSON.stringify(value)) ||
    (Array.isArray(value) && value.length === 0);
  return z.unknown().optional().refine(isNeutral, { message: why }).describe(`Refused: ${why}.`);
}

/** A parameter that clients send and that has no effect on the result here. */
export function hint<T extends z.ZodType>(schema: T, why: string) {
  return schema.nullable().optional().describe(`Accepted without effect: ${why}.`);
}

const CALLER = "it says who calls";

/** What the official clients add to every request. */
export const hints = {
  origin: hint(z.string().max(200), CALLER),
  integration: hint(z.string().max(200), CALLER),
};

export const zeroDataRetention = refused(
  "pages are stored in your own account; delete the crawl, or give storeInCache: false to a scrape",
  false,
);
