import * as z from "zod";
import { CRAWL_STATUSES } from "../../crawl/page/status.ts";
import { DIGEST_EVENT, MAX_CHANGES, NOTICE_EVENTS, type NoticeEvent } from "../../crawl/watch/notice.ts";
import { crawlView } from "../crawls/crawl-schemas.ts";
import { count, listOf, objectOf, time } from "../requests/fields.ts";
import { changeFields } from "./change-schemas.ts";

/** What webhooks are sent: the bodies of notices. */

const crawl = z.uuid().describe("The id of the crawl.");
const timestamp = time.describe("When the event happened.");

const crawlNotice = objectOf({
  type: z
    .enum(NOTICE_EVENTS)
    .extract(["crawl.started", "crawl.completed", "crawl.failed", "crawl.paused"])
    .describe("The event."),
  timestamp,
  data: objectOf({
    crawl,
    status: z
      .enum(CRAWL_STATUSES)
      .describe("The status of the crawl. A watch that has ended its first crawl is `watching`."),
    urls: z.array(z.string()).max(10).describe("The first seeds."),
    total: crawlView.shape.total,
    counts: crawlView.shape.counts,
    bytes: crawlView.shape.bytes,
    reason: z
      .string()
      .nullable()
      .optional()
      .describe("Of a pause: the limit that was reached, or that the database has no room. null: somebody paused it."),
    resumesAt: time
      .nullable()
      .optional()
      .describe("Of a pause: when the crawl goes on by itself. null: it does not, or nobody knows when."),
  }).describe("The state of the crawl."),
});

const pageNotice = objectOf({
  type: z.literal("crawl.page").describe("The event."),
  timestamp,
  data: objectOf({
    crawl,
    url: z.string().describe("The canonical URL of the page."),
    title: z.string().nullable().describe("The title of the page."),
    httpStatus: z.int().nullable().describe("The HTTP status."),
    contentType: z.string().nullable().describe("The content type."),
    bytes: count.nullable().describe("Size of the body, decompressed."),
  }).describe("A page that was completed."),
});

const words = {
  words: listOf({
    before: z.string().nullable().describe("The text before. null: it came."),
    after: z.string().nullable().describe("The text now. null: it went."),
  })
    .nullable()
    .optional()
    .describe("The blocks of text that changed, in full. null: a version is stored no longer. Absent: nobody asked."),
  wordsLeftOut: count.optional().describe("Number of further blocks that changed, beyond 20,000 characters."),
};

const changesNotice = objectOf({
  type: z.literal("pages.changed").describe("The event."),
  timestamp: time.describe("When the message was made: about a minute after its first change."),
  data: objectOf({
    crawl,
    changes: z
      .array(
        objectOf({
          ...changeFields,
          target: z.string().nullable().describe("The URL to which a page moved. null for other kinds."),
          title: z.string().nullable().describe("The title of the page."),
          ...words,
        }),
      )
      .min(1)
      .max(MAX_CHANGES)
      .describe("The changes, in the order of their numbers."),
  }).describe("What changed."),
});

const digestNotice = objectOf({
  type: z.literal("pages.digest").describe("The event: of webhooks with digests, in the place of `pages.changed`."),
  timestamp: time.describe("When the message was made."),
  data: objectOf({
    crawl,
    since: time.nullable().describe("The last digest, or when the webhook was made."),
    pages: listOf({
      ...changeFields,
      target: z.string().nullable().describe("The URL to which a page moved. null for other kinds."),
      title: z.string().nullable().describe("The title of the page."),
      ...words,
      changes: count.describe("Number of changes of the page since the last digest. The others are those of the last."),
    }).describe("The pages that changed, each once. A digest of many pages comes in several messages."),
    everywhere: listOf({
      host: z.string().describe("The host."),
      place: z.string().describe("What it is, in words."),
      pages: count.describe("Number of pages that showed it until it was known that most have it."),
      url: z.string().nullable().describe("One of them."),
      at: time.describe("When it was last seen."),
      before: z.string().nullable().describe("The beginning of the text that went."),
      after: z.string().nullable().describe("The beginning of the text that came."),
    }).describe("What came to most pages of a host at once, such as a banner: one thing each, told of no page."),
    everywhereLeftOut: count.describe("Number of further such things."),
  }).describe("What changed since the last digest."),
});

const troubleNotice = objectOf({
  type: z.literal("watch.trouble").describe("The event."),
  timestamp,
  data: objectOf({
    crawl,
    host: z.string().describe("The host, without its port."),
    url: z
      .string()
      .nullable()
      .describe("The page that failed at three visits in a row, while its host is well. null: the host is in trouble."),
    state: z
      .enum(["began", "ended"])
      .describe(
        "`began`: many of its pages are missing, moved, failing or behind a wall, or the page fails. `ended`: that was not seen at the host for a day, or the page answers.",
      ),
    since: time.describe("When the trouble began. It is the same in the message of its end."),
    visits: count
      .nullable()
      .describe("Number of visits of this day and the one before. null at the end, and for a page."),
    lost: count
      .nullable()
      .describe(
        "How many of them lost their page: missing, moved, failing or behind a wall. null at the end, and for a page.",
      ),
    why: z.string().nullable().describe("What was found, in words, at one page of the host. null at the end."),
  }).describe("The host or the page, and its trouble."),
});

/** By their names in the description of the API. */
export const NOTICES = {
  CrawlNotice: crawlNotice,
  PageNotice: pageNotice,
  ChangesNotice: changesNotice,
  DigestNotice: digestNotice,
  TroubleNotice: troubleNotice,
};

const NOTICE_OF: Record<NoticeEvent | typeof DIGEST_EVENT, keyof typeof NOTICES> = {
  "crawl.started": "CrawlNotice",
  "crawl.page": "PageNotice",
  "crawl.completed": "CrawlNotice",
  "crawl.failed": "CrawlNotice",
  "crawl.paused": "CrawlNotice",
  "pages.changed": "ChangesNotice",
  "pages.digest": "DigestNotice",
  "watch.trouble": "TroubleNotice",
};

/** The requests that an installation sends, in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0#oas-webhooks). */
export function describeNotices() {
  const described = ([...NOTICE_EVENTS, DIGEST_EVENT] as const).map((event) => {
    const schema = { $ref: `#/components/schemas/${NOTICE_OF[event]}` };
    const post = {
      summary: `The event ${event}`,
      tags: ["webhooks"],
      security: [],
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { "2XX": { description: "The notice is delivered." } },
    };
    return [event, { post }] as const;
  });
  return Object.fromEntries(described);
}
