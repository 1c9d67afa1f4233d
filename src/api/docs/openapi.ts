import type { z } from "zod";
import { VERSION } from "../../core/version.ts";
import { describeNotices } from "../changes/notice-schemas.ts";
import { fullSchemaOf, type JsonSchema, schemaOf } from "../exports/json-schema.ts";
import { ANSWERS, OPERATIONS, REQUESTS } from "../operations.ts";
import {
  namesInPath,
  type Operation,
  PATH_TEXTS,
  REFUSED,
  refusalsOf,
  TAGS,
  templateOf,
} from "../requests/operation.ts";

/**
 * The description of the API in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0), made from the list of operations.
 */

let made: ReturnType<typeof describe> | undefined;

/** Made on the first request: an isolate that only crawls does not need it. As JSON, undefined fields disappear. */
export function openapi(): ReturnType<typeof describe> {
  made ??= describe();
  return made;
}

function describe() {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const operation of OPERATIONS) {
    const { method, path, also = path, id } = operation;
    const described = describeOperation(operation);
    const add = (template: string, operationId: string) => {
      paths[template] = { ...paths[template], [method]: { ...described, operationId } };
    };
    add(templateOf(path), id);
    if (also !== path) add(templateOf(also), `${id}Again`);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Orbweaver",
      version: VERSION,
      summary: "A web crawler on Cloudflare's edge.",
      description:
        "All endpoints except the open ones need a token of the installation: `Authorization: Bearer TOKEN`. A read-only token may send GET requests, POST /api/explain and POST /v2/search.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeNotices(),
    components: {
      schemas: { ...named(REQUESTS, "input"), ...named(ANSWERS, "output") },
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token in API_TOKEN, or a read-only one in READ_TOKEN.",
        },
      },
      responses: { ...refusals("", FAILURE), ...refusals("Firecrawl", FIRECRAWL_FAILURE) },
    },
  };
}

const FAILURE = { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } };
const FIRECRAWL_FAILURE = { "application/json": { schema: { $ref: "#/components/schemas/FirecrawlFailure" } } };

function refusals(prefix: string, content: typeof FAILURE) {
  const all = Object.entries(REFUSED).map(([status, { says }]) => [
    `${prefix}Refused${status}`,
    { description: says, content },
  ]);
  return Object.fromEntries(all) as Record<string, { description: string; content: typeof FAILURE }>;
}

function describeOperation(operation: Operation) {
  const { id, tag, summary, detail, open, answer } = operation;
  const prefix = tag === "firecrawl" ? "Firecrawl" : "";
  const refused = refusalsOf(operation).map((status) => [
    status,
    { $ref: `#/components/responses/${prefix}Refused${status}` },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: detail,
    security: open ? [] : undefined,
    parameters: parametersOf(operation),
    requestBody: requestBodyOf(operation),
    responses: {
      [answer.status]: { description: answer.says, content: contentOf(answer) },
      ...Object.fromEntries(refused),
    },
  };
}

function requestBodyOf({ body, upload, example }: Operation) {
  if (upload !== undefined)
    return { required: true, content: { [upload]: { schema: { type: "string" } as JsonSchema } } };
  return (
    body && {
      required: true,
      content: { "application/json": { schema: schemaOf(body, "input"), example: example?.body } },
    }
  );
}

function contentOf(answer: Operation["answer"]): Record<string, { schema: JsonSchema }> {
  if ("file" in answer) return { [answer.file]: { schema: { type: "string" } } };
  if ("json" in answer) return { "application/json": { schema: schemaOf(answer.json, "output") } };
  const properties = {
    success: { const: true },
    result: schemaOf(answer.result, "output"),
    ...(answer.messages && {
      errors: { type: "array", maxItems: 0 } as const,
      messages: schemaOf(answer.messages, "output"),
    }),
  };
  return { "application/json": { schema: { type: "object", required: Object.keys(properties), properties } } };
}

/** Programs that send requests fill in examples, so only required parameters have one. */
function parametersOf({ path, query, example }: Operation) {
  const inPath = namesInPath(path).map((name) => ({
    name,
    in: "path",
    required: true,
    description: PATH_TEXTS[name] ?? "",
    schema: { type: "string" } as JsonSchema,
    example: example?.path?.[name],
  }));
  const { properties = {}, required = [] } = query === undefined ? {} : fullSchemaOf(query, "input");
  const inQuery = Object.entries(properties).map(([name, property]) => {
    const { description = "", ...schema } = property as JsonSchema;
    const isRequired = required.includes(name);
    const sample = isRequired ? example?.query?.[name] : undefined;
    return { name, in: "query", required: isRequired, description, schema, example: sample };
  });
  return [...inPath, ...inQuery];
}

function named(schemas: Record<string, z.ZodType>, io: "input" | "output"): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, fullSchemaOf(schema, io)]));
}
