import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crawlRequest } from "../src/api/crawls/crawl-request.ts";
import { fullSchemaOf, type JsonSchema } from "../src/api/exports/json-schema.ts";
import { ANSWERS, REQUESTS } from "../src/api/operations.ts";
import { recordsPage } from "../src/api/records/record-schemas.ts";
import { ROOT } from "../src/cli/installation/package-root.ts";
import { OPTION_ROWS } from "../src/crawl/options/option-table.ts";
import { interfaceOf, referencesIn } from "./schema-types.ts";

/**
 * The declarations of the library (`dist/cli/library.d.ts`): options and pages from the schemas of the API, which are
 * made from the tables; the rest is the text of library-types.ts and of the summary. They import nothing.
 */

const CLI = join(ROOT, "src", "cli");

/** Throws if a source is not as it expects. */
export function libraryTypes(): string {
  const schema = fullSchemaOf(crawlRequest, "input");
  const { url: _, urls: __, watch: ___, ...properties } = schema.properties ?? {};
  for (const [path, { suggested }] of OPTION_ROWS)
    if (suggested !== undefined && path in properties)
      properties[path] = { ...(properties[path] as JsonSchema), default: suggested as number };
  const request: JsonSchema = { ...schema, properties };
  const page = fullSchemaOf(recordsPage.shape.records.element, "output");
  const parts = [
    "// Made from the tables of options and of facts by scripts/library-types.ts.\n",
    interfaceOf("CrawlRequest", { ...request, description: "The options of a crawl, as the API takes them." }, true),
    interfaceOf("Page", { ...page, description: "A URL of the crawl, with the page in the formats requested." }, false),
    ...named(referencesIn(request), REQUESTS, "input"),
    ...named(referencesIn(page), ANSWERS, "output"),
    `${declarationOf(join(CLI, "output", "summary.ts"), "Summary")}\n`,
    withoutImports(readFileSync(join(CLI, "library", "library-types.ts"), "utf8")),
    hookTypes(),
  ];
  return parts.join("\n");
}

/** The types of a hook, and the values that its fields have. */
function hookTypes(): string {
  const read = (...file: string[]) => readFileSync(join(ROOT, "src", ...file), "utf8");
  const rules = read("media", "html", "fields", "field-rule.ts");
  const [value] = /\/\*\*[^/]*\*\/\nexport type FieldValue = .+;\n/.exec(rules) ?? [];
  if (value === undefined) throw new Error("field-rule.ts has no FieldValue");
  const types = withoutImports(read("crawl", "subject", "hook.ts")).replace(/\/\*\*[^/]*\*\/\nexport const .+;\n/g, "");
  return `${value}\n${types}`;
}

function named(names: readonly string[], schemas: Record<string, unknown>, io: "input" | "output"): string[] {
  return [...new Set(names)].map((name) => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`there is no schema ${name}`);
    return interfaceOf(name, fullSchemaOf(schema as never, io), io === "input");
  });
}

function declarationOf(file: string, name: string): string {
  const [text] = new RegExp(`export interface ${name} \\{\\n[\\s\\S]*?\\n\\}`).exec(readFileSync(file, "utf8")) ?? [];
  if (text === undefined) throw new Error(`${file} has no interface ${name}`);
  return text;
}

/** What the file imports is declared above it. */
function withoutImports(source: string): string {
  return source.replace(/^import type [\s\S]*?;\n/gm, "").trimStart();
}
