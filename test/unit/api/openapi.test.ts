import { Validator } from "@seriousme/openapi-schema-validator"; // the specification's own schemas, in Node alone
import { expect, test } from "vitest";
import { openapi } from "../../../src/api/openapi.ts";
import { OPERATIONS } from "../../../src/api/operations.ts";

/** The description of the API by itself; test/workerd/openapi.test.ts holds it against the API. */

const document = JSON.parse(JSON.stringify(openapi()));

test("is OpenAPI 3.1", async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
});

test("refers to nothing that it does not hold", () => {
  for (const [, name = "", key = ""] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
    expect(Object.keys(document.components[name]), key).toContain(key);
});

test("names each operation once", () => {
  const ids = OPERATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

/** Names of what has no sentence, at any depth. */
function silent(properties: Record<string, Described> = {}, below = ""): string[] {
  return Object.entries(properties).flatMap(([name, { description, properties: inner }]) => [
    ...(description === undefined ? [below + name] : []),
    ...silent(inner, `${below}${name}.`),
  ]);
}
interface Described {
  description?: string;
  properties?: Record<string, Described>;
}

test("has a sentence for every parameter", () => {
  const { CrawlRequest, ScheduleRequest, ExplainRequest, CloudflareRequest } = document.components.schemas;
  for (const { properties } of [CrawlRequest, ScheduleRequest, ExplainRequest, CloudflareRequest])
    expect(silent(properties), "parameters without a sentence in src/api/parameter-texts.ts").toEqual([]);
  const inPaths = Object.values(document.paths as Record<string, Record<string, { parameters: Parameter[] }>>)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ parameters }) => parameters);
  const mute = inPaths.filter(({ description }) => description === "").map(({ name }) => name);
  expect(mute, "in src/api/parameter-texts.ts, or PATH_TEXTS in src/api/operation.ts").toEqual([]);
});

interface Parameter {
  name: string;
  description: string;
}
