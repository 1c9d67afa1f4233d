import * as z from "zod";
import { PASS_STATUSES, type Pass } from "../crawl/pass.ts";
import { count, isoOrNull, objectOf, time } from "./fields.ts";

/** What the API says of passes. */

export const passView = objectOf({
  id: z.string().describe("The id of the pass."),
  status: z
    .enum(PASS_STATUSES)
    .describe("`errored`: it ended without a result, and what an earlier pass found stands."),
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

export function viewPass({ id, status, stage, stepsDone, steps, startedAt, finishedAt, error }: Pass): PassView {
  const times = { startedAt: new Date(startedAt).toISOString(), finishedAt: isoOrNull(finishedAt) };
  return { id, status, stage, stepsDone, steps, ...times, error };
}
