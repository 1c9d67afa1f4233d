import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { UserError } from "../../../src/cli/errors.ts";
import { lineOf, readFieldsFile } from "../../../src/cli/flags/fields-file.ts";

const dir = mkdtempSync(join(tmpdir(), "orbweaver-fields-"));
const file = join(dir, "rules.json");
afterAll(() => rmSync(dir, { recursive: true }));

function messageOf(text: string, refusal?: string): string {
  writeFileSync(file, text);
  try {
    const { explain } = readFieldsFile(file);
    return explain(new UserError(refusal ?? "", 2));
  } catch (error) {
    return (error as Error).message.replaceAll(file, "FILE");
  }
}

describe("what the API refuses is told with its line", () => {
  const one = '{\n  "a": {},\n  "price": {\n    "selector": ".p"\n  }\n}\n';
  const groups =
    '[\n  {"fields": {}},\n  {"urls": ["/p/{x}"],\n   "fields": {\n     "price": {"selector":\n ".p"}}}\n]';
  test.each([
    [one, "fields.0.fields.price.selector: it is odd", "--fields FILE:4: price.selector: it is odd"],
    [one, "fields.0.fields.price: there is no x", "--fields FILE:3: price: there is no x"],
    [one, "fields.0.fields.other.as: it is odd", "--fields FILE:1: other.as: it is odd"],
    [one, "limit: too small; fields.0.fields.a: odd", "limit: too small; --fields FILE:2: a: odd"],
    [one, "fields: there are 99", "--fields FILE:1: there are 99"],
    [groups, "fields.1.fields.price.selector: it is odd", "--fields FILE:6: 1.fields.price.selector: it is odd"],
    [groups, "crawl.fields.1.urls.0: it is odd", "--fields FILE:3: 1.urls.0: it is odd"],
    [one, "url: it is odd", "url: it is odd"],
  ])("%#", (text, refusal, message) => expect(messageOf(text, refusal)).toBe(message));
});

test.each([
  ['{\n "a": {,}\n}', /^--fields FILE:2:8: it is not JSON: /],
  ['{"a": {}', /^--fields FILE:1:9: it is not JSON: /],
  ["12", /^--fields FILE has no rules\. It is an object of fields by name/],
])("%j is refused with its place", (text, message) => expect(messageOf(text)).toMatch(message));

test("a file that is not there is named", () => {
  expect(() => readFieldsFile(join(dir, "none.json"))).toThrow(/^--fields cannot read .*none\.json: /);
});

test("every value of any JSON has its line", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value, null, 1);
      const lines = text.split("\n");
      const check = (at: unknown, keys: string[]) => {
        if (typeof at !== "object" || at === null) return;
        for (const [key, inner] of Object.entries(at)) {
          const written = JSON.stringify(inner, null, 1).split("\n")[0] ?? "";
          const line = lines[lineOf(text, [...keys, key]) - 1] ?? "";
          expect(line.trim().replace(/,$/, "")).toBe(
            Array.isArray(at) ? written : `${JSON.stringify(key)}: ${written}`,
          );
          check(inner, [...keys, key]);
        }
      };
      check(value, []);
    }),
  );
});
