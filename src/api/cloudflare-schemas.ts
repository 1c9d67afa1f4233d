import { z } from "zod";
import { systemClock } from "../core/clock.ts";
import { FORMATS } from "../crawl/page-format.ts";
import { crawlRequest, recordsQuery } from "./schemas.ts";

/**
 * What Cloudflare's /crawl takes, as far as it can be honoured without a browser, with our own options beside it in the same body.
 * What it does not know is not here, and is told to the caller: `cloudflareMessages`.
 */

/** Most records of one answer. Who asks for more gets a cursor, as with an answer that would be too large. */
const MOST_RECORDS = 1_000;

/** RFC 7617 2: a user's name has no colon, and neither has control characters. */
const CONTROL = "\\u0000-\\u001f\\u007f";
const username = z
  .string()
  .max(1_000)
  .regex(new RegExp(`^[^:${CONTROL}]*$`));
const password = z
  .string()
  .max(1_000)
  .regex(new RegExp(`^[^${CONTROL}]*$`));

/** As puppeteer takes it. Of a value, what browsers send: RFC 6265 4.1.1, and the blanks, quotes and commas that are met. */
const cookie = z.object({
  name: z
    .string()
    .max(256)
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
  value: z
    .string()
    .max(4_096)
    .regex(/^[\x20-\x3a\x3c-\x7e]*$/),
  domain: z.string().optional(),
  path: z.string().optional(),
  url: z.string().optional(),
  secure: z.boolean().optional(),
  /** Seconds since the Unix epoch; what is not after it is a cookie of the session. */
  expires: z.number().optional(),
});

export type Cookie = z.infer<typeof cookie>;

/** A leap year, and a day for clocks. */
const YEAR_MS = 367 * 86_400_000;

const NOT_RENDERED =
  'pages are not rendered here: send "render": false, or leave it out, to have them fetched as the servers send them';

/** What is theirs alone, or has other bounds there than on our own paths. */
export const cloudflareOwn = z.object({
  limit: z.number().int().min(1).max(100_000).default(10),
  formats: z.array(z.enum(FORMATS)).max(FORMATS.length).default(["html"]),
  render: z
    .boolean()
    .refine((render) => !render, { message: NOT_RENDERED })
    .optional(),
  modifiedSince: crawlRequest.shape.modifiedSince.refine(
    (time) => time === null || time * 1000 > systemClock.now() - YEAR_MS,
    {
      message: "it is more than a year ago",
    },
  ),
  maxAge: z.number().min(0).max(604_800).default(86_400),
  setExtraHTTPHeaders: crawlRequest.shape.headers.unwrap().default({}),
  authenticate: z.object({ username, password }).optional(),
  cookies: z.array(cookie).max(100).default([]),
  gotoOptions: z
    .object({
      /** Milliseconds; 0 is no limit. */
      timeout: z.number().min(0).optional(),
      referer: z
        .string()
        .max(2_048)
        .regex(/^[\x20-\x7e]*$/)
        .optional(),
    })
    .prefault({}),
});

export const cloudflareRequest = crawlRequest.safeExtend(cloudflareOwn.shape);

export type CloudflareRequest = z.infer<typeof cloudflareRequest>;

const NO_CURSOR = "it is not the cursor of an answer before";

/** Their client gives the cursor back as a number, though it is answered as a string; so it is a number in a string; 0 is the beginning. */
export const cloudflareQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, NO_CURSOR)
    .default("0")
    .transform(Number),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(MOST_RECORDS)
    .transform((limit) => Math.min(limit, MOST_RECORDS)),
  status: recordsQuery.shape.status,
});
