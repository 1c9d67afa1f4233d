import * as z from "zod";
import { CHANGE_KINDS, type Change, type TitledChange } from "../../crawl/watch/watch.ts";
import { fieldValue } from "../analysis/field-values.ts";
import { count, emptyAsMissing, listOf, objectOf, queryInteger, requestOf, time } from "../requests/fields.ts";

/** Requests and answers of /api/crawls/:id/changes. */

const MOST_CHANGES = 1_000;

const kind = z.enum(CHANGE_KINDS);

export const changesQuery = requestOf({
  since: z
    .union([z.string().regex(/^\d{1,15}$/), z.iso.datetime({ offset: true }), z.iso.date()])
    .optional()
    .describe(
      "Only changes after this cursor, or from this time on. Without it: from the oldest change that is kept. A cursor after which changes were removed is refused.",
    ),
  kind: emptyAsMissing(
    z
      .string()
      .transform((text) => text.split(","))
      .pipe(z.array(kind).min(1)),
  )
    .optional()
    .meta({ type: "string" })
    .describe("Only changes of these kinds, separated by commas."),
  limit: queryInteger(1, MOST_CHANGES, 100).describe("Maximum number of changes in one answer."),
});

export const changeFields = {
  seq: count.describe("The number of the change: 1, 2, and so on within its crawl."),
  url: z.string().describe("The canonical URL."),
  kind: kind.describe(
    "`added`: a new page. `changed`: it says something else. `moved`: it redirects now. `removed`: it is gone. `restored`: it is there again.",
  ),
  at: time.describe("When the watch noticed it."),
  detail: z.string().nullable().describe("What changed, where it moved to, or why it is gone, in words."),
  fields: listOf({
    name: z.string().describe("The name of the field."),
    before: fieldValue.nullable().describe("Its value before. null: the page had none."),
    after: fieldValue.nullable().describe("Its value now. null: the page has none any more."),
    words: z.string().optional().describe("The words of the page that it comes from, of a value that a model found."),
  })
    .optional()
    .describe(
      "The fields of the crawl's rules that have changed, in crawls with `fields`, or values that a model found, with `extract`. Absent: none has.",
    ),
  backTo: time.optional().describe("The last visit that found what the page says again. Absent: what it says is new."),
};

export const changesView = objectOf({
  changes: listOf(changeFields).describe("The changes, in the order in which they were noticed."),
  cursor: count.describe(
    "Send it as `since` for the changes that follow. It never skips a change and never repeats one.",
  ),
  hasMore: z.boolean().describe("Whether there are more changes now."),
});
export type ChangesView = z.output<typeof changesView>;
export type ChangeView = ChangesView["changes"][number];

export function viewChange<T extends Change>({ at, backTo, ...change }: T) {
  const times = {
    at: new Date(at).toISOString(),
    ...(backTo === undefined ? {} : { backTo: new Date(backTo).toISOString() }),
  };
  return { ...change, ...times };
}

export const newestQuery = requestOf({
  kind: changesQuery.shape.kind,
  before: emptyAsMissing(queryInteger(1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))
    .meta({ type: "integer" })
    .describe("Only changes before the one with this number. Without it: the newest."),
  limit: changesQuery.shape.limit,
});

export const newestView = objectOf({
  changes: listOf({
    ...changeFields,
    title: z.string().nullable().describe("The title that the page has now, or had before it went."),
  }).describe("The changes, the newest first."),
  hasMore: z.boolean().describe("Whether there are older ones. Send the number of the last one as `before`."),
});
export type NewestView = z.output<typeof newestView>;
export type NewestChange = NewestView["changes"][number];

/** `found`: one more than `limit` if there are as many. */
export function viewNewest(found: readonly TitledChange[], limit: number): NewestView {
  const changes = found.slice(0, limit).map(viewChange);
  return { changes, hasMore: found.length > limit };
}
