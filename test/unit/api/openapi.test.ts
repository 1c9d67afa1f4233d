import { Validator } from "@seriousme/openapi-schema-validator"; // the specification's own schemas, in Node alone
import { expect, test } from "vitest";
import { openapi } from "../../../src/api/docs/openapi.ts";
import { fullSchemaOf } from "../../../src/api/exports/json-schema.ts";
import { OPERATIONS } from "../../../src/api/operations.ts";
import { namesInPath, PATH_TEXTS } from "../../../src/api/requests/operation.ts";

/** The description of the API. test/workerd/openapi.test.ts compares it with the API itself. */

const document = JSON.parse(JSON.stringify(openapi()));

test("is OpenAPI 3.1", async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
});

test("has no broken reference", () => {
  for (const [, name = "", key = ""] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
    expect(Object.keys(document.components[name]), key).toContain(key);
});

test("has a unique name for each operation", () => {
  const ids = OPERATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

/**
 * Names of the fields without a description, at any depth. A field that refers to a named schema has that schema's
 * fields.
 */
function undescribed({ properties = {}, items, anyOf = [] }: Described, below = ""): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description || field.$ref ? [] : [below + name]),
      ...undescribed(field, `${below}${name}.`),
    ]),
    ...(items === undefined ? [] : undescribed(items, below)),
    ...anyOf.flatMap((each) => undescribed(each, below)),
  ];
}
interface Described {
  $ref?: string;
  description?: string;
  properties?: Record<string, Described>;
  items?: Described;
  anyOf?: Described[];
}

test.each(
  OPERATIONS.flatMap(({ id, query, body, answer }) => [
    [`${id}: query`, query, "input"] as const,
    [`${id}: body`, body, "input"] as const,
    [
      `${id}: answer`,
      "result" in answer ? answer.result : "json" in answer ? answer.json : undefined,
      "output",
    ] as const,
    [`${id}: messages`, "result" in answer ? answer.messages : undefined, "output"] as const,
  ]).filter(([, schema]) => schema !== undefined),
)("describes every field of %s", (name, schema, io) => {
  const fields = schema === undefined ? [] : undescribed(fullSchemaOf(schema, io) as Described);
  expect(fields, `${name} has fields without .describe() in their schema`).toEqual([]);
});

test("describes every field of the schemas that have a name", () => {
  for (const [name, schema] of Object.entries<Described>(document.components.schemas))
    expect(undescribed(schema), `${name} has fields without .describe() in their schema`).toEqual([]);
});

test("describes every parameter of a path", () => {
  const names = OPERATIONS.flatMap(({ path }) => namesInPath(path));
  expect(Object.keys(PATH_TEXTS)).toEqual(expect.arrayContaining(names));
});
