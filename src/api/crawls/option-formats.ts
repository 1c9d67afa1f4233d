import * as z from "zod";
import { systemClock } from "../../core/clock.ts";
import { readPrices } from "../../crawl/page/model-budget.ts";
import { readSignedInMark } from "../../crawl/session.ts";
import { parseRate } from "../../crawl/watch/visit-rates.ts";
import { isSelector, selectorProblem } from "../../media/html/fields/selector-problem.ts";
import { patternProblem } from "../../scope/url-pattern.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { extraction } from "../analysis/extraction-request.ts";
import { fieldGroups } from "../analysis/field-rules-request.ts";
import { webhookOrder } from "../changes/webhook-schemas.ts";
import { headerMapError, requestOf, textLike } from "../requests/fields.ts";
import { countryCodes, languageRanges } from "./place-fields.ts";

/** The schemas of options that are more than a number, a switch or a choice. */

/** Times MAX_URL_LENGTH, this fits into one parameter of a D1 query. */
export const MAX_CRAWL_SEEDS = 1_000;
/** How a page looks with a session. */
export const signedInValue = z
  .string()
  .max(500)
  .refine((written) => isSignedInMark(written), {
    message: 'it is neither a CSS selector, such as "a.log-out", nor text=WORDS, nor a URL',
  });

function isSignedInMark(written: string): boolean {
  const mark = readSignedInMark(written);
  if (mark === null) return true;
  if (mark.kind === "url") return canonicalize(mark.url) !== null;
  if (mark.kind === "text") return mark.text !== "";
  return isSelector(mark.selector) && selectorProblem(mark.selector, "ignored") === null;
}

const globs = z.array(z.string().min(1).max(MAX_URL_LENGTH)).max(100);
const patterns = globs.superRefine((given, context) => {
  for (const [i, pattern] of given.entries()) {
    const problem = patternProblem(pattern);
    if (problem !== null)
      context.addIssue({ code: "custom", path: [i], message: `${JSON.stringify(pattern)} ${problem}` });
  }
});

const rates = z
  .array(
    z
      .string()
      .max(MAX_URL_LENGTH)
      .refine((written) => parseRate(written) !== null, {
        message: "it is no interval of a minute or more with a colon and a glob, such as 1h:/prices/**",
      }),
  )
  .max(100);

/** RFC 9110 5.1 and 5.5, and of the values only those that a Worker can send. */
export const headerName = textLike(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 256);
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
export const headerValue = z
  .string()
  .max(8_192)
  .regex(HEADER_VALUE, "a header has no control characters and only Latin-1");
/** RFC 9110 5.5 and 10.1.5: a sent value neither begins nor ends with white space. */
export const userAgentValue = headerValue
  .min(1)
  .max(512)
  .regex(/^(?![\t ]).*(?<![\t ])$/s, "it begins or ends with white space");

/** RFC 9110 10.1.2: a mailbox, such as `crawler@example.org` or `Crawler <crawler@example.org>`; empty is none. */
const fromValue = textLike(/^(?:[\x21-\x7e]+@[\x21-\x7e]+|[\x20-\x7e]+ <[\x21-\x7e]+@[\x21-\x7e]+>)?$/, 254);

/** RFC 9110 12.5.4: language ranges with weights, such as `de-AT, de;q=0.9, *;q=0.1`; empty is none. */
const LANGUAGE_RANGE = /^(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,9})$/;
const WEIGHT = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const acceptLanguageValue = z
  .string()
  .max(500)
  .refine((value) => value === "" || (value === value.trim() && value.split(",").every(isWeightedRange)), {
    message: 'it is no list of languages, such as "de, en;q=0.5"',
  });

function isWeightedRange(written: string): boolean {
  const [range = "", weight = "q=1", ...others] = written.split(";").map((part) => part.trim());
  return others.length === 0 && LANGUAGE_RANGE.test(range) && WEIGHT.test(weight);
}

/** Seconds. A program that sends milliseconds names a time in the far future. */
const unixTime = z
  .int()
  .min(0)
  .refine((time) => time * 1000 <= systemClock.now(), { message: "it is in the future; it counts seconds since 1970" });

