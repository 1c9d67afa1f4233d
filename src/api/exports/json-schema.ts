import * as z from "zod";
import { ANSWERS, REQUESTS } from "../operations.ts";

/** Schemas of requests and answers as JSON Schema, with references to those that have a name. */

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const NAMES = new Map<unknown, string>(Object.entries({ ...REQUESTS, ...ANSWERS }).map(([name, each]) => [each, name]));

/** `input`: as a client sends it. `output`: as the API sends it. */
export function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return referenceTo(schema) ?? fullSchemaOf(schema, io);
}

/** The same without a reference to the schema itself. Named schemas inside it are still referred to. */
export function fullSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema, path }) {
      // Later versions add fields to answers, and clients must accept them.
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The format of a date or a UUID makes the pattern redundant, and so does "integer" the bound of safe integers.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "output") delete jsonSchema.default;
      if (path.length === 0) return;
      Object.assign(jsonSchema, referenceTo(zodSchema));
      // A named schema with another description inherits the reference, and all that it refers to.
      if (jsonSchema.$ref !== undefined) {
        for (const key of Object.keys(jsonSchema)) if (key !== "$ref" && key !== "description") delete jsonSchema[key];
      }
    },
  });
  return json;
}

function referenceTo(schema: unknown): JsonSchema | undefined {
  const name = NAMES.get(schema);
  return name === undefined ? undefined : { $ref: `#/components/schemas/${name}` };
}
