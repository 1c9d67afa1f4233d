import { z } from "zod";
import {
  crawlDetail,
  crawlOptions,
  crawlView,
  deletionView,
  explainView,
  failureView,
  hostView,
  recordDetailView,
  recordView,
  reportView,
  robotsView,
  scheduleView,
  treeView,
} from "./answer-schemas.ts";
import { cloudflareRequest } from "./cloudflare-schemas.ts";
import { PARAMETER_TEXTS } from "./parameter-texts.ts";
import { crawlRequest, explainRequest, scheduleRequest } from "./schemas.ts";

/** The schemas of requests and answers as the description of the API has them: JSON Schema, those with a name by reference. */

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export const REQUESTS = {
  CrawlRequest: crawlRequest,
  ScheduleRequest: scheduleRequest,
  ExplainRequest: explainRequest,
  CloudflareRequest: cloudflareRequest,
};
export const ANSWERS = {
  Crawl: crawlView,
  CrawlOptions: crawlOptions,
  CrawlDetail: crawlDetail,
  Record: recordView,
  Robots: robotsView,
  RecordDetail: recordDetailView,
  TreeLevel: treeView,
  Report: reportView,
  Host: hostView,
  Explanation: explainView,
  Schedule: scheduleView,
  Deletion: deletionView,
  Failure: failureView,
};

const NAMES = new Map<unknown, string>(Object.entries({ ...REQUESTS, ...ANSWERS }).map(([name, each]) => [each, name]));

/** `input` as it is sent to us, `output` as we send it. */
export function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return referenceTo(schema) ?? wholeSchemaOf(schema, io);
}

/** As above, written out where it has a name; those within are still named. */
export function wholeSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema, path }) {
      // Answers gain fields from version to version: a client is not to refuse them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // Of a date and a UUID the format says it better, and that an integer is a safe one needs no saying.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "output") delete jsonSchema.default;
      if (path.length === 0) return;
      const reference = referenceTo(zodSchema);
      Object.assign(jsonSchema, reference);
      // Also of one that was given another sentence, and so comes with all that it refers to.
      if (jsonSchema.$ref !== undefined) {
        for (const key of Object.keys(jsonSchema)) if (key !== "$ref" && key !== "description") delete jsonSchema[key];
      }
      const description = PARAMETER_TEXTS.get(zodSchema);
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  return json;
}

function referenceTo(schema: unknown): JsonSchema | undefined {
  const name = NAMES.get(schema);
  return name === undefined ? undefined : { $ref: `#/components/schemas/${name}` };
}
