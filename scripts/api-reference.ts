import { describeRoutes, describeShapes, type RouteText, type ShapeText } from "../src/api/docs/describe-route.ts";
import { openapi } from "../src/api/docs/openapi.ts";
import { linkTo } from "../src/api/docs/schema-rows.ts";
import { REFUSED, TAGS, titleOf } from "../src/api/requests/operation.ts";
import { fieldTable, parameterTable } from "./schema-table.ts";

/** docs/api.md: the description of the API for people. The page /docs of an installation shows the same. */

export function apiReference(): string {
  const tags = Object.entries(TAGS).map(([tag, text]) => ({ tag, text, routes: describeRoutes(tag) }));
  return `${[
    "# The HTTP API",
    "",
    "<!-- Written by npm run docs:api from src/api: change it there. -->",
    "",
    `${openapi().info.description} \`/docs\` of an installation shows this reference, with a search. \`/openapi.json\` describes the API for programs.`,
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
      .flatMap(({ routes }) => routes)
      .map(({ route, summary, anchor }) => `| \`${route}\` | [${summary}](#${anchor}) |`),
    "",
    ...tags.flatMap(({ tag, text, routes }) => [`## ${titleOf(tag)}`, "", text, "", ...routes.flatMap(routeSection)]),
    "## Shapes",
    "",
    ...describeShapes().flatMap(shapeSection),
  ]
    .join("\n")
    .trimEnd()}\n`;
}

function routeSection({ summary, route, notes, parameters, body, curl, answers }: RouteText): string[] {
  const { status, says, type, refused, fields } = answers;
  const refusals = refused.length === 0 ? "" : ` Refused with ${refused.join(", ")}.`;
  return [
    `### ${summary}`,
    "",
    `\`${route}\``,
    "",
    ...(notes.length === 0 ? [] : [notes.join(" "), ""]),
    ...(parameters.length === 0
      ? []
      : [...parameterTable(parameters, ({ name }) => parameters.find((row) => row.name === name)?.place ?? ""), ""]),
    ...(body === null ? [] : [`Body: ${"shape" in body ? linkTo(body.shape) : `\`${body.type}\``}.`, ""]),
    "```sh",
    curl,
    "```",
    "",
    `Answers **${status}**: ${says}${type === null ? "" : ` ${type}.`}${refusals}`,
    ...(fields.length === 0 ? [] : ["", ...fieldTable(fields)]),
    "",
  ];
}

function shapeSection({ name, isRequest, base, fields }: ShapeText): string[] {
  return [
    `### ${name}`,
    "",
    ...(base === null ? [] : [`All of ${linkTo(base)}, and`, ""]),
    ...(isRequest ? parameterTable(fields) : fieldTable(fields)),
    "",
  ];
}
