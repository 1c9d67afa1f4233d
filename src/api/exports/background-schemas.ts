import * as z from "zod";
import { EXPORT_PARAMETERS, EXPORTED_NAMES } from "../../crawl/export-table.ts";
import { FORMATS } from "../../crawl/options/content-options.ts";
import type { Pass } from "../../crawl/report/pass.ts";
import { type PassView, passView, viewPass } from "../analysis/pass-schemas.ts";
import { chunkTokens, minRelevance } from "../records/record-schemas.ts";
import { count, objectOf, optionalText, requestOf, urlStatus } from "../requests/fields.ts";
import { DOOR, isText, refuse } from "./export-formats.ts";

/** Requests and answers of exports in the background. */

/** A sitemap of several files has no single one, and a file of another kind is made from its end or its whole. */
export const BACKGROUND_FORMATS = EXPORTED_NAMES.filter(isText).filter((name) => name !== "sitemap");

export const backgroundQuery = requestOf({
  format: z.enum(BACKGROUND_FORMATS).describe("The file format."),
  status: urlStatus.optional().describe(EXPORT_PARAMETERS.status),
  label: optionalText.describe(EXPORT_PARAMETERS.label),
  formats: z.array(z.enum(FORMATS)).optional().describe(EXPORT_PARAMETERS.formats),
  rawText: z.boolean().default(false).describe(EXPORT_PARAMETERS.rawText),
  chunkTokens,
  minRelevance,
}).superRefine(({ format, ...parameters }, context) => refuse(format, parameters, DOOR, context));
export type BackgroundQuery = z.output<typeof backgroundQuery>;

export const backgroundView = objectOf({
  ...passView.pick({
    id: true,
    status: true,
    stage: true,
    stepsDone: true,
    steps: true,
    startedAt: true,
    finishedAt: true,
    error: true,
  }).shape,
  format: z.enum(BACKGROUND_FORMATS).nullable().describe("The file format; null if the export failed."),
  bytes: count.nullable().describe("The size of the file; null until it is complete."),
  file: z.string().nullable().describe("The path of the file; null until it is complete."),
});
export type BackgroundView = z.infer<typeof backgroundView>;

export const backgroundList = objectOf({
  exports: z.array(backgroundView).describe("The one that runs, and the last ones that completed and failed."),
  long: z
    .array(z.enum(EXPORTED_NAMES))
    .describe("Formats that `GET /api/crawls/:id/export` refuses now, because one request may not read so much."),
});
export type BackgroundList = z.infer<typeof backgroundList>;

export const startedBackgroundView = backgroundView.extend({
  alreadyRunning: z.boolean().describe("The crawl had this running export already, so none was started."),
});

export type StartedBackgroundView = z.infer<typeof startedBackgroundView>;

export function viewBackground(
  pass: Pass,
  format: BackgroundView["format"],
  sizes: readonly number[] | null,
): BackgroundView {
  const { kind: _, checkExternal: __, reindex: ___, ...view }: PassView = viewPass(pass);
  const bytes = sizes === null ? null : sizes.reduce((sum, size) => sum + size, 0);
  return { ...view, format, bytes, file: bytes === null ? null : `/api/crawls/${pass.crawl}/exports/${pass.id}/file` };
}
