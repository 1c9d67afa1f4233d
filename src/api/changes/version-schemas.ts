import * as z from "zod";
import { timestamp } from "../../archive/cdxj.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import type { VersionsPage } from "../../crawl/page/url-version.ts";
import { shownStatus, urlQuery } from "../records/record-schemas.ts";
import { mementoPath } from "../replay/replay-address.ts";
import { count, listOf, NEXT_CURSOR, objectOf, queryInteger, requestOf, time, urlStatus } from "../requests/fields.ts";

/** Requests and answers of /api/versions. */

export const versionsQuery = requestOf({
  ...urlQuery.shape,
  crawl: z
    .string()
    .min(1)
    .optional()
    .describe("Only this crawl: its id, the beginning of it, or `latest`. Without it: all crawls."),
  limit: queryInteger(1, 1_000, 100).describe("Maximum number of versions in one answer."),
  cursor: z
    .string()
    .regex(/^(?:\d{1,15}\..+)?$/, "the cursor of the previous answer")
    .default("")
    .describe(NEXT_CURSOR),
});

export const versionsView = objectOf({
  url: z.string().describe("The canonical URL."),
  versions: listOf({
    time: time.describe("When it was fetched."),
    crawl: z.string().describe("The id of the crawl that fetched it."),
    status: urlStatus.describe("The status of the URL in that crawl."),
    httpStatus: z.int().describe("The HTTP status of the answer."),
    redirectTo: z.string().nullable().describe("The canonical URL to which it redirects. null: it does not redirect."),
    contentType: z.string().nullable().describe("The Content-Type of the answer."),
    bytes: count.nullable().describe("Size of the stored body, decompressed. null: no body is stored."),
    sha256: z.string().nullable().describe("SHA-256 of the stored body, in hex."),
    changed: z
      .boolean()
      .nullable()
      .describe("Whether the answer differs from that of the version before it. null: this is the first version."),
    replay: z
      .string()
      .nullable()
      .describe("The path at which a browser shows this version. null: the mirror has no page and no redirect."),
  }).describe("The versions, newest first."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null: this is the last one."),
});
export type VersionsView = z.output<typeof versionsView>;

/** `url`: canonical. */
export function viewVersions(url: string, { versions, cursor }: VersionsPage): VersionsView {
  return {
    url,
    versions: versions.map(({ time: fetchedAt, status, reason, detail, ...rest }) => {
      const redirectTo = redirectTarget({ reason, detail });
      const isShown = status === "completed" || redirectTo !== null;
      return {
        ...rest,
        time: new Date(fetchedAt).toISOString(),
        status: shownStatus(status),
        redirectTo,
        replay: isShown ? mementoPath(rest.crawl, timestamp(fetchedAt), url) : null,
      };
    }),
    cursor,
  };
}
