import { OPERATIONS } from "../operations.ts";
import { fillPath, type Operation, refusalsOf, templateOf } from "../requests/operation.ts";
import { openapi } from "./openapi.ts";
import { type FieldRow, rowsOf, type Schema, typeOf } from "./schema-rows.ts";

/** What docs/api.md and the page /docs say of a route. Sentences are Markdown. */

export interface RouteText {
  /** The place of its section. It is the anchor that GitHub gives the heading in docs/api.md. */
  anchor: string;
  summary: string;
  route: string;
  notes: string[];
  parameters: ParameterRow[];
  /** The body of the request: the name of its shape, or its media type if it is no JSON. */
  body: { shape: string } | { type: string } | null;
  /** An example, in which `$ADDRESS`, `$TOKEN` and `$ID` stand for what it needs. */
  curl: string;
  /** The status and what comes with it, the type of the result, and the statuses of refusals. */
  answers: { status: number; says: string; type: string | null; refused: number[]; fields: FieldRow[] };
}

export interface ParameterRow extends FieldRow {
  place: string;
}

export interface ShapeText {
  name: string;
  isRequest: boolean;
  /** The name of a shape whose fields it has too. */
  base: string | null;
  fields: FieldRow[];
}

interface Content {
  content?: Record<string, { schema: Schema }>;
}

export function describeRoutes(tag: string): RouteText[] {
  return OPERATIONS.filter((operation) => operation.tag === tag).map(describeRoute);
}

function describeRoute(operation: Operation): RouteText {
  const { method, path, also, summary, detail, open, reads, upload, answer } = operation;
  const described = openapi().paths[templateOf(path)]?.[method];
  const parameters = (described?.parameters ?? []).map(({ name, required, description, schema, in: place }) => ({
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
  const response = described?.responses[answer.status] as Content | undefined;
  const whole = response?.content?.["application/json"]?.schema;
  const schema = "result" in answer ? whole?.properties?.result : whole;
  return {
    anchor: anchorOf(summary),
    summary,
    route: `${method.toUpperCase()} ${templateOf(path)}`,
    notes,
    parameters,
    body: upload !== undefined ? { type: upload } : body?.$ref === undefined ? null : { shape: nameOf(body.$ref) },
    curl: curlOf(operation),
    answers: {
      status: answer.status,
      says: answer.says,
      type: schema === undefined ? null : `\`${"result" in answer ? "result" : "body"}\`: ${typeOf(schema)}`,
      refused: refusalsOf(operation),
      fields: schema === undefined ? [] : rowsOf(schema),
    },
  };
}

/** The named shapes of requests and answers. */
export function describeShapes(): ShapeText[] {
  const shapes = Object.entries(openapi().components.schemas as Record<string, Schema>);
  return shapes.map(([name, shape]) => {
    const base = shapes.find(([other, { properties = {} }]) => {
      const fields = Object.entries(properties);
      const isWithin = ([field, schema]: [string, Schema]) =>
        JSON.stringify(shape.properties?.[field]) === JSON.stringify(schema);
      return other !== name && fields.length > 0 && fields.every(isWithin);
    });
    const own = Object.entries(shape.properties ?? {}).filter(([field]) => base?.[1].properties?.[field] === undefined);
    return {
      name,
      isRequest: name.endsWith("Request"),
      base: base?.[0] ?? null,
      fields: rowsOf({ ...shape, properties: Object.fromEntries(own) }),
    };
  });
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function curlOf({ method, path, open, upload, example }: Operation): string {
  const filled = fillPath(path, (name) => example?.path?.[name] ?? (name === "id" ? "$ID" : "me"));
  const query = new URLSearchParams(example?.query).toString();
  return [
    "curl",
    ...(method === "delete"
      ? ["-X DELETE"]
      : method === "post" && example?.body === undefined && upload === undefined
        ? ["-X POST"]
        : []),
    ...(open ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    `"$ADDRESS${filled}${query === "" ? "" : `?${query}`}"`,
    ...(upload === undefined
      ? []
      : [upload.startsWith("multipart/") ? "-F file=@FILE" : `-H "Content-Type: ${upload}" --data-binary @FILE`]),
    ...(example?.body === undefined ? [] : [`-d '${JSON.stringify(example.body)}'`]),
  ].join(" ");
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
