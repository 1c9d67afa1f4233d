import { openapi } from "../src/api/docs/openapi.ts";
import { OPERATIONS } from "../src/api/operations.ts";
import { fillPath, type Operation, REFUSED, refusalsOf, TAGS, templateOf } from "../src/api/requests/operation.ts";
import { fieldTable, linkTo, parameterTable, rowsOf, type Schema, typeOf } from "./schema-table.ts";

/** docs/api.md: the description of the API for people. */

interface Content {
  content?: Record<string, { schema: Schema }>;
}

export function apiReference(): string {
  const document = openapi();
  const shapes = document.components.schemas as Record<string, Schema>;
  const tags = Object.entries(TAGS);
  const byTag = (tag: string) => OPERATIONS.filter((operation) => operation.tag === tag);
  return `${[
    "# The HTTP API",
    "",
    "<!-- Written by npm run docs:api from src/api: change it there. -->",
    "",
    `${document.info.description} \`/docs\` of an installation is a page to try the API. \`/openapi.json\` describes it for programs.`,
    "",
    'A request body is JSON with at most 1 MiB. Unknown keys are refused. An answer is `{"success": true, "result": ...}` unless its route says otherwise. Times are ISO 8601 in UTC.',
    "The answer to a refused request is a [Failure](#failure), with one of these codes:",
    "",
    "| status | code | description |",
    "| --- | --- | --- |",
    ...Object.entries(REFUSED).map(([status, { codes, says }]) => {
      return `| ${status} | ${codes.map((code) => `\`${code}\``).join(", ")} | ${says} |`;
    }),
    "",
    "In the examples, `$ADDRESS` is the address of the installation (`http://127.0.0.1:PORT`, as `serve` prints it, or the address of a deployment), `$TOKEN` is its token, and `$ID` is the id of a crawl or a schedule.",
    "",
    "| route | description |",
    "| --- | --- |",
    ...tags
      .flatMap(([tag]) => byTag(tag))
      .map((each) => `| \`${routeOf(each)}\` | [${each.summary}](#${slug(each.summary)}) |`),
    "",
    ...tags.flatMap(([tag, text]) => [
      `## ${titleOf(tag)}`,
      "",
      text,
      "",
      ...byTag(tag).flatMap((operation) => operationSection(operation, document.paths)),
    ]),
    "## Shapes",
    "",
    ...Object.entries(shapes).flatMap(([name, shape]) => shapeSection(name, shape, shapes)),
  ]
    .join("\n")
    .trimEnd()}\n`;
}

function operationSection(operation: Operation, paths: ReturnType<typeof openapi>["paths"]): string[] {
  const { method, path, also, summary, detail, open, reads, answer } = operation;
  const described = paths[templateOf(path)]?.[method];
  const rows = (described?.parameters ?? []).map(({ name, required, description, schema, in: place }) => ({
    name,
    required,
    place,
    schema: { ...schema, description } as Schema,
  }));
  const body = described?.requestBody?.content["application/json"]?.schema as Schema | undefined;
  const notes = [
    detail,
    also === undefined ? undefined : `Also at \`${templateOf(also)}\`.`,
    open ? "Needs no token." : reads ? "A read-only token is enough." : undefined,
  ].filter((note) => note !== undefined);
  return [
    `### ${summary}`,
    "",
    `\`${routeOf(operation)}\``,
    "",
    ...(notes.length === 0 ? [] : [notes.join(" "), ""]),
    ...(rows.length === 0
      ? []
      : [...parameterTable(rows, ({ name }) => rows.find((row) => row.name === name)?.place ?? ""), ""]),
    ...(body?.$ref === undefined ? [] : [`Body: ${linkTo(body.$ref)}.`, ""]),
    "```sh",
    curlOf(operation),
    "```",
    "",
    ...answerOf(operation, described?.responses[answer.status] as Content | undefined),
    "",
  ];
}

function answerOf(operation: Operation, response: Content | undefined): string[] {
  const { answer } = operation;
  const refused = refusalsOf(operation);
  const refusals = refused.length === 0 ? "" : ` Refused with ${refused.join(", ")}.`;
  const says = `Answers **${answer.status}**: ${answer.says}`;
  const whole = response?.content?.["application/json"]?.schema;
  const schema = "result" in answer ? whole?.properties?.result : whole;
  if (schema === undefined) return [says + refusals];
  const rows = rowsOf(schema);
  const type = `\`${"result" in answer ? "result" : "body"}\`: ${typeOf(schema)}.`;
  return [`${says} ${type}${refusals}`, ...(rows.length === 0 ? [] : ["", ...fieldTable(rows)])];
}

function shapeSection(name: string, shape: Schema, shapes: Record<string, Schema>): string[] {
  const base = Object.entries(shapes).find(([other, { properties = {} }]) => {
    const fields = Object.entries(properties);
    const isWithin = ([field, schema]: [string, Schema]) =>
      JSON.stringify(shape.properties?.[field]) === JSON.stringify(schema);
    return other !== name && fields.length > 0 && fields.every(isWithin);
  });
  const own = Object.entries(shape.properties ?? {}).filter(([field]) => base?.[1].properties?.[field] === undefined);
  const rows = rowsOf({ ...shape, properties: Object.fromEntries(own) });
  return [
    `### ${name}`,
    "",
    ...(base === undefined ? [] : [`All of ${linkTo(base[0])}, and`, ""]),
    ...(name.endsWith("Request") ? parameterTable(rows) : fieldTable(rows)),
    "",
  ];
}

function curlOf({ method, path, open, example }: Operation): string {
  const filled = fillPath(path, (name) => example?.path?.[name] ?? (name === "id" ? "$ID" : "me"));
  const query = new URLSearchParams(example?.query).toString();
  return [
    "curl",
    ...(method === "delete" ? ["-X DELETE"] : method === "post" && example?.body === undefined ? ["-X POST"] : []),
    ...(open ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    `"$ADDRESS${filled}${query === "" ? "" : `?${query}`}"`,
    ...(example?.body === undefined ? [] : [`-d '${JSON.stringify(example.body)}'`]),
  ].join(" ");
}

function routeOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${templateOf(path)}`;
}

function titleOf(tag: string): string {
  return (tag[0] ?? "").toUpperCase() + tag.slice(1);
}

/** The anchor that GitHub gives a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
