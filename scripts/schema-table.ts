import { boundsOf, defaultOf, type FieldRow, typeOf } from "../src/api/docs/schema-rows.ts";

/** Writes the fields of a JSON Schema as a table of Markdown, with one row for each. */

/** Parameters of a request, with bounds and defaults. */
export function parameterTable(rows: FieldRow[], where?: (row: FieldRow) => string): string[] {
  const place = where === undefined ? [] : ["in"];
  const head = ["name", ...place, "type", "bounds", "default", "description"];
  return table(
    head,
    rows.map((row) => {
      const { name, schema, required } = row;
      return [
        `\`${name}\``,
        ...(where === undefined ? [] : [where(row)]),
        typeOf(schema),
        boundsOf(schema),
        required ? "**required**" : defaultOf(schema),
        schema.description ?? "",
      ];
    }),
  );
}

/** Fields of an answer. */
export function fieldTable(rows: FieldRow[]): string[] {
  return table(
    ["field", "type", "description"],
    rows.map(({ name, schema, required }) => [
      `\`${name}\`${required ? "" : " (may be missing)"}`,
      typeOf(schema),
      schema.description ?? "",
    ]),
  );
}

/** A table of Markdown. */
export function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}
