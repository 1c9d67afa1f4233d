import type { z } from "zod";
import { VERSION } from "../core/version.ts";
import { ANSWERS, type JsonSchema, REQUESTS, schemaOf, wholeSchemaOf } from "./json-schema.ts";
import { namesInPath, type Operation, PATH_TEXTS, REFUSED, refusalsOf, TAGS, templateOf } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

/** The API described in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0), from the schemas by which it reads and the list of what it does. */

export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: string;
}

/** An operation as OpenAPI has it. */
export interface Described {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: [];
  parameters: Parameter[];
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema; example: unknown }> };
  responses: Record<string, unknown>;
}

let made: ReturnType<typeof describe> | undefined;

/** Made when it is first asked for: an isolate that only crawls has no use for it. */
export function openapi(): ReturnType<typeof describe> {
  made ??= describe();
  return made;
}

function describe() {
  const paths: Record<string, Record<string, Described>> = {};
  for (const operation of OPERATIONS) {
    for (const [path, id] of [
      [operation.path, operation.id],
      [operation.also, `${operation.id}Again`],
    ] as const) {
      if (path === undefined) continue;
      const template = templateOf(path);
      paths[template] = {
        ...paths[template],
        [operation.method]: { ...describeOperation(operation), operationId: id },
      };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Orbweaver",
      version: VERSION,
      summary: "A web crawler on Cloudflare's edge.",
      description:
        "Every request but the open ones sends a token of the installation: `Authorization: Bearer TOKEN`. One that only reads may GET, and POST /api/explain.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "API_TOKEN, or READ_TOKEN to read." },
      },
      responses: Object.fromEntries(Object.keys(REFUSED).map((status) => [nameOf(status), refusal(Number(status))])),
    },
  };
}

function describeOperation(operation: Operation): Described {
  const { id, tag, summary, detail, open, body, answer, example } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(detail === undefined ? {} : { description: detail }),
    ...(open ? { security: [] as [] } : {}),
    parameters: parametersOf(operation),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true as const,
            content: { "application/json": { schema: schemaOf(body, "input"), example: example?.body } },
          },
        }),
    responses: {
      [answer.status]: { description: answer.says, content: contentOf(answer) },
      ...Object.fromEntries(
        refusalsOf(operation).map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
      ),
    },
  };
}

function contentOf(answer: Operation["answer"]) {
  if ("file" in answer) return { [answer.file]: { schema: { type: "string" } } };
  if ("json" in answer) return { "application/json": { schema: schemaOf(answer.json, "output") } };
  const beside =
    answer.messages === undefined
      ? {}
      : { errors: { type: "array", maxItems: 0 }, messages: schemaOf(answer.messages, "output") };
  const schema = {
    type: "object",
    required: ["success", "result", ...Object.keys(beside)],
    properties: { success: { const: true }, result: schemaOf(answer.result, "output"), ...beside },
  };
  return { "application/json": { schema } };
}

function parametersOf({ path, query, example }: Operation): Parameter[] {
  const inPath = namesInPath(path).map((name): Parameter => {
    const sample = example?.path?.[name];
    return {
      name,
      in: "path",
      required: true,
      description: PATH_TEXTS[name] ?? "",
      schema: { type: "string" },
      ...(sample === undefined ? {} : { example: sample }),
    };
  });
  if (query === undefined) return inPath;
  const { properties = {}, required = [] } = wholeSchemaOf(query, "input");
  const inQuery = Object.entries(properties).map(([name, property]): Parameter => {
    const { description = "", ...schema } = property as JsonSchema;
    // The page fills examples in: what may be left out is left to people.
    const isRequired = required.includes(name);
    const sample = isRequired ? example?.query?.[name] : undefined;
    return {
      name,
      in: "query",
      required: isRequired,
      description,
      schema,
      ...(sample === undefined ? {} : { example: sample }),
    };
  });
  return [...inPath, ...inQuery];
}

function refusal(status: number) {
  return {
    description: REFUSED[status]?.says ?? "",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
  };
}

function nameOf(status: number | string): string {
  return `Refused${status}`;
}

function components(): Record<string, JsonSchema> {
  return { ...named(REQUESTS, "input"), ...named(ANSWERS, "output") };
}

function named(schemas: Record<string, z.ZodType>, io: "input" | "output"): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, wholeSchemaOf(schema, io)]));
}