/** All together fit into a crawl's row, which D1 limits to 2 MB. */
const MAX_FORM_CHARACTERS = 200_000;
const forms = z
  .array(
    requestOf({
      selector: z
        .string()
        .min(1)
        .max(500)
        .describe("A CSS selector of the field, or of the form whose first text field it is."),
      values: z.array(z.string().min(1).max(500)).min(1).max(1_000).describe("The values to search for."),
    }),
  )
  .max(20)
  .superRefine((fills, context) => {
    for (const [i, { selector }] of fills.entries()) {
      const problem = selectorProblem(selector, "ignored");
      if (problem !== null)
        context.addIssue({ code: "custom", path: [i, "selector"], message: `${JSON.stringify(selector)} ${problem}` });
    }
    const characters = fills.flatMap(({ values }) => values).reduce((sum, { length }) => sum + length, 0);
    if (characters > MAX_FORM_CHARACTERS)
      context.addIssue({
        code: "custom",
        message: `the values have ${characters} characters; at most ${MAX_FORM_CHARACTERS} are possible`,
      });
  });

const MAX_SELECTORS = 20;
const selector = z
  .string()
  .max(500)
  .refine((text) => text === "" || isSelector(text), { message: "it is not a CSS selector" });

/** All of them stand in the crawl's row, which each batch reads; an index has 50,000. */
export const MAX_NAMED_SITEMAPS = 100;

const MAX_EXAMPLES = 20;
/** All together stand in the crawl's row, which each batch reads. */
const MAX_EXAMPLE_CHARACTERS = 100_000;

/** CSS selectors of names, classes, ids and attributes. */
export const elementSelectors = z
  .array(
    z
      .string()
      .max(500)
      .superRefine((selector, context) => {
        const problem = selectorProblem(selector, "ignored");
        if (problem !== null) context.addIssue({ code: "custom", message: `${JSON.stringify(selector)} ${problem}` });
      }),
  )
  .max(50);

export const OPTION_FORMATS = {
  url: z.string(),
  urls: z.array(z.string()).max(MAX_CRAWL_SEEDS),
  sitemaps: z.array(z.string()).max(MAX_NAMED_SITEMAPS),
  "options.includePatterns": patterns,
  "options.excludePatterns": patterns,
  preferPatterns: patterns,
  savePatterns: patterns,
  languages: languageRanges,
  preferLanguages: languageRanges,
  countries: countryCodes,
  forms,
  topic: z.string().trim().max(2_000),
  like: z.array(z.string().min(1).max(MAX_URL_LENGTH)).max(MAX_EXAMPLES),
  likeTexts: z
    .array(z.string().min(1))
    .max(MAX_EXAMPLES)
    .refine((texts) => texts.reduce((sum, { length }) => sum + length, 0) <= MAX_EXAMPLE_CHARACTERS, {
      message: `the texts have more than ${MAX_EXAMPLE_CHARACTERS} characters together`,
    }),
  "renderOptions.waitFor": selector,
  "renderOptions.click": z.array(selector.min(1)).max(MAX_SELECTORS),
  userAgent: userAgentValue,
  from: fromValue,
  acceptLanguage: acceptLanguageValue,
  headers: z.record(headerName, headerValue, { error: headerMapError }),
  signedIn: signedInValue,
  allowActions: patterns,
  contentSelectors: elementSelectors,
  removeSelectors: elementSelectors,
  fields: fieldGroups,
  extract: extraction.nullable(),
  modelPrices: z
    .string()
    .max(40)
    .refine((written) => written === "" || readPrices(written) !== null, {
      message: "it is no pair of prices in US dollars, such as 0.4,1.6",
    }),
  modifiedSince: unixTime.nullable(),
  webhook: webhookOrder,
  "watch.everyFor": rates,
  "watch.only": globs,
  "watch.ignore.selectors": globs,
  "watch.ignore.patterns": globs,
  "watch.ignore.urls": globs,
  ownHosts: z.array(z.string().min(1).max(300)).max(100),
  allowPrivate: z.array(z.string().min(1).max(300)).max(100),
};
