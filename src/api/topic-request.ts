import * as z from "zod";
import { type CrawlOptions, DEFAULT_OPTIONS, hasTopic } from "../crawl/crawl-options.ts";
import { MAX_URL_LENGTH } from "../url/canonicalize.ts";
import { number } from "./fields.ts";

/** The parameters of a crawl's subject, and what follows from them. */

const MAX_EXAMPLES = 20;
/** All together stand in the crawl's row, which each batch reads. */
const MAX_EXAMPLE_CHARACTERS = 100_000;

/** With a subject, few URLs are in motion, so that the others keep their order: two batches. */
const TOPIC_MAX_QUEUED = 50;
/** With a subject, a host gives at most this share of the pages, but never fewer than the number. */
const HOST_SHARE = 1 / 4;
const LEAST_HOST_LIMIT = 100;

export const topicFields = {
  topic: z
    .string()
    .trim()
    .max(2_000)
    .default(DEFAULT_OPTIONS.topic)
    .describe(
      "The subject, in words: links are followed best first, and each page gets a `relevance`. It implies `includeExternalLinks`, a `limitPerHost`, and a small `maxQueued`.",
    ),
  like: z
    .array(z.string().min(1).max(MAX_URL_LENGTH))
    .max(MAX_EXAMPLES)
    .default(DEFAULT_OPTIONS.like)
    .describe("URLs of example pages of the subject. They are fetched first, and count as seeds."),
  likeTexts: z
    .array(z.string().min(1))
    .max(MAX_EXAMPLES)
    .refine((texts) => texts.reduce((sum, { length }) => sum + length, 0) <= MAX_EXAMPLE_CHARACTERS, {
      message: `the texts have more than ${MAX_EXAMPLE_CHARACTERS} characters together`,
    })
    .default(DEFAULT_OPTIONS.likeTexts)
    .describe("Texts of example pages of the subject."),
  until: number(0, 1, DEFAULT_OPTIONS.until).describe(
    "The crawl ends when fewer than this share of its last 200 pages were relevant: the remaining URLs are `cancelled`, reason `topic-exhausted`. 0 means never. It needs `topic`, `like` or `likeTexts`.",
  ),
  limitPerHost: z
    .int()
    .min(0)
    .max(10_000_000)
    .optional()
    .describe(
      "Page limit for each host: its maximum number of completed pages. 0 means no limit. The default is 0, and with a subject a quarter of `limit`, but at least 100.",
    ),
};

/** The values of the options whose defaults depend on the subject. */
export function topicDefaults(
  request: Pick<CrawlOptions, "topic" | "like" | "likeTexts" | "limit">,
): Pick<CrawlOptions, "includeExternalLinks" | "limitPerHost" | "maxQueued"> {
  const { includeExternalLinks, limitPerHost, maxQueued } = DEFAULT_OPTIONS;
  if (!hasTopic(request)) return { includeExternalLinks, limitPerHost, maxQueued };
  return {
    includeExternalLinks: true,
    limitPerHost: Math.max(LEAST_HOST_LIMIT, Math.ceil(request.limit * HOST_SHARE)),
    maxQueued: TOPIC_MAX_QUEUED,
  };
}
