import * as z from "zod";
import { FINDING_KINDS, type FindingKind } from "../../graph/problems/finding.ts";
import { MAX_IGNORE_CHARACTERS } from "../../graph/problems/ignore-list.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../graph/report/report-formats.ts";
import { count, listOf, NEXT_CURSOR, objectOf, queryInteger, requestOf, time } from "../requests/fields.ts";

/** The schemas of the site report. */

const findingKind = z.enum(Object.keys(FINDING_KINDS) as FindingKind[]);

const against = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe(
    "The id of another crawl, its beginning or `latest`: compares with the report of that crawl, instead of the one before. Counts only the `kind` if there is one.",
  );

const ignore = z
  .enum(["true", "false"])
  .default("true")
  .transform((value) => value === "true")
  .describe("Whether findings are left out that the site's list says to ignore.");

export const findingsQuery = requestOf({
  against,
  ignore,
  kind: findingKind.optional().describe("The kind of findings to list. Without it, only their numbers."),
  cursor: z
    .string()
    .regex(/^\d{0,12}$/)
    .default("")
    .describe(NEXT_CURSOR),
  limit: queryInteger(1, 1_000, 100).describe("Maximum number of findings in one answer."),
});

export const reportFileQuery = requestOf({
  format: z.enum(Object.keys(REPORT_FORMATS) as ReportFormat[]).describe("The file format of the report."),
  kind: findingKind.optional().describe("Only findings of this kind."),
  against,
  ignore,
});

const findingView = objectOf({
  id: z.string().describe("The same in each analysis that finds this again."),
  kind: findingKind.describe("The kind of the finding."),
  change: z
    .enum(["new", "still", "mended"])
    .nullable()
    .describe(
      "Compared with the earlier analysis: `still` if both found it, `mended` if only the earlier one did. null: nothing was compared.",
    ),
  page: z.string().describe("The URL of the page to mend."),
  target: z.string().optional().describe("Where a link or a redirect leads, or which page is the original."),
  text: z.string().optional().describe("The anchor text of a link; the title or description that pages share."),
  place: z.enum(["navigation", "content"]).optional().describe("Where on the page a link stands."),
  hops: z.array(z.string()).optional().describe("The URLs that follow the page in a chain of redirects."),
  detail: z.string().optional().describe("One fact for people, such as a status."),
});

export const findingsView = objectOf({
  finishedAt: time.describe("When the analysis ended."),
  isOutdated: z
    .boolean()
    .describe("Whether the crawl went on after this analysis, such as by a retry. Then it is to be analyzed again."),
  comparedWith: time
    .nullable()
    .describe(
      "When the earlier analysis ended, of this crawl or of the newest one before it with the same seeds; null if there is none.",
    ),
  comparedCrawl: z
    .string()
    .nullable()
    .describe("The crawl of that earlier analysis, if it is another one. null: it is this one, or there is none."),
  pages: count.describe("HTML pages whose links were read."),
  links: count.describe("Links and redirects between URLs of the crawl."),
  unjudged: z
    .record(z.string(), count)
    .describe("The number of URLs that were not read, and so not judged, by reason: `limit`, `robots`, `queued`."),
  leftOut: z.array(z.string()).describe("What was checked of other sites, and what was not checked, in sentences."),
  externals: objectOf({
    targets: count.describe("The number of URLs of other sites that pages link to, up to the limit."),
    fine: count.describe("The number of those that exist."),
    broken: count.describe("The number of those that do not exist: status 404 or 410, or no such host name."),
    notJudged: listOf({
      why: z.string().describe("A reason such as `robots` or `timeout`, or a status."),
      count: count.describe("The number of URLs."),
      examples: z.array(z.string()).describe("A few of them."),
    }).describe("The others, by reason, most first."),
    linksLeftOut: count.describe("The number of links to URLs beyond the limit."),
  })
    .nullable()
    .describe("The check of links to other sites; null if this analysis asked nobody."),
  counts: listOf({
    kind: findingKind.describe("The kind of the findings."),
    severity: z.enum(["error", "warning", "notice"]).describe("How severe they are."),
    title: z.string().describe("The name of the kind, for people."),
    explanation: z.string().describe("What the kind is, for people."),
    mend: z.string().describe("How to mend it, for people."),
    found: count.describe("The number of findings, new ones included."),
    new: count.describe("The number of those that the earlier analysis did not find."),
    still: count.describe("The number of those that the earlier analysis found, too."),
    mended: count.describe("The number of those that only the earlier analysis found."),
  }).describe("The kinds with findings, in the order of the report."),
  findings: z.array(findingView).describe("The findings of the kind asked for, by target."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null: this is the last one."),
});

export type FindingsView = z.infer<typeof findingsView>;

export const ignoreListRequest = requestOf({
  list: z
    .string()
    .max(MAX_IGNORE_CHARACTERS)
    .describe(
      "The list, a rule a line: `KIND URL-GLOB # reason`, or `KIND URL-GLOB until YYYY-MM-DD # reason`; `*` is any kind. The glob is compared with the page and with the target. An empty list removes the one that there is.",
    ),
});

export const ignoreListView = objectOf({
  list: z.string().describe("The list as it was written; empty if there is none."),
  rules: listOf({
    kind: z.string().describe("A kind of findings, or `*` for all."),
    urls: z.string().describe("The glob of pages or targets."),
    until: z.string().nullable().describe("The last day on which it holds: YYYY-MM-DD, UTC. null: for ever."),
    reason: z.string().describe("Why they are ignored."),
  }).describe("Its rules."),
});

export type IgnoreListView = z.infer<typeof ignoreListView>;
