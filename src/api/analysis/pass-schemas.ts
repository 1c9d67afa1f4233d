import * as z from "zod";
import { PASS_KINDS, PASS_STATUSES, type Pass } from "../../crawl/report/pass.ts";
import { count, isoOrNull, objectOf, requestOf, time } from "../requests/fields.ts";

/** What the API says of passes. */

export const passRequest = requestOf({
  checkExternal: z
    .boolean()
    .optional()
    .describe(
      "Also ask for the URLs of other sites that pages link to, each once, and report those that do not exist. What answered in the last 7 days is not asked again. Default: as the analysis before; a first one asks nobody.",
    ),
  reindex: z
    .boolean()
    .optional()
    .describe(
      "Also leave out of the crawl's search index what many pages of the site repeat. Only for a crawl with `search`. Default: false, whatever the analysis before did, because it has a price.",
    ),
});

export const reindexPriceView = objectOf({
  pages: count.describe("Number of pages in the search index of the crawl at most."),
  maxUsd: z.number().describe("What it costs at most, in US dollars: all of these pages would be written again."),
});
export type ReindexPriceView = z.infer<typeof reindexPriceView>;

export const passView = objectOf({
  id: z.string().describe("The id of the pass."),
  kind: z
    .enum(PASS_KINDS)
    .describe(
      "`analyze`: links, ranks and the report. `classify`: a label for each page. `topics`: groups of pages. `export`: a file with the crawl.",
    ),
  status: z
    .enum(PASS_STATUSES)
    .describe("`errored`: it ended without a result, and what an earlier pass found stands."),
  checkExternal: z.boolean().describe("Whether it asks for the URLs of other sites that pages link to."),
  reindex: z.boolean().describe("Whether it leaves repeated text out of the search index."),
  stage: z.string().describe("What it does now, for people."),
  stepsDone: count.describe("The number of steps that it has done."),
  steps: count.nullable().describe("An estimate of all steps; null until the URLs are listed."),
  startedAt: time.describe("When it began."),
  finishedAt: time.nullable().describe("When it ended; null while it runs."),
  error: z.string().nullable().describe("Why it has no result, for people; null unless it is errored."),
});

export const startedPassView = passView.extend({
  alreadyRunning: z.boolean().describe("The crawl had this running pass already, so none was started."),
});

export type PassView = z.infer<typeof passView>;
export type StartedPassView = z.infer<typeof startedPassView>;

export function viewPass({ startedAt, finishedAt, ...pass }: Pass): PassView {
  const { id, kind, status, checkExternal, reindex, stage, stepsDone, steps, error } = pass;
  const times = { startedAt: new Date(startedAt).toISOString(), finishedAt: isoOrNull(finishedAt) };
  return { id, kind, status, checkExternal, reindex, stage, stepsDone, steps, ...times, error };
}
