import * as z from "zod";
import { DAY_MS } from "../../core/clock.ts";
import type { KeptVersion, VersionDiff } from "../../crawl/page/kept-version.ts";
import { urlQuery } from "../records/record-schemas.ts";
import { count, emptyAsMissing, isoOrNull, listOf, objectOf, requestOf, time } from "../requests/fields.ts";

/** Requests and answers of /api/crawls/:id/diff. */

/** A date is the whole day in UTC: its first moment as the beginning, its last one as the end. */
const moment = (atDate: "start" | "end") =>
  emptyAsMissing(
    z
      .union([z.iso.datetime({ offset: true }), z.iso.date()])
      .transform((text) => Date.parse(text) + (atDate === "end" && text.length === 10 ? DAY_MS - 1 : 0))
      .optional(),
  ).meta({ type: "string" });

export const diffQuery = requestOf({
  ...urlQuery.shape,
  from: moment("start").describe(
    "The earlier version: the one in force at this time, or at the beginning of this date. Without it: the version before `to`.",
  ),
  to: moment("end").describe(
    "The later version: the one in force at this time, or at the end of this date. Without it: the newest one.",
  ),
  full: z.stringbool().default(false).meta({
    type: "boolean",
    description:
      "Compare the entire main content, also what does not count for changes: the template of the host, and what the watch ignores. The default is `false`.",
  }),
});

const version = objectOf({
  fetchedAt: time.describe("When it was fetched."),
  title: z.string().nullable().describe("Its title."),
  sha256: z.string().nullable().describe("SHA-256 of its body, in hex."),
});
const words = objectOf({
  before: z.string().nullable().describe("In the earlier version."),
  after: z.string().nullable().describe("In the later version."),
}).nullable();
const kind = z.enum(["same", "added", "removed"]);

export const diffView = objectOf({
  url: z.string().describe("The canonical URL."),
  from: version.describe("The earlier version."),
  to: version.describe("The later version."),
  earlier: time.nullable().describe("When the version before `from` was fetched. null: `from` is the first one."),
  later: time.nullable().describe("When the version after `to` was fetched. null: `to` is the newest one."),
  full: z.boolean().describe("Whether the entire main content was compared, not only what counts for changes today."),
  title: words.describe("The title, if it changed."),
  canonical: words.describe("The canonical URL that the page names, if it changed."),
  hunks: listOf({
    under: z.array(z.string()).describe("The headings above it, the highest first."),
    lines: z
      .array(
        z.union([
          objectOf({
            kind: kind.describe("What became of the block."),
            text: z.string().describe("The block: a paragraph, a heading, a list item, a row of a table."),
          }),
          objectOf({
            kind: z.literal("modified").describe("The block was changed."),
            parts: listOf({
              kind: kind.describe("What became of these words."),
              text: z.string().describe("The words."),
            }).describe("The block, word by word."),
          }),
        ]),
      )
      .describe("Blocks that changed, with up to two that did not before and after them."),
  }).describe("The differences of the main content, in the order of the page."),
  hunksLeftOut: count.describe("Number of further differences, which are not shown."),
  rest: objectOf({
    before: count.describe("Characters of the earlier version."),
    after: count.describe("Characters of the later version."),
  })
    .nullable()
    .describe("A change in the text after the first megabyte, which is not shown."),
});
export type DiffView = z.output<typeof diffView>;
export type DiffLineView = DiffView["hunks"][number]["lines"][number];

/** `url`: canonical. */
export function viewDiff(url: string, { from, to, earlier, later, isFull, diff }: VersionDiff): DiffView {
  const view = ({ fetchedAt, title, sha256 }: KeptVersion) => {
    return { fetchedAt: new Date(fetchedAt).toISOString(), title, sha256 };
  };
  const times = { from: view(from), to: view(to), earlier: isoOrNull(earlier), later: isoOrNull(later) };
  return { url, ...times, full: isFull, ...diff };
}
