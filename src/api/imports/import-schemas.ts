import * as z from "zod";
import { LEFT_OUT, type LeftOutReason } from "../../crawl/imported-archive.ts";
import { CRAWL_STATUSES } from "../../crawl/page/status.ts";
import { count, objectOf, requestOf } from "../requests/fields.ts";

/** The most answers of one request: each is read in an invocation of its own. */
export const MAX_ANSWERS = 24;
/** The largest document that is read, with its headers: 26 MiB. */
export const MAX_RECORDS_BYTES = 26 * 1024 * 1024;
const MAX_SEEDS = 100;
const MAX_NAME = 500;
const MAX_COUNT = 100_000_000;

export const importRequest = requestOf({
  archive: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("A SHA-256 of the archive, in hex. The same archive always has the same crawl, so an import goes on."),
  name: z.string().min(1).max(MAX_NAME).describe("The name of the file, for people."),
  urls: z
    .array(z.string().max(2048))
    .min(1)
    .max(MAX_SEEDS)
    .describe("Pages at which to begin, as the seeds of the crawl."),
  answers: z.int().min(0).max(MAX_COUNT).describe("Number of answers that will be sent."),
});

export const importView = objectOf({
  id: z.uuid().describe("The id of the crawl."),
  status: z
    .enum(CRAWL_STATUSES)
    .describe("`paused`: it takes answers. Any other: this archive was imported before, and takes no more."),
  settled: count.describe("Number of URLs that have their answer already."),
});

export type ImportView = z.output<typeof importView>;

export const importedView = objectOf({
  settled: count.describe("Number of URLs that these answers settled. Those that had settled before are not counted."),
});

const leftOutReason = z.enum(Object.keys(LEFT_OUT) as LeftOutReason[]);

export const importEnd = requestOf({
  leftOut: z
    .array(
      requestOf({
        reason: leftOutReason.describe("Why records of the archive have no record in the crawl."),
        count: z.int().min(1).max(MAX_COUNT).describe("Number of records."),
        examples: z.array(z.string().max(2048)).max(3).default([]).describe("Some of their URLs."),
      }),
    )
    .max(Object.keys(LEFT_OUT).length)
    .default([])
    .describe("What was left out of the archive."),
});

/** What a crawl says of its archive. */
export const archiveView = objectOf({
  name: z.string().describe("The name of the file."),
  answers: count.describe("Number of answers that the archive has for the crawl."),
  leftOut: z
    .array(
      objectOf({
        reason: leftOutReason.describe("Why they are left out."),
        text: z.string().describe("The reason in words."),
        count: count.describe("Number of records."),
        examples: z.array(z.string()).describe("Some of their URLs."),
      }),
    )
    .describe("Records of the archive without a record in the crawl. Empty until the import has ended."),
});
